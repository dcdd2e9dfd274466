//! The schema: every thing with its fields.

use domain::questionnaire::SectionId;

use super::{
    choices::Storage,
    design::Design,
    entities::Entity,
    fields::{Field, FieldType},
    names::{plural, spoken},
    page::{Page, items, table},
    quote::{paragraphs, short},
};

pub(super) fn write(design: &Design<'_>) -> String {
    let mut page = Page::new("Schema");
    page.block(match design.choices.storage {
        Storage::Nothing => "Nothing is kept when the program ends. While it runs, it knows this:",
        Storage::Files => {
            "Each kind of thing is one JSON file: a list of objects with these fields."
        }
        _ => "Each kind of thing is one table.",
    });
    for entity in &design.entities {
        let rows = entity
            .fields
            .iter()
            .map(|field| [field.name.clone(), field.type_word().to_owned(), rule(field)]);
        page.section(&entity.name, &table(["field", "type", "rule"], rows));
    }
    let own = design.said(SectionId::DatabaseSchema, "rules").map(paragraphs);
    page.section("Rules", &own.unwrap_or_else(|| items(usual_rules(design))));
    if design.choices.has_tables() {
        page.section(
            "Changes",
            "A table changes by the next numbered file in `migrations/`, never by hand; a file that \
             was released stays as it is.",
        );
    }
    page.into_text()
}

fn rule(field: &Field) -> String {
    match &field.said {
        Some(said) => format!("{} (asked for as: {})", field.rule(), short(said, 120)),
        None => field.rule(),
    }
}

fn usual_rules(design: &Design<'_>) -> Vec<String> {
    let mut rules: Vec<String> = design.entities.iter().flat_map(of_references).collect();
    rules.push(
        "What breaks a rule of a field is refused as a whole; nothing is half stored.".into(),
    );
    rules
}

fn of_references(entity: &Entity) -> Vec<String> {
    let refers = entity.fields.iter().filter(|field| field.holds == FieldType::Reference);
    let rule = |field: &Field| {
        let of = spoken(field.of.as_deref().unwrap_or_default());
        let many = spoken(&plural(&entity.name));
        match field.is_optional {
            true => format!("When a {of} goes, its {many} stay and lose their `{}`.", field.name),
            false => format!("A {of} that has {many} cannot be taken away."),
        }
    };
    refers.map(rule).collect()
}
