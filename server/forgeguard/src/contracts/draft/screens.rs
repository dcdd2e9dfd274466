//! What people see: the screens that somebody listed, else those that the things need.

use std::collections::BTreeSet;

use domain::questionnaire::SectionId;

use super::{
    calls::Call,
    choices::{Choices, Interface, Surface},
    deeds::{Reach, deed_of},
    entities::{Entity, split},
    names::{plural, spoken},
    quote::plain,
};
use crate::contracts::{brief::Brief, words::words};

/// Characters of a screen's title.
const MOST_TITLE: usize = 60;
/// Things that get screens of their own where nobody listed any.
const MOST_THINGS: usize = 6;

/// One screen; its texts are single lines without marks.
#[derive(Debug)]
pub(super) struct Screen {
    pub title: String,
    pub about: String,
    /// Which of the calls it makes.
    pub calls: Vec<usize>,
}

/// All screens; none where nothing is seen, or where all that is seen are replies to commands.
pub(super) fn screens(
    brief: &Brief,
    choices: &Choices,
    entities: &[Entity],
    calls: &[Call],
) -> Vec<Screen> {
    let listed = brief.items(SectionId::UiRequirements, "screens");
    let commands = choices.interface == Interface::Commands && choices.surface == Surface::Terminal;
    let are_calls = brief.items(SectionId::ApiEndpoints, "calls").is_empty();
    if choices.surface == Surface::Nothing || (commands && (are_calls || listed.is_empty())) {
        return Vec::new();
    }
    let mut screens: Vec<Screen> = Vec::new();
    for item in listed {
        let (title, about) = split(item);
        let title = plain(title, MOST_TITLE);
        // Of a long title nothing is lost: all of it is told below.
        let about = if title.ends_with('…') { item } else { about };
        let same = screens.iter_mut().find(|screen| screen.title.eq_ignore_ascii_case(&title));
        match same {
            Some(same) => same.about = format!("{} {}", same.about, plain(about, 500)),
            None if title.is_empty() => {}
            None => screens.push(Screen { title, about: plain(about, 500), calls: Vec::new() }),
        }
    }
    if screens.is_empty() {
        let things = entities.iter().filter(|entity| !entity.is_person).take(MOST_THINGS);
        screens.extend(things.flat_map(usual));
    }
    let signs = |screen: &Screen| {
        let title = screen.title.to_lowercase();
        ["sign in", "log in", "login", "sign-in"].iter().any(|sign| title.contains(sign))
    };
    if choices.signs_in && !screens.iter().any(signs) {
        let about = "address and password, one button; what is wrong stands beside it".to_owned();
        screens.insert(0, Screen { title: "Sign in".to_owned(), about, calls: Vec::new() });
    }
    link(&mut screens, entities, calls, signs);
    screens
}

fn usual(entity: &Entity) -> [Screen; 2] {
    let shown = entity.fields.iter().filter(|field| field.is_given()).take(4);
    let shown: Vec<String> =
        shown.map(|field| spoken(field.name.trim_end_matches("_id"))).collect();
    let (one, many) = (spoken(&entity.name), spoken(&plural(&entity.name)));
    [
        Screen {
            title: format!("All {many}"),
            about: format!("every {one} with {}; a line to add one", shown.join(", ")),
            calls: Vec::new(),
        },
        Screen {
            title: format!("One {one}"),
            about: format!("all that is known about a {one}, to open, to change and to remove"),
            calls: Vec::new(),
        },
    ]
}

/// What a screen speaks of.
struct Told {
    signs_in: bool,
    words: BTreeSet<String>,
    deeds: Vec<&'static str>,
}

/// Gives every call the screens that speak of its thing, best those that speak of its deed too.
fn link(
    screens: &mut [Screen],
    entities: &[Entity],
    calls: &[Call],
    signs: impl Fn(&Screen) -> bool,
) {
    let told = |screen: &Screen| {
        let words = words(&format!("{} {}", screen.title, screen.about));
        let deeds = words.iter().filter_map(|word| deed_of(word)).map(|deed| deed.name).collect();
        Told { signs_in: signs(screen), words: words.into_iter().collect(), deeds }
    };
    let told: Vec<Told> = screens.iter().map(told).collect();
    let things: Vec<Vec<String>> = entities.iter().map(|entity| words(&entity.name)).collect();
    let first = told.iter().position(|screen| !screen.signs_in).unwrap_or(0);
    for (number, call) in calls.iter().enumerate() {
        if call.is_session {
            let is_in = call.name == "sign_in";
            let at = told.iter().position(|screen| screen.signs_in == is_in);
            screens[at.unwrap_or(first)].calls.push(number);
            continue;
        }
        let thing = call.entity.map(|index| &things[index]);
        let speaks = |screen: &Told| {
            !screen.signs_in
                && thing.is_some_and(|thing| thing.iter().all(|word| screen.words.contains(word)))
        };
        let fitting: Vec<usize> = (0..told.len()).filter(|at| speaks(&told[*at])).collect();
        let does = |at: &usize| call.deed.is_some_and(|deed| told[*at].deeds.contains(&deed.name));
        let doing: Vec<usize> = fitting.iter().copied().filter(does).collect();
        let is_list = call.deed.is_some_and(|deed| deed.reach == Reach::Many);
        let chosen = match (doing.is_empty(), fitting.first()) {
            (false, _) => doing,
            (true, Some(_)) if is_list => fitting,
            (true, Some(at)) => vec![*at],
            // Who the others are is often seen to elsewhere.
            (true, None) if call.entity.is_some_and(|index| entities[index].is_person) => vec![],
            (true, None) => vec![first],
        };
        for at in chosen {
            screens[at].calls.push(number);
        }
    }
}
