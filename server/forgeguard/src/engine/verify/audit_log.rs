//! Verifies the audit log's chain, and that it contains the entries that seals name.

use std::collections::BTreeMap;

use domain::{audit::AuditHead, audit_chain::AuditWalk, ids::BuildId};
use serde::Serialize;
use utoipa::ToSchema;

use crate::store::{self, Conn};

/// Entries per query.
const PAGE: i64 = 500;

/// The result of verifying the audit log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct AuditVerification {
    /// Whether there are no problems.
    pub ok: bool,
    /// The number of valid entries before the first invalid one.
    pub entries: u64,
    /// The hash of the last valid entry.
    pub head_hash: String,
    /// The number of seals whose entries were checked.
    pub seals: u64,
    /// For display.
    pub problems: Vec<String>,
}

/// Verifies the audit log. `sealed` are the entries that were the newest when builds were sealed.
///
/// # Errors
/// If the database fails.
pub async fn verify(
    conn: &mut Conn,
    sealed: &BTreeMap<BuildId, AuditHead>,
) -> store::Result<AuditVerification> {
    let mut by_seq: BTreeMap<u64, Vec<(BuildId, &str)>> = BTreeMap::new();
    for (build, head) in sealed {
        by_seq.entry(head.seq).or_default().push((*build, &head.hash));
    }
    let mut walk = AuditWalk::default();
    let mut problems = Vec::new();
    compare(walk.head(), &mut by_seq, &mut problems);
    'log: loop {
        let rows = store::audit_log::after(conn, walk.head().seq, PAGE).await?;
        for row in &rows {
            if let Err(mismatch) = walk.next(&row.record(), row.hash.as_deref()) {
                problems.push(format!("audit_log: {mismatch}"));
                break 'log;
            }
            compare(walk.head(), &mut by_seq, &mut problems);
        }
        if rows.is_empty() {
            if !walk.is_chained() {
                problems.push("audit_log: no entry has a hash".to_owned());
            }
            break;
        }
    }
    let last = walk.head().seq;
    problems.extend(by_seq.iter().flat_map(|(seq, builds)| {
        builds.iter().map(move |(build, _)| {
            format!(
                "audit_log: build {build} was sealed when entry {seq} was the newest, but only \
                 {last} entries can be verified"
            )
        })
    }));
    Ok(AuditVerification {
        ok: problems.is_empty(),
        entries: last,
        head_hash: walk.head().hash.clone(),
        seals: sealed.len() as u64,
        problems,
    })
}

fn compare(
    head: &AuditHead,
    sealed: &mut BTreeMap<u64, Vec<(BuildId, &str)>>,
    problems: &mut Vec<String>,
) {
    let differing = sealed.remove(&head.seq).unwrap_or_default().into_iter();
    problems.extend(differing.filter(|(_, hash)| *hash != head.hash).map(|(build, _)| {
        format!(
            "audit_log: entry {} or one before it was changed: the seal of build {build} names \
             another hash",
            head.seq
        )
    }));
}
