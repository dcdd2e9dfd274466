//! The contracts pinned by a build, as recorded in its journal.

use std::collections::BTreeMap;

use domain::{contract::PinnedContract, event::EventBody, ids::BuildId};

use crate::{
    journal::verify::{Problem, Verification},
    store::{self, Conn},
};

/// Compares the stored contracts with the digests in the build's first event.
pub async fn compare(
    conn: &mut Conn,
    build_id: BuildId,
    found: &mut Verification,
) -> store::Result<()> {
    let first = store::events::after(conn, build_id, 0, 1).await?.pop();
    let queued = match first.and_then(|row| serde_json::from_str(&row.body).ok()) {
        Some(EventBody::BuildQueued(queued)) => queued,
        // The journal is invalid, which is reported.
        _ => return Ok(()),
    };
    let Some(recorded) = queued.contracts else {
        let note = "An earlier version queued this build, without the digests of its contracts.";
        found.notes.push(note.to_owned());
        return Ok(());
    };
    let rows = match store::contracts::list_frozen(conn, queued.snapshot_batch).await {
        Err(store::Error::Unreadable { wanted, value }) => {
            found.extend([Problem::of(format!("contracts: a row holds {value}, no {wanted}"))]);
            return Ok(());
        }
        rows => rows?,
    };
    let build = store::builds::get(conn, build_id).await.ok().flatten();
    let project = build.map(|build| build.project_id);
    let moved = rows.iter().find(|row| project.is_some_and(|project| row.project_id != project));
    found.extend(moved.map(|row| {
        let (kind, project) = (row.kind.name(), row.project_id);
        Problem::of(format!("contracts.project_id of {kind} is {project}, not the build's project"))
    }));
    let stored = rows.iter().map(store::contracts::Contract::pinned);
    let mut stored: BTreeMap<_, _> = stored.map(|contract| (contract.kind, contract)).collect();
    for contract in &*recorded {
        let kind = contract.kind.name();
        match stored.remove(&contract.kind) {
            None => {
                found.extend([Problem::of(format!("contract_snapshots: {kind} is missing"))]);
            }
            Some(row) => found.extend(differences(contract, &row).into_iter().map(|column| {
                Problem::of(format!("contracts.{column} of {kind} was changed after it was pinned"))
            })),
        }
    }
    found.extend(stored.keys().map(|kind| {
        let kind = kind.name();
        Problem::of(format!("contract_snapshots: the build was not bound to {kind}"))
    }));
    Ok(())
}

fn differences(recorded: &PinnedContract, stored: &PinnedContract) -> Vec<&'static str> {
    let columns = [
        ("content", recorded.sha256 == stored.sha256),
        ("id", recorded.id == stored.id),
        ("version", recorded.version == stored.version),
        ("format", recorded.format == stored.format),
        ("source", recorded.source == stored.source),
        ("author_id", recorded.author_id == stored.author_id),
        ("created_at", recorded.created_at == stored.created_at),
    ];
    columns.into_iter().filter(|(_, is_equal)| !is_equal).map(|(column, _)| column).collect()
}
