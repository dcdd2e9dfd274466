//! Support for tests: temporary SQLite and PostgreSQL databases, and an HTTP client.
//!
//! Does not depend on the crates under test, so that all of them can use it, even in unit tests.

mod both;
mod cluster;
mod http;
mod postgres;
mod sqlite;
mod template;

pub use both::run_on;
pub use http::http_client;
pub use postgres::Postgres;
pub use sqlite::Sqlite;
