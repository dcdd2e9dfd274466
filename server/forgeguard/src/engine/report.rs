//! A report on a build: what it changed, what proves it, and why it stopped if it did.

use chrono::{DateTime, Utc};
use domain::{
    errors::{ResolutionMethod, Severity},
    event::{
        EventBody,
        base::{BaseMerged, RebaseConflict},
        life::{BlockExplanation, BlockReason},
    },
    failure::ErrorClass,
    gate::SandboxLevel,
    ids::BuildId,
    seal::matrix::{self, MatrixRow},
    state::{BuildState, PhaseStatus, PlanStep, Status},
    verdict::{Evidence, Verdict},
};
use git::{
    BuildBranch, BuildBranchName, ChangedFiles, DiffTarget, FileChange, GitError, Sha,
    WorkingClone, diff_files,
};
use serde::Serialize;
use utoipa::ToSchema;

use super::{branch_name::displayed_branch, error::EngineError, handle::Engine};
use crate::store::{
    self, Conn,
    build_errors::{self, BuildError},
    builds::Build,
    clarifications::{self, Clarification},
    events, project_errors, seals,
};

/// Errors, questions, commits and files each; the journal and the branch have all of them.
const MAX_LISTED: usize = 200;

#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct BuildReport {
    pub id: BuildId,
    pub project: String,
    /// Such as `#3 Sort by name`.
    pub name: String,
    pub status: Status,
    pub branch: String,
    /// The commit that it started from.
    #[schema(required)]
    pub baseline_sha: Option<String>,
    /// The newest commit of the branch.
    #[schema(required)]
    pub head_sha: Option<String>,
    pub model: String,
    /// The isolation of its commands; null before the first one.
    #[schema(required)]
    pub sandbox: Option<SandboxLevel>,
    /// Events in the journal.
    pub head_seq: u64,
    pub head_hash: String,
    /// Milliseconds, without time spent waiting for users.
    pub working_ms: i64,
    pub tokens_in: u64,
    pub tokens_out: u64,
    pub cost_usd_micros: u64,
    /// Why it is blocked or waits for a retry; null otherwise.
    #[schema(required)]
    pub failure: Option<ReportedFailure>,
    /// Null until it is sealed.
    #[schema(required)]
    pub seal: Option<ReportedSeal>,
    /// Why the remote could not be fetched before the newest comparison with the base branch, which was
    /// then compared as it was fetched last; null otherwise.
    #[schema(required)]
    pub base_fetch_error: Option<String>,
    /// Merges of the base branch, oldest first.
    pub merges: Vec<BaseMerged>,
    /// A merge of the base branch whose conflicts are not resolved; null otherwise.
    #[schema(required)]
    pub rebase_conflict: Option<RebaseConflict>,
    /// Gates that failed on the commit that it started from.
    pub failed_before: Vec<String>,
    pub requirements: Vec<MatrixRow>,
    pub phases: Vec<ReportedPhase>,
    /// Newest first.
    pub commits: Vec<ReportedCommit>,
    /// Changed since the baseline, by path.
    pub files: Vec<FileChange>,
    /// Whether there are more commits, files, errors or questions than are listed.
    pub is_shortened: bool,
    pub errors: Vec<ReportedError>,
    pub questions: Vec<ReportedQuestion>,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ReportedSeal {
    pub verdict: Verdict,
    /// 0 to 100, for display only.
    pub score: f64,
    /// Why it is not certified, in a sentence.
    #[schema(required)]
    pub reason: Option<String>,
    pub seal_commit: String,
    pub journal_head: String,
    pub evidence: Evidence,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ReportedFailure {
    /// Null while it waits for a retry.
    #[schema(required)]
    pub reason: Option<BlockReason>,
    /// In sentences; null if it only waits, or was blocked by an earlier version.
    #[schema(required)]
    pub explanation: Option<BlockExplanation>,
    /// Null unless it waits for a retry.
    #[schema(required)]
    pub retry: Option<ReportedRetry>,
    /// The newest failures, oldest first.
    pub tried: Vec<String>,
    /// How the same errors were fixed in earlier builds of the project.
    pub earlier_fixes: Vec<ReportedFix>,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ReportedRetry {
    pub class: ErrorClass,
    /// From 1.
    pub attempt: u32,
    pub max_attempts: u32,
    pub at: DateTime<Utc>,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ReportedFix {
    /// The error, as it occurred in this build.
    pub error: String,
    /// Written by the agent that fixed it.
    pub fix: String,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ReportedPhase {
    pub number: u32,
    pub title: String,
    pub status: PhaseStatus,
    pub plan: Vec<PlanStep>,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ReportedCommit {
    pub sha: String,
    pub title: String,
    pub files: usize,
    pub insertions: usize,
    pub deletions: usize,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ReportedError {
    pub resolved: bool,
    #[schema(required)]
    pub resolution: Option<ResolutionMethod>,
    pub severity: Severity,
    pub occurrences: u32,
    /// Such as `gate:test`.
    pub source: String,
    #[schema(required)]
    pub phase: Option<String>,
    /// The message of its last occurrence.
    pub message: String,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ReportedQuestion {
    pub question: String,
    /// Null if it has no answer.
    #[schema(required)]
    pub answer: Option<String>,
    /// `open`, `answered`, `timed_out`, `skipped` or `cancelled`.
    pub status: String,
}

/// What the branch of a build has added.
#[derive(Default)]
struct Changes {
    commits: Vec<git::Commit>,
    files: ChangedFiles,
}

impl Engine {
    pub async fn report(&self, build: Build, project: &str) -> Result<BuildReport, EngineError> {
        let state = self.journal().state(build.id).await?;
        let limit = MAX_LISTED as i64 + 1;
        let mut conn = self.db().read().await?;
        let mut errors = build_errors::list(&mut conn, build.id, None, limit).await?;
        let mut questions = clarifications::list(&mut conn, build.id, None, limit).await?;
        let seal = seals::get(&mut conn, build.id).await?;
        let base_fetch_error = base_fetch_error(&mut conn, build.id).await?;
        let failure = match state.blocked.is_some() || state.retry.is_some() {
            true => {
                let (project, limit) = (build.project_id, MAX_LISTED as i64);
                let fixes = project_errors::earlier_fixes(&mut conn, project, build.id, limit);
                Some(failure(&state, fixes.await?))
            }
            false => None,
        };
        drop(conn);
        let Changes { mut commits, files: ChangedFiles { mut files, truncated } } =
            self.changes(&build).await?;
        let is_shortened = [errors.len(), questions.len(), commits.len(), files.len()]
            .into_iter()
            .any(|length| length > MAX_LISTED);
        errors.truncate(MAX_LISTED);
        questions.truncate(MAX_LISTED);
        commits.truncate(MAX_LISTED);
        files.truncate(MAX_LISTED);
        Ok(BuildReport {
            project: project.to_owned(),
            name: build.display_name(),
            id: build.id,
            status: build.status,
            branch: displayed_branch(&build),
            model: state.queued.model.clone(),
            sandbox: build.sandbox_level,
            head_seq: build.head_seq,
            working_ms: state.spent.working_ms,
            tokens_in: state.spent.tokens_in,
            tokens_out: state.spent.tokens_out,
            cost_usd_micros: state.spent.usd_micros,
            failure,
            seal: seal.map(ReportedSeal::read).transpose().map_err(EngineError::Envelope)?,
            base_fetch_error,
            merges: state.base.merges.clone(),
            rebase_conflict: state.base.conflict.as_ref().map(|open| open.found.clone()),
            failed_before: state.failed_at_baseline(),
            requirements: matrix::matrix(&state),
            phases: state.phases.iter().map(ReportedPhase::new).collect(),
            commits: commits.into_iter().map(ReportedCommit::from).collect(),
            files,
            is_shortened: is_shortened || truncated,
            errors: errors.into_iter().map(ReportedError::from).collect(),
            questions: questions.into_iter().map(ReportedQuestion::from).collect(),
            baseline_sha: build.baseline_sha,
            head_sha: build.head_sha,
            head_hash: build.head_hash,
        })
    }

    async fn changes(&self, build: &Build) -> Result<Changes, EngineError> {
        let (Some(baseline), Some(head)) = (build.baseline_sha.clone(), build.head_sha.clone())
        else {
            return Ok(Changes::default());
        };
        let name = build.branch.clone().unwrap_or_default();
        let (work, origin) =
            (self.paths().work(build.project_id), self.paths().hosted(build.project_id));
        self.blocking(move || {
            let clone = WorkingClone::open_or_create(&work, &origin.display().to_string())?;
            let commit = |sha: &str| sha.parse::<Sha>().map_err(GitError::from);
            let (baseline, head) = (commit(&baseline)?, commit(&head)?);
            let name: BuildBranchName = name.parse()?;
            let commits = BuildBranch::open(&clone, name)?.commits_since(baseline)?;
            let files = diff_files(&clone, baseline, DiffTarget::Commit(head))?;
            Ok(Changes { commits, files })
        })
        .await
    }
}

async fn base_fetch_error(conn: &mut Conn, build: BuildId) -> store::Result<Option<String>> {
    let mut newest: Option<events::EventRow> = None;
    for kind in ["build_base_compared", "build_base_merged", "build_rebase_conflict"] {
        newest = newest
            .into_iter()
            .chain(events::newest_of_type(conn, build, kind, 1).await?)
            .max_by_key(|row| row.seq);
    }
    let body = newest.and_then(|row| serde_json::from_str::<EventBody>(&row.body).ok());
    Ok(match body {
        Some(EventBody::BuildBaseCompared(compared)) => compared.fetch_error,
        Some(EventBody::BuildBaseMerged(merged)) => merged.fetch_error,
        Some(EventBody::BuildRebaseConflict(conflict)) => conflict.fetch_error,
        _ => None,
    })
}

fn failure(state: &BuildState, fixes: Vec<project_errors::EarlierFix>) -> ReportedFailure {
    ReportedFailure {
        reason: state.blocked,
        explanation: state.block_explanation.as_deref().cloned(),
        retry: state.retry.as_ref().map(|retry| ReportedRetry {
            class: retry.error_class,
            attempt: retry.attempt,
            max_attempts: retry.max_attempts,
            at: retry.retry_at,
        }),
        tried: state.last_failures.clone(),
        earlier_fixes: fixes
            .into_iter()
            .map(|known| ReportedFix { error: known.message, fix: known.summary })
            .collect(),
    }
}

impl ReportedSeal {
    fn read(seal: seals::Seal) -> Result<Self, serde_json::Error> {
        let evidence: Evidence = serde_json::from_str(&seal.evidence)?;
        Ok(Self {
            verdict: seal.verdict,
            score: seal.score,
            reason: domain::seal::reason(&evidence),
            seal_commit: seal.seal_commit,
            journal_head: seal.journal_head,
            evidence,
        })
    }
}

impl ReportedPhase {
    fn new(phase: &domain::state::PhaseState) -> Self {
        Self {
            number: phase.outline.number,
            title: phase.outline.title.clone(),
            status: phase.status,
            plan: phase.plan.clone(),
        }
    }
}

impl From<git::Commit> for ReportedCommit {
    fn from(commit: git::Commit) -> Self {
        let git::Commit { sha, title, files, insertions, deletions, .. } = commit;
        Self { sha: sha.to_string(), title, files, insertions, deletions }
    }
}

impl From<BuildError> for ReportedError {
    fn from(error: BuildError) -> Self {
        let BuildError { resolved, severity, source, phase, message, .. } = error;
        let (resolution, occurrences) = (error.resolution_method, error.occurrence_count);
        Self { resolved, resolution, severity, occurrences, source, phase, message }
    }
}

impl From<Clarification> for ReportedQuestion {
    fn from(asked: Clarification) -> Self {
        Self { answer: asked.shown_answer(), question: asked.question, status: asked.status }
    }
}
