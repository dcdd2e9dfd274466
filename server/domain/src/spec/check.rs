//! What is wrong with a spec that was read.

use std::cell::OnceCell;

use super::{
    content::Found,
    model::{FileAction, MAX_FILES, MAX_PHASES, MAX_REQUIREMENTS, MAX_STEPS, ParsedSpec, Spec},
    paths,
    problem::{MissingSection, SpecProblem},
    sections::Section,
};

/// In characters.
const MAX_QUOTED: usize = 120;

/// Of a gate.
const MAX_COMMAND: usize = 2_000;

/// Placeholders that are reported.
const MAX_PLACEHOLDERS: usize = 20;

struct Checking<'a> {
    markdown: &'a str,
    lines: OnceCell<Vec<&'a str>>,
    errors: Vec<SpecProblem>,
    warnings: Vec<SpecProblem>,
}

pub(super) fn check(markdown: &str, spec: Spec, found: Found) -> ParsedSpec {
    let (lines, errors, warnings) = (OnceCell::new(), Vec::new(), Vec::new());
    let mut checking = Checking { markdown, lines, errors, warnings };
    let missing = missing(&spec);
    checking.required_parts(&spec, &found);
    checking.limits(&spec);
    checking.paths(&spec, &found);
    checking.placeholders();
    for line in found.unclosed_fences {
        let text =
            "this code block is not closed, so that everything after it is code; end it with ```";
        checking.warn(line, text.to_owned());
    }
    let Checking { mut errors, mut warnings, .. } = checking;
    errors.sort_by_key(|problem| problem.line);
    warnings.sort_by_key(|problem| problem.line);
    ParsedSpec { spec, missing, errors, warnings }
}

fn missing(spec: &Spec) -> Vec<MissingSection> {
    use MissingSection as M;
    let parts = [
        (M::Overview, spec.overview.is_empty()),
        (M::Requirements, spec.requirements.is_empty()),
        (M::TechnicalDesign, spec.design.is_empty()),
        (M::Files, spec.files.is_empty()),
        (M::ImplementationPlan, spec.phases.is_empty()),
        (M::TestingStrategy, spec.testing.is_empty()),
        (M::TestCommand, spec.test_command.is_none()),
        (M::TddPlan, spec.tdd_plan.is_none()),
        (M::Dependencies, spec.dependencies.is_empty()),
        (M::FileScope, spec.scope.is_empty()),
    ];
    parts.into_iter().filter(|(_, is_missing)| *is_missing).map(|(section, _)| section).collect()
}

impl Checking<'_> {
    fn required_parts(&mut self, spec: &Spec, found: &Found) {
        let heading = |of: fn(&Section) -> bool| {
            found.sections.iter().find(|(section, _)| of(section)).map(|(_, line)| *line)
        };
        if spec.criteria.is_empty() {
            let text = match heading(|it| *it == Section::Criteria) {
                Some(line) => {
                    return self.also_nothing_to_do(spec, Some((line, "no criterion was found in this section: list what must hold, one item each")));
                }
                None => {
                    "there are no pass criteria: add a section `## Pass Criteria` that lists what must hold when the work is done"
                }
            };
            self.errors.push(SpecProblem {
                line: None,
                quoted: String::new(),
                text: text.to_owned(),
            });
        }
        self.also_nothing_to_do(spec, None);
    }

    fn also_nothing_to_do(&mut self, spec: &Spec, error: Option<(usize, &str)>) {
        if let Some((line, text)) = error {
            self.error(line, text.to_owned());
        }
        let changes_files = spec.files.iter().any(|file| file.action != FileAction::Read);
        if spec.requirements.is_empty() && spec.phases.is_empty() && !changes_files {
            let text = "there is nothing to do: add `## Requirements`, `## Implementation Plan`, or files to create or modify";
            self.errors.push(SpecProblem {
                line: None,
                quoted: String::new(),
                text: text.to_owned(),
            });
        }
    }

    fn limits(&mut self, spec: &Spec) {
        let lines = spec
            .requirements
            .iter()
            .map(|it| it.line)
            .chain(spec.criteria.iter().map(|it| it.line));
        if let Some(line) = lines.clone().nth(MAX_REQUIREMENTS) {
            let count = lines.count();
            self.error(line, format!("a spec has at most {MAX_REQUIREMENTS} requirements and criteria, and this one has {count}; split it"));
        }
        if let Some(phase) = spec.phases.get(MAX_PHASES) {
            self.error(
                phase.line,
                format!(
                    "a spec has at most {MAX_PHASES} phases, and this one has {}; split it",
                    spec.phases.len()
                ),
            );
        }
        let steps: usize = spec.phases.iter().map(|phase| phase.steps.len()).sum();
        if let Some(phase) = spec.phases.last().filter(|_| steps > MAX_STEPS) {
            let text =
                format!("a spec has at most {MAX_STEPS} steps, and this one has {steps}; split it");
            self.error(phase.line, text);
        }
        if let Some(file) = spec.files.get(MAX_FILES) {
            let text = format!(
                "a spec names at most {MAX_FILES} files, and this one names {}; use `## File Scope` for folders",
                spec.files.len()
            );
            self.error(file.line, text);
        }
        if let Some(command) = spec.test_command.as_ref().filter(|it| it.len() > MAX_COMMAND) {
            let text = format!(
                "the test command has {} characters, and at most {MAX_COMMAND} are possible: move it into a script",
                command.len()
            );
            self.errors.push(SpecProblem { line: None, quoted: String::new(), text });
        }
    }

    fn paths(&mut self, spec: &Spec, found: &Found) {
        for file in spec.files.iter().filter(|file| !paths::is_relative(&file.path)) {
            let text = format!(
                "`{}` is outside the repository: write paths relative to its root",
                file.path
            );
            self.error(file.line, text);
        }
        let scope = found.sections.iter().find(|(section, _)| *section == Section::FileScope);
        if let Some((_, line)) = scope.filter(|_| spec.scope.is_empty()) {
            self.warn(*line, "no path was found in this section, so that every path is allowed: list globs such as `src/**`".to_owned());
        }
        for line in &found.exclusions {
            self.warn(*line, "excluded paths are passed on to agents, but not enforced: list the paths that may change".to_owned());
        }
        let outside = spec.scope.iter().filter(|glob| !paths::is_relative(glob));
        let outside: Vec<&str> = outside.map(String::as_str).collect();
        if !outside.is_empty() {
            let line = scope.map_or(1, |(_, line)| *line);
            self.error(
                line,
                format!(
                    "the file scope names paths outside the repository: {}",
                    outside.join(", ")
                ),
            );
        }
    }

    fn placeholders(&mut self) {
        const PLACEHOLDERS: [&str; 4] =
            ["[NEEDS CLARIFICATION", crate::contract::GAP, "$ARGUMENTS", "[FEATURE NAME]"];
        // Most specs have none, and one search of the whole text is faster than one of each line.
        let used = PLACEHOLDERS.iter().filter(|it| self.markdown.contains(**it));
        let used: Vec<&str> = used.copied().collect();
        if used.is_empty() {
            return;
        }
        let is_open = |line: &str| used.iter().any(|it| line.contains(it));
        let open = self.lines().iter().enumerate().filter(|(_, line)| is_open(line));
        let open: Vec<usize> = open.map(|(at, _)| at + 1).take(MAX_PLACEHOLDERS).collect();
        for line in open {
            let text = "this is not decided yet; agents will ask, or decide themselves".to_owned();
            self.warn(line, text);
        }
    }

    /// Split once, and only for a spec with problems.
    fn lines(&self) -> &[&str] {
        self.lines.get_or_init(|| self.markdown.lines().collect())
    }

    fn problem(&self, line: usize, text: String) -> SpecProblem {
        let written = self.lines().get(line.saturating_sub(1)).map_or("", |line| line.trim());
        let quoted = match written.char_indices().nth(MAX_QUOTED) {
            Some((end, _)) => format!("{}…", &written[..end]),
            None => written.to_owned(),
        };
        SpecProblem { line: Some(line), quoted, text }
    }

    fn error(&mut self, line: usize, text: String) {
        let problem = self.problem(line, text);
        self.errors.push(problem);
    }

    fn warn(&mut self, line: usize, text: String) {
        let problem = self.problem(line, text);
        self.warnings.push(problem);
    }
}
