//! Reads specs: Markdown documents that say what to build and when it is done. Lenient about headings,
//! lists, tables and languages.
//!
//! - [`sections`]: the names of sections in the formats that are supported
//! - [`reading`], [`content`]: from blocks to the parts of a spec
//! - [`criteria`], [`plan`]: criteria and phases while they are read
//! - [`items`], [`paths`]: labels, priorities and paths in the text of items
//! - [`proof`]: how criteria are proven
//! - [`check`], [`problem`]: what is wrong with a spec or missing from it
//! - [`model`]: the parts of a spec, and its limits

mod check;
mod content;
mod criteria;
mod items;
mod model;
mod paths;
mod plan;
mod problem;
mod proof;
mod reading;
mod sections;

pub use model::{
    FileAction, MAX_FILES, MAX_PHASES, MAX_REQUIREMENTS, MAX_SPEC, MAX_STEPS, ParsedSpec, Spec,
    SpecCriterion, SpecFile, SpecFormat, SpecPhase, SpecRequirement,
};
pub use problem::{MissingSection, SpecProblem};

/// Reads a spec; several documents of one spec may follow each other.
pub fn parse(markdown: &str) -> ParsedSpec {
    if markdown.len() > MAX_SPEC {
        return unreadable(None, format!("a spec has at most {MAX_SPEC} bytes; split it"));
    }
    if let Some(at) = markdown.find('\0') {
        let line = markdown[..at].matches('\n').count() + 1;
        let text = "the text contains a NUL character; save it as UTF-8 text".to_owned();
        return unreadable(Some(line), text);
    }
    if let Some(line) = items::too_deep(markdown) {
        let text = "lists and quotes are nested too deeply here; use fewer levels".to_owned();
        return unreadable(Some(line), text);
    }
    let markdown = markdown.strip_prefix('\u{feff}').unwrap_or(markdown);
    let (spec, found) = reading::read(markdown);
    check::check(markdown, spec, found)
}

fn unreadable(line: Option<usize>, text: String) -> ParsedSpec {
    let errors = vec![SpecProblem { line, quoted: String::new(), text }];
    ParsedSpec { spec: Spec::default(), missing: Vec::new(), errors, warnings: Vec::new() }
}

#[cfg(test)]
mod tests;
