//! The state while a spec is read; adds text, items and code to the part to which they belong.

use super::{
    criteria::Criteria,
    items::{self, label, one_line},
    model::{Spec, SpecFile, SpecRequirement},
    paths,
    plan::Plan,
    proof::{codes, commands, is_command},
    sections::{Files, Section},
};
use crate::{markdown_blocks::Block, requirement::RequirementKind};

/// What is found besides the parts of the spec.
#[derive(Default)]
pub(super) struct Found {
    /// Sections with their lines, as far as they are checked.
    pub(super) sections: Vec<(Section, usize)>,
    pub(super) unclosed_fences: Vec<usize>,
    /// Items of a file scope that exclude paths.
    pub(super) exclusions: Vec<usize>,
}

/// Where the text belongs that follows.
#[derive(Clone, Copy)]
pub(super) struct Context {
    pub(super) level: u8,
    pub(super) section: Section,
    pub(super) requirement: Option<usize>,
    pub(super) phase: Option<usize>,
    pub(super) criterion: Option<usize>,
    /// Of the list whose item opened it.
    pub(super) depth: usize,
}

pub(super) const ROOT: Context = Context {
    level: 0,
    section: Section::Root,
    requirement: None,
    phase: None,
    criterion: None,
    depth: 0,
};

pub(super) struct Reading<'a> {
    pub(super) markdown: &'a str,
    pub(super) stack: Vec<Context>,
    /// The depth of the items of the open list; deeper ones are details.
    pub(super) item_depth: usize,
    /// The section and start of the text since the last heading.
    pub(super) segment: (Section, usize),
    pub(super) spec: Spec,
    pub(super) found: Found,
    pub(super) plan: Plan,
    pub(super) criteria: Criteria,
    pub(super) test_commands: Vec<String>,
    /// Paragraphs of requirements, in case there is nothing else.
    pub(super) paragraphs: Vec<(String, usize)>,
}

impl Reading<'_> {
    pub(super) fn top(&self) -> Context {
        self.stack.last().copied().unwrap_or(ROOT)
    }

    /// Ordinary text.
    pub(super) fn text(&mut self, text: &str, line: usize) {
        let text = &one_line(text);
        if text.is_empty() {
            return;
        }
        let context = self.top();
        match context.section {
            Section::Overview => {
                if !self.spec.overview.is_empty() {
                    self.spec.overview.push('\n');
                }
                self.spec.overview.push_str(text);
            }
            Section::Requirements | Section::Quality => match label(text) {
                Some((label, rest)) if text.starts_with(['*', '`', '[']) || label.contains('-') => {
                    self.add_requirement(Some(label), &rest, text, line, context.section);
                }
                _ if context.requirement.is_none() => self.paragraphs.push((text.clone(), line)),
                _ => {}
            },
            Section::Criteria => {
                let is_new = label(text).is_some_and(|(label, _)| label.contains('-'));
                if is_new && context.criterion.is_none() {
                    self.add_criterion(text, &context, line);
                } else if !self.criteria.add_detail(text) {
                    self.criteria.add_paragraph(text, line);
                }
            }
            Section::Plan => {
                if let Some(phase) = context.phase {
                    self.plan.first_paragraph(phase, text);
                }
            }
            Section::TestCommand => self.add_test_command(text, true),
            Section::Files(files) => {
                for code in codes(text) {
                    self.add_file(files, &format!("`{code}`"), line);
                }
            }
            Section::Dependencies => self.spec.dependencies.push(text.clone()),
            Section::FileScope => self.add_scope(text, line),
            _ => {}
        }
    }

    /// An item below another one.
    pub(super) fn detail(&mut self, text: &str, line: usize) {
        let context = self.top();
        match context.section {
            Section::Criteria => {
                self.criteria.add_detail(text);
            }
            Section::Plan => self.plan.add_detail(context.phase, text),
            Section::Files(files) => self.add_file(files, text, line),
            Section::TestCommand => self.add_test_command(text, false),
            Section::FileScope => self.add_scope(text, line),
            _ => {}
        }
    }

    /// An item or a row of a table.
    pub(super) fn entry(&mut self, text: &str, line: usize) {
        if text.is_empty() {
            return;
        }
        let context = self.top();
        match context.section {
            Section::Requirements | Section::Quality => match label(text) {
                Some((label, rest)) if label.contains(|c: char| c.is_ascii_uppercase()) => {
                    self.add_requirement(Some(label), &rest, text, line, context.section);
                }
                _ if context.requirement.is_none() => {
                    self.add_requirement(None, text, text, line, context.section);
                }
                _ => {}
            },
            Section::Criteria if context.criterion.is_some() => {
                self.criteria.add_detail(text);
            }
            Section::Criteria => {
                self.add_criterion(text, &context, line);
            }
            Section::Plan => self.plan.add_step(context.phase, text, line),
            Section::Files(files) => self.add_file(files, text, line),
            Section::Design => {
                let marks =
                    ["(new)", "(create)", "(modify)", "(update)", "(existing)", "(modified)"];
                let has_mark = || {
                    let lower = text.to_lowercase();
                    marks.iter().any(|mark| lower.contains(mark))
                };
                if text.starts_with(['`', '*']) && has_mark() {
                    self.add_file(Files::Any, text, line);
                }
            }
            Section::TestCommand => self.add_test_command(text, false),
            Section::Dependencies => self.spec.dependencies.push(text.to_owned()),
            Section::FileScope => self.add_scope(text, line),
            Section::AnyScope => {
                let is_path = |code: &&str| code.contains(['/', '*']);
                let scope =
                    codes(text).filter(is_path).flat_map(|code| paths::globs(&format!("`{code}`")));
                self.spec.scope.extend(scope.filter(|_| !paths::excludes(text)));
            }
            Section::Overview => self.text(&format!("- {text}"), line),
            _ => {}
        }
    }

    pub(super) fn code(&mut self, block: &Block<'_>, is_shell: bool) {
        let context = self.top();
        match context.section {
            Section::Criteria => {
                let lines = (block.line + 1..).zip(block.text.lines());
                let scenarios: Vec<(usize, String)> = lines
                    .filter(|(_, line)| line.trim_start().starts_with("Scenario"))
                    .map(|(at, line)| (at, one_line(line)))
                    .collect();
                for (line, text) in &scenarios {
                    self.add_criterion(text, &context, *line);
                }
                if scenarios.is_empty() && is_shell {
                    self.criteria.add_code(&block.text);
                }
            }
            Section::TestCommand => {
                self.test_commands.extend(commands(&block.text).map(str::to_owned));
            }
            Section::FileScope => {
                for line in block.text.lines() {
                    self.add_scope(&format!("`{}`", line.trim()), block.line);
                }
            }
            Section::Files(files) => {
                for (line, text) in (block.line + 1..).zip(block.text.lines()) {
                    self.add_file(files, text, line);
                }
            }
            _ => {}
        }
    }

    pub(super) fn add_requirement(
        &mut self,
        label: Option<String>,
        text: &str,
        written: &str,
        line: usize,
        section: Section,
    ) -> usize {
        let is_quality = section == Section::Quality
            || label
                .as_ref()
                .is_some_and(|label| label.starts_with("NFR") || label.starts_with("Q-"));
        let kind = if is_quality { RequirementKind::Quality } else { RequirementKind::Functional };
        let text = match (one_line(text), &label) {
            (text, Some(label)) if text.is_empty() => label.clone(),
            (text, _) => text,
        };
        let priority = items::priority(written);
        self.spec.requirements.push(SpecRequirement { label, text, priority, kind, line });
        self.spec.requirements.len() - 1
    }

    pub(super) fn add_criterion(&mut self, text: &str, context: &Context, line: usize) -> usize {
        self.criteria.add(text, context.requirement, context.phase, line)
    }

    pub(super) fn add_file(&mut self, files: Files, text: &str, line: usize) {
        if let Some(path) = paths::path(text) {
            let action = paths::action(files, text);
            let path = path.strip_prefix("./").map_or(path.clone(), str::to_owned);
            self.spec.files.push(SpecFile { path, action, line });
        }
    }

    pub(super) fn add_scope(&mut self, text: &str, line: usize) {
        if paths::excludes(text) {
            self.found.exclusions.push(line);
        } else {
            self.spec.scope.extend(paths::globs(text));
        }
    }

    /// Commands in code; otherwise the whole text, if it is a command.
    pub(super) fn add_test_command(&mut self, text: &str, is_paragraph: bool) {
        let before = self.test_commands.len();
        let coded = codes(text).filter(|code| is_command(code) || !is_paragraph);
        self.test_commands.extend(coded.map(str::to_owned));
        if self.test_commands.len() == before && is_command(text) {
            self.test_commands.push(text.to_owned());
        }
    }
}
