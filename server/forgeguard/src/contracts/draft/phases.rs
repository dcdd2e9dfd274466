//! The phases: the work in numbered parts that build every call and every screen.

use domain::questionnaire::{SectionId, Size};

use super::{
    calls::Call,
    choices::{Interface, Storage, Surface},
    design::Design,
    entities::{main_clause, thing_in},
    names::{plural, spoken},
    page::{Page, items, joined, sentence},
    quote::{code, line, short},
    screens::Screen,
};
use crate::contracts::words::words;

/// Calls, screens and groups of things that a phase or a plan holds, where they can be divided.
const MOST_CALLS: usize = 16;
const MOST_SCREENS: usize = 6;
const MOST_GROUPS: usize = 6;

/// One phase; all texts are Markdown.
struct Phase {
    title: String,
    objective: String,
    /// Globs; empty means any path.
    scope: Vec<String>,
    deliverables: Vec<String>,
    exit_criteria: Vec<String>,
}

pub(super) fn write(design: &Design<'_>) -> String {
    let phases = match design.brief.size {
        Size::Full => full(design),
        Size::Mini => mini(design).into(),
    };
    let mut page = Page::new("Phases");
    for (phase, number) in phases.into_iter().zip(0..) {
        let mut body = format!("**Objective:** {}\n\n", sentence(&phase.objective));
        if !phase.scope.is_empty() {
            let scope: Vec<String> = phase.scope.iter().map(|glob| code(glob)).collect();
            body += &format!("**Scope:** {}\n\n", scope.join(", "));
        }
        body += &format!("**Deliverables:**\n{}\n\n", items(phase.deliverables));
        body += &format!("**Exit criteria:**\n{}", items(phase.exit_criteria));
        page.section(&format!("Phase {number} — {}", phase.title), &body);
    }
    page.into_text()
}

fn mini(design: &Design<'_>) -> [Phase; 2] {
    let mut first = foundations(design);
    let things: Vec<String> =
        design.entities.iter().map(|entity| spoken(&plural(&entity.name))).collect();
    first.title = format!("What is done with {}", joined(&things));
    first.objective =
        "Everything that can be called works from tests, before anybody sees it".into();
    first.deliverables.extend(design.calls.iter().map(call));
    first.exit_criteria.push(refusals());

    let mut second = ready(design, &[]);
    if !design.screens.is_empty() {
        second.title = "What people see, ready for use".into();
        second.objective = "People reach all of it, and a newcomer can start it".into();
    }
    second.deliverables.splice(0..0, design.screens.iter().map(screen));
    let shown = design.features().into_iter().map(shown);
    second.exit_criteria.splice(1..1, shown);
    [first, second]
}

fn full(design: &Design<'_>) -> Vec<Phase> {
    let mut phases = vec![foundations(design)];
    let mut told = Vec::new();
    for group in groups(design) {
        let features: Vec<usize> = (0..design.features().len())
            .filter(|index| {
                !told.contains(index) && is_about(design.features()[*index], &group.things, design)
            })
            .collect();
        phases.push(group_phase(design, &group, &features));
        told.extend(features);
    }
    let parts = design.screens.len().div_ceil(MOST_SCREENS).clamp(1, MOST_GROUPS);
    for some in design.screens.chunks(design.screens.len().div_ceil(parts).max(1)) {
        phases.push(screens(design, some));
    }
    let rest: Vec<&str> = (0..design.features().len())
        .filter(|index| !told.contains(index))
        .map(|index| design.features()[index])
        .collect();
    phases.push(ready(design, &rest));
    phases
}

fn foundations(design: &Design<'_>) -> Phase {
    let mut manifests: Vec<String> =
        design.choices.kit.manifests.iter().map(|name| code(name)).collect();
    manifests.push(code("README.md"));
    let things: Vec<String> = design.entities.iter().map(|entity| code(&entity.name)).collect();
    let mut deliverables = vec![
        format!(
            "a folder for each layer ({}), and beside them {}",
            joined(&design.layer_names()),
            joined(&manifests)
        ),
        format!(
            "tests that run with {}, among them one that fails when a layer imports what it may not",
            design.tests()
        ),
    ];
    deliverables.push(match design.choices.storage {
        Storage::Nothing => format!("types for {} with the fields of the schema", joined(&things)),
        Storage::Files => format!(
            "files for {} with the fields of the schema, read and written by one layer",
            joined(&things)
        ),
        _ if design.choices.has_tables() => {
            format!(
                "tables for {} with the fields of the schema, made by {}",
                joined(&things),
                code("migrations/")
            )
        }
        _ => format!(
            "a place for {} with the fields of the schema, read and written by one layer",
            joined(&things)
        ),
    });
    Phase {
        title: "Foundations".into(),
        objective: "The project stands: it can be built, started and tested, and does nothing yet"
            .into(),
        scope: Vec::new(),
        deliverables,
        exit_criteria: vec![
            tests_pass(design),
            format!("A fresh copy can be built and tested by following {}", code("README.md")),
        ],
    }
}

/// Calls that belong into one phase.
struct Group<'a> {
    title: String,
    things: Vec<usize>,
    calls: Vec<&'a Call>,
}

/// By the things that they are about; what is about none comes last.
fn groups<'a>(design: &'a Design<'_>) -> Vec<Group<'a>> {
    let of = |thing: Option<usize>| {
        design.calls.iter().filter(|call| call.entity == thing).collect::<Vec<_>>()
    };
    let mut order: Vec<usize> = (0..design.entities.len()).collect();
    // Whoever may do something has to be known first.
    order.sort_by_key(|index| !(design.choices.signs_in && design.entities[*index].is_person));
    order.retain(|index| !of(Some(*index)).is_empty());
    let mut groups: Vec<Group<'_>> = Vec::new();
    for some in order.chunks(order.len().div_ceil(MOST_GROUPS).max(1)) {
        let names: Vec<String> =
            some.iter().map(|index| spoken(&plural(&design.entities[*index].name))).collect();
        let calls: Vec<&Call> = some.iter().flat_map(|index| of(Some(*index))).collect();
        let title = capital(&joined(&names));
        groups.extend(divided(title, some, calls));
    }
    groups.extend(divided("What else can be called".into(), &[], of(None)));
    groups
}

fn divided<'a>(title: String, things: &[usize], calls: Vec<&'a Call>) -> Vec<Group<'a>> {
    let parts = calls.len().div_ceil(MOST_CALLS);
    let some = calls.chunks(calls.len().div_ceil(parts.max(1)).max(1));
    let group = |(calls, number): (&[&'a Call], usize)| Group {
        title: if parts > 1 { format!("{title}, part {number}") } else { title.clone() },
        things: things.to_vec(),
        calls: calls.to_vec(),
    };
    some.zip(1..).map(group).collect()
}

fn group_phase(design: &Design<'_>, group: &Group<'_>, features: &[usize]) -> Phase {
    let way = match design.choices.interface {
        Interface::Http => "over HTTP",
        Interface::Commands => "from the command line",
        Interface::Functions => "from code",
    };
    let things: Vec<String> =
        group.things.iter().map(|index| spoken(&plural(&design.entities[*index].name))).collect();
    let what = if things.is_empty() { "the rest".to_owned() } else { joined(&things) };
    let mut exit_criteria = vec![tests_pass(design), refusals()];
    exit_criteria.extend(features.iter().map(|index| shown(design.features()[*index])));
    Phase {
        title: group.title.clone(),
        objective: format!(
            "What is done with {what} works {way}, and what must be refused is refused"
        ),
        scope: scope(design),
        deliverables: group.calls.iter().copied().map(call).collect(),
        exit_criteria,
    }
}

fn screens(design: &Design<'_>, some: &[Screen]) -> Phase {
    let titles: Vec<String> = some.iter().take(3).map(|screen| line(&screen.title)).collect();
    let more = if some.len() > titles.len() { " and more" } else { "" };
    let titles = if more.is_empty() { joined(&titles) } else { titles.join(", ") };
    let by_keyboard = match design.choices.surface {
        Surface::Terminal => "Every screen fits into 80 columns",
        _ => "Every screen can be used with the keyboard alone",
    };
    Phase {
        title: format!("What people see: {titles}{more}"),
        objective: "People reach through these screens what can be called".into(),
        scope: Vec::new(),
        deliverables: some.iter().map(screen).collect(),
        exit_criteria: vec![
            tests_pass(design),
            by_keyboard.into(),
            "Every screen says in words that it has nothing to show, and what went wrong".into(),
        ],
    }
}

/// The last one: where it runs, how one starts it, and what no other phase was about.
fn ready(design: &Design<'_>, features: &[&str]) -> Phase {
    let target = SectionId::DeploymentTarget;
    let mut deliverables = vec![
        format!("{} ({})", way_to_run(&design.target()), line(&design.target())),
        format!("{}: how it is installed, started, used and backed up", code("README.md")),
    ];
    if let Some(constraints) = design.said(target, "constraints") {
        deliverables.push(format!("it gets along with what is there: {}", short(constraints, 240)));
    }
    let mut exit_criteria = vec![tests_pass(design)];
    exit_criteria.extend(features.iter().copied().map(shown));
    exit_criteria.push(match design.said(SectionId::ProductIntent, "success") {
        Some(success) => format!("It happens as its owner would try it: {}", short(success, 300)),
        None => "Somebody who follows the README alone gets it to run".into(),
    });
    Phase {
        title: "Ready for use".into(),
        objective: "It runs where it is used, and a newcomer can start it".into(),
        scope: Vec::new(),
        deliverables,
        exit_criteria,
    }
}

fn way_to_run(target: &str) -> &'static str {
    let said = words(target);
    let has = |sign: &str| said.iter().any(|word| word == sign);
    match () {
        () if has("container") || has("docker") => "an image and the command that starts it",
        () if has("serverless") || has("cloud") => "the configuration that brings it there",
        () if has("server") => "what starts it with the server and again after a crash",
        () => "a package that people install with one command",
    }
}

/// Paths that a phase of calls may change.
fn scope(design: &Design<'_>) -> Vec<String> {
    let kit = design.choices.kit;
    let source = kit.source(&design.program);
    let folder = source.split('/').next().unwrap_or(&source);
    let mut scope = vec![format!("{folder}/**")];
    let beside = [Some(kit.entry(&design.program)), kit.tests_folder.map(str::to_owned)];
    let is_beside = |path: &String| !path.starts_with(&format!("{folder}/"));
    scope.extend(beside.into_iter().flatten().filter(is_beside));
    if design.choices.has_tables() {
        scope.push("migrations/**".into());
    }
    scope.extend(kit.manifests.iter().map(|name| (*name).to_owned()));
    scope.push("README.md".into());
    scope
}

fn call(call: &Call) -> String {
    format!("{} ({}): {}", code(&call.name), code(&call.route.to_string()), short(&call.about, 140))
}

fn screen(screen: &Screen) -> String {
    let title = line(&screen.title);
    match screen.about.is_empty() {
        true => format!("the screen “{title}”"),
        false => format!("the screen “{title}”: {}", short(&screen.about, 160)),
    }
}

fn shown(feature: &str) -> String {
    format!("A test shows it: {}", short(feature, 200))
}

fn tests_pass(design: &Design<'_>) -> String {
    format!("All tests pass ({})", design.tests())
}

fn refusals() -> String {
    "What breaks a rule of the schema is refused with a reason, and a test shows it".into()
}

fn is_about(feature: &str, things: &[usize], design: &Design<'_>) -> bool {
    let thing = thing_in(&words(main_clause(feature)), &design.entities);
    thing.is_some_and(|thing| things.contains(&thing))
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().into_iter().flat_map(char::to_uppercase);
    first.chain(chars).collect()
}
