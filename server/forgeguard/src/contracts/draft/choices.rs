//! What is decided once for the whole project, and what follows where nobody decided.

use domain::questionnaire::SectionId;

use super::{
    kit::{Kit, tool_words},
    kits,
};
use crate::contracts::brief::Brief;

/// What people see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Surface {
    /// Only programs use it.
    Nothing,
    Pages,
    Terminal,
    Windows,
}

/// How it is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Interface {
    Http,
    Commands,
    /// Called from code, by others or by the project's own surface.
    Functions,
}

/// Where it keeps things.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Storage {
    Nothing,
    Files,
    Sqlite,
    PostgreSql,
    MySql,
    /// Named in somebody's own words.
    Other,
}

/// All of it.
#[derive(Debug)]
pub(super) struct Choices {
    pub surface: Surface,
    pub interface: Interface,
    pub storage: Storage,
    pub kit: &'static Kit,
    /// Whether people tell who they are.
    pub signs_in: bool,
}

impl Choices {
    pub fn of(brief: &Brief) -> Self {
        let surface = surface(brief);
        let interface = interface(brief, surface);
        Self {
            surface,
            interface,
            storage: storage(brief, surface, interface),
            kit: kit(brief, surface),
            signs_in: interface == Interface::Http && signs_in(brief),
        }
    }

    /// Whether tables change by migrations.
    pub fn has_tables(&self) -> bool {
        matches!(self.storage, Storage::Sqlite | Storage::PostgreSql | Storage::MySql)
    }

    /// What speaks to the storage, where something does.
    pub fn driver(&self) -> Option<&'static str> {
        match self.storage {
            Storage::Sqlite => Some(self.kit.sqlite),
            Storage::PostgreSql => Some(self.kit.postgresql),
            Storage::MySql => Some(self.kit.mysql),
            Storage::Nothing | Storage::Files | Storage::Other => None,
        }
    }
}

fn surface(brief: &Brief) -> Surface {
    let Some(kind) = brief.choice(SectionId::UiRequirements, "kind") else {
        let screens = brief.items(SectionId::UiRequirements, "screens");
        return if screens.is_empty() { Surface::Terminal } else { Surface::Pages };
    };
    match () {
        () if kind.eq_ignore_ascii_case("nothing") => Surface::Nothing,
        () if has(kind, &["terminal", "console", "command", "commands", "cli", "tui", "shell"]) => {
            Surface::Terminal
        }
        () if has(kind, &["desktop", "window", "windows", "mobile", "app", "ios", "android"]) => {
            Surface::Windows
        }
        () => Surface::Pages,
    }
}

fn interface(brief: &Brief, surface: Surface) -> Interface {
    let usual = match surface {
        Surface::Pages => Interface::Http,
        Surface::Terminal => Interface::Commands,
        Surface::Windows => Interface::Functions,
        Surface::Nothing => Interface::Http,
    };
    let Some(style) = brief.choice(SectionId::ApiEndpoints, "style") else { return usual };
    match () {
        () if style.eq_ignore_ascii_case("not at all") => match surface {
            Surface::Nothing => Interface::Functions,
            _ => usual,
        },
        () if has(style, &["http", "https", "rest", "json", "web", "openapi"]) => Interface::Http,
        () if has(style, &["command", "commands", "cli", "terminal"]) => Interface::Commands,
        () => Interface::Functions,
    }
}

fn storage(brief: &Brief, surface: Surface, interface: Interface) -> Storage {
    let Some(named) = brief.choice(SectionId::DatabaseSchema, "storage") else {
        let target = brief.choice(SectionId::DeploymentTarget, "target").unwrap_or_default();
        let is_served = interface == Interface::Http;
        return match (is_served, surface) {
            (true, _) if has(target, &["serverless"]) => Storage::PostgreSql,
            (true, _) | (false, Surface::Windows) => Storage::Sqlite,
            (false, _) => Storage::Files,
        };
    };
    match () {
        () if named.eq_ignore_ascii_case("nothing") => Storage::Nothing,
        () if has(named, &["file", "files", "json", "csv", "yaml"]) => Storage::Files,
        () if has(named, &["sqlite", "sqlite3"]) => Storage::Sqlite,
        () if has(named, &["postgresql", "postgres"]) => Storage::PostgreSql,
        () if has(named, &["mysql", "mariadb"]) => Storage::MySql,
        () => Storage::Other,
    }
}

/// The language that was chosen, else the one that commands and frameworks give away.
fn kit(brief: &Brief, surface: Surface) -> &'static Kit {
    if let Some(language) = brief.choice(SectionId::TechStack, "language") {
        return kits::of_language(language);
    }
    let dev = |question| brief.text(SectionId::DevPlatform, question).unwrap_or_default();
    let frameworks = brief.items(SectionId::TechStack, "frameworks").join(" ");
    let prose = [
        brief.text(SectionId::ProductIntent, "summary").unwrap_or_default(),
        brief.choice(SectionId::UiRequirements, "kind").unwrap_or_default(),
    ];
    kits::of_command(dev("test_command"))
        .or_else(|| kits::named_in(&frameworks))
        .or_else(|| kits::named_in(dev("habits")))
        .or_else(|| kits::spoken_of(&prose.join(" ")))
        .unwrap_or(match surface {
            Surface::Pages => &kits::TYPESCRIPT,
            _ => &kits::PYTHON,
        })
}

fn signs_in(brief: &Brief) -> bool {
    const SIGNS: [&str; 12] = [
        "sign in",
        "signs in",
        "signed in",
        "signing in",
        "sign-in",
        "log in",
        "logs in",
        "logged in",
        "login",
        "password",
        "passwords",
        "accounts",
    ];
    let access = brief.text(SectionId::ApiEndpoints, "access").into_iter();
    let features = brief.items(SectionId::ProductIntent, "features");
    let screens = brief.items(SectionId::UiRequirements, "screens");
    let said = access.chain(features).chain(screens).map(str::to_lowercase);
    said.collect::<Vec<_>>().iter().flat_map(|said| said.split(['.', ',', ';', '\n'])).any(
        |clause| {
            let denies = has(clause, &["no", "not", "nobody", "none", "never", "without"]);
            !denies && SIGNS.iter().any(|sign| clause.contains(sign))
        },
    )
}

fn has(text: &str, any_of: &[&str]) -> bool {
    tool_words(text).iter().any(|word| any_of.contains(&word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::questionnaire::Size;
    use serde_json::{Value, json};

    fn choices(answers: Value) -> Choices {
        let answers = serde_json::from_value(answers).unwrap();
        Choices::of(&Brief { name: "Shop".into(), size: Size::Full, answers })
    }

    #[test]
    fn what_nobody_decided_follows_from_what_people_see() {
        let surfaces = |kind: &str| {
            let choices = choices(json!({"ui_requirements": {"kind": kind}}));
            (choices.surface, choices.interface, choices.storage, choices.kit.test_command)
        };
        for (kind, expected) in [
            ("A web page", (Surface::Pages, Interface::Http, Storage::Sqlite, "npm test")),
            ("A terminal", (Surface::Terminal, Interface::Commands, Storage::Files, "pytest")),
            (
                "A desktop window",
                (Surface::Windows, Interface::Functions, Storage::Sqlite, "pytest"),
            ),
            ("Nothing", (Surface::Nothing, Interface::Http, Storage::Sqlite, "pytest")),
            ("No preference", (Surface::Terminal, Interface::Commands, Storage::Files, "pytest")),
        ] {
            assert_eq!(surfaces(kind), expected, "{kind}");
        }
    }

    #[test]
    fn what_was_decided_holds() {
        let decided = choices(json!({
            "tech_stack": {"language": "Go"},
            "database_schema": {"storage": "a MariaDB that is there already"},
            "api_endpoints": {"style": "Not at all", "access": "Members who signed in"},
            "ui_requirements": {"kind": "A web page"},
            "dev_platform": {"test_command": "pytest"},
        }));
        assert_eq!((decided.storage, decided.interface), (Storage::MySql, Interface::Http));
        assert_eq!((decided.kit.test_command, decided.signs_in), ("go test ./...", true));
        let denied =
            json!({"api_endpoints": {"access": "Everybody; nobody signs in, no accounts."}});
        assert!(!choices(denied).signs_in);
        let inferred = choices(json!({"dev_platform": {"test_command": "cargo test --all"}}));
        assert_eq!(inferred.kit.manifests[0], "Cargo.toml");
    }
}
