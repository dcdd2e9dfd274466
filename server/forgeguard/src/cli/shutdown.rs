//! The request to stop, from the terminal or from whatever manages the process.

use std::io;

use tokio::signal::unix::{SignalKind, signal};

/// Listens from now on; the future ends with the first signal.
pub fn signals() -> io::Result<impl Future<Output = ()> + Send + 'static> {
    let (mut terminate, mut interrupt) =
        (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}
