//! The protocol that agents speak in their own text: plan, task done, sign-off, stop codes.

use crate::{
    errors::Severity,
    event::{agents::Finding, gates::CriterionResult},
    stop_code::StopCode,
};

/// A plan block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Its steps, in order.
    pub steps: Vec<String>,
    /// The gates it expects to pass.
    pub gates: Vec<String>,
}

/// A judgement of one pass criterion inside a sign-off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CriterionLine {
    /// From 1.
    pub index: u32,
    /// The judgement.
    pub result: CriterionResult,
    /// What it rests on.
    pub evidence: String,
}

/// A sign-off block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignOff {
    /// `PASS` stood in its first line.
    pub passed: bool,
    /// Judgements, in the order written.
    pub criteria: Vec<CriterionLine>,
    /// What it holds against the change.
    pub findings: Vec<Finding>,
}

/// The last complete plan block of a text.
pub fn plan(text: &str) -> Option<Plan> {
    let (_, body) = last_block(text, "=== PLAN ===", "=== END PLAN ===")?;
    let mut plan = Plan { steps: Vec::new(), gates: Vec::new() };
    for line in body.lines().map(str::trim) {
        if let Some(names) = line.strip_prefix("Gates:") {
            plan.gates = names.split(',').map(|name| name.trim().to_owned()).collect();
            plan.gates.retain(|name| !name.is_empty());
        } else if let Some(step) = numbered(line) {
            plan.steps.push(step.to_owned());
        }
    }
    (!plan.steps.is_empty()).then_some(plan)
}

/// The numbers of all `=== TASK DONE: N ===` lines, in order of writing.
pub fn tasks_done(text: &str) -> Vec<u32> {
    text.lines()
        .filter_map(|line| line.trim().strip_prefix("=== TASK DONE:")?.strip_suffix("==="))
        .filter_map(|number| number.trim().parse().ok())
        .collect()
}

/// The last complete sign-off block of a text.
pub fn sign_off(text: &str) -> Option<SignOff> {
    let (first, body) = last_block(text, "=== PHASE SIGN-OFF:", "=== END PHASE SIGN-OFF ===")?;
    let lines = || body.lines().map(str::trim);
    Some(SignOff {
        passed: first.trim().trim_end_matches('=').trim() == "PASS",
        criteria: lines().filter_map(criterion).collect(),
        findings: lines().filter_map(finding).collect(),
    })
}

/// The stop code that a text ends with: alone on a line, or at its start before a colon.
pub fn stop_code(text: &str) -> Option<StopCode> {
    text.lines().rev().find_map(|line| {
        let word = line.trim().split(':').next()?.trim().trim_matches(['=', '*', '`', ' ']);
        StopCode::named(word)
    })
}

/// What follows the last `start` on its line, and the lines up to `end`.
fn last_block<'a>(text: &'a str, start: &str, end: &str) -> Option<(&'a str, &'a str)> {
    let opened = text.rfind(start)? + start.len();
    let rest = &text[opened..];
    let body = &rest[..rest.find(end)?];
    Some(body.split_once('\n').unwrap_or((body, "")))
}

/// Reads `1. text` or `1) text`.
fn numbered(line: &str) -> Option<&str> {
    let digits = line.find(|c: char| !c.is_ascii_digit())?;
    let rest = line[digits..].strip_prefix(['.', ')'])?;
    (digits > 0).then(|| rest.trim())
}

/// Reads `criterion N: passed — evidence`.
fn criterion(line: &str) -> Option<CriterionLine> {
    let (index, rest) = line.strip_prefix("criterion ")?.split_once(':')?;
    let (result, evidence) = rest.split_once(['—', '-']).unwrap_or((rest, ""));
    let result = match result.trim() {
        "passed" => CriterionResult::Passed,
        "failed" => CriterionResult::Failed,
        _ => CriterionResult::Unverified,
    };
    Some(CriterionLine {
        index: index.trim().parse().ok()?,
        result,
        evidence: evidence.trim().into(),
    })
}

/// Reads `finding: severity path:line [clause] text`; place and clause may be left out.
fn finding(line: &str) -> Option<Finding> {
    let rest = line.strip_prefix("finding:")?.trim();
    let (severity, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    let severity = match severity {
        "warning" => Severity::Warning,
        "fatal" => Severity::Fatal,
        _ => Severity::Error,
    };
    let (place, rest) = match rest.split_once(' ') {
        Some((word, rest)) if is_place(word) => (Some(word.to_owned()), rest.trim_start()),
        _ => (None, rest),
    };
    let clause = rest.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    let (clause, text) = match clause {
        Some((clause, text)) => (Some(clause.to_owned()), text),
        None => (None, rest),
    };
    Some(Finding { severity, place, clause, text: text.trim().to_owned() })
}

fn is_place(word: &str) -> bool {
    word.rsplit_once(':').is_some_and(|(_, line)| line.parse::<u32>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_a_plan() {
        let text = "Thinking.\n=== PLAN ===\n1. Write it\n2) Test it\nGates: validate, test\n=== END PLAN ===\n";
        let plan = plan(text).unwrap();
        assert_eq!(plan.steps, ["Write it", "Test it"]);
        assert_eq!(plan.gates, ["validate", "test"]);
    }

    #[test]
    fn an_open_or_empty_plan_is_none() {
        assert_eq!(plan("=== PLAN ===\n1. Write it\n"), None);
        assert_eq!(plan("=== PLAN ===\nnothing\n=== END PLAN ==="), None);
    }

    #[test]
    fn reads_tasks_done() {
        assert_eq!(tasks_done("=== TASK DONE: 1 ===\nx\n  === TASK DONE: 12 ===\n"), [1, 12]);
        assert!(tasks_done("=== TASK DONE: one ===").is_empty());
    }

    #[test]
    fn reads_a_sign_off_with_criteria_and_findings() {
        let text = "=== PHASE SIGN-OFF: PASS ===\ncriterion 1: passed — test/a.js:3\n\
            criterion 2: unverified\nfinding: warning src/a.js:9 [boundaries.layers] imports up\n\
            finding: error no tests\n=== END PHASE SIGN-OFF ===";
        let block = sign_off(text).unwrap();
        assert!(block.passed);
        assert_eq!(block.criteria[0].evidence, "test/a.js:3");
        assert_eq!(block.criteria[1].result, CriterionResult::Unverified);
        assert_eq!(block.findings[0].place.as_deref(), Some("src/a.js:9"));
        assert_eq!(block.findings[0].clause.as_deref(), Some("boundaries.layers"));
        assert_eq!(block.findings[1].text, "no tests");
        assert_eq!(block.findings[1].severity, Severity::Error);
    }

    #[test]
    fn only_the_word_pass_signs_off() {
        for (word, passed) in [("PASS", true), ("FAIL", false), ("PASSED?", false), ("", false)] {
            let text = format!("=== PHASE SIGN-OFF: {word} ===\n=== END PHASE SIGN-OFF ===");
            assert_eq!(sign_off(&text).unwrap().passed, passed, "{word}");
        }
    }

    #[test]
    fn finds_a_stop_code_that_stands_alone() {
        assert_eq!(
            stop_code("I stop.\nAMBIGUOUS_INTENT: two readings"),
            Some(StopCode::AmbiguousIntent)
        );
        assert_eq!(stop_code("**CONTRACT_CONFLICT**"), Some(StopCode::ContractConflict));
        assert_eq!(stop_code("There is no EVIDENCE_MISSING here"), None);
    }

    proptest! {
        #[test]
        fn no_text_makes_the_parsers_panic(text in "(=|P|L|A|N| |\n|criterion 1:|finding:|—|\\[|\\]|.){0,200}") {
            let _ = (plan(&text), tasks_done(&text), sign_off(&text), stop_code(&text));
        }
    }
}
