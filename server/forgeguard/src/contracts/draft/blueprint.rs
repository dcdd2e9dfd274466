//! The blueprint: what the product does, for whom, and what it does not. Here the answers stand whole.

use domain::questionnaire::SectionId;

use super::{
    choices::Storage,
    design::Design,
    names::{plural, spoken},
    page::{Page, items, joined, sentence},
    quote::{line, paragraphs, short},
    routes::given,
};

pub(super) fn write(design: &Design<'_>) -> String {
    let intent = SectionId::ProductIntent;
    let said = |section, question| design.said(section, question).map(paragraphs);
    let mut page = Page::new("Blueprint");
    let nameless = || format!("{} is described by what people do with it.", line(&design.title));
    page.block(&said(intent, "summary").unwrap_or_else(nameless));
    page.section(
        "For whom",
        &said(intent, "users").unwrap_or_else(|| {
            "Whoever has the tasks below; nobody is asked who they are.".to_owned()
        }),
    );
    page.section("What people do with it", &features(design));
    page.section("What it is about", &items(things(design)));
    page.section(
        "What it does not do",
        &said(intent, "out_of_scope")
            .unwrap_or_else(|| "- Nothing that is not listed above.".to_owned()),
    );
    page.section(
        "How success is seen",
        &said(intent, "success").unwrap_or_else(|| {
            let first = design.features().first().map(|feature| short(feature, 200));
            let first = first.unwrap_or_else(|| "Everything above".to_owned());
            format!(
                "Somebody who has never seen it manages this without help: {}",
                sentence(&first)
            )
        }),
    );
    let target = SectionId::DeploymentTarget;
    let place = format!("It runs here: {}", sentence(&line(&design.target())));
    let place = match said(target, "constraints") {
        Some(constraints) => format!("{place}\n\n{constraints}"),
        None => place,
    };
    page.section("Where it runs", &place);
    page.into_text()
}

/// As they were told; without any, what the calls do.
fn features(design: &Design<'_>) -> String {
    let told = design.features();
    if told.is_empty() {
        return items(design.calls.iter().take(12).map(|call| sentence(&line(&call.about))));
    }
    items(told.into_iter().map(line))
}

fn things<'a>(design: &'a Design<'_>) -> impl Iterator<Item = String> + 'a {
    let keeps = design.choices.storage != Storage::Nothing;
    design.entities.iter().map(move |entity| {
        let known = given(entity).into_iter();
        let known: Vec<String> =
            known.map(|field| spoken(field.name.trim_end_matches("_id"))).collect();
        let verb = if keeps { "Keeps" } else { "Knows, while it runs," };
        format!("{verb} {} with {}.", spoken(&plural(&entity.name)), joined(&known))
    })
}
