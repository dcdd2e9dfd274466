//! Starts items of backlogs whose start is requested: in their order, after those that they depend on and
//! those under way that may change the same files, and as many at a time as the project permits.
//!
//! One worker at a time looks at a project, and the transaction that opens the build of an item ends
//! the request to start it, so that each request leads to one build.

use std::collections::BTreeMap;

use chrono::TimeDelta;
use domain::{
    audit::AuditAction,
    backlog::{self, Baseline},
    follow_up::{RequestedItem, Requests},
    ids::{BacklogItemId, BuildId, ProjectId, UserId},
    review::ReviewDecision,
    spec,
    state::Status,
    verdict::{Evidence, Standing},
};
use git::{HostedRepository, Sha};
use serde_json::json;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::{
    error::EngineError,
    handle::Engine,
    queue::{self, Worker},
    settings::ProjectSettings,
    specs::{self, SpecError},
    start::{BuildTask, StartOptions},
    start_choices::StartChoices,
};
use crate::{
    journal::AppendError,
    store::{
        self,
        audit_log::{self, NewEntry},
        backlog_items::{self, BacklogItem},
        backlogs::{self, BacklogQueue, Lease},
        builds, leases,
        projects::{self, Project},
        reviews, seals, users,
    },
    text,
};

/// Before another attempt to start an item, such as after a merge.
const RETRY_DELAY: TimeDelta = TimeDelta::seconds(30);
/// Of the feedback of an earlier attempt.
const MAX_REASONS: usize = 20;
/// In bytes.
const MAX_REASON: usize = 300;

/// Starts items until shutdown.
pub async fn run(engine: Engine) {
    queue::run(BacklogWorker { engine }).await;
}

#[derive(Clone)]
struct BacklogWorker {
    engine: Engine,
}

impl Worker for BacklogWorker {
    type Queue = BacklogQueue;

    fn engine(&self) -> &Engine {
        &self.engine
    }

    fn when_due(&self) -> &Notify {
        &self.engine.wake_backlogs
    }

    async fn work(&self, lease: Lease, stop: CancellationToken) {
        let worked = self.start_items(&lease, &stop).await;
        let Err(error) = worked else { return };
        tracing::error!(project_id = %lease.id, %error, "a backlog could not be read; trying again");
        let handed_back = async {
            let mut tx = self.engine.db().write().await?;
            leases::hand_back::<BacklogQueue>(&mut tx, &lease, store::now() + RETRY_DELAY).await?;
            tx.commit().await
        };
        if let Err(error) = handed_back.await {
            tracing::error!(project_id = %lease.id, %error, "the lease will expire");
        }
    }
}

impl BacklogWorker {
    async fn start_items(
        &self,
        lease: &Lease,
        stop: &CancellationToken,
    ) -> Result<(), EngineError> {
        let engine = &self.engine;
        while !stop.is_cancelled() {
            let Some((project, item)) = engine.next_item(lease.id).await? else { break };
            match engine.start_item(&project, &item).await {
                Ok(build) => tracing::info!(build_id = %build, item = item.number, "item started"),
                // Someone was faster; the end of that build leads here again.
                Err(EngineError::BuildLimit(_)) => break,
                Err(EngineError::Append(AppendError::Refused(_))) => {}
                Err(error) => {
                    tracing::info!(project_id = %lease.id, %error, "an item could not be started");
                    let (why, retry_at) = (error.to_string(), store::now() + RETRY_DELAY);
                    let mut tx = engine.db().write().await?;
                    backlog_items::set_start_error(&mut tx, item.id, &why, retry_at).await?;
                    tx.commit().await?;
                }
            }
        }
        let mut tx = engine.db().write().await?;
        let next = match stop.is_cancelled() {
            true => Some(store::now()),
            false => backlog_items::next_retry(&mut tx, lease.id).await?,
        };
        backlogs::finish(&mut tx, lease, next, store::now()).await?;
        Ok(tx.commit().await?)
    }
}

impl Engine {
    /// Lets a worker start items of this project that were requested to start.
    pub fn wake_backlog_worker(&self) {
        self.wake_backlogs.notify_one();
    }

    /// The first item of a project that can start now.
    async fn next_item(
        &self,
        project: ProjectId,
    ) -> Result<Option<(Project, BacklogItem)>, EngineError> {
        let mut conn = self.db().read().await?;
        let Some(project) = projects::get(&mut conn, project).await? else { return Ok(None) };
        let limit = ProjectSettings::read(&project.settings)?.max_concurrent_builds;
        if builds::free_slot(&mut conn, project.id, limit).await?.is_none() {
            return Ok(None);
        }
        let under_way = backlog_items::unfinished_scopes(&mut conn, project.id).await?;
        let under_way = under_way.iter().map(|it| scope(it)).collect::<Result<Vec<_>, _>>()?;
        for (id, globs) in
            backlog_items::list_startable(&mut conn, project.id, store::now()).await?
        {
            let globs = scope(&globs)?;
            if !under_way.iter().any(|other| backlog::may_overlap(&globs, other)) {
                let item = backlog_items::get(&mut conn, project.id, id).await?;
                return Ok(item.map(|item| (project, item)));
            }
        }
        Ok(None)
    }

    async fn start_item(
        &self,
        project: &Project,
        item: &BacklogItem,
    ) -> Result<BuildId, EngineError> {
        let by = item.start_requested_by.unwrap_or(item.created_by);
        let baseline_branch = self.item_baseline(project, item).await?;
        let feedback = self.feedback(item).await?;
        let choices = StartChoices { baseline_branch, ..Default::default() };
        let mut options =
            StartOptions { title: Some(item.title.clone()), choices, ..Default::default() };
        let mut task = BuildTask { backlog_item: Some(item.id), ..Default::default() };
        let spec = backlog_items::spec(&mut self.db().read().await?, item.id).await?;
        let mut applied = None;
        if let Some(spec) = spec {
            self.check_before_spec(project, &options.choices).await?;
            applied = self.apply_spec(project, by, spec).await?;
            options.description = feedback;
        } else {
            let reason = [Some(item.description.clone()), feedback];
            let reason: Vec<String> =
                reason.into_iter().flatten().filter(|text| !text.is_empty()).collect();
            let requested = RequestedItem { title: item.title.clone(), scope: scope(&item.scope)? };
            task.requests = Some(Requests {
                reason: if reason.is_empty() { item.title.clone() } else { reason.join("\n\n") },
                item: Some(requested),
                ..Requests::default()
            });
        }
        let project = applied.as_ref().unwrap_or(project);
        let build = self.start_task(project, by, options, task).await?;
        self.record_item_start(project, item, by, build).await?;
        Ok(build)
    }

    /// Rejects a start for reasons that the contracts of the spec do not remove, before it changes the
    /// project.
    async fn check_before_spec(
        &self,
        project: &Project,
        choices: &StartChoices,
    ) -> Result<(), EngineError> {
        let ready = self.build_readiness(project, choices).await?;
        let is_of_contracts = |obstacle: &EngineError| {
            matches!(
                obstacle,
                EngineError::NoPhases
                    | EngineError::Phases(_)
                    | EngineError::ContractGaps(_)
                    | EngineError::Requirements(_)
            )
        };
        match ready.obstacles.into_iter().find(|obstacle| !is_of_contracts(obstacle)) {
            Some(obstacle) => Err(obstacle),
            None if ready.needs_limit => Err(EngineError::NoCostLimit(None)),
            None => Ok(()),
        }
    }

    /// Submits the spec of an item as the project's next one, unless it is the current one. Returns the
    /// project with its new settings.
    async fn apply_spec(
        &self,
        project: &Project,
        by: UserId,
        text: String,
    ) -> Result<Option<Project>, EngineError> {
        let (parsed, text) = self.blocking(move || Ok((spec::parse(&text), text))).await?;
        if !parsed.is_valid() {
            let problems: Vec<String> = parsed.errors.iter().map(ToString::to_string).collect();
            return Err(EngineError::InvalidSpec(problems.join("; ")));
        }
        let mut tx = self.db().write().await?;
        let current = store::specs::current(&mut tx, project.id).await?;
        if current.is_none_or(|current| current.content != text) {
            let applied = specs::apply(&mut tx, project, by, &parsed, &text).await;
            applied.map_err(|error| match error {
                SpecError::Settings(invalid) => EngineError::InvalidSpec(invalid.reason),
                SpecError::Engine(error) => error,
            })?;
        }
        let changed = projects::get(&mut tx, project.id).await?;
        tx.commit().await?;
        Ok(changed)
    }

    /// The branch whose head contains the work of all items that this one depends on; None is the
    /// default branch.
    async fn item_baseline(
        &self,
        project: &Project,
        item: &BacklogItem,
    ) -> Result<Option<String>, EngineError> {
        let mut conn = self.db().read().await?;
        let edges = backlog_items::dependencies(&mut conn, project.id).await?;
        let needed: Vec<BacklogItemId> =
            edges.into_iter().filter(|(from, _)| *from == item.id).map(|(_, to)| to).collect();
        if needed.is_empty() {
            return Ok(None);
        }
        let items = backlog_items::list(&mut conn, project.id).await?;
        drop(conn);
        let mut heads: BTreeMap<BacklogItemId, Sha> = BTreeMap::new();
        for needed in items.iter().filter(|it| needed.contains(&it.id) && !it.is_merged) {
            if let Some(sha) = &needed.head_sha {
                heads.insert(needed.id, sha.parse().map_err(git::GitError::from)?);
            }
        }
        let default_head = self.default_head(project).await?;
        let path = self.paths().hosted(project.id);
        let chosen = self.blocking(move || {
            let hosted = HostedRepository::open(&path)?;
            let mut unmerged = Vec::new();
            for (id, sha) in &heads {
                let is_merged = match default_head {
                    Some(head) => hosted.contains(head, *sha)?,
                    None => false,
                };
                if !is_merged {
                    unmerged.push(*id);
                }
            }
            Ok(backlog::baseline(&unmerged, |branch, other| {
                hosted.contains(heads[&branch], heads[&other]).unwrap_or(false)
            }))
        });
        let item_of = |id: BacklogItemId| items.iter().find(|item| item.id == id);
        Ok(match chosen.await? {
            Baseline::DefaultBranch => None,
            Baseline::BranchOf(id) => item_of(id).and_then(|item| item.branch.clone()),
            Baseline::MergeFirst(ids) => {
                let branches = ids.iter().filter_map(|id| item_of(*id)?.branch.clone());
                return Err(EngineError::MergeFirst(branches.collect::<Vec<_>>().join(", ")));
            }
        })
    }

    /// What the last attempt led to, for the agents of the next one.
    async fn feedback(&self, item: &BacklogItem) -> Result<Option<String>, EngineError> {
        let Some(build) = item.build_id else { return Ok(None) };
        let mut conn = self.db().read().await?;
        let build = builds::get(&mut conn, build).await?;
        let Some(build) = build else { return Ok(None) };
        let outcome = match (build.status, build.verdict) {
            (Status::Sealed, Some(verdict)) => format!("was sealed as {}", verdict.name()),
            (Status::Abandoned, _) => "was cancelled".to_owned(),
            _ => return Ok(None),
        };
        let mut lines = vec![format!(
            "The last attempt, build {} on branch {}, {outcome}. Its work is not in your files.",
            build.display_name(),
            build.branch.as_deref().unwrap_or("(none)"),
        )];
        if let Some(seal) = seals::get(&mut conn, build.id).await? {
            lines.extend(unmet(&seal.evidence)?);
        }
        let newest = reviews::list(&mut conn, build.id).await?.into_iter().next();
        if let Some(review) = newest
            && review.decision == ReviewDecision::ChangesRequested
        {
            lines.push(format!("A reviewer requested changes: {}", review.reason));
        }
        Ok(Some(lines.join("\n")))
    }

    async fn record_item_start(
        &self,
        project: &Project,
        item: &BacklogItem,
        by: UserId,
        build: BuildId,
    ) -> Result<(), EngineError> {
        let mut tx = self.db().write().await?;
        let Some(user) = users::get(&mut tx, by).await? else { return Ok(()) };
        let name = builds::get(&mut tx, build).await?.map(|build| build.display_name());
        let detail = json!({ "project": project.name, "build": name, "backlog_item": item.number });
        let (action, subject) = (AuditAction::BuildStarted, format!("build/{build}"));
        audit_log::append(&mut tx, &NewEntry::by(&user, store::now(), action, subject, detail))
            .await?;
        Ok(tx.commit().await?)
    }
}

/// The globs of an item.
pub fn scope(stored: &str) -> Result<Vec<String>, EngineError> {
    Ok(serde_json::from_str(stored)?)
}

/// What the clauses of a seal name as open or broken.
fn unmet(evidence: &str) -> Result<Vec<String>, EngineError> {
    let evidence: Evidence = serde_json::from_str(evidence)?;
    let proofs = evidence.clauses.into_iter().flat_map(|clause| clause.proofs);
    let unmet = proofs.filter(|proof| proof.standing != Standing::Holds);
    Ok(unmet
        .take(MAX_REASONS)
        .map(|it| format!("- {}", text::head(&it.what, MAX_REASON)))
        .collect())
}
