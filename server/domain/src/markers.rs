//! Parsers of the markers in agents' replies: plan, task done, sign-off, stop codes.

use crate::{
    errors::Severity,
    event::{
        agents::{Finding, FindingStatus},
        gates::CriterionResult,
    },
    sign_off::{AnsweredFinding, Citation, CriterionLine, DeliverableLine, SignOff},
    stop_code::StopCode,
};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    pub steps: Vec<String>,
    /// The gates that it expects to pass.
    pub gates: Vec<String>,
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

/// The numbers of all `=== TASK DONE: N ===` lines, in the order of the text.
pub fn tasks_done(text: &str) -> Vec<u32> {
    text.lines()
        .filter_map(|line| after(line.trim(), "=== TASK DONE:")?.strip_suffix("==="))
        .filter_map(|number| number.trim().parse().ok())
        .collect()
}

/// The numbers and reasons of all `=== TASK DROPPED: N: reason ===` lines, in the order of the text.
pub fn tasks_dropped(text: &str) -> Vec<(u32, String)> {
    let dropped = |line: &str| {
        let (number, reason) =
            after(line, "=== TASK DROPPED:")?.strip_suffix("===")?.split_once(':')?;
        let (number, reason) = (number.trim().parse().ok()?, reason.trim());
        (!reason.is_empty()).then(|| (number, reason.to_owned()))
    };
    text.lines().filter_map(|line| dropped(line.trim())).collect()
}

/// The reason of the last line `=== ALREADY DONE: reason ===`.
pub fn already_done(text: &str) -> Option<String> {
    let reason = |line: &str| {
        let reason = after(line, "=== ALREADY DONE:")?.strip_suffix("===")?.trim();
        (!reason.is_empty()).then(|| reason.to_owned())
    };
    text.lines().rev().find_map(|line| reason(line.trim()))
}

/// The last complete sign-off block of a text.
pub fn sign_off(text: &str) -> Option<SignOff> {
    let (first, body) = last_block(text, "=== PHASE SIGN-OFF:", "=== END PHASE SIGN-OFF ===")?;
    let lines = || body.lines().map(str::trim);
    Some(SignOff {
        passed: first.trim().trim_end_matches('=').trim().eq_ignore_ascii_case("pass"),
        criteria: lines().filter_map(criterion).collect(),
        deliverables: lines().filter_map(deliverable).collect(),
        earlier_findings: lines().filter_map(earlier_finding).collect(),
        findings: lines().filter_map(finding).collect(),
        weakened_tests: Vec::new(),
    })
}

/// The stop code that a text ends with: alone on a line, or at its start before a colon.
pub fn stop_code(text: &str) -> Option<StopCode> {
    text.lines().rev().find_map(|line| {
        let word = line.trim().split(':').next()?.trim().trim_matches(['=', '*', '`', ' ']);
        StopCode::named(word)
    })
}

/// The text after the last `start` on its line, and the lines up to `end`, in any case.
fn last_block<'a>(text: &'a str, start: &str, end: &str) -> Option<(&'a str, &'a str)> {
    // ASCII case conversion keeps all positions.
    let upper = text.to_ascii_uppercase();
    let opened = upper.rfind(start)? + start.len();
    let length = upper[opened..].find(end)?;
    let body = &text[opened..opened + length];
    Some(body.split_once('\n').unwrap_or((body, "")))
}

/// The text after a word at the start of a line, in any case.
fn after<'a>(line: &'a str, word: &str) -> Option<&'a str> {
    let start = line.get(..word.len())?;
    start.eq_ignore_ascii_case(word).then(|| &line[word.len()..])
}

/// Parses `1. text` or `1) text`.
fn numbered(line: &str) -> Option<&str> {
    let digits = line.find(|c: char| !c.is_ascii_digit())?;
    let rest = line[digits..].strip_prefix(['.', ')'])?;
    (digits > 0).then(|| rest.trim())
}

/// Parses `criterion N: passed — evidence`.
fn criterion(line: &str) -> Option<CriterionLine> {
    let (index, rest) = after(line, "criterion ")?.split_once(':')?;
    let (result, evidence) = rest.split_once(['—', '-']).unwrap_or((rest, ""));
    let result = match result.trim().to_ascii_lowercase().as_str() {
        "passed" => CriterionResult::Passed,
        "failed" => CriterionResult::Failed,
        _ => CriterionResult::Unverified,
    };
    Some(CriterionLine {
        index: index.trim().parse().ok()?,
        result,
        citations: Citation::all_in(evidence).collect(),
        evidence: evidence.trim().into(),
    })
}

/// Parses `deliverable N: path` and `deliverable N: missing`.
fn deliverable(line: &str) -> Option<DeliverableLine> {
    let (index, rest) = after(line, "deliverable ")?.split_once(':')?;
    let path = rest.split_whitespace().next()?.trim_matches('`');
    let shown_by = (!path.eq_ignore_ascii_case("missing")).then(|| path.to_owned());
    Some(DeliverableLine { index: index.trim().parse().ok()?, shown_by })
}

/// Parses `earlier F-1: fixed — evidence`.
fn earlier_finding(line: &str) -> Option<AnsweredFinding> {
    let (id, rest) = after(line, "earlier ")?.split_once(':')?;
    let (status, evidence) = rest.split_once(['—', '-']).unwrap_or((rest, ""));
    let status = match status.trim().eq_ignore_ascii_case("fixed") {
        true => FindingStatus::Fixed,
        false => FindingStatus::StillPresent,
    };
    let citations = Citation::all_in(evidence).collect();
    Some(AnsweredFinding {
        id: id.parse().ok()?,
        status,
        citations,
        evidence: evidence.trim().into(),
    })
}

/// Parses `finding: severity path:line [clause] text`; location and clause are optional.
fn finding(line: &str) -> Option<Finding> {
    let rest = after(line, "finding:")?.trim();
    let (severity, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    let severity = match severity.to_ascii_lowercase().as_str() {
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
    Some(Finding { id: None, severity, place, clause, text: text.trim().to_owned() })
}

fn is_place(word: &str) -> bool {
    word.rsplit_once(':').is_some_and(|(_, line)| line.parse::<u32>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn plan_is_parsed() {
        let text = "Thinking.\n=== PLAN ===\n1. Write it\n2) Test it\nGates: validate, test\n=== END PLAN ===\n";
        let plan = plan(text).unwrap();
        assert_eq!(plan.steps, ["Write it", "Test it"]);
        assert_eq!(plan.gates, ["validate", "test"]);
    }

    #[test]
    fn incomplete_or_empty_plan_is_none() {
        assert_eq!(plan("=== PLAN ===\n1. Write it\n"), None);
        assert_eq!(plan("=== PLAN ===\nnothing\n=== END PLAN ==="), None);
    }

    #[test]
    fn task_done_lines_are_parsed() {
        assert_eq!(tasks_done("=== TASK DONE: 1 ===\nx\n  === TASK DONE: 12 ===\n"), [1, 12]);
        assert!(tasks_done("=== TASK DONE: one ===").is_empty());
    }

    #[test]
    fn dropped_tasks_need_a_reason() {
        let text = "=== TASK DROPPED: 2: the API has no such call ===\n\
            === task dropped: 3: a: b ===\n=== TASK DROPPED: 4: ===\n=== TASK DROPPED: 5 ===";
        let dropped = [(2, "the API has no such call".to_owned()), (3, "a: b".to_owned())];
        assert_eq!(tasks_dropped(text), dropped);
        assert_eq!(already_done("=== ALREADY DONE: it is there ===").unwrap(), "it is there");
        assert_eq!(already_done("=== ALREADY DONE:  ==="), None);
    }

    #[test]
    fn sign_off_is_parsed_with_criteria_and_findings() {
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
    fn sign_off_is_parsed_in_any_case() {
        let text = "=== Phase sign-off: pass ===\nCriterion 1: Passed — a.js:3-4\n\
            Deliverable 1: `src/a.js` is new\nDeliverable 2: Missing\n\
            Earlier F-2: Fixed — a.js:9\nearlier f-3: still present\n=== end phase sign-off ===";
        let block = sign_off(text).unwrap();
        assert!(block.passed);
        assert_eq!(block.criteria[0].result, CriterionResult::Passed);
        assert_eq!(block.criteria[0].citations[0].to_string(), "a.js:3-4");
        let shown: Vec<_> = block.deliverables.iter().map(|it| it.shown_by.as_deref()).collect();
        assert_eq!(shown, [Some("src/a.js"), None]);
        let status: Vec<_> = block.earlier_findings.iter().map(|it| (it.id.0, it.status)).collect();
        assert_eq!(status, [(2, FindingStatus::Fixed), (3, FindingStatus::StillPresent)]);
    }

    #[test]
    fn only_the_word_pass_signs_off() {
        for (word, passed) in
            [("PASS", true), ("Pass", true), ("FAIL", false), ("PASSED?", false), ("", false)]
        {
            let text = format!("=== PHASE SIGN-OFF: {word} ===\n=== END PHASE SIGN-OFF ===");
            assert_eq!(sign_off(&text).unwrap().passed, passed, "{word}");
        }
    }

    #[test]
    fn stop_code_alone_on_a_line_is_found() {
        assert_eq!(
            stop_code("I stop.\nAMBIGUOUS_INTENT: two readings"),
            Some(StopCode::AmbiguousIntent)
        );
        assert_eq!(stop_code("**CONTRACT_CONFLICT**"), Some(StopCode::ContractConflict));
        assert_eq!(stop_code("There is no EVIDENCE_MISSING here"), None);
    }

    proptest! {
        #[test]
        fn no_text_makes_the_parsers_panic(text in "(=|P|L|A|N| |\n|criterion 1:|deliverable 1:|earlier F-1:|finding:|—|ß|İ|\\[|\\]|.){0,200}") {
            let _ = (tasks_dropped(&text), already_done(&text));
            let _ = (plan(&text), tasks_done(&text), sign_off(&text), stop_code(&text));
        }
    }
}
