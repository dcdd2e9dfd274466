//! The seals of builds.

use chrono::{DateTime, Utc};
use domain::{ids::BuildId, verdict::Verdict};

use super::{
    conn::Conn,
    error::Result,
    statement::{execute, fetch, row},
};

row! {
    /// A seal. Never changed.
    pub struct Seal {
        pub build_id: BuildId,
        pub verdict: Verdict,
        /// 0 to 100, for display only.
        pub score: f64,
        /// The last commit of the branch.
        pub seal_commit: String,
        /// The hash of the journal's newest event when the build was sealed.
        pub journal_head: String,
        /// The basis of the verdict, as JSON text.
        pub evidence: String,
        pub sealed_at: DateTime<Utc>,
    }
}

/// Adds a seal. `Error::AlreadyExists` if the build has one.
pub async fn insert(conn: &mut Conn, seal: &Seal) -> Result<()> {
    const SQL: &str = "INSERT INTO seals \
        (build_id, verdict, score, seal_commit, journal_head, evidence, sealed_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7)";
    execute!(
        conn,
        SQL,
        seal.build_id,
        seal.verdict,
        seal.score,
        seal.seal_commit.as_str(),
        seal.journal_head.as_str(),
        seal.evidence.as_str(),
        seal.sealed_at,
    );
    Ok(())
}

pub async fn get(conn: &mut Conn, build: BuildId) -> Result<Option<Seal>> {
    const SQL: &str = "SELECT build_id, verdict, score, seal_commit, journal_head, evidence, \
        sealed_at FROM seals WHERE build_id = $1";
    Ok(fetch!(conn, SQL, build).pop())
}

/// The seal's envelope as JSON text; None if it is not signed.
pub async fn envelope(conn: &mut Conn, build: BuildId) -> Result<Option<String>> {
    const SQL: &str = "SELECT envelope FROM seals WHERE build_id = $1";
    let found: Vec<(Option<String>,)> = fetch!(conn, SQL, build);
    Ok(found.into_iter().next().and_then(|(envelope,)| envelope))
}

/// All signed seals with their envelopes, oldest build first.
pub async fn envelopes(conn: &mut Conn) -> Result<Vec<(BuildId, String)>> {
    const SQL: &str = "SELECT build_id, envelope FROM seals WHERE envelope IS NOT NULL \
        ORDER BY build_id";
    Ok(fetch!(conn, SQL))
}

/// Stores the envelope of a seal that has none. False if it has one, or there is no seal.
pub async fn put_envelope(conn: &mut Conn, build: BuildId, envelope: &str) -> Result<bool> {
    const SQL: &str = "UPDATE seals SET envelope = $2 WHERE build_id = $1 AND envelope IS NULL";
    Ok(execute!(conn, SQL, build, envelope) > 0)
}
