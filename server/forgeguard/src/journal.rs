//! The journal: events of all builds, appended in one place.
//!
//! - [`entry`]: requests to append, and their errors
//! - [`excerpt`]: truncation of bodies that are too large for the journal
//! - [`committed`]: a serialised event, shared by all readers
//! - [`states`]: a cache of the folded states of builds
//! - [`projection`]: the rows derived from events, written in the same transaction
//! - [`feed`]: live reading without gaps
//! - [`preview_relay`]: previews for readers on other nodes
//! - [`other_nodes`]: notifications about events and previews of other nodes
//! - [`batch`]: the events of one build in one transaction
//! - [`append`]: the only writer
//! - [`verify`]: verification of the chain, the seal and derived rows

pub mod append;
pub mod committed;
pub mod entry;
pub mod feed;
pub mod verify;

mod batch;
mod excerpt;
mod other_nodes;
mod preview_relay;
mod projection;
mod states;

pub use append::Journal;
pub use committed::Committed;
pub use entry::{AgentMessage, AppendError, Appended, Claim, Entry, NewBuild};
pub use excerpt::blobs_in;
pub use feed::{Feed, Item, Subscription};
pub use preview_relay::PreviewKind;
