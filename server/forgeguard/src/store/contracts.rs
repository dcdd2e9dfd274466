//! Versions of a project's contracts, and the snapshots that builds pin.

use chrono::{DateTime, Utc};
use domain::{
    attestation::sha256,
    contract::{ContractFormat, ContractType, PinnedContract, VersionSource},
    ids::{ContractId, ProjectId, SnapshotId, UserId},
};

use super::{
    conn::Conn,
    error::Result,
    statement::{execute, fetch, row},
};

row! {
    /// A version of a contract. Never changed.
    pub struct Contract {
        pub id: ContractId,
        pub project_id: ProjectId,
        pub kind: ContractType = "type",
        /// From 1, without gaps.
        pub version: u32,
        pub format: ContractFormat,
        pub content: String,
        pub source: VersionSource,
        /// None unless a user wrote it.
        pub author_id: Option<UserId>,
        pub created_at: DateTime<Utc>,
    }
}

impl Contract {
    /// The version as recorded by a build.
    pub fn pinned(&self) -> PinnedContract {
        PinnedContract {
            id: self.id,
            kind: self.kind,
            version: self.version,
            format: self.format,
            source: self.source,
            author_id: self.author_id,
            created_at: self.created_at,
            sha256: sha256(self.content.as_bytes()),
        }
    }
}

/// The next version of a contract.
#[derive(Clone, Debug)]
pub struct NewContract<'a> {
    pub id: ContractId,
    pub project_id: ProjectId,
    pub kind: ContractType,
    pub format: ContractFormat,
    pub content: &'a str,
    pub source: VersionSource,
    /// None unless a user wrote it.
    pub author_id: Option<UserId>,
    pub created_at: DateTime<Utc>,
}

macro_rules! columns {
    () => {
        "id, project_id, type, version, format, content, source, author_id, created_at"
    };
}

/// Selects the newest versions among the rows of `c`.
macro_rules! newest {
    () => {
        "c.version = (SELECT MAX(version) FROM contracts \
         WHERE project_id = c.project_id AND type = c.type)"
    };
}

/// Adds the next version. `Error::AlreadyExists` if another one is added concurrently.
pub async fn insert(conn: &mut Conn, contract: &NewContract<'_>) -> Result<Contract> {
    const SQL: &str = concat!(
        "INSERT INTO contracts (",
        columns!(),
        ") SELECT $1, $2, $3, COALESCE(MAX(version), 0) + 1, $4, $5, $6, $7, $8 \
         FROM contracts WHERE project_id = $2 AND type = $3 RETURNING ",
        columns!()
    );
    let mut written: Vec<Contract> = fetch!(
        conn,
        SQL,
        contract.id,
        contract.project_id,
        contract.kind,
        contract.format,
        contract.content,
        contract.source,
        contract.author_id,
        contract.created_at,
    );
    written.pop().ok_or_else(|| sqlx::Error::RowNotFound.into())
}

/// The newest version of each contract of the project, at most nine.
pub async fn list_current(conn: &mut Conn, project: ProjectId) -> Result<Vec<Contract>> {
    const SQL: &str = concat!(
        "SELECT ",
        columns!(),
        " FROM contracts AS c WHERE project_id = $1 AND ",
        newest!(),
        " ORDER BY type"
    );
    Ok(fetch!(conn, SQL, project))
}

/// The newest version of one contract.
pub async fn current(
    conn: &mut Conn,
    project: ProjectId,
    kind: ContractType,
) -> Result<Option<Contract>> {
    const SQL: &str = concat!(
        "SELECT ",
        columns!(),
        " FROM contracts WHERE project_id = $1 AND type = $2 ORDER BY version DESC LIMIT 1"
    );
    Ok(fetch!(conn, SQL, project, kind).pop())
}

pub async fn version(
    conn: &mut Conn,
    project: ProjectId,
    kind: ContractType,
    version: u32,
) -> Result<Option<Contract>> {
    const SQL: &str = concat!(
        "SELECT ",
        columns!(),
        " FROM contracts WHERE project_id = $1 AND type = $2 AND version = $3"
    );
    Ok(fetch!(conn, SQL, project, kind, version).pop())
}

row! {
    /// A version without its text.
    pub struct Edition {
        /// From 1, without gaps.
        pub version: u32,
        pub source: VersionSource,
        /// Name of the user who wrote it, if one did.
        pub author: Option<String>,
        /// Of its text, in characters.
        pub length: u32,
        pub created_at: DateTime<Utc>,
    }
}

/// The next `limit` versions below `before`, newest first.
pub async fn history(
    conn: &mut Conn,
    project: ProjectId,
    kind: ContractType,
    before: Option<u32>,
    limit: i64,
) -> Result<Vec<Edition>> {
    const SQL: &str = "SELECT c.version, c.source, u.name AS author, \
            CAST(LENGTH(c.content) AS BIGINT) AS length, c.created_at \
        FROM contracts AS c LEFT JOIN users AS u ON u.id = c.author_id \
        WHERE c.project_id = $1 AND c.type = $2 AND c.version < $3 \
        ORDER BY c.version DESC LIMIT $4";
    Ok(fetch!(conn, SQL, project, kind, before.unwrap_or(u32::MAX), limit))
}

/// Stores the newest versions of all contracts of the project as a snapshot. Returns their number.
pub async fn freeze(
    conn: &mut Conn,
    batch: SnapshotId,
    project: ProjectId,
    now: DateTime<Utc>,
) -> Result<u64> {
    const SQL: &str = concat!(
        "INSERT INTO contract_snapshots (id, project_id, contract_id, created_at) \
         SELECT $1, project_id, id, $3 FROM contracts AS c WHERE project_id = $2 AND ",
        newest!()
    );
    Ok(execute!(conn, SQL, batch, project, now))
}

/// The contracts of a snapshot.
pub async fn list_frozen(conn: &mut Conn, batch: SnapshotId) -> Result<Vec<Contract>> {
    const SQL: &str = concat!(
        "SELECT ",
        columns!(),
        " FROM contracts WHERE id IN \
         (SELECT contract_id FROM contract_snapshots WHERE id = $1) ORDER BY type"
    );
    Ok(fetch!(conn, SQL, batch))
}

/// When a snapshot of the project was created; `None` if it has no such snapshot.
pub async fn frozen_at(
    conn: &mut Conn,
    project: ProjectId,
    batch: SnapshotId,
) -> Result<Option<DateTime<Utc>>> {
    const SQL: &str =
        "SELECT created_at FROM contract_snapshots WHERE id = $1 AND project_id = $2 LIMIT 1";
    let found: Vec<(DateTime<Utc>,)> = fetch!(conn, SQL, batch, project);
    Ok(found.first().map(|(at,)| *at))
}

/// The versions of the contracts of a snapshot, in no particular order.
pub async fn frozen_versions(
    conn: &mut Conn,
    batch: SnapshotId,
) -> Result<Vec<(ContractType, u32)>> {
    const SQL: &str = "SELECT type, version FROM contracts WHERE id IN \
        (SELECT contract_id FROM contract_snapshots WHERE id = $1)";
    Ok(fetch!(conn, SQL, batch))
}

/// One contract of a snapshot.
pub async fn frozen(
    conn: &mut Conn,
    batch: SnapshotId,
    kind: ContractType,
) -> Result<Option<Contract>> {
    const SQL: &str = concat!(
        "SELECT ",
        columns!(),
        " FROM contracts WHERE id IN \
         (SELECT contract_id FROM contract_snapshots WHERE id = $1) AND type = $2"
    );
    Ok(fetch!(conn, SQL, batch, kind).pop())
}
