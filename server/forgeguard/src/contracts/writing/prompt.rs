//! The prompts for writing a contract.

use askama::Template;
use domain::{contract::ContractType, questionnaire::Size};

use super::{material::Material, tools::REVISION};
use crate::contracts::templates;

/// Size limit of a project's name in prompts, in characters.
const NAME: usize = 120;

#[derive(Template)]
#[template(path = "prompts/write-contract.md")]
struct WriteContract {
    nine: String,
    kind: ContractType,
    about: &'static str,
    form: &'static str,
    based_on: &'static str,
    example: &'static str,
}

/// The system prompt for one contract of a project of this size.
///
/// # Errors
/// If the template fails.
pub(super) fn system(kind: ContractType, size: Size) -> Result<String, askama::Error> {
    WriteContract {
        nine: ContractType::names().join(", "),
        kind,
        about: about(kind),
        form: form(kind),
        based_on: based_on(kind),
        example: templates::example_for(kind, size).trim_end(),
    }
    .render()
}

/// The first message.
pub(super) fn first(kind: ContractType, material: &Material) -> String {
    let name: String = material.brief.name.chars().filter(|c| !c.is_control()).take(NAME).collect();
    match material.is_revision(kind) {
        false => format!("Write the {kind} contract of the project “{name}”."),
        true => format!(
            "Revise the {kind} contract of the project “{name}”. First fetch it with {REVISION}: \
             it says what to change. Keep the ids of requirements, and what needs no change."
        ),
    }
}

fn about(kind: ContractType) -> &'static str {
    match kind {
        ContractType::Manifesto => {
            "The few principles that guide every later decision: what matters most, what is given \
             up for it, what must never happen. Five to nine, each with its consequences."
        }
        ContractType::Blueprint => {
            "What the product does, for whom, what is out of scope, and all requirements. Each \
             rule, quality and limit in the answers becomes one."
        }
        ContractType::Stack => {
            "Languages, frameworks, libraries and tools with versions and reasons; how to start, \
             test and check the project; operation, security; what must not be used."
        }
        ContractType::Schema => {
            "All stored data: every entity with its fields, their types, what is required and \
             unique, references between entities, invariants, and migrations."
        }
        ContractType::Physics => {
            "The API, or the commands: every endpoint with its access, limits, inputs, results and \
             errors."
        }
        ContractType::Boundaries => {
            "The layers of the code: which paths belong to each, and what each may import."
        }
        ContractType::Ui => {
            "Every screen, or the printed output: its content, the endpoints it calls, its empty, \
             busy and error states, and the rules for all screens."
        }
        ContractType::Phases => {
            "The work, split into phases that each end in something that runs and is tested. Together \
             they cover every requirement, endpoint and screen; each names those that it delivers. The \
             last one delivers a README that says how to install, run and test the project."
        }
        ContractType::BuilderDirective => {
            "What a builder must know beyond the other eight: where to start, commands, conventions, \
             pitfalls, when to stop and ask."
        }
    }
}

fn form(kind: ContractType) -> &'static str {
    match kind {
        ContractType::Physics => {
            "YAML with `endpoints`, a list: each has a unique `name` and either `method` and `path` \
             or, if it is not HTTP, `call`; also `auth`, `limits`, its inputs, `returns` and `errors`. \
             `shapes` defines the types."
        }
        ContractType::Boundaries => {
            "JSON with `layers`, a list: each has `name`, `paths` (globs) and `may_import` (names of \
             layers or external packages)."
        }
        ContractType::Phases => {
            "Markdown with one heading `## Phase N — title` for each phase, counted from 0 without \
             gaps, and below it the bold labels **Objective:**, **Scope:** (globs), **Covers:** \
             (ids of requirements), **Deliverables:** and **Exit criteria:** (lists; a criterion \
             names what it proves and how: `R-7.a — test: name`, `Q-2 — command: …`, `R-9 — \
             review`). Each `must` has a phase and a criterion. A small project has exactly two \
             phases; get_project_intent says whether it is one."
        }
        ContractType::Blueprint => {
            "Markdown with one title and short sections. Under `## Requirements` one item for each: \
             id (`R-1` function, `Q-1` quality), (must or should, stated or assumed), text; below \
             it scenarios `R-1.a Given …, when …, then …`. `stated` follows from an answer; what \
             you decide is `assumed`. An id keeps its meaning in all versions."
        }
        ContractType::Schema => {
            "Markdown: a heading for each entity, below it its fields as a list or a table with name, \
             type and meaning."
        }
        _ => "Markdown with one title and short sections.",
    }
}

fn based_on(kind: ContractType) -> &'static str {
    match kind {
        ContractType::Manifesto => "the intent",
        ContractType::Blueprint => "the intent, the user stories, the manifesto's outline",
        ContractType::Stack => {
            "the intent, the preferences for tech_stack, deployment_target and dev_platform"
        }
        ContractType::Schema => {
            "the blueprint, the preferences for database_schema, the stack's outline"
        }
        ContractType::Physics => {
            "the schema, the preferences for api_endpoints, the blueprint's outline"
        }
        ContractType::Boundaries => {
            "the preferences for architectural_boundaries, the stack, the physics' outline"
        }
        ContractType::Ui => "the user stories, the outlines of blueprint and physics",
        ContractType::Phases => {
            "the intent, the whole blueprint and boundaries, the outlines of the others before it"
        }
        ContractType::BuilderDirective => {
            "the stack, the outlines of boundaries and phases, the preferences for dev_platform"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompt_does_not_mention_this_product() {
        for (kind, size) in
            ContractType::ALL.into_iter().flat_map(|kind| [(kind, Size::Full), (kind, Size::Mini)])
        {
            let said = system(kind, size).unwrap().to_lowercase();
            for word in templates::OURS {
                assert!(!said.contains(word), "the prompt for {kind} holds `{word}`");
            }
        }
    }
}
