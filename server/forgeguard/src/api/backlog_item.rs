//! An item of a backlog as the API shows it.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use domain::{
    backlog::{self, BuildFacts, ItemFacts, ItemState},
    event::life::BlockReason,
    ids::{BacklogItemId, BuildId, ProjectId},
    review::ReviewDecision,
    state::Status,
    verdict::Verdict,
};
use serde::Serialize;
use utoipa::ToSchema;

use super::{api_error::ApiError, error_conversions::sentence};
use crate::{engine::backlog::scope, store::backlog_items as store_items};

/// Something to be built in a project.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct BacklogItem {
    pub id: BacklogItemId,
    project_id: ProjectId,
    project_name: String,
    project_slug: String,
    /// In its project, from 1.
    pub number: u32,
    pub title: String,
    description: String,
    /// Whether its build follows a spec instead of the description.
    has_spec: bool,
    /// Globs of paths that its build may change; empty means any.
    scope: Vec<String>,
    /// What another program calls it.
    #[schema(required)]
    pub external_id: Option<String>,
    created_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
    pub state: ItemState,
    /// Whether it starts as soon as it can.
    pub start_requested: bool,
    /// Whether a start can be requested.
    pub is_startable: bool,
    /// Why it could not be started; another attempt follows.
    #[schema(required)]
    start_error: Option<String>,
    /// The items that must be built first.
    pub depends_on: Vec<BacklogItemId>,
    /// Those that are not built yet.
    pub blocked_by: Vec<BacklogItemId>,
    /// Items that are not built yet and may change the same files; at most 10.
    overlaps_with: Vec<BacklogItemId>,
    /// The number of its builds.
    pub attempts: u32,
    /// The newest one, or its follow-up.
    #[schema(required)]
    pub build: Option<BacklogBuild>,
}

/// The build of an item.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct BacklogBuild {
    pub id: BuildId,
    /// In its project, from 1.
    number: u32,
    status: Status,
    /// Set once sealed.
    #[schema(required)]
    pub verdict: Option<Verdict>,
    #[schema(required)]
    pub branch: Option<String>,
    #[schema(required)]
    head_sha: Option<String>,
    /// Why it is blocked, as a sentence; null otherwise.
    #[schema(required)]
    blocked_text: Option<&'static str>,
    open_questions: u32,
    phase_count: u32,
    phases_done: u32,
}

/// The items with these dependencies, in the same order. `required` is the number of approvals that a
/// build needs.
pub fn views(
    rows: Vec<store_items::BacklogItem>,
    edges: &[(BacklogItemId, BacklogItemId)],
    required: u32,
) -> Result<Vec<BacklogItem>, ApiError> {
    let facts: BTreeMap<BacklogItemId, ItemFacts> =
        rows.iter().map(|row| (row.id, facts(row, required))).collect();
    let is_built = |id: &BacklogItemId| {
        let build = facts.get(id).and_then(|facts| facts.build);
        build.is_some_and(|build| build.satisfies_dependents())
    };
    let mut needs: BTreeMap<BacklogItemId, Vec<BacklogItemId>> = BTreeMap::new();
    for (item, needed) in edges {
        needs.entry(*item).or_default().push(*needed);
    }
    let scopes = rows.iter().map(|row| Ok((row.id, scope(&row.scope)?)));
    let scopes = scopes.collect::<Result<BTreeMap<_, _>, ApiError>>()?;
    let mut overlaps: BTreeMap<BacklogItemId, BTreeSet<BacklogItemId>> = BTreeMap::new();
    for items in rows.chunk_by(|a, b| a.project_id == b.project_id) {
        let open = items.iter().map(|row| row.id).filter(|id| !is_built(id));
        overlaps.extend(backlog::overlaps(open.map(|id| (id, scopes[&id].as_slice()))));
    }
    let view = |row: store_items::BacklogItem| {
        let depends_on = needs.remove(&row.id).unwrap_or_default();
        let blocked_by = depends_on.iter().copied().filter(|id| !is_built(id)).collect();
        let facts = facts[&row.id];
        BacklogItem {
            id: row.id,
            scope: scopes[&row.id].clone(),
            state: facts.state(),
            start_requested: row.start_requested_by.is_some(),
            is_startable: facts.is_startable() && row.start_requested_by.is_none(),
            start_error: row.start_error.as_ref().map(sentence),
            overlaps_with: overlaps.remove(&row.id).unwrap_or_default().into_iter().collect(),
            depends_on,
            blocked_by,
            build: build(&row),
            project_id: row.project_id,
            project_name: row.project_name,
            project_slug: row.project_slug,
            number: row.number,
            title: row.title,
            description: row.description,
            has_spec: row.has_spec,
            external_id: row.external_id,
            created_at: row.created_at,
            updated_at: row.updated_at,
            attempts: row.attempts,
        }
    };
    Ok(rows.into_iter().map(view).collect())
}

/// What the state of an item follows from.
pub fn facts(row: &store_items::BacklogItem, required: u32) -> ItemFacts {
    let is_approved =
        row.decision == Some(ReviewDecision::Approved) && row.approvals >= u64::from(required);
    let build = row.build_status.map(|status| BuildFacts {
        status,
        verdict: row.verdict,
        open_questions: row.open_questions.unwrap_or_default(),
        is_approved,
        is_merged: row.is_merged,
    });
    ItemFacts { build, has_start_error: row.start_error.is_some() }
}

fn build(row: &store_items::BacklogItem) -> Option<BacklogBuild> {
    let reason = row.blocked_reason.as_deref().and_then(BlockReason::from_name);
    Some(BacklogBuild {
        id: row.build_id?,
        number: row.build_number?,
        status: row.build_status?,
        verdict: row.verdict,
        branch: row.branch.clone(),
        head_sha: row.head_sha.clone(),
        blocked_text: reason.map(BlockReason::explanation),
        open_questions: row.open_questions.unwrap_or_default(),
        phase_count: row.phase_count.unwrap_or_default(),
        phases_done: row.phases_done.unwrap_or_default(),
    })
}
