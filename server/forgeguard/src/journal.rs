//! The journal: every event of every build, appended in one place and followed from anywhere.
//!
//! - [`entry`]: what is appended, and how it can be refused
//! - [`excerpt`]: how bodies too large for the journal are cut
//! - [`committed`]: an event as all readers share it
//! - [`states`]: the folded state of builds, kept while it is used
//! - [`projection`]: the rows that follow from events, written in the same transaction
//! - [`feed`]: gap-free reading, live
//! - [`batch`]: what one build gets in one transaction
//! - [`append`]: the one writer
//! - [`verify`]: the chain and the seal, checked again

pub mod append;
pub mod committed;
pub mod entry;
pub mod feed;
pub mod verify;

mod batch;
mod excerpt;
mod projection;
mod states;

pub use append::Journal;
pub use committed::Committed;
pub use entry::{AgentMessage, AppendError, Appended, Entry, NewBuild};
pub use feed::{Feed, Item, PreviewKind, Subscription};
