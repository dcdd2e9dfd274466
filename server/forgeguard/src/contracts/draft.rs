//! Drafts of the contracts, made from the answers without a model.
//!
//! Each is a template that quotes the answers. What they do not say is a gap (`[TODO: …]`), and a
//! build cannot start until all gaps are filled in or removed.

mod quote;
#[cfg(test)]
mod tests;

use askama::Template;
use domain::{
    contract::{ContractType, GAP},
    questionnaire::{SectionId as S, Size},
};
use serde_json::Value;

use super::brief::Brief;
use quote::{code, line, paragraphs, plain};

const MAX_QUOTED_CHARS: usize = 2_000;

/// The draft of one contract.
///
/// # Errors
/// If the template fails.
pub fn draft(kind: ContractType, brief: &Brief) -> Result<String, askama::Error> {
    let a = Answers(brief);
    let text = match kind {
        ContractType::Manifesto => Manifesto { a }.render(),
        ContractType::Blueprint => Blueprint { a }.render(),
        ContractType::Stack => Stack { a }.render(),
        ContractType::Schema => Schema { a }.render(),
        ContractType::Physics => Physics { a }.render(),
        ContractType::Boundaries => Boundaries { a }.render(),
        ContractType::Ui => Ui { a }.render(),
        ContractType::Phases => Phases { a, full: brief.size == Size::Full }.render(),
        ContractType::BuilderDirective => BuilderDirective { a }.render(),
    }?;
    Ok(text.trim_end().to_owned() + "\n")
}

macro_rules! template {
    ($name:ident, $path:literal $(, $field:ident: $type:ty)*) => {
        #[derive(Template)]
        #[template(path = $path, escape = "none")]
        struct $name<'a> {
            a: Answers<'a>,
            $($field: $type,)*
        }
    };
}

template!(Manifesto, "drafts/manifesto.md");
template!(Blueprint, "drafts/blueprint.md");
template!(Stack, "drafts/stack.md");
template!(Schema, "drafts/schema.md");
template!(Physics, "drafts/physics.yaml");
template!(Boundaries, "drafts/boundaries.json");
template!(Ui, "drafts/ui.md");
template!(Phases, "drafts/phases.md", full: bool);
template!(BuilderDirective, "drafts/builder_directive.md");

/// Answers as the templates quote them, each with the gap that replaces it if there is none.
struct Answers<'a>(&'a Brief);

impl Answers<'_> {
    /// Markdown paragraphs and lists.
    fn text(&self, section: S, question: &str, missing: &str) -> String {
        self.0.text(section, question).map_or_else(|| gap(missing), paragraphs)
    }

    /// One line of Markdown.
    fn line(&self, section: S, question: &str, missing: &str) -> String {
        self.0.text(section, question).map_or_else(|| gap(missing), line)
    }

    /// One line of Markdown; "No preference" is a gap.
    fn choice(&self, section: S, question: &str, missing: &str) -> String {
        self.0.choice(section, question).map_or_else(|| gap(missing), line)
    }

    fn code(&self, section: S, question: &str, missing: &str) -> String {
        self.0.text(section, question).map_or_else(|| gap(missing), code)
    }

    /// A Markdown list.
    fn list(&self, section: S, question: &str, missing: &str) -> String {
        let items = self.0.items(section, question);
        if items.is_empty() {
            return format!("- {}", gap(missing));
        }
        items.into_iter().map(|item| format!("- {}", line(item))).collect::<Vec<_>>().join("\n")
    }

    fn features(&self) -> Vec<String> {
        let items: Vec<String> =
            self.0.items(S::ProductIntent, "features").into_iter().map(line).collect();
        if items.is_empty() { vec![gap("a feature: who does what, and why")] } else { items }
    }

    /// A requirement for each feature.
    fn requirements(&self) -> String {
        let features = self.features();
        let lines = (1..).zip(&features).map(|(n, it)| format!("- **R-{n}** (must, stated) {it}"));
        lines.collect::<Vec<_>>().join("\n")
    }

    fn requirement_ids(&self) -> String {
        let ids = (1..=self.features().len()).map(|number| format!("R-{number}"));
        ids.collect::<Vec<_>>().join(", ")
    }

    /// An exit criterion for each requirement.
    fn proofs(&self) -> String {
        let test = gap("the test that proves it");
        let lines = (1..=self.features().len()).map(|n| format!("- R-{n} — test: {test}"));
        lines.collect::<Vec<_>>().join("\n")
    }

    /// A string of JSON and YAML.
    fn quoted(&self, section: S, question: &str, missing: &str) -> Value {
        self.0.choice(section, question).map_or_else(|| gap(missing).into(), string)
    }

    /// Strings of JSON and YAML; one gap if there are no items.
    fn each(&self, section: S, question: &str, missing: &str) -> Vec<Value> {
        let items: Vec<Value> = self.0.items(section, question).into_iter().map(string).collect();
        if items.is_empty() { vec![gap(missing).into()] } else { items }
    }

    fn name(&self) -> Value {
        string(&self.0.name)
    }
}

fn gap(missing: &str) -> String {
    format!("{GAP} {missing}]")
}

fn string(text: &str) -> Value {
    plain(text, MAX_QUOTED_CHARS).into()
}
