//! What is missing in an auditor's judgement, and what follows from it.

use super::{
    read_lines::ReadLines,
    submission::{AnsweredFinding, CriterionLine, SignOff},
    weakened_tests,
};
use crate::{
    audited_weakening::ClearedWeakening,
    criterion::{ExitCriterion, ProofType},
    deliverable::{Shown, shown},
    errors::Severity,
    event::{
        agents::{DeliverableJudgement, Finding, FindingAnswer, FindingStatus},
        gates::{CriterionChecked, CriterionResult},
    },
    finding_id::FindingId,
    state::PhaseState,
};

/// What a judgement is checked against.
pub struct SignOffCheck<'a> {
    pub phase: &'a PhaseState,
    /// The number of the newest finding of the build.
    pub last_finding: u32,
    pub read: &'a ReadLines,
    /// Whether the phase has changed files.
    pub has_changes: bool,
}

/// What follows from a judgement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    pub criteria: Vec<CriterionChecked>,
    pub deliverables: Vec<DeliverableJudgement>,
    pub earlier_findings: Vec<FindingAnswer>,
    /// New ones; the auditor's own have ids, and those that repeat a failed criterion have none. A
    /// rejection always has an open one, because the fixer works from the findings.
    pub findings: Vec<Finding>,
    pub cleared_weakenings: Vec<ClearedWeakening>,
    pub signed_off: bool,
}

impl SignOffCheck<'_> {
    /// Everything that the auditor must correct, each in a sentence. `is_present` is whether a path is
    /// part of the branch or of its changes.
    pub fn problems(&self, sign_off: &SignOff, is_present: &dyn Fn(&str) -> bool) -> Vec<String> {
        let mut problems = Vec::new();
        if sign_off.passed && self.read.is_empty() {
            problems.push("You have not read any file: read the files that you judge.".to_owned());
        }
        problems.extend(self.criteria_problems(sign_off));
        problems.extend(self.deliverable_problems(sign_off, is_present));
        problems.extend(self.earlier_problems(sign_off));
        problems.extend(weakened_tests::problems(self.phase, self.read, sign_off));
        problems.extend(verdict_problem(sign_off).map(str::to_owned));
        problems
    }

    /// A pass whose evidence cannot be checked is unverified; a finding whose fix cannot be checked
    /// stays open.
    pub fn judge(&self, sign_off: SignOff) -> Judgement {
        let criteria = self.criteria(&sign_off);
        let deliverables = self.deliverables(&sign_off);
        let earlier_findings = self.earlier_findings(&sign_off);
        let cleared_weakenings = weakened_tests::cleared(self.phase, self.read, &sign_off);
        let mut findings = sign_off.findings;
        for (number, finding) in (self.last_finding + 1..).zip(&mut findings) {
            finding.id = Some(FindingId(number));
        }
        let failed = criteria.iter().filter(|one| one.result == CriterionResult::Failed);
        findings.extend(failed.map(|criterion| {
            let text = format!("{} — {}", criterion.text, criterion.evidence);
            Finding { clause: Some(format!("criterion {}", criterion.index)), ..error(text) }
        }));
        let missing = deliverables.iter().filter(|one| one.shown_by.is_none());
        findings.extend(missing.filter_map(|one| {
            let text = deliverable(self.phase, one.index)?;
            let clause = Some(format!("deliverable {}", one.index));
            Some(Finding { clause, ..error(format!("missing: {text}")) })
        }));
        findings.extend(self.unchanged_phase(&criteria));
        let is_open = |id| !earlier_findings.iter().any(|answer| answer.closes(id));
        let earlier = self.earlier().filter(|(id, _)| is_open(*id)).map(|(_, finding)| finding);
        let has_error = earlier.chain(&findings).any(|one| one.severity >= Severity::Error);
        if !sign_off.passed && !has_error {
            findings.push(error("the auditor did not sign off and named no error".to_owned()));
        }
        let signed_off = sign_off.passed && !has_error;
        Judgement {
            criteria,
            deliverables,
            earlier_findings,
            findings,
            cleared_weakenings,
            signed_off,
        }
    }

    /// A phase that changed no file is signed off only if the coder has declared that there was nothing
    /// to do, and every criterion holds.
    fn unchanged_phase(&self, criteria: &[CriterionChecked]) -> Option<Finding> {
        if self.has_changes {
            return None;
        }
        let holds = |index: u32| {
            let checked = criteria.iter().find(|checked| checked.index == index);
            checked.is_some_and(|checked| checked.result == CriterionResult::Passed)
        };
        let open = (1_u32..)
            .zip(&self.phase.outline.exit_criteria)
            .find(|(index, _)| !holds(*index))
            .map(|(index, _)| index);
        match (&self.phase.already_done, open) {
            (None, _) => {
                Some(error("the phase changed no file, so there is nothing to sign off".to_owned()))
            }
            (Some(_), Some(index)) => Some(error(format!(
                "the phase changed no file because it is said to be done already, but exit criterion \
                 {index} is not shown to hold"
            ))),
            (Some(_), None) => None,
        }
    }

    /// The open findings of earlier audits.
    fn earlier(&self) -> impl Iterator<Item = (FindingId, &Finding)> {
        self.phase.findings.iter().filter_map(|finding| Some((finding.id?, finding)))
    }

    /// Whether a pass does not count, or an earlier finding is not answered.
    pub fn has_unchecked(&self, sign_off: &SignOff) -> bool {
        let criteria = (1..).zip(&self.phase.outline.exit_criteria);
        let mut passed = criteria.filter_map(|(index, criterion): (u32, &ExitCriterion)| {
            let line = last_line(&sign_off.criteria, index)?;
            (line.result == CriterionResult::Passed).then_some((criterion, line))
        });
        passed.any(|(criterion, line)| self.objection(criterion, line).is_some())
            || !self.earlier_problems(sign_off).is_empty()
    }

    fn criteria_problems(&self, sign_off: &SignOff) -> Vec<String> {
        let criteria = &self.phase.outline.exit_criteria;
        let mut problems = unknown(
            sign_off.criteria.iter().map(|line| line.index),
            criteria.len(),
            ("exit criterion", "exit criteria"),
        );
        for (index, criterion) in (1_u32..).zip(criteria) {
            let line = last_line(&sign_off.criteria, index);
            match line {
                None => problems
                    .push(format!("Exit criterion {index} is not judged: {}", criterion.text)),
                Some(line) if line.result == CriterionResult::Passed => {
                    let objection = self.objection(criterion, line);
                    problems.extend(objection.map(|it| format!("Exit criterion {index}: {it}.")));
                }
                Some(line) if line.evidence.trim().is_empty() => {
                    let result = line.result.name();
                    problems.push(format!("Exit criterion {index}: say why it is {result}."));
                }
                Some(_) => {}
            }
        }
        problems
    }

    /// Why a pass does not count. ForgeGuard itself runs tests and commands that prove a criterion.
    fn objection(&self, criterion: &ExitCriterion, line: &CriterionLine) -> Option<String> {
        (criterion.proof == ProofType::Review)
            .then(|| self.read.objection(&line.evidence, &line.citations, self.phase))
            .flatten()
    }

    fn deliverable_problems(
        &self,
        sign_off: &SignOff,
        is_present: &dyn Fn(&str) -> bool,
    ) -> Vec<String> {
        let deliverables = &self.phase.outline.deliverables;
        let mut problems = unknown(
            sign_off.deliverables.iter().map(|line| line.index),
            deliverables.len(),
            ("deliverable", "deliverables"),
        );
        for (index, text) in (1_u32..).zip(deliverables) {
            let line = sign_off.deliverables.iter().rev().find(|line| line.index == index);
            let shown_by = line.map(|line| line.shown_by.as_deref());
            if shown_by == Some(None) {
                continue;
            }
            problems.extend(match (shown(text, shown_by.flatten(), is_present), shown_by) {
                (Shown::By(_), _) => None,
                (Shown::Missing(path), _) => Some(format!(
                    "Deliverable {index} names {path}, which does not exist: mark it as missing, or \
                     give the path where the file is."
                )),
                (Shown::Unknown, Some(Some(path))) => {
                    Some(format!("Deliverable {index}: there is no path {path}."))
                }
                (Shown::Unknown, _) => Some(format!(
                    "Deliverable {index} is not judged: name the path that shows it, or mark it as \
                     missing: {text}"
                )),
            });
        }
        problems
    }

    fn earlier_problems(&self, sign_off: &SignOff) -> Vec<String> {
        let answer_of = |id| sign_off.earlier_findings.iter().rev().find(|answer| answer.id == id);
        let mut problems = Vec::new();
        for (id, finding) in self.earlier() {
            problems.extend(match answer_of(id) {
                None => Some(format!("Finding {id} is not answered: {}", finding.text)),
                Some(answer)
                    if sign_off.passed
                        && answer.status == FindingStatus::StillPresent
                        && finding.severity >= Severity::Error =>
                {
                    Some(format!(
                        "Finding {id} is an error and still present: the verdict is fail."
                    ))
                }
                Some(answer) => self.fix_objection(answer).map(|it| format!("Finding {id}: {it}.")),
            });
        }
        let is_open = |id| self.earlier().any(|(open, _)| open == id);
        let unknown = sign_off.earlier_findings.iter().filter(|answer| !is_open(answer.id));
        problems.extend(unknown.map(|answer| format!("There is no open finding {}.", answer.id)));
        problems
    }

    /// Why a finding that is said to be fixed stays open.
    fn fix_objection(&self, answer: &AnsweredFinding) -> Option<String> {
        match answer.status {
            FindingStatus::StillPresent => None,
            FindingStatus::Fixed if answer.citations.is_empty() => {
                Some("cite the lines that show the fix".to_owned())
            }
            FindingStatus::Fixed => {
                let unread = self.read.unread(&answer.citations);
                unread.map(|place| format!("the auditor has not read {place}"))
            }
        }
    }

    /// The last judgement of each criterion of the phase.
    fn criteria(&self, sign_off: &SignOff) -> Vec<CriterionChecked> {
        let criteria = (1..).zip(&self.phase.outline.exit_criteria);
        criteria
            .filter_map(|(index, criterion): (u32, &ExitCriterion)| {
                let line = last_line(&sign_off.criteria, index)?;
                let (mut result, mut evidence) = (line.result, line.evidence.clone());
                if result == CriterionResult::Passed
                    && let Some(objection) = self.objection(criterion, line)
                {
                    result = CriterionResult::Unverified;
                    evidence = format!("{evidence} (not counted: {objection})");
                }
                let phase = self.phase.outline.number;
                let text = criterion.text.clone();
                Some(CriterionChecked { phase, index, text, result, evidence })
            })
            .collect()
    }

    fn deliverables(&self, sign_off: &SignOff) -> Vec<DeliverableJudgement> {
        let deliverables = (1..).zip(&self.phase.outline.deliverables);
        deliverables
            .filter_map(|(index, _)| {
                let line = sign_off.deliverables.iter().rev().find(|line| line.index == index)?;
                Some(DeliverableJudgement { index, shown_by: line.shown_by.clone() })
            })
            .collect()
    }

    fn earlier_findings(&self, sign_off: &SignOff) -> Vec<FindingAnswer> {
        self.earlier()
            .filter_map(|(id, _)| {
                let answers = &sign_off.earlier_findings;
                let answer = answers.iter().rev().find(|answer| answer.id == id)?;
                let (mut status, mut evidence) = (answer.status, answer.evidence.clone());
                if let Some(objection) = self.fix_objection(answer) {
                    status = FindingStatus::StillPresent;
                    evidence = format!("{evidence} (not counted: {objection})");
                }
                Some(FindingAnswer { id, status, evidence })
            })
            .collect()
    }
}

fn last_line(lines: &[CriterionLine], index: u32) -> Option<&CriterionLine> {
    lines.iter().rev().find(|line| line.index == index)
}

fn deliverable(phase: &PhaseState, index: u32) -> Option<&String> {
    phase.outline.deliverables.get((index as usize).checked_sub(1)?)
}

fn unknown(
    indexes: impl Iterator<Item = u32>,
    count: usize,
    (one, many): (&str, &str),
) -> Vec<String> {
    let unknown = indexes.filter(|index| !(1..=count).contains(&(*index as usize)));
    unknown
        .map(|index| format!("There is no {one} {index}; the phase has {count} {many}."))
        .collect()
}

fn verdict_problem(sign_off: &SignOff) -> Option<&'static str> {
    let has_failed = sign_off.criteria.iter().any(|line| line.result == CriterionResult::Failed);
    let is_missing = sign_off.deliverables.iter().any(|line| line.shown_by.is_none());
    let has_error = sign_off.findings.iter().any(|finding| finding.severity >= Severity::Error);
    let is_present = |answer: &AnsweredFinding| answer.status == FindingStatus::StillPresent;
    let is_open = sign_off.earlier_findings.iter().any(is_present);
    let is_rejected = has_failed || is_missing || has_error;
    match sign_off.passed {
        true if is_rejected => Some(
            "The verdict is fail if a criterion failed, a deliverable is missing or a finding is an \
             error.",
        ),
        false if !is_rejected && !is_open => Some(
            "The verdict is fail: name a failed criterion, a missing deliverable or a finding of \
             severity error.",
        ),
        _ => None,
    }
}

fn error(text: String) -> Finding {
    Finding { id: None, severity: Severity::Error, place: None, clause: None, text }
}
