//! Databases for tests: a fresh one for each, of either kind, gone when the test ends.
//!
//! Knows nothing of the crates under test, so that any of them can use it, also from within.

mod both;
mod cluster;
mod postgres;
mod sqlite;

pub use both::run_on;
pub use postgres::Postgres;
pub use sqlite::Sqlite;
