//! File access below a directory with untrusted content.
//!
//! Directories that agents' commands write to can change at any time: a directory can be replaced
//! by a link to the hosted repository between a check and its use. Therefore the service accesses
//! such files only through a [`RootDir`]: the kernel resolves each path below the descriptor of the
//! root (`openat2`), and fails if a link would be followed. Opening never blocks on a pipe or a
//! device.
//!
//! Does not depend on git, builds or commands. Everything here blocks: call it outside async
//! threads. Requires Linux 5.6 or newer; without `openat2`, every operation fails.

mod entry;
mod remove;
mod root;

pub use entry::{DirEntry, Entry, FileKind, FileStat};
pub use remove::Removal;
pub use root::{Links, Listing, RootDir, TEMPORARY_PREFIX, is_missing, is_temporary};
