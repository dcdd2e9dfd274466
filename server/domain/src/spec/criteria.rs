//! The criteria of a spec, each with the requirement that it belongs to.

use std::collections::HashMap;

use super::{
    items::{labels_in, one_line},
    model::{SpecCriterion, SpecRequirement},
    plan::ReadPhase,
    proof::{self, Detail},
};

/// Details that are considered for each criterion.
const MAX_DETAILS: usize = 50;

/// Criteria while they are read.
#[derive(Default)]
pub(super) struct Criteria {
    read: Vec<ReadCriterion>,
    /// Paragraphs, in case there is nothing else.
    paragraphs: Vec<(String, usize)>,
}

struct ReadCriterion {
    text: String,
    details: Vec<Detail>,
    requirement: Option<usize>,
    phase: Option<usize>,
    line: usize,
}

impl Criteria {
    pub(super) fn add(
        &mut self,
        text: &str,
        requirement: Option<usize>,
        phase: Option<usize>,
        line: usize,
    ) -> usize {
        let (text, details) = (one_line(text), Vec::new());
        self.read.push(ReadCriterion { text, details, requirement, phase, line });
        self.read.len() - 1
    }

    /// Adds text below the newest criterion; false if there is none.
    pub(super) fn add_detail(&mut self, text: &str) -> bool {
        self.push(Detail::Text(text.to_owned()))
    }

    pub(super) fn add_code(&mut self, code: &str) {
        self.push(Detail::Shell(code.to_owned()));
    }

    fn push(&mut self, detail: Detail) -> bool {
        let Some(last) = self.read.last_mut() else { return false };
        if last.details.len() < MAX_DETAILS {
            last.details.push(detail);
        }
        true
    }

    pub(super) fn add_paragraph(&mut self, text: &str, line: usize) {
        self.paragraphs.push((text.to_owned(), line));
    }

    pub(super) fn finish(
        mut self,
        requirements: &[SpecRequirement],
        phases: &[ReadPhase],
    ) -> Vec<SpecCriterion> {
        if self.read.is_empty() {
            for (text, line) in std::mem::take(&mut self.paragraphs) {
                self.add(&text, None, None, line);
            }
        }
        let labels: HashMap<&str, usize> = (0..requirements.len())
            .rev()
            .filter_map(|at| Some((requirements[at].label.as_deref()?, at)))
            .collect();
        let mut last_phase: HashMap<&str, usize> = HashMap::new();
        for (at, phase) in phases.iter().enumerate() {
            last_phase.extend(phase.refers_to.iter().map(|label| (label.as_str(), at)));
        }
        let mut ordinals: HashMap<usize, usize> = HashMap::new();
        self.read
            .into_iter()
            .map(|read| {
                let named =
                    || labels_in(&read.text).find_map(|label| labels.get(label.as_str()).copied());
                let requirement = read.requirement.or_else(named);
                let phase = read.phase.filter(|phase| *phase < phases.len()).or_else(|| {
                    let requirement = requirement?;
                    let ordinal = ordinals.entry(requirement).or_default();
                    *ordinal += 1;
                    let label = requirements[requirement].label.as_deref()?;
                    let exact = last_phase.get(format!("{label}.{ordinal}").as_str());
                    exact.or_else(|| last_phase.get(label)).copied()
                });
                let proof = proof::of(&read.text, &read.details);
                SpecCriterion { text: read.text, proof, requirement, phase, line: read.line }
            })
            .collect()
    }
}
