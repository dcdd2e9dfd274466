//! The seals of finished builds.

use chrono::{DateTime, Utc};
use domain::{ids::BuildId, verdict::Verdict};

use super::{
    conn::Conn,
    error::Result,
    statement::{execute, fetch, row},
};

row! {
    /// The final judgement on a build; never changed once written.
    pub struct Seal {
        /// The build.
        pub build_id: BuildId,
        /// The verdict.
        pub verdict: Verdict,
        /// 0 to 100, for the reader.
        pub score: f64,
        /// The commit that seals the branch.
        pub seal_commit: String,
        /// The journal's newest hash when it was sealed.
        pub journal_head: String,
        /// What the verdict rests on, as JSON text.
        pub evidence: String,
        /// When it was sealed.
        pub sealed_at: DateTime<Utc>,
    }
}

/// Adds a seal. A second one for a build is `Error::AlreadyExists`.
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

/// The seal of a build.
pub async fn get(conn: &mut Conn, build: BuildId) -> Result<Option<Seal>> {
    const SQL: &str = "SELECT build_id, verdict, score, seal_commit, journal_head, evidence, \
        sealed_at FROM seals WHERE build_id = $1";
    Ok(fetch!(conn, SQL, build).pop())
}

/// The seal's envelope as JSON text; none while nobody has signed it.
pub async fn envelope(conn: &mut Conn, build: BuildId) -> Result<Option<String>> {
    const SQL: &str = "SELECT envelope FROM seals WHERE build_id = $1";
    let found: Vec<(Option<String>,)> = fetch!(conn, SQL, build);
    Ok(found.into_iter().next().and_then(|(envelope,)| envelope))
}

/// Keeps the envelope of a seal that has none. False where there is one already, or no seal.
pub async fn put_envelope(conn: &mut Conn, build: BuildId, envelope: &str) -> Result<bool> {
    const SQL: &str = "UPDATE seals SET envelope = $2 WHERE build_id = $1 AND envelope IS NULL";
    Ok(execute!(conn, SQL, build, envelope) > 0)
}
