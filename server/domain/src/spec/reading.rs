//! From the blocks of a document to the parts of a spec.

use super::{
    content::{Context, Found, ROOT, Reading},
    criteria::Criteria,
    items::{self, emphasised, label, labels_in, one_line, step},
    model::{Spec, SpecFormat, SpecRequirement},
    plan::{self, Plan},
    sections::{self, Files, Section},
};
use crate::{
    markdown_blocks::{Block, BlockKind, blocks_with_code},
    requirement::RequirementKind,
};

/// The level of labels in paragraphs, and of those in items.
const LABEL: u8 = 7;
const ITEM_LABEL: u8 = 8;

pub(super) fn read(markdown: &str) -> (Spec, Found) {
    let mut reading = Reading {
        markdown,
        stack: Vec::new(),
        item_depth: 1,
        segment: (Section::Root, 0),
        spec: Spec::default(),
        found: Found::default(),
        plan: Plan::default(),
        criteria: Criteria::default(),
        test_commands: Vec::new(),
        paragraphs: Vec::new(),
    };
    for block in blocks_with_code(markdown) {
        reading.take(&block);
    }
    reading.finish()
}

impl Reading<'_> {
    fn take(&mut self, block: &Block<'_>) {
        match block.kind {
            BlockKind::Heading(level) => self.heading(level, block),
            BlockKind::Paragraph => self.paragraph(block),
            BlockKind::Item { has_children } => self.item(block, has_children),
            BlockKind::Row => self.entry(&one_line(&block.text), block.line),
            BlockKind::Code { is_shell, is_closed } => {
                if !is_closed {
                    self.found.unclosed_fences.push(block.line);
                }
                self.code(block, is_shell);
            }
        }
    }

    fn open(&mut self, context: Context, line: usize) {
        self.item_depth = context.depth + 1;
        self.found.sections.push((context.section, line));
        self.stack.push(context);
    }

    fn close(&mut self, level: u8) {
        while self.stack.last().is_some_and(|context| context.level >= level) {
            self.stack.pop();
        }
    }

    fn heading(&mut self, level: u8, block: &Block<'_>) {
        self.close(level);
        let (outer, line) = (self.top(), block.line);
        let text = one_line(&block.text);
        let section = if level == 1 { self.document(&text) } else { None };
        let section = section.or_else(|| sections::within(outer.section, &text));
        let mut context = Context { level, depth: 0, ..outer };
        match section {
            Some(section) => context.section = section,
            None => self.unnamed(&mut context, block, &text),
        }
        self.keep_segment(block.start);
        self.segment = (context.section, block.start);
        self.open(context, line);
    }

    /// The section of a document with this title: specs may consist of several documents.
    fn document(&mut self, title: &str) -> Option<Section> {
        let lower = title.trim_matches(['*', '_', ' ']).to_lowercase();
        let (kind, rest) = match lower.split_once(':') {
            Some((kind, _)) => (kind.trim(), title.split_once(':').map_or("", |(_, rest)| rest)),
            None => (lower.as_str(), ""),
        };
        let is_alone = rest.trim().is_empty();
        let (section, format) = match kind {
            "feature specification" => (Section::Root, SpecFormat::SpecKit),
            "requirements document" => (Section::Root, SpecFormat::Kiro),
            "requirements" if !is_alone => (Section::Root, SpecFormat::Sections),
            "design document" | "technical design document" => (Section::Design, SpecFormat::Kiro),
            "design" => (Section::Design, SpecFormat::Sections),
            "implementation plan" | "tasks" => (Section::Plan, SpecFormat::Sections),
            "spec" | "specification" => (Section::Root, SpecFormat::Sections),
            _ => {
                let is_section = sections::within(Section::Root, title).is_some();
                if !is_section && self.spec.title.is_empty() {
                    self.spec.title = title.trim_matches('*').to_owned();
                }
                return None;
            }
        };
        if kind == "tasks" {
            self.plan.begin_tasks();
        }
        if self.spec.format == SpecFormat::Sections {
            self.spec.format = format;
        }
        if self.spec.title.is_empty() {
            self.spec.title = one_line(rest);
        }
        Some(section)
    }

    /// A heading that names no section: a phase, a requirement, a criterion, or a part of the section
    /// around it.
    fn unnamed(&mut self, context: &mut Context, block: &Block<'_>, text: &str) {
        let line = block.line;
        let phase = sections::phase_title(text).filter(|_| context.phase.is_none());
        match (context.section, phase) {
            (Section::Root | Section::Notes | Section::Plan, Some(title)) => {
                context.section = Section::Plan;
                context.phase = Some(self.plan.add_phase(&title, text, line));
            }
            (Section::Plan, None) if context.phase.is_none() => {
                context.phase = Some(self.plan.add_phase(&step(text), text, line));
            }
            (Section::Requirements | Section::Quality, _) => {
                if let Some((label, rest)) = label(text) {
                    context.requirement =
                        Some(self.add_requirement(Some(label), &rest, text, line, context.section));
                }
            }
            (Section::Criteria, _) if context.criterion.is_none() => {
                let is_numbered = text.starts_with(|c: char| c.is_ascii_digit());
                let is_marked = block.text.starts_with(['✅', '☐', '☑', '⬜', '❌', '✔', '[']);
                if is_numbered || is_marked || label(text).is_some() {
                    context.criterion = Some(self.add_criterion(&step(text), context, line));
                }
            }
            _ => {}
        }
    }

    fn keep_segment(&mut self, end: usize) {
        let (section, start) = self.segment;
        let text = self.markdown.get(start..end).unwrap_or_default().trim();
        let target = match section {
            Section::Design | Section::Files(_) => &mut self.spec.design,
            Section::Testing | Section::TestCommand => &mut self.spec.testing,
            Section::TddPlan => self.spec.tdd_plan.get_or_insert_default(),
            Section::Root | Section::Notes | Section::AnyScope => &mut self.spec.notes,
            _ => return,
        };
        if !text.is_empty() {
            if !target.is_empty() {
                target.push_str("\n\n");
            }
            target.push_str(text);
        }
    }

    fn paragraph(&mut self, block: &Block<'_>) {
        if block.depth == 0 {
            self.close(ITEM_LABEL);
        }
        let mut text = String::new();
        let mut first = block.line;
        for (line, written) in (block.line..).zip(block.text.lines()) {
            let written = written.trim().trim_end_matches('\\');
            let plain = || {
                let (name, rest) = written.split_once(':')?;
                sections::labelled(self.base().section, name)?;
                Some((name, rest.trim()))
            };
            match emphasised(written).or_else(plain) {
                Some((name, rest)) => {
                    self.text(&text, first);
                    text.clear();
                    self.label(name, rest, written, line);
                    first = line + 1;
                }
                None => {
                    if text.is_empty() {
                        first = line;
                    } else {
                        text.push(' ');
                    }
                    text.push_str(written);
                }
            }
        }
        self.text(&text, first);
    }

    /// The context without labels.
    fn base(&self) -> Context {
        self.stack.iter().rev().find(|context| context.level < LABEL).copied().unwrap_or(ROOT)
    }

    fn label(&mut self, name: &str, rest: &str, written: &str, line: usize) {
        let base = self.base();
        if let Some(section) = sections::labelled(base.section, name) {
            self.close(LABEL);
            self.open(Context { level: LABEL, section, depth: 0, ..base }, line);
            return self.text(rest, line);
        }
        let lower = name.to_lowercase();
        match base.section {
            Section::Plan => {
                self.close(LABEL);
                match (lower.as_str(), base.phase) {
                    (
                        "goal" | "objective" | "purpose" | "ziel" | "objectif" | "objetivo",
                        Some(phase),
                    ) => {
                        self.plan.objective(phase, rest);
                    }
                    ("deliverable" | "deliverables" | "tasks" | "steps", _) if !rest.is_empty() => {
                        self.plan.add_step(base.phase, rest, line);
                    }
                    _ => {}
                }
            }
            Section::Requirements | Section::Quality => {
                self.close(LABEL);
                if let (Some(requirement), "user story" | "story" | "description") =
                    (base.requirement, lower.as_str())
                {
                    let label = self.spec.requirements[requirement].label.as_deref();
                    let text = &self.spec.requirements[requirement].text;
                    let is_titled = label != Some(text);
                    let story = if is_titled { format!("{text}: {rest}") } else { rest.to_owned() };
                    self.spec.requirements[requirement].text = one_line(&story);
                } else if let Some((label, _)) = label(name) {
                    self.add_requirement(Some(label), rest, written, line, base.section);
                }
            }
            Section::Design if matches!(lower.as_str(), "file" | "files" | "location" | "path") => {
                self.add_file(Files::Any, rest, line);
            }
            Section::Criteria => self.text(written, line),
            _ if self.top().section == Section::Criteria => self.text(written, line),
            _ => self.close(LABEL),
        }
    }

    fn item(&mut self, block: &Block<'_>, has_children: bool) {
        while self.stack.last().is_some_and(|it| it.level == ITEM_LABEL && it.depth >= block.depth)
        {
            self.stack.pop();
            self.item_depth = block.depth;
        }
        let text = &one_line(&block.text);
        let context = self.top();
        let named = emphasised(text).or_else(|| {
            let (name, rest) = text.split_once(':')?;
            Some((name, rest.trim())).filter(|(_, rest)| rest.is_empty() || has_children)
        });
        let opened = named.and_then(|(name, rest)| {
            Some((sections::labelled(context.section, name)?, rest.to_owned()))
        });
        if let Some((section, rest)) = opened {
            let context = Context { level: ITEM_LABEL, section, depth: block.depth, ..context };
            self.open(context, block.line);
            return self.text(&rest, block.line);
        }
        if block.depth > self.item_depth {
            return self.detail(text, block.line);
        }
        self.item_depth = block.depth;
        if has_children && text.ends_with([':', '：']) && context.criterion.is_none() {
            self.item_depth += 1;
            return;
        }
        self.entry(text, block.line);
    }

    fn finish(mut self) -> (Spec, Found) {
        self.keep_segment(self.markdown.len());
        let Self { mut spec, found, plan, criteria, test_commands, paragraphs, .. } = self;
        spec.tdd_plan = spec.tdd_plan.filter(|text| text.lines().count() > 1);
        if spec.requirements.is_empty() {
            spec.requirements.extend(paragraphs.into_iter().map(|(text, line)| SpecRequirement {
                label: None,
                priority: items::priority(&text),
                text,
                kind: RequirementKind::Functional,
                line,
            }));
        }
        let mut test_commands = test_commands;
        test_commands.dedup();
        spec.test_command = Some(test_commands.join(" && ")).filter(|it| !it.is_empty());
        let phases = plan::phases(plan);
        spec.criteria = criteria.finish(&spec.requirements, &phases);
        spec.phases = phases.into_iter().map(|phase| phase.phase).collect();
        let mut paths = std::collections::HashSet::new();
        spec.files.retain(|file| paths.insert(file.path.clone()));
        spec.scope.sort();
        spec.scope.dedup();
        if spec.format == SpecFormat::Sections {
            spec.format = format_of(&spec);
        }
        (spec, found)
    }
}

/// The format of a spec whose title does not say it.
fn format_of(spec: &Spec) -> SpecFormat {
    let is_ears =
        |text: &str| text.contains("SHALL") && (text.contains("WHEN") || text.contains("IF "));
    let has_number = |label: &String| label.starts_with(|c: char| c.is_ascii_digit());
    if spec.criteria.iter().any(|it| is_ears(&it.text))
        && spec.requirements.iter().any(|it| it.label.as_ref().is_some_and(has_number))
    {
        return SpecFormat::Kiro;
    }
    let is_measured = |text: &str| labels_in(text).any(|label| label.starts_with("SC-"));
    let has_story = spec
        .requirements
        .iter()
        .any(|it| it.label.as_deref().is_some_and(|label| label.starts_with("US")));
    if has_story && spec.criteria.iter().any(|it| is_measured(&it.text)) {
        return SpecFormat::SpecKit;
    }
    SpecFormat::Sections
}
