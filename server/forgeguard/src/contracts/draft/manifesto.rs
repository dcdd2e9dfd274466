//! The manifesto: what every later decision answers to.

use domain::questionnaire::SectionId;

use super::{
    choices::Storage,
    design::Design,
    names::spoken,
    page::{Page, numbered, sentence},
    quote::{line, short},
};

/// Characters of an answer that a principle tells.
const MOST: usize = 400;

pub(super) fn write(design: &Design<'_>) -> String {
    let intent = SectionId::ProductIntent;
    let said = |section, question| design.said(section, question).map(|text| short(text, MOST));
    let mut page = Page::new("Manifesto");
    let purpose = said(intent, "summary").unwrap_or_else(|| {
        format!("{} does what its blueprint says, and nothing beside it", line(&design.title))
    });
    page.block(&sentence(&purpose));

    let mut principles = Vec::new();
    let mut add =
        |name: &str, text: &str| principles.push(format!("**{name}.** {}", sentence(text)));
    if let Some(users) = said(intent, "users") {
        add("Made for those who use it", &users);
    }
    match design.features()[..] {
        [] => {}
        [only] => add("One thing above all", &short(only, 200)),
        [first, second, ..] => {
            let (first, second) = (short(first, 200), short(second, 200));
            let first = first.trim_end_matches('.');
            add(
                "First things first",
                &format!("{first}: that comes before all else. Next: {second}"),
            );
        }
    }
    let alone = "What the blueprint does not name is not built, however easy it would be";
    add(
        "Nothing beside the point",
        &said(intent, "out_of_scope").unwrap_or_else(|| alone.to_owned()),
    );
    let thing = design.entities.first().map_or_else(|| "entry".to_owned(), |e| spoken(&e.name));
    match design.choices.storage {
        Storage::Nothing => {
            add("It forgets", "When it ends, nothing of what it was given stays behind");
        }
        _ => add(
            "Nothing entered is lost",
            &format!(
                "A {thing} that was accepted is still there after a crash; one that is refused is refused with a reason"
            ),
        ),
    }
    let simple = "Simple to read comes first, then few dependencies, then speed";
    let qualities = said(SectionId::ArchitecturalBoundaries, "qualities");
    add("When things pull apart", &qualities.unwrap_or_else(|| simple.to_owned()));
    if let Some(avoid) = said(SectionId::TechStack, "avoid") {
        add("What is not used", &avoid);
    }
    let tested = "A feature is there when a test shows it, and not before";
    add("Shown, not claimed", &said(intent, "success").unwrap_or_else(|| tested.to_owned()));
    page.block(&numbered(principles));
    page.into_text()
}
