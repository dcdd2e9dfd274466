//! Support for tests: temporary SQLite and PostgreSQL databases, an HTTP client, and Cargo.
//!
//! Does not depend on the crates under test, so that all of them can use it, even in unit tests.

mod both;
mod cargo;
mod cluster;
mod http;
mod postgres;
mod sqlite;
mod template;

pub use both::run_on;
pub use cargo::cargo;
pub use http::http_client;
pub use postgres::Postgres;
pub use sqlite::Sqlite;
