//! A report on a build, as Markdown.

use std::sync::Arc;

use askama::Template;
use domain::{
    event::{
        base::{BaseMerged, RebaseConflict},
        life::BlockReason,
    },
    state::{BuildState, PlanStep},
    verdict::{Clause, Evidence, Proof},
};

use super::{
    branch_name::displayed_branch, bundle::requirements_text, error::EngineError, handle::Engine,
};
use crate::store::{
    build_errors::{self, BuildError},
    builds::Build,
    clarifications::{self, Clarification},
    seals,
};

/// Errors and questions in the report; the journal has all of them.
const MAX_LISTED: i64 = 200;
/// Files with conflicts in the report.
const MAX_CONFLICTS: usize = 100;

#[derive(Template)]
#[template(path = "build-report.md")]
struct Report {
    project: String,
    headline: String,
    name: String,
    id: String,
    status: String,
    branch: String,
    baseline: Option<String>,
    head: Option<String>,
    model: String,
    sandbox: String,
    head_seq: u64,
    head_hash: String,
    work: String,
    tokens_in: u64,
    tokens_out: u64,
    cost: String,
    blocked: Option<&'static str>,
    seal: Vec<SealPart>,
    merges: Vec<String>,
    failed_before: Vec<String>,
    requirements: String,
    phases: Vec<PhasePart>,
    errors: Vec<String>,
    questions: Vec<String>,
}

struct SealPart {
    verdict: &'static str,
    score: f64,
    reason: Option<String>,
    commit: String,
    journal_head: String,
    clauses: Vec<ClausePart>,
}

struct ClausePart {
    name: String,
    standing: String,
    proofs: Vec<String>,
}

struct PhasePart {
    number: u32,
    title: String,
    status: String,
    plan: Vec<PlanStep>,
}

impl Engine {
    /// A report on a build as Markdown: verdict, evidence, phases, errors, questions, costs.
    pub async fn report(&self, build: Build, project: &str) -> Result<String, EngineError> {
        let state = self.journal().state(build.id).await?;
        let mut conn = self.db().read().await?;
        let errors = build_errors::list(&mut conn, build.id, None, MAX_LISTED).await?;
        let questions = clarifications::list(&mut conn, build.id, None, MAX_LISTED).await?;
        let seal = seals::get(&mut conn, build.id).await?;
        drop(conn);
        let seal = seal.map(seal_part).transpose().map_err(EngineError::Envelope)?;
        let report = Report {
            seal: seal.into_iter().collect(),
            errors: errors.iter().map(error_line).collect(),
            questions: questions.iter().map(question_line).collect(),
            ..outline(build, project.to_owned(), state)
        };
        Ok(report.render()?)
    }
}

fn outline(build: Build, project: String, state: Arc<BuildState>) -> Report {
    let phase = |phase: &domain::state::PhaseState| PhasePart {
        number: phase.outline.number,
        title: phase.outline.title.clone(),
        status: word(&phase.status),
        plan: phase.plan.clone(),
    };
    let verdict = build.verdict.map(|verdict| verdict.name());
    Report {
        project,
        headline: verdict.unwrap_or(build.status.name()).to_owned(),
        name: build.display_name().replace('|', "\\|"),
        id: build.id.to_string(),
        status: build.status.name().to_owned(),
        branch: displayed_branch(&build),
        baseline: build.baseline_sha,
        head: build.head_sha,
        model: state.queued.model.clone(),
        sandbox: build.sandbox_level.map_or("not used yet", |level| level.name()).to_owned(),
        head_seq: build.head_seq,
        head_hash: build.head_hash,
        work: span(state.spent.working_ms),
        tokens_in: state.spent.tokens_in,
        tokens_out: state.spent.tokens_out,
        cost: format!("{:.2}", state.spent.usd_micros as f64 / 1e6),
        blocked: state.blocked.map(BlockReason::explanation),
        seal: Vec::new(),
        merges: merge_lines(&state),
        failed_before: state.failed_at_baseline().iter().map(|line| one_line(line)).collect(),
        requirements: requirements_text(&state).unwrap_or_default(),
        phases: state.phases.iter().map(phase).collect(),
        errors: Vec::new(),
        questions: Vec::new(),
    }
}

/// Merges of the base branch, and the one whose conflicts are not resolved.
fn merge_lines(state: &BuildState) -> Vec<String> {
    let merged = state.base.merges.iter().map(|merged| {
        let BaseMerged { branch, tip_sha, commit_sha, conflicts, .. } = merged;
        let line = format!("{branch} at `{tip_sha:.12}`, merged by `{commit_sha:.12}`");
        match conflicts.as_slice() {
            [] => line,
            paths => format!("{line}; an agent resolved conflicts in {}", paths.join(", ")),
        }
    });
    let open = state.base.conflict.iter().map(|open| {
        let RebaseConflict { branch, tip_sha, .. } = &open.found;
        let files = open.listed(MAX_CONFLICTS);
        format!("**rebase_conflict**: {branch} at `{tip_sha:.12}` conflicts in {files}")
    });
    merged.chain(open).map(|line| one_line(&line)).collect()
}

fn seal_part(seal: seals::Seal) -> Result<SealPart, serde_json::Error> {
    let evidence: Evidence = serde_json::from_str(&seal.evidence)?;
    let clause = |clause: &Clause| ClausePart {
        name: word(&clause.clause),
        standing: word(&clause.standing),
        proofs: clause.proofs.iter().map(proof_line).collect(),
    };
    Ok(SealPart {
        verdict: seal.verdict.name(),
        score: seal.score,
        reason: domain::seal::reason(&evidence).map(|reason| one_line(&reason)),
        commit: seal.seal_commit,
        journal_head: seal.journal_head,
        clauses: evidence.clauses.iter().map(clause).collect(),
    })
}

fn proof_line(proof: &Proof) -> String {
    let mut line = one_line(&proof.what);
    if let Some(command) = &proof.command {
        line.push_str(&format!(": `{}`", one_line(command)));
    }
    if let Some(code) = proof.exit_code {
        line.push_str(&format!(", exit code {code}"));
    }
    if let Some(commit) = &proof.commit {
        line.push_str(&format!(", on `{}`", commit.get(..12).unwrap_or(commit)));
    }
    if let Some(sandbox) = proof.sandbox {
        line.push_str(&format!(", sandbox {}", sandbox.name()));
    }
    if let Some(hash) = &proof.output_sha256 {
        line.push_str(&format!(", output sha256 `{hash}`"));
    }
    line
}

fn error_line(error: &BuildError) -> String {
    let state = match (error.resolved, error.resolution_method) {
        (true, Some(method)) => format!("settled ({})", word(&method)),
        (true, None) => "settled".to_owned(),
        (false, _) => "open".to_owned(),
    };
    let (severity, count) = (error.severity.name(), error.occurrence_count);
    let phase = error.phase.as_deref().unwrap_or("no phase");
    let first = error.message.lines().next().unwrap_or_default();
    format!("{state}: {severity} ×{count} from {} ({phase}): {first}", error.source)
}

fn question_line(question: &Clarification) -> String {
    let answer = question.shown_answer().unwrap_or_else(|| question.status.clone());
    format!("{} → {}", one_line(&question.question), one_line(&answer))
}

/// Markdown lists end at line breaks.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The API's name for a value.
fn word(value: &impl serde::Serialize) -> String {
    let value = serde_json::to_value(value).unwrap_or_default();
    value.as_str().unwrap_or_default().replace('_', " ")
}

fn span(ms: i64) -> String {
    let seconds = ms / 1_000;
    match seconds {
        0..60 => format!("{seconds} s"),
        _ => format!("{} min {} s", seconds / 60, seconds % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_written_in_hours_and_minutes() {
        assert_eq!(span(59_999), "59 s");
        assert_eq!(span(61_000), "1 min 1 s");
    }

    #[test]
    fn proof_line_contains_all_evidence() {
        let proof = Proof {
            what: "test:\npassed".into(),
            standing: domain::verdict::Standing::Holds,
            commit: Some("0123456789abcdef".into()),
            command: Some("node --test".into()),
            exit_code: Some(0),
            output_sha256: None,
            sandbox: None,
            tree_sha: None,
        };
        let line = proof_line(&proof);
        assert_eq!(line, "test: passed: `node --test`, exit code 0, on `0123456789ab`");
    }
}
