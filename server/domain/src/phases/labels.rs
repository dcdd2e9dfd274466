//! Labels that open a section of a phase, and the paths that a scope lists.

/// The scope of a phase that may change every path.
pub const ANY_PATH: &str = "**";

/// What the text below a label says about the phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    Scope,
    Deliverables,
    Covers,
    ExitCriteria,
    Objective,
    /// Anything else, such as notes.
    Other,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Label<'a> {
    pub(super) section: Section,
    /// The text after it on the same line.
    pub(super) rest: &'a str,
}

/// A label at the start of a line: in bold or italics, or a known word with a colon.
pub(super) fn in_paragraph(line: &str) -> Option<Label<'_>> {
    match emphasized(line) {
        Some((name, rest)) => {
            Some(Label { section: section(name).unwrap_or_else(|| other(name)), rest })
        }
        None => {
            let (name, rest) = line.split_once(':')?;
            Some(Label { section: section(name)?, rest })
        }
    }
}

/// A label at the start of a list item: only known ones, as items often begin in bold.
pub(super) fn in_item(text: &str) -> Option<Label<'_>> {
    let (name, rest) = emphasized(text)?;
    Some(Label { section: section(name)?, rest })
}

/// A heading below the heading of a phase.
pub(super) fn of_heading(text: &str) -> Label<'_> {
    let (name, rest) = text.split_once(':').unwrap_or((text, ""));
    Label { section: section(name).unwrap_or_else(|| other(name)), rest }
}

/// Splits `**Name:** rest`, with the colon inside or outside, or missing at the end of the line.
fn emphasized(line: &str) -> Option<(&str, &str)> {
    let marker = ["***", "**", "__", "*", "_"].into_iter().find(|it| line.starts_with(it))?;
    let (name, rest) = line[marker.len()..].split_once(marker)?;
    let name = name.trim();
    if let Some(name) = name.strip_suffix(':') {
        return Some((name, rest.trim_start()));
    }
    match rest.trim_start() {
        "" => Some((name, "")),
        rest => Some((name, rest.strip_prefix(':')?.trim_start())),
    }
}

/// The words that open a section of items, also without emphasis.
fn section(name: &str) -> Option<Section> {
    Some(match normalized(name).as_str() {
        "scope" | "file scope" | "files" | "files in scope" | "paths" => Section::Scope,
        "deliverable" | "deliverables" | "outputs" => Section::Deliverables,
        "covers" => Section::Covers,
        "exit criteria"
        | "exit criterion"
        | "acceptance criteria"
        | "acceptance"
        | "pass criteria"
        | "success criteria"
        | "criteria"
        | "definition of done"
        | "done when" => Section::ExitCriteria,
        _ => return None,
    })
}

/// Whether an item says that there is nothing to list.
pub(super) fn is_none(text: &str) -> bool {
    matches!(text.trim_end_matches('.').to_lowercase().as_str(), "none" | "-" | "—" | "–")
}

/// Sections of text; these words are labels only where they are set off from the text.
fn other(name: &str) -> Section {
    match normalized(name).as_str() {
        "objective" | "objectives" | "goal" => Section::Objective,
        _ => Section::Other,
    }
}

fn normalized(name: &str) -> String {
    let is_markup = |c: char| c == '*' || c == '_' || c == ':' || c.is_whitespace();
    name.trim_matches(is_markup).to_lowercase()
}

/// Globs of paths in an item of a scope: what is set as code, otherwise words between commas.
pub(super) fn paths(text: &str) -> Vec<String> {
    let codes: Vec<&str> = text.split('`').skip(1).step_by(2).collect();
    let words = if codes.is_empty() { text.split([',', ';']).collect() } else { codes };
    let words = words.into_iter().map(|word| word.trim().trim_end_matches('.').trim_matches('"'));
    words
        .filter(|word| !word.is_empty() && !word.contains(char::is_whitespace))
        .map(|word| match word.to_lowercase().as_str() {
            "any" | "all" | "everything" | "*" => ANY_PATH.to_owned(),
            _ => word.to_owned(),
        })
        .collect()
}
