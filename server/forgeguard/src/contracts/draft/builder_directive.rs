//! The builder directive: what a builder must know beyond the other eight.

use domain::questionnaire::SectionId;

use super::{
    design::Design,
    page::{Page, items, joined},
    quote::{choice, code, paragraphs},
};

pub(super) fn write(design: &Design<'_>) -> String {
    let mut page = Page::new("Builder directive");
    page.section("Order of work", &items(order(design)));
    let dev = |question| design.said(SectionId::DevPlatform, question);
    let habits = dev("habits").map(paragraphs);
    page.section("Habits", &habits.unwrap_or_else(|| items(usual_habits(design))));
    let rules = design.said(SectionId::ArchitecturalBoundaries, "rules").map(paragraphs);
    page.section("What parts know nothing about", &rules.unwrap_or_default());
    let avoid = design.said(SectionId::TechStack, "avoid").map(paragraphs);
    page.section("Not to be used", &avoid.unwrap_or_default());
    let qualities = design.said(SectionId::ArchitecturalBoundaries, "qualities").map(paragraphs);
    page.section("When things pull apart", &qualities.unwrap_or_default());
    page.section("Done means", &items(done(design)));
    page.into_text()
}

fn order(design: &Design<'_>) -> Vec<String> {
    let names = design.layer_names();
    let mut order = match &names[..] {
        [only] => vec![format!("There is one part, {only}: keep it small enough to read at once.")],
        [first, rest @ ..] => vec![format!(
            "Within a phase begin with {first}, which needs nothing else; then {}.",
            joined(rest)
        )],
        [] => Vec::new(),
    };
    order.push(
        "A phase is finished before the next one begins, and changes only what its scope names."
            .into(),
    );
    if design.choices.has_tables() {
        order.push("A table changes only by a new file in `migrations/`.".into());
    }
    order.push("Write the test that shows the fault before mending it.".into());
    order.push("When two contracts disagree, stop and name the lines.".into());
    order
}

fn usual_habits(design: &Design<'_>) -> Vec<String> {
    vec![
        format!("Form and lint come from {}.", design.choices.kit.style),
        "Names say what a thing is; comments say why.".to_owned(),
        "Time and chance come in as arguments, so that tests always see the same.".to_owned(),
    ]
}

fn done(design: &Design<'_>) -> Vec<String> {
    let system = design.brief.choice(SectionId::DevPlatform, "system").unwrap_or("Linux");
    vec![
        format!("{} passes on {}, from a fresh copy.", design.tests(), choice(system)),
        "Every call is tested with what it takes, and with what it must refuse.".to_owned(),
        format!(
            "A newcomer gets from {} to a first result without asking anybody.",
            code("README.md")
        ),
    ]
}
