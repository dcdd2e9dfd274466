//! Passing an open file descriptor to another process over a local socket.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};

use rustix::cmsg_space;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};

/// Ancillary data must accompany at least one byte.
const CARRIER_BYTE: [u8; 1] = [b'd'];

/// Sends a copy of `descriptor`.
pub fn send(channel: impl AsFd, descriptor: &impl AsFd) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    let descriptors = [descriptor.as_fd()];
    control.push(SendAncillaryMessage::ScmRights(&descriptors));
    sendmsg(channel, &[IoSlice::new(&CARRIER_BYTE)], &mut control, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// Receives one descriptor. The error is of kind `UnexpectedEof` if none was sent.
pub fn receive(channel: impl AsFd) -> io::Result<OwnedFd> {
    let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut byte = CARRIER_BYTE;
    recvmsg(channel, &mut [IoSliceMut::new(&mut byte)], &mut control, RecvFlags::CMSG_CLOEXEC)?;
    let received = control.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut descriptors) => descriptors.next(),
        _ => None,
    });
    received.ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::Read;
    use std::os::unix::net::UnixStream;

    use super::*;

    #[test]
    fn descriptor_is_received_open_after_sender_closes() {
        let (sender, receiver) = UnixStream::pair().unwrap();
        let mut file = tempfile::tempfile().unwrap();
        io::Write::write_all(&mut file, b"content").unwrap();
        io::Seek::rewind(&mut file).unwrap();
        send(&sender, &file).unwrap();
        drop((sender, file));
        let mut text = String::new();
        File::from(receive(&receiver).unwrap()).read_to_string(&mut text).unwrap();
        assert_eq!(text, "content");
        let error = receive(&receiver).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
    }
}
