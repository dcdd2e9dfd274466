//! Databases for tests: a fresh one for each, of either kind, gone when the test ends; and what
//! they ask servers with.
//!
//! Knows nothing of the crates under test, so that any of them can use it, also from within.

mod both;
mod cluster;
mod http;
mod postgres;
mod sqlite;

pub use both::run_on;
pub use http::http_client;
pub use postgres::Postgres;
pub use sqlite::Sqlite;
