//! Edits of single requirements in the text of a blueprint.

use crate::{
    requirement::RequirementId,
    requirements::{self, Requirement, Source},
};

/// A change by a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequirementEdit<'a> {
    /// The requirement is stated from now on.
    Confirm,
    /// It is stated, with this text.
    Reword(&'a str),
    /// It is removed with its scenarios.
    Remove,
}

/// The blueprint after the edit. `None` if it does not contain the requirement, or if the text around
/// it is written so that other requirements would change too.
pub fn edit(blueprint: &str, id: RequirementId, edit: RequirementEdit<'_>) -> Option<String> {
    let before = requirements::parse(blueprint)?;
    let found = before.items.iter().find(|item| item.id == id)?;
    let mut lines: Vec<String> = blueprint.lines().map(str::to_owned).collect();
    match edit {
        RequirementEdit::Confirm => confirm(&mut lines, found)?,
        RequirementEdit::Reword(text) => reword(&mut lines, found, text)?,
        RequirementEdit::Remove => remove(&mut lines, found),
    }
    let mut after = lines.join("\n");
    if blueprint.ends_with('\n') {
        after.push('\n');
    }
    let read = requirements::parse(&after).unwrap_or_default();
    let is_valid = read.problems.len() <= before.problems.len();
    (is_valid && is_expected(&before.items, &read.items, id, edit)).then_some(after)
}

/// Whether the edit changed what it should, and nothing else.
fn is_expected(
    before: &[Requirement],
    after: &[Requirement],
    id: RequirementId,
    edit: RequirementEdit<'_>,
) -> bool {
    let without_lines = |item: &Requirement| {
        let mut item = Requirement { line: 0, ..item.clone() };
        item.scenarios.iter_mut().for_each(|scenario| scenario.line = 0);
        item
    };
    let expected = before.iter().map(without_lines).filter_map(|item| match edit {
        _ if item.id != id => Some(item),
        RequirementEdit::Confirm => Some(Requirement { source: Source::Stated, ..item }),
        RequirementEdit::Reword(text) => {
            Some(Requirement { source: Source::Stated, text: text.to_owned(), ..item })
        }
        RequirementEdit::Remove => None,
    });
    expected.eq(after.iter().map(without_lines))
}

fn confirm(lines: &mut [String], found: &Requirement) -> Option<()> {
    let end = end(lines, found.line);
    lines[found.line - 1..end].iter_mut().find_map(|line| {
        let at = line.to_ascii_lowercase().find("assumed")?;
        line.replace_range(at..at + "assumed".len(), "stated");
        Some(())
    })
}

/// Replaces the text, which may be wrapped, and keeps what stands before it.
fn reword(lines: &mut Vec<String>, found: &Requirement, text: &str) -> Option<()> {
    if found.source == Source::Assumed {
        confirm(lines, found)?;
    }
    let end = end(lines, found.line);
    let first_word = found.text.split_whitespace().next()?;
    let line = &lines[found.line - 1];
    // The id and the words after it may contain the first word of the text, but not the text.
    let on_line = line.match_indices(first_word).map(|(at, _)| at).find(|at| {
        let rest = line[*at..].split_whitespace().collect::<Vec<_>>().join(" ");
        found.text.starts_with(rest.trim_end_matches([' ', '|']))
    })?;
    let is_row = line.trim_start().starts_with('|');
    let closing = if is_row { " |" } else { "" };
    let reworded = format!("{}{text}{closing}", &line[..on_line]);
    lines.splice(found.line - 1..end, [reworded]);
    Some(())
}

fn remove(lines: &mut Vec<String>, found: &Requirement) {
    let last = found.scenarios.last().map_or(found.line, |scenario| scenario.line);
    let end = end(lines, last);
    lines.drain(found.line - 1..end);
}

/// The line after the last one of an item: it ends before an empty line and before the next item.
fn end(lines: &[String], first: usize) -> usize {
    let is_next = |line: &String| {
        let line = line.trim_start();
        let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
        let is_numbered = digits.len() < line.len() && digits.starts_with(['.', ')']);
        line.is_empty() || line.starts_with(['-', '*', '+', '|', '#']) || is_numbered
    };
    let after = lines.get(first..).unwrap_or_default();
    after.iter().position(is_next).map_or(lines.len(), |at| first + at)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLUEPRINT: &str = "# Blueprint

## Requirements
- **R-1** (must, assumed) Bookings reach
  30 days ahead.
  - R-1.a Given a day in 31 days, when it is booked, then it is
    refused.
2. R-2 [should/assumed]: A page is small.
- **R-3** (must, stated) It counts.

| id | p | s | text |
|---|---|---|---|
| R-4 | must | assumed | It adds. |

## Success
";

    fn apply(id: &str, change: RequirementEdit<'_>) -> Option<String> {
        edit(BLUEPRINT, id.parse().unwrap(), change)
    }

    #[test]
    fn confirmed_requirements_are_stated() {
        for id in ["R-1", "R-2", "R-4"] {
            let after = apply(id, RequirementEdit::Confirm).unwrap();
            let parsed = requirements::parse(&after).unwrap();
            let found = parsed.items.iter().find(|item| item.id.to_string() == id).unwrap();
            assert_eq!(found.source, Source::Stated);
            assert_eq!(after.matches("assumed").count(), 2);
            assert_eq!(after.lines().count(), BLUEPRINT.lines().count());
        }
        assert_eq!(apply("R-9", RequirementEdit::Confirm), None);
    }

    #[test]
    fn reworded_requirements_keep_their_id_and_scenarios() {
        let after = apply("R-1", RequirementEdit::Reword("Bookings reach 60 days ahead.")).unwrap();
        let parsed = requirements::parse(&after).unwrap();
        assert_eq!(parsed.items[0].text, "Bookings reach 60 days ahead.");
        assert_eq!(parsed.items[0].scenarios.len(), 1);
        assert!(
            after.contains("- **R-1** (must, stated) Bookings reach 60 days ahead.\n  - R-1.a")
        );
        let row = apply("R-4", RequirementEdit::Reword("It adds two numbers.")).unwrap();
        assert!(row.contains("| R-4 | must | stated | It adds two numbers. |"));
        let stated = apply("R-3", RequirementEdit::Reword("It counts twice.")).unwrap();
        assert!(stated.contains("- **R-3** (must, stated) It counts twice.\n"));
    }

    #[test]
    fn removed_requirements_take_their_scenarios_with_them() {
        let after = apply("R-1", RequirementEdit::Remove).unwrap();
        assert!(!after.contains("R-1") && !after.contains("refused"), "{after}");
        assert!(after.contains("## Requirements\n2. R-2") && after.ends_with("## Success\n"));
    }

    #[test]
    fn text_that_would_become_another_requirement_is_refused() {
        assert_eq!(
            apply("R-3", RequirementEdit::Reword("It counts.\n- R-8 (must, stated) x")),
            None
        );
        assert_eq!(apply("R-4", RequirementEdit::Reword("one | two")), None);
        assert_eq!(apply("R-3", RequirementEdit::Reword("")), None);
    }
}
