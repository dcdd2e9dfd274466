//! What can be called: as somebody listed it, and what people do with the things beside that.

use std::collections::BTreeSet;

use domain::questionnaire::SectionId;

use super::{
    choices::{Choices, Interface, Surface},
    deeds::{Deed, Reach, by_name, deed_of},
    entities::{Entity, main_clause, split, thing_in},
    fields::DONE_AT,
    names::{name, plain_words, plural, spoken, unique},
    quote::plain,
    routes::{self, Route},
};
use crate::contracts::{brief::Brief, words::words};

/// Calls that a draft has at most beside the listed ones.
const MOST_INFERRED: usize = 120;
/// Characters of what is said about a call.
const MOST_ABOUT: usize = 160;

const SESSION: [(&str, &str); 2] =
    [("sign_in", "Say who one is and begin a session"), ("sign_out", "End one's session")];

/// One call.
#[derive(Debug)]
pub(super) struct Call {
    /// Unique: `finish_task`.
    pub name: String,
    /// What it is for, as one line without marks.
    pub about: String,
    pub deed: Option<&'static Deed>,
    /// Which of the things it is about.
    pub entity: Option<usize>,
    pub route: Route,
    /// Telling who one is, or that one leaves.
    pub is_session: bool,
}

/// A call before it has a route of its own.
struct Wish {
    name: String,
    about: String,
    deed: Option<&'static Deed>,
    entity: Option<usize>,
    /// As it was written down, where that can be kept.
    route: Option<Route>,
    is_session: bool,
}

/// All calls, those that somebody listed first; at least one.
pub(super) fn calls(
    brief: &Brief,
    choices: &Choices,
    entities: &[Entity],
    program: &str,
) -> Vec<Call> {
    let mut wishes = listed(brief, choices, entities, program);
    let were_listed = !wishes.is_empty();
    if choices.signs_in {
        add_session(&mut wishes, entities);
    }
    let from_features = done_by_people(brief, entities);
    let usual = entities.iter().enumerate().flat_map(|(index, entity)| {
        let names: &[&str] = match (were_listed, entity.is_person) {
            (_, true) => &["create", "list"],
            (true, false) => &["list", "create"],
            (false, false) => &["list", "create", "get", "update", "delete"],
        };
        let ends = entity.fields.iter().any(|field| field.name == DONE_AT).then_some("finish");
        let usual = move |name| by_name(name).map(|deed| (deed, index, None));
        names.iter().copied().chain(ends).filter_map(usual)
    });
    for (deed, index, said) in from_features.into_iter().chain(usual).take(MOST_INFERRED) {
        let same = |wish: &Wish| {
            wish.entity == Some(index) && wish.deed.is_some_and(|known| known.name == deed.name)
        };
        if !wishes.iter().any(same) {
            wishes.push(about(deed, index, &entities[index], said));
        }
    }
    give_routes(wishes, choices.interface, entities, program)
}

/// Those that somebody wrote down; the commands of a terminal count as calls.
fn listed(brief: &Brief, choices: &Choices, entities: &[Entity], program: &str) -> Vec<Wish> {
    let mut lines = brief.items(SectionId::ApiEndpoints, "calls");
    let are_commands = choices.interface == Interface::Commands;
    if lines.is_empty() && are_commands && choices.surface == Surface::Terminal {
        lines = brief.items(SectionId::UiRequirements, "screens");
    }
    let wish = |line: &str| {
        if let Some((route, name)) = routes::written(line, choices.interface, program) {
            return written(line, route, name, entities);
        }
        let (title, _) = if are_commands { split(line) } else { (line, "") };
        wish_of(line, name_of(title), entities)
    };
    lines.into_iter().map(wish).collect()
}

/// A call whose route stands in the answer; what is not said beside it follows from the route.
fn written(line: &str, route: Route, name: String, entities: &[Entity]) -> Wish {
    let said = routes::after_route(line);
    let wish = wish_of(said, name, entities);
    let session = route.session().filter(|_| !wish.is_session);
    let deed = route.deed().or(wish.deed);
    let entity = wish.entity.or_else(|| thing_in(&words(&route.to_string()), entities));
    let about = match (session, deed, entity) {
        _ if said != line => wish.about,
        (Some(session), ..) => told_of(session).to_owned(),
        (None, Some(deed), Some(index)) => usual_about(deed, &entities[index]),
        _ => wish.about,
    };
    Wish {
        name: session.map_or(wish.name, str::to_owned),
        about,
        deed: deed.filter(|_| session.is_none()),
        entity,
        route: Some(route),
        is_session: session.is_some() || wish.is_session,
    }
}

fn told_of(session: &str) -> &'static str {
    SESSION.iter().find(|(name, _)| *name == session).map_or("", |(_, about)| about)
}

fn wish_of(line: &str, name: String, entities: &[Entity]) -> Wish {
    let said = main_clause(line);
    let lower = said.to_lowercase();
    let session = [
        ("sign_in", ["sign in", "log in", "login"]),
        ("sign_out", ["sign out", "log out", "logout"]),
    ];
    let session = session.iter().find(|(_, signs)| signs.iter().any(|sign| lower.contains(sign)));
    // The name tells the deed best: `add NAME: a new batch that can be found`.
    let deed = words(&name).iter().chain(&words(said)).find_map(|word| deed_of(word));
    let mut others = (0..entities.len()).filter(|index| !entities[*index].is_person);
    let only = others.next().filter(|_| others.next().is_none() && deed.is_some());
    Wish {
        name: session.map_or(name, |(name, _)| (*name).to_owned()),
        about: plain(line, MOST_ABOUT),
        deed: deed.filter(|_| session.is_none()),
        entity: thing_in(&words(said), entities).or(only),
        route: None,
        is_session: session.is_some(),
    }
}

/// The first words that say something, joined.
fn name_of(line: &str) -> String {
    const LEFT_OUT: [&str; 40] = [
        "a", "an", "the", "all", "any", "that", "this", "which", "who", "what", "is", "are", "be",
        "was", "of", "for", "to", "by", "with", "and", "or", "in", "on", "at", "from", "into",
        "its", "their", "it", "they", "them", "his", "her", "my", "your", "our", "one", "some",
        "off", "can",
    ];
    let mut words = plain_words(main_clause(line));
    words.retain(|word| !LEFT_OUT.contains(&word.as_str()));
    words.truncate(4);
    let named = name(&words);
    if named.is_empty() { "call".to_owned() } else { named }
}

fn add_session(wishes: &mut Vec<Wish>, entities: &[Entity]) {
    let person = entities.iter().position(|entity| entity.is_person);
    let mut at = 0;
    for (name, about) in SESSION {
        let known = wishes.iter().position(|wish| wish.name == name);
        if known.is_none() {
            let (name, about) = (name.to_owned(), about.to_owned());
            let wish =
                Wish { name, about, deed: None, entity: None, route: None, is_session: true };
            wishes.insert(at, wish);
        }
        at = known.unwrap_or(at) + 1;
        wishes[at - 1].entity = person;
    }
}

type Done<'a> = (&'static Deed, usize, Option<&'a str>);

/// What features say is done, and with what.
fn done_by_people<'a>(brief: &'a Brief, entities: &[Entity]) -> Vec<Done<'a>> {
    let mut done = Vec::new();
    for feature in brief.items(SectionId::ProductIntent, "features") {
        let said = words(main_clause(feature));
        for (at, word) in said.iter().enumerate() {
            let Some(deed) = deed_of(word) else { continue };
            let is_thing = entities.iter().any(|entity| words(&entity.name).contains(word));
            let after = thing_in(&said[at + 1..], entities);
            let thing = after.or_else(|| thing_in(&said[..at], entities));
            let only = (entities.len() == 1).then_some(0);
            if let Some(index) = thing.or(only).filter(|_| !is_thing) {
                done.push((deed, index, Some(feature)));
            }
        }
    }
    done
}

fn about(deed: &'static Deed, index: usize, entity: &Entity, said: Option<&str>) -> Wish {
    let usual = || usual_about(deed, entity);
    Wish {
        name: format!("{}_{}", deed.name, thing(deed, entity)),
        about: said.map_or_else(usual, |said| plain(said, MOST_ABOUT)),
        deed: Some(deed),
        entity: Some(index),
        route: None,
        is_session: false,
    }
}

fn thing(deed: &Deed, entity: &Entity) -> String {
    let many = deed.reach == Reach::Many || deed.name == "import";
    if many { plural(&entity.name) } else { entity.name.clone() }
}

fn usual_about(deed: &Deed, entity: &Entity) -> String {
    let thing = spoken(&thing(deed, entity));
    match deed.name {
        "list" => format!("List all {thing}"),
        "create" => format!("Make a new {thing}"),
        "get" => format!("Show one {thing} with all that is known about it"),
        "update" => format!("Change what is known about a {thing}"),
        "delete" => format!("Take a {thing} away for good"),
        name => format!("{} {thing}", capital(name)),
    }
}

fn capital(word: &str) -> String {
    let (first, rest) = word.split_at(1.min(word.len()));
    first.to_uppercase() + rest
}

fn give_routes(
    wishes: Vec<Wish>,
    interface: Interface,
    entities: &[Entity],
    program: &str,
) -> Vec<Call> {
    let mut names = BTreeSet::new();
    let mut taken = BTreeSet::new();
    let call = |wish: Wish| {
        let name = unique(&wish.name, &mut names);
        let entity = wish.entity.map(|index| &entities[index]);
        let route = wish.route.filter(|route| taken.insert(route.to_string()));
        let route = route.unwrap_or_else(|| {
            let made = match wish.is_session && interface == Interface::Http {
                true => routes::session(&name),
                false => routes::route(interface, program, &name, wish.deed, entity),
            };
            made.free(&mut taken)
        });
        Call {
            name,
            about: wish.about,
            deed: wish.deed,
            entity: wish.entity,
            route,
            is_session: wish.is_session,
        }
    };
    wishes.into_iter().map(call).collect()
}
