//! The stack: languages, frameworks and versions.

use domain::questionnaire::SectionId;

use super::{
    choices::{Choices, Interface, Storage, Surface},
    design::Design,
    kit::tool_words,
    page::{Page, items, joined, table},
    quote::{choice, code_cell, line, paragraphs},
};

const ASKED: &str = "as asked for";
const USUAL: &str = "the usual choice here";

pub(super) fn write(design: &Design<'_>) -> String {
    let mut page = Page::new("Stack");
    page.block(&table(["part", "choice", "why"], rows(design)));
    let avoid = design.said(SectionId::TechStack, "avoid").map(paragraphs).unwrap_or_default();
    page.section("Not to be used", &avoid);
    let constraints = design.said(SectionId::DeploymentTarget, "constraints");
    page.section("What it must get along with", &constraints.map(paragraphs).unwrap_or_default());
    page.section("Versions and commands", &items(promises(design)));
    page.into_text()
}

fn rows(design: &Design<'_>) -> Vec<[String; 3]> {
    let Choices { kit, interface, surface, storage, .. } = design.choices;
    let frameworks = design.brief.items(SectionId::TechStack, "frameworks");
    let mut rows: Vec<[String; 3]> = Vec::new();
    let mut add = |part: &str, chosen: &str, why: &str| {
        rows.push([part.to_owned(), chosen.to_owned(), why.to_owned()]);
    };
    let (language, why) = language(design);
    add("language", &language, why);
    let style = design.brief.choice(SectionId::ApiEndpoints, "style");
    let why = if style.is_some() { ASKED } else { "follows from what people see" };
    add("api", &api(design), why);
    for framework in &frameworks {
        add("framework", &line(framework), ASKED);
    }
    if interface == Interface::Http && !kit.has_web(&frameworks) {
        add("web", kit.web, "small, and enough for what is called");
    }
    let ui = match surface {
        Surface::Nothing => "none: only programs use it",
        Surface::Pages if brings_pages(&frameworks) => {
            "pages in the browser, by what is asked for above"
        }
        Surface::Pages => kit.pages,
        Surface::Terminal if interface == Interface::Commands => "plain text in a terminal",
        Surface::Terminal => kit.commands,
        Surface::Windows => kit.windows,
    };
    let shown = design.brief.choice(SectionId::UiRequirements, "kind");
    let shows = |kind: &str| {
        surface == Surface::Nothing || kind.eq_ignore_ascii_case(surface_word(surface))
    };
    let asked = shown.filter(|kind| !shows(kind)).map(choice);
    add("ui", &asked.map_or_else(|| ui.to_owned(), |asked| format!("{asked}; {ui}")), USUAL);
    let stored = design.brief.choice(SectionId::DatabaseSchema, "storage");
    let why = if stored.is_some() { ASKED } else { "enough for this size, and easy to back up" };
    add("storage", &kept(storage, stored), why);
    if let Some(driver) = design.choices.driver() {
        add("database access", driver, "plain statements, no object mapper");
    }
    add(
        "tests",
        &format!("{}; run by {}", kit.tests, code_cell(&design.test_command())),
        "one command for all",
    );
    add("form and lint", kit.style, "nobody argues about it");
    add("hosting", &line(&design.target()), "where it is used");
    let system = design.brief.choice(SectionId::DevPlatform, "system");
    add(
        "development",
        &system.map_or_else(|| "Linux".to_owned(), choice),
        "commands are written for it",
    );
    let names: Vec<String> = design.layers.iter().map(|layer| code_cell(&layer.name)).collect();
    add("layers", &names.join(", "), "see the boundaries");
    rows
}

/// Whether one of the named frameworks draws pages.
fn brings_pages(frameworks: &[&str]) -> bool {
    const DRAWING: [&str; 17] = [
        "react",
        "vue",
        "svelte",
        "angular",
        "solid",
        "htmx",
        "next.js",
        "nextjs",
        "nuxt",
        "remix",
        "astro",
        "django",
        "rails",
        "laravel",
        "symfony",
        "blazor",
        "thymeleaf",
    ];
    let draws = |word: &String| DRAWING.contains(&word.as_str());
    frameworks.iter().any(|named| tool_words(named).iter().any(draws))
}

/// In its owner's words where these say more than a name.
fn language(design: &Design<'_>) -> (String, &'static str) {
    let kit = design.choices.kit;
    match design.brief.choice(SectionId::TechStack, "language") {
        None => (kit.language.to_owned(), "fits what people see and how it is tested"),
        Some(said) => {
            let says_more = said.contains(' ') || said.contains(|c: char| c.is_ascii_digit());
            let own = says_more || kit.language.is_empty();
            (if own { choice(said) } else { kit.language.to_owned() }, ASKED)
        }
    }
}

fn api(design: &Design<'_>) -> String {
    let usual = match design.choices.interface {
        Interface::Http => "HTTP with JSON",
        Interface::Commands => "Command line",
        Interface::Functions => "Library",
    };
    let said = design.brief.choice(SectionId::ApiEndpoints, "style");
    let own = said.filter(|said| !said.eq_ignore_ascii_case("not at all")).map(choice);
    let by = match design.choices.interface {
        Interface::Http => "",
        Interface::Commands => design.choices.kit.commands,
        Interface::Functions => "plain functions",
    };
    let api = own.unwrap_or_else(|| usual.to_owned());
    if by.is_empty() { api } else { format!("{api}: {by}") }
}

fn surface_word(surface: Surface) -> &'static str {
    match surface {
        Surface::Nothing => "Nothing",
        Surface::Pages => "A web page",
        Surface::Terminal => "A terminal",
        Surface::Windows => "A desktop window",
    }
}

fn kept(storage: Storage, said: Option<&str>) -> String {
    let usual = match storage {
        Storage::Nothing => "none: it keeps nothing",
        Storage::Files => "JSON files, written whole and moved into place",
        Storage::Sqlite => "SQLite 3, one file",
        Storage::PostgreSql => "PostgreSQL 17",
        Storage::MySql => "MySQL 8.4",
        Storage::Other => "",
    };
    let says_more = |said: &&str| said.contains(' ') || said.contains(|c: char| c.is_ascii_digit());
    match said {
        Some(said) if usual.is_empty() || says_more(&said) => choice(said),
        _ => usual.to_owned(),
    }
}

fn promises(design: &Design<'_>) -> Vec<String> {
    let code = |name: &&str| format!("`{name}`");
    let manifests: Vec<String> = design.choices.kit.manifests.iter().map(code).collect();
    vec![
        format!("Every version is pinned in {}.", joined(&manifests)),
        format!("{} runs all tests, without a network.", design.tests()),
        "A dependency that is not in the table above needs a reason and a row in it.".to_owned(),
    ]
}
