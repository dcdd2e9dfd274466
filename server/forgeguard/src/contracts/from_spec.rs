//! Contracts from a spec: the blueprint with its requirements, the phases with their proofs, and the
//! spec itself as a directive.

use std::{collections::BTreeSet, fmt::Write, sync::LazyLock};

use domain::{
    contract::{ContractType, GAP},
    criterion::{ExitCriterion, ProofType},
    gate::GateDefinition,
    phases::ANY_PATH,
    requirement::{RequirementId, RequirementKind},
    requirements::Priority,
    spec::{FileAction, Spec, SpecPhase},
};
use regex::Regex;

use super::validate::MAX_CONTRACT;

/// The name of the gate that runs the test command.
pub const GATE: &str = "spec-tests";

const GATE_TIMEOUT_S: u32 = 900;

/// Of the spec in the directive, in bytes; users can edit contracts of up to 200,000 characters.
const MAX_DIRECTIVE: usize = 190_000;

/// Of the overview in the blueprint, in bytes.
const MAX_OVERVIEW: usize = 20_000;

/// How much of each text the phases quote, in characters; less if the contract would be too long.
const QUOTED_CHARS: [usize; 3] = [200, 60, 0];

/// What a spec means for a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecContracts {
    pub blueprint: String,
    pub phases: String,
    pub builder_directive: String,
    /// Runs the test command.
    pub gate: Option<GateDefinition>,
    /// Whether new tests must fail without the change.
    pub needs_red_check: bool,
}

impl SpecContracts {
    /// In the order in which they are written.
    pub fn texts(&self) -> [(ContractType, &str); 3] {
        [
            (ContractType::Blueprint, &self.blueprint),
            (ContractType::Phases, &self.phases),
            (ContractType::BuilderDirective, &self.builder_directive),
        ]
    }
}

/// The contracts of a valid spec with this text.
pub fn contracts(spec: &Spec, text: &str) -> SpecContracts {
    let proven = Proven::of(spec);
    let phases = QUOTED_CHARS.into_iter().map(|quoted| phases(spec, &proven, quoted));
    let mut phases = phases.skip_while(|text| text.len() > MAX_CONTRACT / 2);
    SpecContracts {
        blueprint: blueprint(spec, &proven),
        phases: phases.next().unwrap_or_else(|| self::phases(spec, &proven, 0)),
        builder_directive: builder_directive(spec, text),
        gate: spec.test_command.as_deref().map(gate),
        needs_red_check: spec.tdd_plan.is_some(),
    }
}

fn gate(command: &str) -> GateDefinition {
    GateDefinition {
        name: GATE.to_owned(),
        command: command.to_owned(),
        timeout_s: GATE_TIMEOUT_S,
        required: true,
        network: false,
        report: None,
        runs_tests: true,
    }
}

/// The requirements of a spec with ids, and what proves each.
struct Proven {
    requirements: Vec<IdentifiedRequirement>,
    proofs: Vec<Proof>,
}

struct IdentifiedRequirement {
    id: RequirementId,
    priority: Priority,
    text: String,
    /// With their letters: those that are written as when and then.
    scenarios: Vec<(RequirementId, String)>,
}

struct Proof {
    id: RequirementId,
    text: String,
    proof: ProofType,
    phase: usize,
}

impl Proven {
    /// Requirements keep their ids if they have some. A criterion without a requirement is one itself,
    /// and a requirement without a criterion is reviewed.
    fn of(spec: &Spec) -> Self {
        let mut ids = Ids::default();
        let last_phase = spec.phases.len().saturating_sub(1);
        let mut own: Vec<Option<RequirementId>> = Vec::new();
        for requirement in &spec.requirements {
            own.push(requirement.label.as_deref().and_then(|label| ids.take_own(label)));
        }
        let mut proven = Self { requirements: Vec::new(), proofs: Vec::new() };
        for (requirement, id) in spec.requirements.iter().zip(own) {
            let label = requirement.label.as_deref().filter(|_| id.is_none());
            let text = without_attributes(&requirement.text);
            proven.requirements.push(IdentifiedRequirement {
                id: id.unwrap_or_else(|| ids.next(requirement.kind)),
                priority: requirement.priority,
                text: label.map_or_else(|| text.to_owned(), |label| format!("{label}: {text}")),
                scenarios: Vec::new(),
            });
        }
        for criterion in &spec.criteria {
            let id = match criterion.requirement {
                Some(at) => proven.requirements[at].id_for(&criterion.text),
                None => {
                    let id = ids.next(RequirementKind::Functional);
                    proven.requirements.push(IdentifiedRequirement {
                        id,
                        priority: domain_priority(&criterion.text),
                        text: without_attributes(&criterion.text).to_owned(),
                        scenarios: Vec::new(),
                    });
                    id
                }
            };
            proven.proofs.push(Proof {
                id,
                text: criterion.text.clone(),
                proof: criterion.proof.clone(),
                phase: criterion.phase.unwrap_or(last_phase),
            });
        }
        let covered: BTreeSet<RequirementId> =
            proven.proofs.iter().map(|proof| proof.id.requirement()).collect();
        for requirement in proven.requirements.iter().filter(|it| !covered.contains(&it.id)) {
            proven.proofs.push(Proof {
                id: requirement.id,
                text: requirement.text.clone(),
                proof: ProofType::Review,
                phase: last_phase,
            });
        }
        proven
    }
}

/// A criterion is required unless it says otherwise.
fn domain_priority(text: &str) -> Priority {
    let lower = text.to_lowercase();
    let is_optional = ["(should", "(optional", "(could", "nice to have", "[optional"];
    match is_optional.iter().any(|word| lower.contains(word)) {
        true => Priority::Should,
        false => Priority::Must,
    }
}

impl IdentifiedRequirement {
    /// The id of a criterion: of a scenario if it is written as one.
    fn id_for(&mut self, criterion: &str) -> RequirementId {
        let lower = criterion.to_lowercase();
        let has = |word: &str| lower.split(|c: char| !c.is_alphabetic()).any(|it| it == word);
        let letter = u8::try_from(self.scenarios.len()).ok().filter(|count| *count < 26);
        match letter.filter(|_| has("when") && has("then")) {
            Some(count) => {
                let id = RequirementId { scenario: Some(char::from(b'a' + count)), ..self.id };
                self.scenarios.push((id, criterion.to_owned()));
                id
            }
            None => self.id,
        }
    }
}

/// Ids that are not used yet.
#[derive(Default)]
struct Ids {
    used: BTreeSet<RequirementId>,
    functional: u32,
    quality: u32,
}

impl Ids {
    fn take_own(&mut self, label: &str) -> Option<RequirementId> {
        let id: RequirementId = label.parse().ok()?;
        (id.scenario.is_none() && self.used.insert(id)).then_some(id)
    }

    fn next(&mut self, kind: RequirementKind) -> RequirementId {
        loop {
            let number = match kind {
                RequirementKind::Functional => &mut self.functional,
                RequirementKind::Quality => &mut self.quality,
            };
            *number += 1;
            let id = RequirementId { kind, number: *number, scenario: None };
            if self.used.insert(id) {
                return id;
            }
        }
    }
}

fn blueprint(spec: &Spec, proven: &Proven) -> String {
    let mut out = "# Blueprint\n\n".to_owned();
    if !spec.title.is_empty() {
        let _ = writeln!(out, "{}\n", starting(&spec.title));
    }
    if !spec.overview.is_empty() {
        out.push_str("## Overview\n\n");
        for line in spec.overview.lines() {
            if out.len() > MAX_OVERVIEW {
                out.push_str("The rest of the overview is in the builder directive.\n\n");
                break;
            }
            match line.strip_prefix("- ") {
                Some(item) => _ = writeln!(out, "- {}\n", starting(item)),
                None => _ = writeln!(out, "{}\n", starting(line)),
            }
        }
    }
    out.push_str("## Requirements\n\n");
    for requirement in &proven.requirements {
        let priority = match requirement.priority {
            Priority::Must => "must",
            Priority::Should => "should",
        };
        let IdentifiedRequirement { id, text, scenarios, .. } = requirement;
        let _ = writeln!(out, "- **{id}** ({priority}, stated) {}", inline(text));
        for (id, text) in scenarios {
            let _ = writeln!(out, "  - {id} {}", inline(text));
        }
    }
    out
}

fn phases(spec: &Spec, proven: &Proven, quoted: usize) -> String {
    let only = SpecPhase { title: "Implementation".to_owned(), ..SpecPhase::default() };
    let phases = if spec.phases.is_empty() { std::slice::from_ref(&only) } else { &spec.phases };
    let scope = scope(spec);
    let mut out = "# Phases\n".to_owned();
    for (number, phase) in phases.iter().enumerate() {
        let proofs: Vec<&Proof> = proven.proofs.iter().filter(|it| it.phase == number).collect();
        let covers: BTreeSet<RequirementId> = proofs.iter().map(|it| it.id.requirement()).collect();
        let covers: Vec<String> = covers.iter().map(ToString::to_string).collect();
        let covers = if covers.is_empty() { "none".to_owned() } else { covers.join(", ") };
        let _ = writeln!(out, "\n## Phase {number} — {}\n", shortened(&inline(&phase.title), 120));
        if !phase.objective.is_empty() {
            let _ = writeln!(out, "**Objective:** {}\n", shortened(&inline(&phase.objective), 300));
        }
        let _ = writeln!(out, "**Scope:** {scope}\n\n**Covers:** {covers}\n\n**Deliverables:**");
        for deliverable in deliverables(spec, phases, number, quoted.max(60)) {
            let _ = writeln!(out, "- {deliverable}");
        }
        out.push_str("\n**Exit criteria:**\n");
        for proof in &proofs {
            let _ = writeln!(out, "- {}", criterion(proof, quoted));
        }
        if proofs.is_empty() {
            out.push_str("- The deliverables of this phase are complete, and the gates pass\n");
        }
    }
    out
}

/// As a list of code.
fn scope(spec: &Spec) -> String {
    let globs: Vec<String> = spec.scope.iter().map(|glob| format!("`{glob}`")).collect();
    if globs.is_empty() { format!("`{ANY_PATH}`") } else { globs.join(", ") }
}

/// The steps of a phase, and the files that belong to it: those that its steps name, and in the last
/// phase those that no phase names.
fn deliverables(spec: &Spec, phases: &[SpecPhase], number: usize, quoted: usize) -> Vec<String> {
    let phase = &phases[number];
    let mut found: Vec<String> =
        phase.steps.iter().map(|step| starting(&shortened(step, quoted))).collect();
    let names = |phase: &SpecPhase, path: &str| phase.steps.iter().any(|step| step.contains(path));
    for file in spec.files.iter().filter(|file| file.action != FileAction::Read) {
        let owner = phases.iter().position(|phase| names(phase, &file.path));
        if owner.unwrap_or(phases.len() - 1) == number && !names(phase, &file.path) {
            let action = if file.action == FileAction::Create { "new" } else { "changed" };
            found.push(format!("`{}` ({action})", file.path));
        }
    }
    if found.is_empty() {
        let title = starting(&shortened(&phase.title, quoted));
        found.push(if title.is_empty() { "The change of this phase".to_owned() } else { title });
    }
    found
}

/// An exit criterion with the text if that leaves the proof as it is.
fn criterion(proof: &Proof, quoted: usize) -> String {
    let Proof { id, text, proof, .. } = proof;
    let declared = match proof {
        ProofType::Test { names } => {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            format!("test: {}", names.join(", "))
        }
        ProofType::Command { command } => format!("command: `{command}`"),
        ProofType::Review => "review".to_owned(),
        ProofType::Person => "person".to_owned(),
    };
    let is_kept = |candidate: &String| {
        let parsed = ExitCriterion::parse(candidate);
        parsed.is_ok_and(|it| it.id == Some(*id) && it.proof == *proof)
    };
    let text = shortened(&inline(text), quoted);
    let candidates = [format!("{id} — {text} — {declared}"), format!("{id} — {declared}")];
    let skipped = usize::from(text.is_empty());
    candidates.into_iter().skip(skipped).find(is_kept).unwrap_or_else(|| format!("{id} — review"))
}

fn builder_directive(spec: &Spec, text: &str) -> String {
    let mut out =
        "# Builder directive\n\nBuild what the spec below says. Contracts that are marked as \
        examples do not apply: decide from the repository. The spec is quoted as written; where it \
        and the requirements or phases differ, those count.\n\n"
            .to_owned();
    if let Some(command) = &spec.test_command {
        let _ = writeln!(out, "- The tests run with `{}`.", inline(command));
    }
    if spec.tdd_plan.is_some() {
        out.push_str(
            "- Write the tests of a phase first: each must fail without the change that it tests.\n",
        );
    }
    let read: Vec<String> = spec
        .files
        .iter()
        .filter(|file| file.action == FileAction::Read)
        .map(|file| format!("`{}`", file.path))
        .collect();
    if !read.is_empty() {
        let _ = writeln!(out, "- Read these files before you write: {}.", read.join(", "));
    }
    out.push_str("\n## Spec\n\n");
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n");
    let text = text.replace(GAP, "[Open:").replace('\0', "");
    let mut in_fence = false;
    for line in text.lines() {
        if out.len() + line.len() > MAX_DIRECTIVE {
            if in_fence {
                out.push_str("```\n");
            }
            out.push_str("\nThe rest of the spec is not quoted, as it is too long.\n");
            return out;
        }
        let start = line.trim();
        in_fence ^= start.starts_with("```") || start.starts_with("~~~");
        out.push_str(line);
        out.push('\n');
    }
    out
}

/// Text of one line, without what would be a gap of a contract.
fn inline(text: &str) -> String {
    let text = text.replace(GAP, "[Open:").replace('\0', "");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Text at the start of an item or a paragraph: without what Markdown would read as something else.
fn starting(text: &str) -> String {
    static BLOCK: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^(?:[#>|<\[=:~+_*-]|```|\d+[.)](?:\s|$)|[A-Za-z ]{1,30}:)")
            .expect("it is a literal")
    });
    let mut text = inline(text);
    for marker in ["***", "**", "__", "*", "_"] {
        if let Some(rest) = text.strip_prefix(marker) {
            text = rest.replacen(marker, "", 1);
            break;
        }
    }
    let text = text.trim();
    match BLOCK.is_match(text) {
        // Words before a colon would be the label of a section.
        true if text.starts_with(|c: char| c.is_ascii_alphabetic()) => text.replacen(':', " –", 1),
        true => format!("Step {text}"),
        false => text.to_owned(),
    }
}

/// The text of a requirement without `(must, stated)` before it.
fn without_attributes(text: &str) -> &str {
    static ATTRIBUTES: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)^\((?:must|should|stated|assumed)[^)]*\)\s*").expect("it is a literal")
    });
    let length = ATTRIBUTES.find(text).map_or(0, |found| found.len());
    if length == text.len() { text } else { &text[length..] }
}

fn shortened(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some(_) if chars == 0 => String::new(),
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests;
