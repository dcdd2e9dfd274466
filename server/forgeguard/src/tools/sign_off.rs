//! `sign_off`: the auditor's judgement, which ends its run once it is complete.

use std::borrow::Cow;

use async_trait::async_trait;
use domain::{
    errors::Severity,
    event::{
        agents::{Finding, FindingStatus},
        gates::CriterionResult,
    },
    finding_id::FindingId,
    sign_off::{
        AnsweredFinding, Citation, CriterionLine, DeliverableLine, JustifiedWeakening, SignOff,
        SignOffCheck,
    },
};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Deserialize;
use serde_json::Value;

use super::{
    context::{AuditRun, ToolContext},
    error::ToolError,
    input,
    tool::{Effect, Tool, ToolReply},
    tool_name::ToolName,
    worktree::Worktree,
};

pub struct SignOffTool;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    verdict: Verdict,
    /// Each exit criterion.
    criteria: Vec<Criterion>,
    /// Each deliverable that names no existing path.
    #[serde(default)]
    deliverables: Vec<Deliverable>,
    /// Each open finding of an earlier audit.
    #[serde(default)]
    earlier_findings: Vec<EarlierFinding>,
    /// New ones.
    #[serde(default)]
    findings: Vec<NewFinding>,
    /// Each justified one.
    #[serde(default)]
    weakened_tests: Vec<WeakenedTest>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    Pass,
    Fail,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Criterion {
    index: u32,
    result: Outcome,
    evidence: String,
    /// Lines that you have read, as path:first-last.
    #[serde(default)]
    citations: Vec<Place>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Outcome {
    Passed,
    Failed,
    Unverified,
}

/// Models are told to write text, and some write an object all the same.
#[derive(Deserialize)]
#[serde(untagged, expecting = "a place such as \"src/due.js:6-9\" is expected")]
enum Place {
    Text(String),
    Lines {
        path: String,
        first_line: u64,
        #[serde(default)]
        last_line: Option<u64>,
    },
}

impl JsonSchema for Place {
    fn schema_name() -> Cow<'static, str> {
        "Place".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        String::json_schema(generator)
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Deliverable {
    index: u32,
    /// The path that shows it.
    #[serde(default)]
    shown_by: Option<String>,
    #[serde(default)]
    missing: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EarlierFinding {
    /// Such as F-1.
    id: String,
    status: Status,
    evidence: String,
    /// Lines that show the fix.
    #[serde(default)]
    citations: Vec<Place>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Status {
    Fixed,
    StillPresent,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewFinding {
    severity: Level,
    #[serde(default)]
    path: Option<String>,
    #[serde(default)]
    line: Option<u32>,
    /// The violated clause of a contract.
    #[serde(default)]
    clause: Option<String>,
    text: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WeakenedTest {
    number: u32,
    reason: String,
    citations: Vec<Place>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Level {
    Warning,
    Error,
    Fatal,
}

/// The judgement in the input of a call.
///
/// # Errors
/// If it does not match the schema.
pub fn sign_off(input: Value) -> Result<SignOff, ToolError> {
    let params: Params = input::read(input)?;
    let earlier_findings = params.earlier_findings.into_iter().map(answered);
    Ok(SignOff {
        passed: matches!(params.verdict, Verdict::Pass),
        criteria: params.criteria.into_iter().map(criterion).collect::<Result<_, _>>()?,
        deliverables: params.deliverables.into_iter().map(deliverable).collect::<Result<_, _>>()?,
        earlier_findings: earlier_findings.collect::<Result<_, _>>()?,
        findings: params.findings.into_iter().map(finding).collect(),
        weakened_tests: params
            .weakened_tests
            .into_iter()
            .map(justified)
            .collect::<Result<_, _>>()?,
    })
}

fn criterion(line: Criterion) -> Result<CriterionLine, ToolError> {
    let result = match line.result {
        Outcome::Passed => CriterionResult::Passed,
        Outcome::Failed => CriterionResult::Failed,
        Outcome::Unverified => CriterionResult::Unverified,
    };
    let (evidence, citations) = cited(line.evidence, line.citations)?;
    Ok(CriterionLine { index: line.index, result, evidence, citations })
}

fn deliverable(line: Deliverable) -> Result<DeliverableLine, ToolError> {
    let index = line.index;
    let shown_by = line.shown_by.filter(|path| !path.trim().is_empty());
    if shown_by.is_none() && !line.missing {
        return Err(ToolError::for_model(format!(
            "Deliverable {index}: give `shown_by`, or set `missing` to true."
        )));
    }
    Ok(DeliverableLine { index, shown_by: shown_by.filter(|_| !line.missing) })
}

fn answered(line: EarlierFinding) -> Result<AnsweredFinding, ToolError> {
    let id: FindingId = line
        .id
        .parse()
        .map_err(|error| ToolError::for_model(format!("`{}`: {error}.", line.id)))?;
    let status = match line.status {
        Status::Fixed => FindingStatus::Fixed,
        Status::StillPresent => FindingStatus::StillPresent,
    };
    let (evidence, citations) = cited(line.evidence, line.citations)?;
    Ok(AnsweredFinding { id, status, evidence, citations })
}

fn finding(new: NewFinding) -> Finding {
    let severity = match new.severity {
        Level::Warning => Severity::Warning,
        Level::Error => Severity::Error,
        Level::Fatal => Severity::Fatal,
    };
    let path = new.path.filter(|path| !path.trim().is_empty());
    let place = path.map(|path| match new.line {
        Some(line) => format!("{path}:{line}"),
        None => path,
    });
    let clause = new.clause.filter(|clause| !clause.trim().is_empty());
    Finding { id: None, severity, place, clause, text: new.text.trim().to_owned() }
}

fn justified(weakening: WeakenedTest) -> Result<JustifiedWeakening, ToolError> {
    let WeakenedTest { number, reason, citations } = weakening;
    let (evidence, citations) = cited(reason.clone(), citations)?;
    // The places alone are no reason.
    let reason = if reason.trim().is_empty() { String::new() } else { evidence };
    Ok(JustifiedWeakening { number, reason, citations })
}

/// The evidence as it is stored, with its citations.
fn cited(evidence: String, places: Vec<Place>) -> Result<(String, Vec<Citation>), ToolError> {
    let citations: Vec<Citation> = places.into_iter().map(citation).collect::<Result<_, _>>()?;
    let places: Vec<String> = citations.iter().map(Citation::to_string).collect();
    let evidence = match (evidence.trim(), places.is_empty()) {
        (evidence, true) => evidence.to_owned(),
        ("", false) => places.join(", "),
        (evidence, false) => format!("{evidence} ({})", places.join(", ")),
    };
    Ok((evidence, citations))
}

fn citation(place: Place) -> Result<Citation, ToolError> {
    match place {
        Place::Lines { path, first_line, last_line } => {
            Ok(Citation { path, lines: first_line..=last_line.unwrap_or(first_line) })
        }
        Place::Text(text) => Citation::all_in(&text).next().ok_or_else(|| {
            let example = "write path:first-last, such as src/due.js:6-9";
            ToolError::for_model(format!("`{text}` names no lines: {example}."))
        }),
    }
}

#[async_trait]
impl Tool for SignOffTool {
    fn name(&self) -> ToolName {
        ToolName::SignOff
    }

    fn description(&self) -> &'static str {
        "Submits your judgement and ends your work."
    }

    /// Not a read, so that it runs after the reads of the same reply.
    fn effect(&self) -> Effect {
        Effect::Write
    }

    fn schema(&self) -> Value {
        input::schema::<Params>()
    }

    async fn call(&self, ctx: &ToolContext, input: Value) -> Result<ToolReply, ToolError> {
        let sign_off = sign_off(input)?;
        let phase = ctx.state.phase().filter(|phase| phase.outline.number == ctx.phase).cloned();
        let phase = phase.ok_or_else(|| ToolError::for_model("The phase has ended."))?;
        let (audit, last_finding) = (ctx.audit.clone(), ctx.state.last_finding);
        let problems = ctx.on_files(move |worktree| {
            let check = SignOffCheck {
                phase: &phase,
                last_finding,
                read: &audit.read,
                has_changes: !audit.changed_files.is_empty(),
            };
            Ok(check.problems(&sign_off, &|path| is_present(worktree, &audit, path)))
        });
        let problems = problems.await?;
        if problems.is_empty() {
            return Ok(ToolReply::done("The judgement is recorded."));
        }
        let list: String = problems.iter().map(|problem| format!("\n- {problem}")).collect();
        Ok(ToolReply::failed(format!(
            "Nothing was recorded. Correct this and call {} again:{list}",
            self.name()
        )))
    }
}

/// Whether a path exists in the worktree or is part of the phase's changes.
fn is_present(worktree: &Worktree, audit: &AuditRun, path: &str) -> bool {
    let is_changed = audit.changed_files.iter().any(|changed| changed == path);
    is_changed || Worktree::path(path).and_then(|path| worktree.kind(&path)).is_ok()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use domain::sign_off::ReadLines;
    use serde_json::json;

    use super::*;
    use crate::tools::fixture::Fixture;

    /// An auditor that has read two lines of `a.js`, which the phase has changed.
    async fn auditor() -> Fixture {
        let mut fixture = Fixture::new().await;
        fixture.file("a.js", "one\ntwo\n");
        let mut read = ReadLines::default();
        (1..=2).for_each(|line| read.add("a.js", line));
        fixture.ctx.audit = Arc::new(AuditRun { read, changed_files: vec!["a.js".into()] });
        fixture
    }

    fn passed(citations: Value) -> Value {
        json!([{ "index": 1, "result": "passed", "evidence": "it is there", "citations": citations }])
    }

    #[tokio::test]
    async fn complete_judgement_is_accepted() {
        let fixture = auditor().await;
        let input = json!({
            "verdict": "pass",
            "criteria": passed(json!(["./a.js:1-2", { "path": "a.js", "first_line": 1 }])),
            "deliverables": [{ "index": 1, "shown_by": "a.js" }],
        });
        assert_eq!(fixture.ok(&SignOffTool, input.clone()).await, "The judgement is recorded.");
        let sign_off = sign_off(input).unwrap();
        assert_eq!(sign_off.criteria[0].evidence, "it is there (./a.js:1-2, a.js:1)");
    }

    #[tokio::test]
    async fn rejection_names_each_problem() {
        let mut fixture = auditor().await;
        let state = Arc::make_mut(&mut fixture.ctx.state);
        let finding = |number, severity| Finding {
            id: Some(FindingId(number)),
            severity,
            place: None,
            clause: None,
            text: format!("finding {number}"),
        };
        state.phases[0].findings = vec![finding(1, Severity::Error), finding(2, Severity::Warning)];
        let input = json!({
            "verdict": "pass",
            "criteria": [
                { "index": 1, "result": "passed", "evidence": "a.js:1",
                  "citations": [{ "path": "a.js", "first_line": 999 }] },
                { "index": 9, "result": "failed", "evidence": "x" },
            ],
            "deliverables": [{ "index": 1, "shown_by": "none.js" }],
            "earlier_findings": [{ "id": "F-1", "status": "fixed", "evidence": "done" }],
        });
        let said = fixture.refused(&SignOffTool, input).await;
        for problem in [
            "There is no exit criterion 9; the phase has 1",
            "Exit criterion 1: the auditor has not read a.js:999",
            "Deliverable 1: there is no path none.js",
            "Finding F-1: cite the lines that show the fix",
            "Finding F-2 is not answered: finding 2",
            "The verdict is fail",
        ] {
            assert!(said.contains(problem), "{problem} not in: {said}");
        }
        let said =
            fixture.refused(&SignOffTool, json!({ "verdict": "fail", "criteria": [] })).await;
        for problem in [
            "Exit criterion 1 is not judged: a",
            "Deliverable 1 is not judged",
            "Finding F-1 is not answered",
            "The verdict is fail: name",
        ] {
            assert!(said.contains(problem), "{problem} not in: {said}");
        }
        fixture.ctx.audit = Arc::default();
        let cites = passed(json!([{ "path": "a.js", "first_line": 1 }]));
        let said =
            fixture.refused(&SignOffTool, json!({ "verdict": "pass", "criteria": cites })).await;
        assert!(said.contains("You have not read any file"), "{said}");
        let unplaced = json!({ "verdict": "pass", "criteria": passed(json!(["all of a.js"])) });
        assert!(fixture.refused(&SignOffTool, unplaced).await.contains("path:first-last"));
        let unclear =
            json!({ "verdict": "pass", "criteria": [], "deliverables": [{ "index": 1 }] });
        assert!(fixture.refused(&SignOffTool, unclear).await.contains("`missing`"));
    }
}
