//! Assumptions of the blueprint that users confirm, change or remove before the work begins.

use crate::{
    event::{
        confirmations::{RequirementChange, RequirementChanged},
        life::Actor,
    },
    requirement::RequirementId,
    requirements::{Priority, Requirement, Source},
    state::BuildState,
};

const CONFIRM: &str = "Confirm";
const CONFIRM_ALL: &str = "Confirm all";
const REMOVE: &str = "Remove";
/// Of the text in a question; longer ones are cut.
const MAX_TEXT_CHARS: usize = 300;

/// Why a requirement is not removed.
pub const ONLY_CRITERION: &str =
    "a phase would have no exit criteria left: confirm or reword the requirement";

/// The question about an assumption.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AssumptionQuestion {
    pub question: String,
    /// The text of the requirement.
    pub context: String,
    pub options: Vec<String>,
}

impl BuildState {
    /// The assumption that a user is asked about next. All are asked about before the work begins.
    pub fn assumption_to_confirm(&self) -> Option<&Requirement> {
        let has_begun = self.has_begun();
        let is_limited = self.spent.clarifications >= self.budgets.clarifications;
        if has_begun || is_limited || self.asked_assumptions.is_unanswered {
            return None;
        }
        let asked = &self.asked_assumptions.ids;
        self.unconfirmed_assumptions().find(|requirement| !asked.contains(&requirement.id))
    }

    /// The assumptions without which the build cannot be certified.
    fn unconfirmed_assumptions(&self) -> impl Iterator<Item = &Requirement> {
        let requirements = self.queued.requirements.iter();
        requirements.filter(|it| it.priority == Priority::Must && it.source == Source::Assumed)
    }

    pub fn assumption_question(&self, id: RequirementId) -> Option<AssumptionQuestion> {
        let requirement = self.queued.requirements.iter().find(|it| it.id == id)?;
        let mut options = vec![CONFIRM];
        if self.unconfirmed_assumptions().count() > 1 {
            options.push(CONFIRM_ALL);
        }
        if !self.is_only_criterion(id) {
            options.push(REMOVE);
        }
        let mut context: String = requirement.text.chars().take(MAX_TEXT_CHARS).collect();
        if context.len() < requirement.text.len() {
            context.push('…');
        }
        Some(AssumptionQuestion {
            question: format!("{id} is an assumption. Is it right? Or type what applies instead."),
            context,
            options: options.into_iter().map(str::to_owned).collect(),
        })
    }

    /// What an answer changes: it is one of the options, or the new text of the requirement.
    ///
    /// # Errors
    /// [`ONLY_CRITERION`].
    pub fn changes_by_answer(
        &self,
        id: RequirementId,
        answer: &str,
        by: &Actor,
    ) -> Result<Vec<RequirementChanged>, &'static str> {
        let changed = |id, change| RequirementChanged { id, change, by: by.clone() };
        let text = answer.split_whitespace().collect::<Vec<_>>().join(" ");
        Ok(match text.as_str() {
            CONFIRM => vec![changed(id, RequirementChange::Confirmed)],
            CONFIRM_ALL => self
                .unconfirmed_assumptions()
                .map(|it| changed(it.id, RequirementChange::Confirmed))
                .collect(),
            REMOVE if self.is_only_criterion(id) => return Err(ONLY_CRITERION),
            REMOVE => vec![changed(id, RequirementChange::Removed)],
            _ => vec![changed(id, RequirementChange::Reworded { text })],
        })
    }

    /// Whether a phase would have no exit criterion without those that prove this requirement.
    pub(crate) fn is_only_criterion(&self, id: RequirementId) -> bool {
        let mut phases = self.phases.iter().map(|phase| &phase.outline.exit_criteria);
        phases.any(|criteria| {
            let proves = |it: RequirementId| it.requirement() == id;
            !criteria.is_empty() && criteria.iter().all(|one| one.id.is_some_and(proves))
        })
    }
}
