//! The journal on both databases: what it promises to writers, readers and whoever checks it.
//!
//! - [`world`]: a database with people and projects, and a journal over it
//! - [`script`]: what happens in the life of a build, from queue to seal

#[cfg(test)]
mod appends;
#[cfg(test)]
mod feeds;
#[cfg(test)]
mod nodes;
#[cfg(test)]
mod parking;
#[cfg(test)]
mod projections;
#[cfg(test)]
mod restarts;
#[cfg(test)]
mod script;
#[cfg(test)]
mod tampering;
#[cfg(test)]
mod verifying;
#[cfg(test)]
mod world;
