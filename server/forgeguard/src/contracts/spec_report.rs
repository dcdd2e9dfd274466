//! What was read in a spec, for the API and the command line.

use domain::{
    criterion::ProofType,
    requirements::Priority,
    spec::{FileAction, MissingSection, ParsedSpec, SpecFormat, SpecProblem},
};
use serde::Serialize;
use utoipa::ToSchema;

#[derive(Debug, Serialize, ToSchema)]
pub struct SpecReport {
    /// Whether a build can start from it.
    valid: bool,
    format: SpecFormat,
    /// Empty if it has none.
    title: String,
    requirements: Vec<SpecReportRequirement>,
    criteria: Vec<SpecReportCriterion>,
    phases: Vec<SpecReportPhase>,
    files: Vec<SpecReportFile>,
    /// Becomes a required gate.
    #[schema(required)]
    test_command: Option<String>,
    /// Whether new tests must fail without the change.
    has_tdd_plan: bool,
    /// Globs of paths that may be changed; empty: any.
    scope: Vec<String>,
    missing: Vec<SpecReportMissing>,
    /// In the order of lines.
    errors: Vec<SpecProblem>,
    /// In the order of lines.
    warnings: Vec<SpecProblem>,
}

#[derive(Debug, Serialize, ToSchema)]
struct SpecReportRequirement {
    /// From 1.
    line: usize,
    /// As in the spec, such as FR-001.
    #[schema(required)]
    label: Option<String>,
    text: String,
    priority: Priority,
}

#[derive(Debug, Serialize, ToSchema)]
struct SpecReportCriterion {
    /// From 1.
    line: usize,
    text: String,
    proof: ProofType,
}

#[derive(Debug, Serialize, ToSchema)]
struct SpecReportPhase {
    /// From 1.
    line: usize,
    title: String,
    steps: Vec<String>,
}

#[derive(Debug, Serialize, ToSchema)]
struct SpecReportFile {
    /// From 1.
    line: usize,
    path: String,
    action: FileAction,
}

/// A section that the spec does not have.
#[derive(Debug, Serialize, ToSchema)]
struct SpecReportMissing {
    section: MissingSection,
    heading: &'static str,
    /// What it would be used for, and what happens without it.
    purpose: &'static str,
    /// False for sections that many specs do not need.
    expected: bool,
}

impl From<&ParsedSpec> for SpecReport {
    fn from(parsed: &ParsedSpec) -> Self {
        let spec = &parsed.spec;
        let requirements = spec.requirements.iter().map(|it| SpecReportRequirement {
            line: it.line,
            label: it.label.clone(),
            text: it.text.clone(),
            priority: it.priority,
        });
        let criteria = spec.criteria.iter().map(|it| SpecReportCriterion {
            line: it.line,
            text: it.text.clone(),
            proof: it.proof.clone(),
        });
        let phases = spec.phases.iter().map(|it| SpecReportPhase {
            line: it.line,
            title: it.title.clone(),
            steps: it.steps.clone(),
        });
        let files = spec.files.iter().map(|it| SpecReportFile {
            line: it.line,
            path: it.path.clone(),
            action: it.action,
        });
        let missing = parsed.missing.iter().map(|section| SpecReportMissing {
            section: *section,
            heading: section.heading(),
            purpose: section.purpose(),
            expected: section.is_expected(),
        });
        Self {
            valid: parsed.is_valid(),
            format: spec.format,
            title: spec.title.clone(),
            requirements: requirements.collect(),
            criteria: criteria.collect(),
            phases: phases.collect(),
            files: files.collect(),
            test_command: spec.test_command.clone(),
            has_tdd_plan: spec.tdd_plan.is_some(),
            scope: spec.scope.clone(),
            missing: missing.collect(),
            errors: parsed.errors.clone(),
            warnings: parsed.warnings.clone(),
        }
    }
}
