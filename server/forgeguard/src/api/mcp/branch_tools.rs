//! Tools about the branch of a build. ForgeGuard itself creates, seals and abandons branches; these
//! tools request that, and say what it waits for.

use axum::extract::State;
use domain::{
    before_seal::{BeforeSeal, before_seal},
    event::{branch::BranchLife, questions::ClarificationKind},
    key_scope::KeyScope,
    review::ReviewProgress,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    build_tools::{StartParams, start},
    call::{Call, Intent, Rejection},
    client_tool::{
        About, ClientEffect, ClientReply, ClientTool, Properties, Replying, client_tool,
    },
    project_tools::body,
    resources::report_uri,
};
use crate::{
    api::{
        api_error::ApiError,
        build::{Build, Seal},
        builds, clarifications, commands, commits,
        extract::Json,
        open_items::checked_reason,
    },
    tools::input::{self, Nothing},
};

pub fn branch_tools() -> Vec<Box<dyn ClientTool>> {
    vec![
        Box::new(CreateBranch),
        Box::new(GetBranchStatus),
        Box::new(ListBranchCommits),
        Box::new(SealBranch),
        Box::new(AbandonBranch),
    ]
}

client_tool!(CreateBranch, StartParams => Branch, "forge_create_branch", "Create a branch", Build, Add,
    Project, "Starts a build, which works on a branch of its own, and returns both. The branch exists \
    once a worker has started the build. With an idempotency_key, a repeated call returns the same \
    build.", create_branch);
client_tool!(GetBranchStatus, Nothing => Branch, "forge_get_branch_status", "Branch of a build",
    Read, Read, Build, "Returns the branch of a build: its commits and whether it is sealed.",
    get_branch_status);
client_tool!(ListBranchCommits, Nothing => CommitList, "forge_list_branch_commits", "Commits of a build",
    Read, Read, Build, "Lists the commits of a build's branch since its baseline, newest first.",
    list_branch_commits);
client_tool!(SealBranch, SealParams => SealState, "forge_seal_branch", "Seal a branch", Build, Add, Build,
    "Returns the seal of a build, or what has to happen before ForgeGuard seals it. If only open items \
    are left, accept_open_items lets it be sealed as it is. The verdict follows from the evidence.",
    seal_branch);
client_tool!(AbandonBranch, AbandonParams => Branch, "forge_abandon_branch", "Abandon a branch", Build,
    Destroy, Build, "Cancels a build. Its branch is kept and not sealed.", abandon_branch);

#[derive(Serialize, JsonSchema)]
struct Branch {
    build_id: String,
    /// queued, running, awaiting_input, paused, retrying, blocked, sealing, sealed or abandoned.
    build_status: &'static str,
    branch: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline_sha: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    head_sha: Option<String>,
    commit_count: u32,
    /// active, sealing, sealed or abandoned; absent before the branch exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'static str>,
}

impl From<Build> for Branch {
    fn from(build: Build) -> Self {
        Self {
            build_id: build.summary.id.to_string(),
            build_status: build.summary.status.name(),
            branch: build.summary.branch,
            baseline_sha: build.baseline_sha,
            head_sha: build.head_sha,
            commit_count: build.commit_count,
            status: build.branch_status.map(BranchLife::name),
        }
    }
}

async fn create_branch(call: &Call, params: StartParams) -> Result<Branch, Rejection> {
    Ok(start(call, params).await?.into())
}

async fn get_branch_status(call: &Call, _: Nothing) -> Result<Branch, Rejection> {
    Ok(read(call).await?.into())
}

async fn read(call: &Call) -> Result<Build, Rejection> {
    let owned = call.build(Intent::Read).await?;
    let Json(build) = builds::get_build(State(call.app.clone()), owned).await?;
    Ok(build)
}

#[derive(Serialize, JsonSchema)]
struct CommitList {
    items: Vec<CommitRow>,
}

#[derive(Serialize, JsonSchema)]
struct CommitRow {
    sha: String,
    title: String,
    author_name: String,
    at: String,
    files: usize,
    insertions: usize,
    deletions: usize,
}

async fn list_branch_commits(call: &Call, _: Nothing) -> Result<CommitList, Rejection> {
    let owned = call.build(Intent::Read).await?;
    let Json(commits) = commits::list_commits(State(call.app.clone()), owned).await?;
    let items = commits.items.into_iter().map(|commit| CommitRow {
        sha: commit.sha,
        title: commit.title,
        author_name: commit.author_name,
        at: commit.at.to_rfc3339(),
        files: commit.files,
        insertions: commit.insertions,
        deletions: commit.deletions,
    });
    Ok(CommitList { items: items.collect() })
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SealParams {
    /// True: if the build asks about open items, let it be sealed without settling them. They then
    /// make the verdict conditional.
    #[serde(default)]
    accept_open_items: bool,
}

#[derive(Serialize, JsonSchema)]
struct SealState {
    build_id: String,
    build_status: &'static str,
    branch: String,
    /// What has to happen before the seal, first what stops the build now. Empty once it is sealed.
    before_seal: Vec<BeforeSealRow>,
    /// Whether this call let the build be sealed with open items.
    accepted_open_items: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    seal: Option<SealRow>,
}

#[derive(Serialize, JsonSchema)]
struct BeforeSealRow {
    /// cancelled, worker, paused, blocked, retry, question, permission, assumption, plan_approval,
    /// work, phase, base_branch, final_gates, final_checks or open_items.
    kind: &'static str,
    text: String,
    /// Whether nothing happens until a user acts.
    waits_for_user: bool,
}

#[derive(Serialize, JsonSchema)]
struct SealRow {
    /// CERTIFIED, CONDITIONAL or FLAGGED.
    verdict: &'static str,
    /// Why the build is not certified.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    seal_commit: String,
    journal_head: String,
    sealed_at: String,
    /// waiting, changes_requested or approved.
    review: Value,
    /// The resource with the evidence as Markdown, for resources/read.
    report: String,
    /// The path of the evidence with journal, branch and signature, for the REST API.
    bundle: String,
}

impl From<&BeforeSeal> for BeforeSealRow {
    fn from(missing: &BeforeSeal) -> Self {
        let (kind, waits_for_user) = (missing.name(), missing.waits_for_user());
        Self { kind, text: missing.text(), waits_for_user }
    }
}

async fn seal_branch(call: &Call, params: SealParams) -> Result<SealState, Rejection> {
    let accepted_open_items = params.accept_open_items && accept_open_items(call).await?;
    let Build { summary, seal, .. } = read(call).await?;
    let state = call.app.journal.state(summary.id).await.map_err(ApiError::from)?;
    let row = |seal: Seal| SealRow {
        verdict: seal.verdict.name(),
        reason: seal.reason,
        seal_commit: seal.seal_commit,
        journal_head: seal.journal_head,
        sealed_at: seal.sealed_at.to_rfc3339(),
        review: json!(summary.review.unwrap_or(ReviewProgress::Waiting)),
        report: report_uri(summary.id),
        bundle: format!("/api/builds/{}/bundle", summary.id),
    };
    Ok(SealState {
        build_id: summary.id.to_string(),
        build_status: summary.status.name(),
        before_seal: before_seal(&state).iter().map(BeforeSealRow::from).collect(),
        accepted_open_items,
        seal: seal.map(row),
        branch: summary.branch,
    })
}

/// Answers the question about open items, if the build asks it.
async fn accept_open_items(call: &Call) -> Result<bool, Rejection> {
    let owned = call.build(Intent::Change).await?;
    let build = owned.resource.build.id;
    let state = call.app.journal.state(build).await.map_err(ApiError::from)?;
    let mut asked = state.questions.iter().map(|open| &open.request);
    let Some(asked) = asked.find(|asked| asked.kind == ClarificationKind::Confirmation) else {
        return Ok(false);
    };
    let answer = json!({ "question_id": asked.question_id, "answer": asked.options.first() });
    clarifications::resolve_clarification(State(call.app.clone()), owned, body(answer)?).await?;
    Ok(true)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AbandonParams {
    /// 1 to 500 characters.
    reason: String,
}

async fn abandon_branch(call: &Call, params: AbandonParams) -> Result<Branch, Rejection> {
    let request = body(json!({ "reason": checked_reason(&params.reason)? }))?;
    let owned = call.build(Intent::Change).await?;
    commands::cancel_build(State(call.app.clone()), owned, request).await?;
    get_branch_status(call, Nothing {}).await
}
