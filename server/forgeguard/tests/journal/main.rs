//! The journal on both databases: appending, reading and verification.
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
mod outages;
#[cfg(test)]
mod parking;
#[cfg(test)]
mod projections;
#[cfg(test)]
mod restarts;
mod round_trips;
#[cfg(test)]
mod script;
#[cfg(test)]
mod tampering;
#[cfg(test)]
mod verifying;
#[cfg(test)]
mod world;
