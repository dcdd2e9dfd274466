//! What users can settle before a build is sealed.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    criterion::ProofType,
    errors::Severity,
    event::{
        confirmations::CriterionConfirmed,
        gates::{CriterionChecked, CriterionResult},
        questions::ClarificationKind,
    },
    finding_id::FindingId,
    requirement::RequirementId,
    requirements::Requirement,
    state::{BuildState, PhaseState},
};

/// What users can settle in a build.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OpenItems {
    /// Exit criteria that a user must confirm, or that the auditor could not verify; those that are
    /// settled for the branch's newest commit as well.
    pub criteria: Vec<OpenCriterion>,
    /// Places where the build weakened tests.
    pub weakened_tests: Vec<OpenWeakenedTest>,
    /// Findings of the auditor.
    pub findings: Vec<OpenFinding>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OpenCriterion {
    pub phase: u32,
    /// From 1 within the phase.
    pub index: u32,
    pub text: String,
    /// The requirement or scenario that it proves.
    #[schema(required)]
    pub requirement: Option<String>,
    /// What the auditor wrote about it.
    #[schema(required)]
    pub evidence: Option<String>,
    /// The newest judgement of a user, for this commit.
    #[schema(required)]
    pub confirmation: Option<CriterionConfirmed>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OpenWeakenedTest {
    pub number: u32,
    pub text: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OpenFinding {
    #[schema(value_type = String, example = "F-1")]
    pub id: FindingId,
    pub phase: u32,
    pub severity: Severity,
    pub text: String,
}

impl OpenItems {
    /// How many of them are open.
    pub fn count(&self) -> usize {
        let criteria = self.criteria.iter().filter(|it| it.confirmation.is_none()).count();
        criteria + self.weakened_tests.len() + self.findings.len()
    }
}

impl BuildState {
    pub fn open_items(&self) -> OpenItems {
        let head = self.branch.as_ref().map_or("", |branch| &branch.head_sha);
        let requirements = &self.queued.requirements;
        let criteria =
            self.phases.iter().flat_map(|phase| open_criteria(phase, head, requirements));
        let places = self.weakened_places().into_iter().filter(|place| place.cleared.is_none());
        let findings = self.phases.iter().flat_map(|phase| {
            let with_id = |it: &crate::event::agents::Finding| {
                let (id, phase, text) = (it.id?, phase.outline.number, it.to_string());
                Some(OpenFinding { id, phase, severity: it.severity, text })
            };
            phase.findings.iter().filter_map(with_id)
        });
        OpenItems {
            criteria: criteria.collect(),
            weakened_tests: places
                .map(|place| OpenWeakenedTest { number: place.number, text: place.text })
                .collect(),
            findings: findings.collect(),
        }
    }

    /// Whether users are asked to settle what is open before the seal: once for each commit, and only
    /// if the required gates pass, as the build is flagged otherwise.
    pub fn needs_confirmation(&self) -> bool {
        let head = self.branch.as_ref().map(|branch| &branch.head_sha);
        self.confirmations_asked_at.as_ref() != head
            && self.final_gates.values().all(|gate| gate.passed || !gate.required)
            && self.open_items().count() > 0
    }

    /// Whether users are being asked to settle what is open.
    pub fn is_being_confirmed(&self) -> bool {
        let mut questions = self.questions.iter();
        questions.any(|open| open.request.kind == ClarificationKind::Confirmation)
    }
}

fn open_criteria<'a>(
    phase: &'a PhaseState,
    head: &'a str,
    requirements: &'a [Requirement],
) -> impl Iterator<Item = OpenCriterion> + 'a {
    let criteria = (1..).zip(&phase.outline.exit_criteria);
    criteria.filter_map(move |(index, criterion): (u32, _)| {
        let checked = phase.criteria.get(&index);
        let confirmation = phase.confirmations.get(&index).filter(|it| it.head_sha == head);
        let is_open = match criterion.proof {
            ProofType::Person => true,
            ProofType::Review => is_unverified(checked) || confirmation.is_some(),
            ProofType::Test { .. } | ProofType::Command { .. } => false,
        };
        is_open.then(|| OpenCriterion {
            phase: phase.outline.number,
            index,
            text: criterion.text.clone(),
            requirement: criterion.id.and_then(|id| text_of(requirements, id)),
            evidence: checked.map(|it| it.evidence.clone()).filter(|text| !text.is_empty()),
            confirmation: confirmation.cloned(),
        })
    })
}

/// The text of a requirement or scenario.
fn text_of(requirements: &[Requirement], id: RequirementId) -> Option<String> {
    let requirement = requirements.iter().find(|it| it.id == id.requirement())?;
    let scenario = requirement.scenarios.iter().find(|scenario| scenario.id == id);
    Some(scenario.map_or(&requirement.text, |scenario| &scenario.text).clone())
}

fn is_unverified(checked: Option<&CriterionChecked>) -> bool {
    checked.is_none_or(|checked| checked.result == CriterionResult::Unverified)
}
