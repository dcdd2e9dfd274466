//! `/api/builds`: the builds of all projects that the user may view.

use axum::extract::State;
use chrono::{DateTime, Utc};
use domain::{
    build_group::BuildGroup,
    event::life::BlockReason,
    ids::{BuildId, ProjectId},
    review::ReviewProgress,
    state::Status,
    verdict::Verdict,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::Shared,
    extract::{Json, QueryParams},
    identity::Identity,
    list::{List, Page},
    owned::{Access, ProjectResource, look_up},
};
use crate::{
    engine::heartbeats::MAX_HEARTBEAT_AGE,
    store::{
        self,
        builds_overview::{self, Cursor, ListedBuild, Viewer},
        projects::Project,
    },
};

/// Which builds to list.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct BuildsQuery {
    /// Only the builds of this group.
    group: Option<BuildGroup>,
    /// The id or slug of a project; only its builds.
    project: Option<String>,
}

/// A page of builds.
#[derive(Debug, Serialize, ToSchema)]
pub struct BuildsOverview {
    items: Vec<ListedBuildView>,
    /// The value of `after` for the next page; null at the end.
    #[schema(required)]
    next: Option<String>,
    /// How many there are of each group, on all pages.
    counts: BuildCounts,
}

#[derive(Debug, Default, Serialize, ToSchema)]
pub struct BuildCounts {
    needs_answer: u64,
    running: u64,
    queued: u64,
    in_review: u64,
    finished: u64,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ListedBuild)]
pub struct ListedBuildView {
    id: BuildId,
    /// In its project, from 1.
    number: u32,
    /// What it should change, in one line.
    #[schema(required)]
    title: Option<String>,
    project_id: ProjectId,
    project_name: String,
    project_slug: String,
    group: BuildGroup,
    /// Null if it has ended, and nothing is to be done.
    #[schema(required)]
    waits_for: Option<WaitsFor>,
    status: Status,
    /// Set once sealed.
    #[schema(required)]
    verdict: Option<Verdict>,
    /// Null until it is sealed.
    #[schema(required)]
    review: Option<ReviewProgress>,
    /// Why it is blocked; null otherwise.
    #[schema(required)]
    blocked_reason: Option<BlockReason>,
    /// The same as a sentence for users.
    #[schema(required)]
    blocked_text: Option<&'static str>,
    open_questions: u32,
    open_errors: u32,
    phase_count: u32,
    phases_done: u32,
    /// When it was queued.
    created_at: DateTime<Utc>,
    /// When it was sealed or cancelled.
    #[schema(required)]
    finished_at: Option<DateTime<Utc>>,
    /// Null if it ended under an earlier version.
    #[schema(required)]
    used: Option<BuildUse>,
    /// Null if no worker holds it, or none has reported for a while.
    #[schema(required)]
    heartbeat: Option<Heartbeat>,
}

/// What the worker of a build reports every few seconds.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = BuildHeartbeat)]
pub struct Heartbeat {
    /// Such as `Implementation, step 2 of 5`.
    step: String,
    /// An estimate from 0 to 100. An attempt to fix may lower it.
    progress_percent: u32,
    /// Memory of the commands that run now.
    memory_bytes: u64,
    /// CPU usage of its commands since the previous report, in percent of one CPU.
    cpu_percent: u32,
}

/// What a build has used, and its limits.
#[derive(Debug, Serialize, ToSchema)]
pub struct BuildUse {
    /// Milliseconds of work so far, without time spent waiting for users.
    working_ms: i64,
    /// Whether that time runs.
    is_working: bool,
    /// Tokens sent and received.
    tokens: u64,
    /// Null is no limit.
    #[schema(required)]
    budget_tokens: Option<u64>,
    /// Millionths of a US dollar.
    usd_micros: u64,
    /// Null is no limit.
    #[schema(required)]
    budget_usd_micros: Option<u64>,
}

/// Who or what has to do something before a build continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum WaitsFor {
    /// A free worker.
    Worker,
    /// Replies of a model.
    Model,
    /// Gates and other commands.
    Commands,
    /// The next attempt, after a failure.
    Retry,
    /// A user's answer.
    Answer,
    /// A user who resumes it.
    Resume,
    /// A reviewer's decision.
    Review,
    /// A follow-up with the requested changes.
    FollowUp,
}

/// Lists the builds of all projects that the user owns or may view, without archived ones: those that
/// need an answer, then running, queued, unreviewed and finished ones, each the newest first.
#[utoipa::path(get, path = "/api/builds", tag = "builds", params(Page, BuildsQuery), responses(
    (status = 200, body = BuildsOverview),
    (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
))]
pub async fn list_all_builds(
    State(app): State<Shared>,
    by: Identity,
    QueryParams(page): QueryParams<Page>,
    QueryParams(BuildsQuery { group, project }): QueryParams<BuildsQuery>,
) -> Result<Json<BuildsOverview>, ApiError> {
    let after = page.after.as_deref().map(|text| {
        cursor(text).ok_or_else(|| ApiError::invalid("after", "use the `next` of a page"))
    });
    let (after, mut conn) = (after.transpose()?, app.db.read().await?);
    let project = match project {
        None => None,
        Some(named) => match look_up::<Project>(&mut conn, &by, named.as_str().into()).await? {
            Access::Granted(project, _) => Some(project.id),
            Access::Forbidden | Access::Missing => return Err(ApiError::not_found(Project::NAME)),
        },
    };
    let required = app.approval.required;
    let viewer = Viewer { user: by.user.id, required_approvals: required, project };
    let rows = builds_overview::list(&mut conn, viewer, group, after, page.rows()?).await?;
    let counts = builds_overview::counts(&mut conn, viewer).await?;
    let now = store::now();
    let key = |row: &ListedBuild| format!("{}.{}", row.place, row.id);
    let List { items, next } = page.list(rows, key, |row| show(row, required, now))?;
    Ok(Json(BuildsOverview { items, next, counts: counts.into() }))
}

impl From<Vec<(BuildGroup, u64)>> for BuildCounts {
    fn from(rows: Vec<(BuildGroup, u64)>) -> Self {
        let mut counts = Self::default();
        for (group, count) in rows {
            *match group {
                BuildGroup::NeedsAnswer => &mut counts.needs_answer,
                BuildGroup::Running => &mut counts.running,
                BuildGroup::Queued => &mut counts.queued,
                BuildGroup::InReview => &mut counts.in_review,
                BuildGroup::Finished => &mut counts.finished,
            } = count;
        }
        counts
    }
}

fn show(row: ListedBuild, required: u32, now: DateTime<Utc>) -> ListedBuildView {
    let group = BuildGroup::at(row.place);
    let review = (row.status == Status::Sealed)
        .then(|| ReviewProgress::new(row.decision, row.approvals, required));
    let blocked_reason = row.blocked_reason.as_deref().and_then(BlockReason::from_name);
    ListedBuildView {
        group,
        waits_for: waits_for(&row, group, review),
        used: used(&row, now),
        heartbeat: heartbeat(&row, now),
        review,
        blocked_reason,
        blocked_text: blocked_reason.map(BlockReason::explanation),
        id: row.id,
        number: row.number,
        title: row.title,
        project_id: row.project_id,
        project_name: row.project_name,
        project_slug: row.project_slug,
        status: row.status,
        verdict: row.verdict,
        open_questions: row.open_questions,
        open_errors: row.open_errors,
        phase_count: row.phase_count,
        phases_done: row.phases_done,
        created_at: row.created_at,
        finished_at: row.finished_at,
    }
}

fn waits_for(
    row: &ListedBuild,
    group: BuildGroup,
    review: Option<ReviewProgress>,
) -> Option<WaitsFor> {
    Some(match (group, row.status) {
        (BuildGroup::Finished, _) => return None,
        (BuildGroup::InReview, _) if review == Some(ReviewProgress::ChangesRequested) => {
            WaitsFor::FollowUp
        }
        (BuildGroup::InReview, _) => WaitsFor::Review,
        (_, Status::Paused | Status::Blocked) => WaitsFor::Resume,
        (BuildGroup::NeedsAnswer, _) => WaitsFor::Answer,
        (BuildGroup::Queued, _) => WaitsFor::Worker,
        (_, Status::Retrying) => WaitsFor::Retry,
        _ if row.running_agents.is_some_and(|agents| agents > 0) => WaitsFor::Model,
        _ => WaitsFor::Commands,
    })
}

/// While a worker holds the build, working time runs since the newest event.
fn used(row: &ListedBuild, now: DateTime<Utc>) -> Option<BuildUse> {
    let is_working = row.is_claimed && row.status.is_working();
    let newest = row.newest_at.filter(|_| is_working);
    let since = newest.map_or(0, |newest| (now - newest).num_milliseconds().max(0));
    Some(BuildUse {
        working_ms: row.working_ms?.saturating_add(since),
        is_working,
        tokens: row.tokens?,
        budget_tokens: row.budget_tokens,
        usd_micros: row.usd_micros?,
        budget_usd_micros: row.budget_usd_micros,
    })
}

fn heartbeat(row: &ListedBuild, now: DateTime<Utc>) -> Option<Heartbeat> {
    let age = (now - row.heartbeat_at?).to_std().unwrap_or_default();
    if !row.is_claimed || age > MAX_HEARTBEAT_AGE {
        return None;
    }
    Some(Heartbeat {
        step: row.current_step.clone()?,
        progress_percent: row.progress_percent?,
        memory_bytes: row.memory_bytes?,
        cpu_percent: row.cpu_percent?,
    })
}

/// A cursor is the place of the build's group and its id.
fn cursor(text: &str) -> Option<Cursor> {
    let (place, id) = text.split_once('.')?;
    Some(Cursor { place: place.parse().ok()?, id: id.parse().ok()? })
}
