//! How a call is reached: by method and path, by a command, or by a function.

use std::{collections::BTreeSet, fmt};

use super::{
    choices::Interface,
    deeds::{Deed, Reach, by_name, deed_of},
    entities::Entity,
    fields::{Field, FieldType},
    names::{hyphened, name, plain_words, plural},
};
use crate::contracts::words::words;

/// Options of a command that are shown.
const MOST_OPTIONS: usize = 8;
/// Characters of a path or command that is taken as it was written.
const MOST_WRITTEN: usize = 120;

/// One way to call something.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Route {
    Http { method: &'static str, path: String },
    Call(String),
}

impl fmt::Display for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Http { method, path } => write!(f, "{method} {path}"),
            Self::Call(call) => f.write_str(call),
        }
    }
}

impl Route {
    /// Whether it is where sessions begin or end, and what that call is named.
    pub fn session(&self) -> Option<&'static str> {
        let Self::Http { method, path } = self else { return None };
        let last = path.rsplit('/').next().unwrap_or_default();
        match (*method, last) {
            ("POST", "session" | "sessions" | "login" | "sign-in") => Some("sign_in"),
            ("DELETE", "session") | ("POST", "logout" | "sign-out") => Some("sign_out"),
            _ => None,
        }
    }

    /// What is done, as far as a path tells it by itself.
    pub fn deed(&self) -> Option<&'static Deed> {
        let Self::Http { method, path } = self else { return None };
        let last = path.rsplit('/').next().unwrap_or_default();
        let is_one = last.starts_with('{');
        let usual = match (*method, is_one) {
            ("GET", false) => "list",
            ("GET", true) => "get",
            ("POST", false) => "create",
            ("PUT" | "PATCH", _) => "update",
            ("DELETE", _) => "delete",
            _ => return None,
        };
        let said = deed_of(last).filter(|deed| deed.reach == Reach::Act && *method == "POST");
        said.or_else(|| by_name(usual))
    }

    /// This route, or one beside it where it is taken.
    pub fn free(self, taken: &mut BTreeSet<String>) -> Self {
        let mut number = 1;
        let mut free = self.clone();
        while !taken.insert(free.to_string()) {
            number += 1;
            free = match &self {
                Self::Http { method, path } => {
                    Self::Http { method, path: format!("{path}/{number}") }
                }
                Self::Call(call) => Self::Call(format!("{call} {number}")),
            };
        }
        free
    }
}

/// Where sessions begin and end.
pub(super) fn session(name: &str) -> Route {
    let method = if name.starts_with("sign_out") { "DELETE" } else { "POST" };
    Route::Http { method, path: "/session".to_owned() }
}

/// A route for a call of this name.
pub(super) fn route(
    interface: Interface,
    program: &str,
    name: &str,
    deed: Option<&Deed>,
    entity: Option<&Entity>,
) -> Route {
    match interface {
        Interface::Http => http(name, deed, entity),
        Interface::Commands => command(program, name, deed, entity),
        Interface::Functions => function(name, deed, entity),
    }
}

fn http(name: &str, deed: Option<&Deed>, entity: Option<&Entity>) -> Route {
    let Some(entity) = entity else {
        let reads = deed.is_some_and(|deed| matches!(deed.reach, Reach::Many | Reach::One));
        let method = if reads { "GET" } else { "POST" };
        return Route::Http { method, path: format!("/{}", hyphened(name)) };
    };
    let all = format!("/{}", hyphened(&plural(&entity.name)));
    let one = format!("{all}/{{{}}}", entity.name);
    let rest = beyond(name, deed, entity);
    let (method, path) = match deed.map(|deed| (deed.reach, deed.name)) {
        Some((Reach::Many, "list")) => ("GET", join(&all, &rest)),
        Some((Reach::Many, deed)) => ("GET", join(&join(&all, deed), &rest)),
        Some((Reach::One, _)) => ("GET", join(&one, &rest)),
        Some((Reach::New, "create")) => ("POST", join(&all, &rest)),
        Some((Reach::New, deed)) => ("POST", join(&join(&all, deed), &rest)),
        Some((Reach::Change, _)) => ("PATCH", join(&one, &rest)),
        Some((Reach::Gone, _)) => ("DELETE", join(&one, &rest)),
        Some((Reach::Act, deed)) => ("POST", join(&join(&one, deed), &rest)),
        None => ("POST", join(&all, if rest.is_empty() { "run" } else { &rest })),
    };
    Route::Http { method, path }
}

/// What a name says beyond deed and thing, as part of a path.
fn beyond(name: &str, deed: Option<&Deed>, entity: &Entity) -> String {
    let things = words(&entity.name);
    let mut said = name.split('_').filter(|word| {
        let word = words(word).pop().unwrap_or_default();
        let is_deed =
            deed.is_some_and(|deed| deed_of(&word).is_some_and(|known| known.name == deed.name));
        !is_deed && !things.contains(&word)
    });
    let first = said.next().unwrap_or_default().to_owned();
    said.fold(first, |path, word| path + "-" + word)
}

fn join(path: &str, rest: &str) -> String {
    if rest.is_empty() { path.to_owned() } else { format!("{path}/{rest}") }
}

fn command(program: &str, name: &str, deed: Option<&Deed>, entity: Option<&Entity>) -> Route {
    let mut call = format!("{program} {}", hyphened(name));
    let options = |fields: &[&Field]| {
        let option = |field: &&Field| {
            let value = field.name.trim_end_matches("_id").to_uppercase();
            format!(" [--{} {value}]", hyphened(field.name.trim_end_matches("_id")))
        };
        fields.iter().take(MOST_OPTIONS).map(option).collect::<String>()
    };
    if let (Some(deed), Some(entity)) = (deed, entity) {
        let fields = given(entity);
        match deed.reach {
            Reach::Many => {}
            Reach::New if deed.name == "import" => call += " FILE",
            Reach::New => {
                let first = fields.first().map(|field| field.name.to_uppercase());
                call += &format!(" {}", first.unwrap_or_else(|| entity.name.to_uppercase()));
                call += &options(fields.get(1..).unwrap_or_default());
            }
            Reach::Change => {
                call += &format!(" {}{}", entity.name.to_uppercase(), options(&fields))
            }
            Reach::One | Reach::Gone | Reach::Act => {
                call += &format!(" {}", entity.name.to_uppercase())
            }
        }
    }
    Route::Call(call)
}

fn function(name: &str, deed: Option<&Deed>, entity: Option<&Entity>) -> Route {
    let mut takes: Vec<String> = Vec::new();
    if let (Some(deed), Some(entity)) = (deed, entity) {
        let id = format!("{}_id", entity.name);
        let fields = given(entity).into_iter().map(|field| field.name.clone());
        match deed.reach {
            Reach::Many => {}
            Reach::New if deed.name == "import" => takes.push("file".into()),
            Reach::New => takes.extend(fields),
            Reach::Change => takes.extend(std::iter::once(id).chain(fields)),
            Reach::One | Reach::Gone | Reach::Act => takes.push(id),
        }
    }
    Route::Call(format!("{name}({})", takes.join(", ")))
}

/// Fields that a caller gives when a thing is made.
pub(super) fn given(entity: &Entity) -> Vec<&Field> {
    let kept = |field: &&Field| field.is_given() && field.holds != FieldType::Secret;
    entity.fields.iter().filter(kept).collect()
}

/// A route that stands in the answer itself, such as `GET /tasks` or `shop list`, and a name for it.
pub(super) fn written(line: &str, interface: Interface, program: &str) -> Option<(Route, String)> {
    let said = route_in(line);
    if said.chars().count() > MOST_WRITTEN {
        return None;
    }
    match interface {
        Interface::Http => {
            let (method, path) = said.split_once(' ')?;
            let methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];
            let method = methods.into_iter().find(|known| *known == method)?;
            let path = path.trim();
            let is_plain = |c: char| c.is_alphanumeric() || "/-_{}.".contains(c);
            let fits = path.starts_with('/') && path.chars().all(is_plain);
            let words: Vec<String> =
                plain_words(&said.to_lowercase()).into_iter().take(5).collect();
            fits.then(|| (Route::Http { method, path: path.to_owned() }, name(&words)))
        }
        Interface::Commands => {
            let rest = said
                .strip_prefix(program)
                .filter(|rest| rest.starts_with(' '))
                .map_or(said, str::trim);
            let first = rest.split(' ').next()?;
            let is_word =
                !first.is_empty() && first.chars().all(|c| c.is_ascii_lowercase() || c == '-');
            let is_plain = |c: char| c.is_ascii_alphanumeric() || " -_[]<>|=.".contains(c);
            let is_usage = rest == first
                || rest[first.len()..]
                    .contains(|c: char| c.is_ascii_uppercase() || "<[-".contains(c));
            let fits = is_word && is_usage && rest.chars().all(is_plain) && !first.starts_with('-');
            fits.then(|| (Route::Call(format!("{program} {rest}")), name(&plain_words(first))))
        }
        Interface::Functions => None,
    }
}

/// The part of a line that can be a route: what stands before its explanation.
fn route_in(line: &str) -> &str {
    let line = line.trim().trim_matches('`');
    let ends = [": ", " — ", " – ", " - ", "`"];
    let end = ends.iter().filter_map(|mark| line.find(mark)).min().unwrap_or(line.len());
    line[..end].trim()
}

/// What is said beside a written route, or the line itself where nothing is.
pub(super) fn after_route(line: &str) -> &str {
    let bare = line.trim().trim_matches('`');
    let rest = bare[route_in(line).len()..].trim_start_matches(['`', ':', '-', '—', '–', ' ']);
    if rest.is_empty() { line } else { rest }
}
