//! A report on a build as Markdown.

use std::fmt::Write;

use askama::Template;
use domain::{event::base::BaseMerged, seal::matrix, verdict::Proof};
use git::FileChange;

use super::{
    error::EngineError,
    report::{BuildReport, ReportedError, ReportedFailure, ReportedQuestion},
};

/// Files with conflicts in the report.
const MAX_CONFLICTS: usize = 100;

#[derive(Template)]
#[template(path = "build-report.md")]
struct Page<'a> {
    report: &'a BuildReport,
    headline: &'static str,
    name: String,
    sandbox: &'static str,
    requirements: String,
    failure: Vec<String>,
    merges: Vec<String>,
}

impl BuildReport {
    pub fn markdown(&self) -> Result<String, EngineError> {
        let verdict = self.seal.as_ref().map(|seal| seal.verdict.name());
        let page = Page {
            report: self,
            headline: verdict.unwrap_or(self.status.name()),
            name: self.name.replace('|', "\\|"),
            sandbox: self.sandbox.map_or("not used yet", |level| level.name()),
            requirements: match self.requirements.is_empty() {
                true => String::new(),
                false => matrix::markdown(&self.requirements),
            },
            failure: self.failure.as_ref().map_or(Vec::new(), failure_paragraphs),
            merges: merge_lines(self),
        };
        Ok(page.render()?)
    }
}

impl Page<'_> {
    fn work(&self) -> String {
        span(self.report.working_ms)
    }

    fn cost(&self) -> String {
        format!("{:.2}", self.report.cost_usd_micros as f64 / 1e6)
    }
}

fn failure_paragraphs(failure: &ReportedFailure) -> Vec<String> {
    let mut paragraphs = Vec::new();
    match (&failure.explanation, failure.reason) {
        (Some(explanation), _) => {
            paragraphs.push(explanation.why.clone());
            paragraphs.push(format!("What you can do: {}", explanation.remedy));
        }
        (None, Some(reason)) => paragraphs.push(reason.explanation().to_owned()),
        (None, None) => {}
    }
    if let Some(retry) = &failure.retry {
        paragraphs.push(format!(
            "Attempt {} of {} after an error of the class `{}` begins at {}.",
            retry.attempt,
            retry.max_attempts,
            word(&retry.class),
            retry.at.format("%Y-%m-%d %H:%M:%S UTC")
        ));
    }
    paragraphs.extend(list("What was tried:", failure.tried.iter().map(|line| one_line(line))));
    let fixes = failure.earlier_fixes.iter();
    let fixes =
        fixes.map(|known| format!("{} → {}", first_line(&known.error), one_line(&known.fix)));
    paragraphs.extend(list("How earlier builds fixed the same errors:", fixes));
    paragraphs
}

fn merge_lines(report: &BuildReport) -> Vec<String> {
    let merged = report.merges.iter().map(|merged| {
        let BaseMerged { branch, tip_sha, commit_sha, conflicts, .. } = merged;
        let line = format!("{branch} at `{tip_sha:.12}`, merged by `{commit_sha:.12}`");
        match conflicts.as_slice() {
            [] => line,
            paths => format!("{line}; an agent resolved conflicts in {}", paths.join(", ")),
        }
    });
    let open = report.rebase_conflict.iter().map(|found| {
        let (branch, tip) = (&found.branch, &found.tip_sha);
        let files = found.listed(MAX_CONFLICTS);
        format!("**rebase_conflict**: {branch} at `{tip:.12}` conflicts in {files}")
    });
    merged.chain(open).map(|line| one_line(&line)).collect()
}

fn list(title: &str, lines: impl Iterator<Item = String>) -> Option<String> {
    let mut text = String::new();
    for line in lines {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n- {line}");
    }
    (!text.is_empty()).then(|| format!("{title}\n{text}"))
}

fn file_line(file: &FileChange) -> String {
    let counts = match file.binary {
        true => "binary".to_owned(),
        false => format!("+{} −{}", file.insertions, file.deletions),
    };
    let from = file.old_path.as_ref().map_or(String::new(), |old| format!(", from `{old}`"));
    format!("`{}` ({}{from}), {counts}", file.path, word(&file.status))
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

fn error_line(error: &ReportedError) -> String {
    let state = match (error.resolved, error.resolution) {
        (true, Some(method)) => format!("settled ({})", word(&method)),
        (true, None) => "settled".to_owned(),
        (false, _) => "open".to_owned(),
    };
    let (severity, count) = (error.severity.name(), error.occurrences);
    let phase = error.phase.as_deref().unwrap_or("no phase");
    let first = first_line(&error.message);
    format!("{state}: {severity} ×{count} from {} ({phase}): {first}", error.source)
}

fn question_line(question: &ReportedQuestion) -> String {
    let answer = question.answer.as_deref().unwrap_or(&question.status);
    format!("{} → {}", one_line(&question.question), one_line(answer))
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
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
    fn durations_are_written_in_minutes_and_seconds() {
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

    #[test]
    fn failure_lists_what_was_tried_and_earlier_fixes() {
        let failure = ReportedFailure {
            reason: Some(domain::event::life::BlockReason::FixAttempts),
            explanation: None,
            retry: None,
            tried: vec!["test:\nfailed".into()],
            earlier_fixes: vec![super::super::report::ReportedFix {
                error: "no such module\nat line 1".into(),
                fix: "Added it.".into(),
            }],
        };
        assert_eq!(
            failure_paragraphs(&failure),
            [
                "Several attempts to fix an error failed.",
                "What was tried:\n\n- test: failed",
                "How earlier builds fixed the same errors:\n\n- no such module → Added it.",
            ]
        );
    }
}
