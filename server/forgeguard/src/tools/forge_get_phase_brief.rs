//! `forge_get_phase_brief`: returns a phase with everything in the contracts that applies to it.

use std::collections::BTreeSet;

use async_trait::async_trait;
use domain::{
    contract::{ContractSource, ContractType},
    event::{EventBody, confirmations::RequirementChange},
    phases,
    requirement::RequirementId,
    requirements::{Priority, Requirement, Source, parse},
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{
    context::ToolContext,
    contract_excerpts::{NamingText, excerpt},
    error::ToolError,
    forge_get_project_contract::{absent, heading},
    input,
    records::Records,
    requested_changes, roles,
    tool::{Effect, RecordsTool, Tool, ToolReply},
    tool_name::ToolName,
};
use crate::contract_set::ContractText;
use crate::text::{self, tokens};

/// Tokens of a brief: the limit of 4,000 minus the error of [`tokens::upper_estimate`].
const MAX_TOKENS: usize = 3_800;
/// Headings that describe a contract that was left out.
const MAX_HEADINGS: usize = 8;

/// The order in which contracts are included while they fit.
const BY_USE: [ContractType; 8] = [
    ContractType::BuilderDirective,
    ContractType::Stack,
    ContractType::Boundaries,
    ContractType::Physics,
    ContractType::Schema,
    ContractType::Ui,
    ContractType::Blueprint,
    ContractType::Manifesto,
];

pub struct ForgeGetPhaseBrief;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// From 0.
    phase_number: u32,
    /// Bytes to skip.
    #[serde(default)]
    offset: Option<usize>,
}

#[async_trait]
impl Tool for ForgeGetPhaseBrief {
    fn name(&self) -> ToolName {
        ToolName::ForgeGetPhaseBrief
    }

    fn description(&self) -> &'static str {
        "Fetches a phase, the next one, its requirements, and the contracts: in full if short, else the parts it names."
    }

    fn effect(&self) -> Effect {
        Effect::Read
    }

    fn schema(&self) -> Value {
        input::schema::<Params>()
    }

    fn for_clients(&self) -> Option<&dyn RecordsTool> {
        Some(self)
    }

    async fn call(&self, ctx: &ToolContext, input: Value) -> Result<ToolReply, ToolError> {
        self.call_on(&ctx.records(), input).await
    }
}

#[async_trait]
impl RecordsTool for ForgeGetPhaseBrief {
    async fn call_on(&self, records: &Records<'_>, input: Value) -> Result<ToolReply, ToolError> {
        let Params { phase_number, offset } = input::read(input)?;
        let brief = match write(records, phase_number) {
            Ok(brief) => brief,
            Err(reason) => return Ok(ToolReply::failed(reason)),
        };
        let Some(page) = text::page(&brief.text, offset.unwrap_or(0)) else {
            return Ok(ToolReply::failed(text::no_such_page(&brief.text)));
        };
        let read = ContractType::ALL.into_iter().filter(|kind| brief.read.contains(kind.name()));
        let events: Vec<EventBody> =
            read.filter_map(|kind| records.contract_read(records.contracts.get(kind))).collect();
        Ok(ToolReply::done(page).with_events(events))
    }
}

struct Brief {
    text: String,
    /// Names of the contracts of which it contains text.
    read: BTreeSet<&'static str>,
}

impl Brief {
    fn add(&mut self, text: &str) {
        self.text.push_str("\n\n");
        self.text.push_str(text.trim_end());
    }
}

/// The brief of a phase, or why there is none.
fn write(records: &Records<'_>, number: u32) -> Result<Brief, String> {
    let mut brief = Brief { text: String::new(), read: BTreeSet::new() };
    let mut naming = phase(records, number, &mut brief)?;
    let covered = covered_requirements(records, &naming);
    if !covered.is_empty() {
        let blueprint = records.contracts.get(ContractType::Blueprint);
        let list = covered.join("\n");
        brief.add(&format!("# Requirements of phase {number}\n{list}"));
        naming.push_str(&list);
        if has_text(blueprint) {
            brief.read.insert(ContractType::Blueprint.name());
        }
    }
    let mut phases = records.build.iter().flat_map(|build| &build.state.phases);
    let scope = phases.find(|phase| phase.outline.number == number);
    let scope = scope.map(|phase| phase.outline.scope.clone()).unwrap_or_default();
    add_contracts(records, &NamingText::new(naming, &scope), &mut brief);
    Ok(brief)
}

/// Adds the phase and the next one. Returns the text of the phase.
fn phase(records: &Records<'_>, number: u32, brief: &mut Brief) -> Result<String, String> {
    let requests = records.build.and_then(|build| build.state.queued.requests.as_ref());
    if let Some(requests) = requests {
        if number > 0 {
            return Err("There is no such phase; the requested changes are phase 0.".into());
        }
        brief.text = requested_changes::window(requests);
        return Ok(brief.text.clone());
    }
    let contract = records.contracts.get(ContractType::Phases);
    if !has_text(contract) {
        return Err(absent(ContractType::Phases));
    }
    let texts = phases::texts(&contract.content);
    let Some(own) = texts.get(number as usize) else {
        return Err(match texts.len() {
            0 => "The phases contract has no phases.".to_owned(),
            count => format!("There is no phase {number}; phases are 0 to {}.", count - 1),
        });
    };
    let window = phases::window(&contract.content, number).unwrap_or_default();
    brief.text = format!("{}\n{}", heading(contract), window.trim_end());
    brief.read.insert(ContractType::Phases.name());
    Ok((*own).to_owned())
}

/// The requirements that the text of a phase refers to, with their scenarios and what users changed.
fn covered_requirements(records: &Records<'_>, phase: &str) -> Vec<String> {
    let blueprint = records.contracts.get(ContractType::Blueprint);
    let parsed = if has_text(blueprint) { parse(&blueprint.content) } else { None };
    let ids: BTreeSet<_> = RequirementId::all_in(phase).map(RequirementId::requirement).collect();
    let items = parsed.map(|parsed| parsed.items).unwrap_or_default();
    let covered = items.iter().filter(|item| ids.contains(&item.id));
    covered.map(|item| requirement(records, item)).collect()
}

fn requirement(records: &Records<'_>, item: &Requirement) -> String {
    let changes = records.build.iter().flat_map(|build| &build.state.requirement_changes);
    let changes = changes.filter(|change| change.id == item.id);
    let change = changes.map(|change| &change.change).next_back();
    let text = match change {
        Some(RequirementChange::Removed) => {
            return format!("- {}: the user removed it. Do not implement it.", item.id);
        }
        Some(RequirementChange::Reworded { text }) => text,
        Some(RequirementChange::Confirmed) | None => &item.text,
    };
    let priority = match item.priority {
        Priority::Must => "must",
        Priority::Should => "should",
    };
    let source = match (item.source, change) {
        (Source::Assumed, None) => "assumed",
        _ => "stated",
    };
    let mut lines = format!("- {} ({priority}, {source}) {text}", item.id);
    for scenario in &item.scenarios {
        lines.push_str(&format!("\n  - {} {}", scenario.id, scenario.text));
    }
    lines
}

/// Adds each contract in full while it fits, and otherwise the parts that the phase names, and how to
/// fetch the rest.
fn add_contracts(records: &Records<'_>, naming: &NamingText<'_>, brief: &mut Brief) {
    let texts = BY_USE.map(|kind| records.contracts.get(kind));
    let (texts, absent): (Vec<_>, Vec<_>) = texts.into_iter().partition(|text| has_text(text));
    if !absent.is_empty() {
        let kinds: Vec<&str> = absent.iter().map(|text| text.kind.name()).collect();
        brief.add(&format!("[This project has none of these contracts: {}.]", kinds.join(", ")));
    }
    // What is added in any case.
    let short: Vec<_> = texts.iter().map(|text| shortened(records, text, naming)).collect();
    let mut tokens = tokens::upper_estimate(&brief.text)
        + short.iter().map(|(text, _)| tokens::upper_estimate(text)).sum::<usize>();
    for (text, (short, has_excerpt)) in texts.into_iter().zip(short) {
        let full = format!("{}\n{}", heading(text), text.content.trim_end());
        let growth = tokens::upper_estimate(&full).saturating_sub(tokens::upper_estimate(&short));
        let is_full = tokens + growth <= MAX_TOKENS;
        if is_full {
            tokens += growth;
        }
        if is_full || has_excerpt {
            brief.read.insert(text.kind.name());
        }
        brief.add(if is_full { &full } else { &short });
    }
}

/// What stands for a contract that does not fit, and whether that contains a part of it.
fn shortened(
    records: &Records<'_>,
    text: &ContractText,
    naming: &NamingText<'_>,
) -> (String, bool) {
    let kind = text.kind;
    let has = |role| roles::has(role, ToolName::ForgeGetProjectContract);
    let fetch = match records.agent.is_none_or(|agent| has(agent.role)) {
        true => ToolName::ForgeGetProjectContract,
        false => ToolName::ForgeGetBuildContracts,
    };
    let rest = format!("{} bytes: fetch it with {fetch}, contract_type {kind}", text.content.len());
    match excerpt(kind, &text.content, naming) {
        Some(parts) => {
            let heading = format!("[{kind}, version {}, only what the phase names;", text.version);
            (format!("{heading} in full {rest}]\n{parts}"), true)
        }
        None => {
            let headings = headings(&text.content);
            (format!("[{kind}, version {}, not shown{headings}; {rest}]", text.version), false)
        }
    }
}

/// The headings of a Markdown text, in one line; empty without any.
fn headings(content: &str) -> String {
    let headings = content.lines().filter_map(|line| line.strip_prefix("## "));
    let headings: Vec<&str> =
        headings.take(MAX_HEADINGS).map(|it| text::head(it.trim(), 40)).collect();
    match headings.is_empty() {
        true => String::new(),
        false => format!(" ({})", headings.join(", ")),
    }
}

fn has_text(text: &ContractText) -> bool {
    text.source != ContractSource::Template
}

#[cfg(test)]
mod tests;
