//! Commit messages of a build: whose they are, what was done, and what for.

use crate::{criterion::ExitCriterion, state::PhaseState};

/// Items of each list, and characters of each item.
const MAX_ITEMS: usize = 20;
const MAX_ITEM_CHARS: usize = 200;
/// Of the build's title in a subject.
const MAX_TITLE_CHARS: usize = 60;

/// Begins with the build's number and title, such as `#3 Due dates: phase 0: Fines`.
pub fn commit_subject(number: Option<u32>, title: Option<&str>, what: &str) -> String {
    // Journals of earlier versions have no number.
    let Some(number) = number else { return what.to_owned() };
    match title.map(|title| shortened(title, MAX_TITLE_CHARS)) {
        Some(title) => format!("#{number} {title}: {what}"),
        None => format!("#{number}: {what}"),
    }
}

/// Empty if the phase has neither done steps nor criteria.
pub fn commit_body(phase: &PhaseState) -> String {
    let done = phase.plan.iter().filter(|step| step.done).map(|step| step.text.as_str());
    let criteria = &phase.outline.exit_criteria;
    let (with_id, without): (Vec<&ExitCriterion>, Vec<_>) =
        criteria.iter().partition(|criterion| criterion.id.is_some());
    // Criteria without an id are groundwork.
    let served = if with_id.is_empty() { without } else { with_id };
    let served = served.into_iter().map(|criterion| criterion.text.as_str());
    let parts = [list("Changes:", done), list("To satisfy:", served)];
    parts.into_iter().flatten().collect::<Vec<_>>().join("\n\n")
}

fn list<'a>(title: &str, items: impl Iterator<Item = &'a str>) -> Option<String> {
    let items: Vec<&str> = items.collect();
    if items.is_empty() {
        return None;
    }
    let mut lines = vec![title.to_owned()];
    lines.extend(
        items.iter().take(MAX_ITEMS).map(|item| format!("- {}", shortened(item, MAX_ITEM_CHARS))),
    );
    if items.len() > MAX_ITEMS {
        lines.push(format!("- and {} more", items.len() - MAX_ITEMS));
    }
    Some(lines.join("\n"))
}

/// In one line.
fn shortened(text: &str, max_chars: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(max_chars) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        phases::PhaseOutline,
        state::{PhaseState, PlanStep},
    };

    #[test]
    fn subject_begins_with_the_number_and_the_title_of_the_build() {
        let subject = |number, title| commit_subject(number, title, "phase 0: Fines");
        assert_eq!(subject(Some(3), Some("Due dates")), "#3 Due dates: phase 0: Fines");
        assert_eq!(subject(Some(3), None), "#3: phase 0: Fines");
        assert_eq!(subject(None, None), "phase 0: Fines");
        let long = subject(Some(3), Some(&"long ".repeat(30)));
        assert_eq!(long, format!("#3 {}…: phase 0: Fines", "long ".repeat(12)));
    }

    #[test]
    fn body_names_done_steps_and_the_criteria_that_they_serve() {
        let criterion = |id: Option<&str>, text: &str| {
            let id = id.map(|id| id.parse().unwrap());
            ExitCriterion { id, ..ExitCriterion::reviewed(text.to_owned()) }
        };
        let outline = PhaseOutline {
            number: 0,
            title: "Fines".into(),
            scope: vec![],
            deliverables: vec![],
            covers: vec![],
            exit_criteria: vec![
                criterion(Some("R-7.a"), "R-7.a — test: four_days"),
                criterion(None, "it builds"),
            ],
        };
        let step = |text: &str, done| PlanStep { text: text.to_owned(), done, dropped: None };
        let plan = vec![step("Charge late\nreturns", true), step("Send mail", false)];
        let phase = PhaseState { plan, ..PhaseState::new(outline) };
        assert_eq!(
            commit_body(&phase),
            "Changes:\n- Charge late returns\n\nTo satisfy:\n- R-7.a — test: four_days"
        );
    }
}
