//! Sets `TCP_NODELAY` on the connections to PostgreSQL.
//!
//! sqlx 0.9.0 does not (<https://github.com/transact-rs/sqlx/issues/4335>), and does not expose the
//! socket either. A statement that takes several writes, as each of more than 16 KiB over TLS does,
//! then waits 40 ms for the server's delayed acknowledgement. Delete this file with the first release
//! that contains the fix.

use std::{fs, io, net::SocketAddr, os::fd::BorrowedFd};

use rustix::net::{getpeername, sockopt};

/// Sets the option on all TCP sockets of this process that are connected to `port`. Where `/proc` is
/// missing, connections work without the option, only slower.
pub fn set_on_connections_to(port: u16) {
    let set = for_connections_to(port, |socket| {
        // Fails if the connection was closed in the meantime.
        let _ = sockopt::set_tcp_nodelay(socket, true);
    });
    if let Err(error) = set {
        tracing::debug!(%error, "TCP_NODELAY could not be set on connections to the database");
    }
}

fn for_connections_to(port: u16, mut each: impl FnMut(BorrowedFd<'_>)) -> io::Result<()> {
    for entry in fs::read_dir("/proc/self/fd")? {
        let name = entry?.file_name();
        let Some(number) = name.to_str().and_then(|name| name.parse().ok()) else { continue };
        // SAFETY: it is open, as it is listed. Another thread may close it; then reading its peer and
        // setting this option fails, or applies to another socket, whose data it cannot change.
        #[expect(unsafe_code, reason = "no safe call takes a descriptor by its number")]
        let fd = unsafe { BorrowedFd::borrow_raw(number) };
        if peer(fd).is_some_and(|peer| peer.port() == port) {
            each(fd);
        }
    }
    Ok(())
}

/// `None` for anything but a connected TCP socket.
fn peer(fd: BorrowedFd<'_>) -> Option<SocketAddr> {
    SocketAddr::try_from(getpeername(fd).ok()??).ok()
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use super::*;

    #[test]
    fn option_is_set_on_connections_to_the_port_only() {
        let listeners = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
        let [port, other] = listeners.each_ref().map(|one| one.local_addr().unwrap().port());
        let connect = |port| TcpStream::connect(("127.0.0.1", port)).unwrap();
        let (connected, unrelated) = (connect(port), connect(other));
        set_on_connections_to(port);
        assert!(connected.nodelay().unwrap());
        assert!(!unrelated.nodelay().unwrap());
    }
}
