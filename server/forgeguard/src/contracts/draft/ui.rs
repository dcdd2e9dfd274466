//! The UI: screens and how they behave, or what a terminal prints.

use domain::questionnaire::SectionId;

use super::{
    choices::{Interface, Surface},
    design::Design,
    page::{Page, items, joined, sentence, table},
    quote::{choice, code, code_cell, line, paragraphs},
    screens::Screen,
};

pub(super) fn write(design: &Design<'_>) -> String {
    let mut page = Page::new("UI");
    let kind = design.brief.choice(SectionId::UiRequirements, "kind").map(choice);
    page.block(&match design.choices.surface {
        Surface::Nothing => {
            "There is no screen: programs use it through its calls. What people get to read are its \
             messages."
                .to_owned()
        }
        Surface::Pages => format!("People see {}.", lower(kind, "a web page")),
        Surface::Terminal => format!("People see {}, 80 columns wide.", lower(kind, "a terminal")),
        Surface::Windows => format!("People see {}.", lower(kind, "a desktop window")),
    });
    for screen in &design.screens {
        page.section(&line(&screen.title), &body(screen, design));
    }
    if design.screens.is_empty() && design.choices.surface == Surface::Terminal {
        page.section("Output", &output(design));
    }
    let look = design.said(SectionId::UiRequirements, "look").map(paragraphs);
    page.section("Look and language", &look.unwrap_or_else(|| usual_look(design.choices.surface)));
    page.section("Rules", &items(rules(design)));
    page.into_text()
}

/// The words of an answer in the middle of a sentence.
fn lower(kind: Option<String>, usual: &str) -> String {
    let Some(kind) = kind else { return usual.to_owned() };
    match kind.strip_prefix("A ") {
        Some(rest) => format!("a {rest}"),
        None => kind,
    }
}

fn body(screen: &Screen, design: &Design<'_>) -> String {
    let mut lines = Vec::new();
    if !screen.about.is_empty() {
        lines.push(format!("Shows and does: {}", sentence(&line(&screen.about))));
    }
    let names: Vec<String> =
        screen.calls.iter().map(|index| code(&design.calls[*index].name)).collect();
    if !names.is_empty() {
        lines.push(format!("Calls {}.", joined(&names)));
    }
    let is_session = |index: &usize| design.calls[*index].is_session;
    if screen.calls.is_empty() || !screen.calls.iter().all(is_session) {
        lines.push("With nothing to show it says so, and names what to do next.".into());
    }
    items(lines)
}

fn output(design: &Design<'_>) -> String {
    let rows = design
        .calls
        .iter()
        .map(|call| [code_cell(&call.route.to_string()), sentence(&line(&call.about))]);
    table(["typed", "what for"], rows)
}

fn usual_look(surface: Surface) -> String {
    match surface {
        Surface::Nothing => "Messages are one plain sentence each, in English.",
        Surface::Terminal => "Plain text without colour; one thing a line; no frames, no progress bars.",
        Surface::Pages | Surface::Windows => {
            "Calm and quick to read: one column, dark text on a light ground, and the same the other \
             way round for those who prefer it. It works on a narrow screen too."
        }
    }
    .to_owned()
}

fn rules(design: &Design<'_>) -> Vec<String> {
    let of_surface: &[&str] = match design.choices.surface {
        Surface::Nothing => &["A message says what happened and what to do next."],
        Surface::Terminal => &[
            "What was asked for goes to standard output, everything else to standard error.",
            "It ends with 0 when it did what was asked, else with 1 and one line that says why.",
        ],
        Surface::Pages | Surface::Windows => &[
            "Every action works with the keyboard, and what has the focus can be seen.",
            "Colour is never the only sign.",
            "What is wrong stands beside the field that it is about, and nothing typed is lost.",
            "What takes longer than a moment shows that it is under way.",
        ],
    };
    let mut rules: Vec<String> = of_surface.iter().map(|rule| (*rule).to_owned()).collect();
    if design.choices.surface != Surface::Nothing {
        rules
            .push("What cannot be taken back is asked for once more before it is done.".to_owned());
    }
    let unseen = |index: &usize| !design.screens.iter().any(|screen| screen.calls.contains(index));
    let unseen: Vec<String> = (0..design.calls.len())
        .filter(|index| !design.screens.is_empty() && unseen(index))
        .map(|index| code(&design.calls[index].name))
        .collect();
    if !unseen.is_empty() {
        rules.push(format!(
            "No screen is needed for {}: other programs call that.",
            joined(&unseen)
        ));
    }
    if design.choices.interface == Interface::Http && design.choices.signs_in {
        rules.push(
            "Who is not signed in sees the screen to sign in, and then the one they wanted.".into(),
        );
    }
    rules
}
