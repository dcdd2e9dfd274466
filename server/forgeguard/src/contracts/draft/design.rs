//! A project as the answers describe it, with everything decided that they leave open. All nine
//! contracts are written from this, so that they agree.

use domain::questionnaire::SectionId;

use super::{
    calls::{Call, calls},
    choices::{Choices, Interface},
    entities::{Entity, entities},
    layers::{Layer, layers},
    names::{hyphened, name, plain_words},
    quote::{code, plain},
    screens::{Screen, screens},
};
use crate::contracts::brief::Brief;

/// All that the contracts are about.
#[derive(Debug)]
pub(super) struct Design<'a> {
    pub brief: &'a Brief,
    /// The product's name as one line without marks.
    pub title: String,
    /// Its name in code: of its package and of its command.
    pub program: String,
    pub choices: Choices,
    pub entities: Vec<Entity>,
    pub calls: Vec<Call>,
    pub screens: Vec<Screen>,
    pub layers: Vec<Layer>,
}

impl<'a> Design<'a> {
    pub fn of(brief: &'a Brief) -> Self {
        let program = program(&brief.name);
        let choices = Choices::of(brief);
        let entities = entities(brief, choices.signs_in);
        let command = hyphened(&program);
        let calls = calls(brief, &choices, &entities, &command);
        let screens = screens(brief, &choices, &entities, &calls);
        let layers = layers(brief, &choices, &entities, &program);
        let title = plain(&brief.name, 80);
        let title = if title.is_empty() { "The product".to_owned() } else { title };
        Self { brief, title, program, choices, entities, calls, screens, layers }
    }

    /// A text that was answered.
    pub fn said(&self, section: SectionId, question: &str) -> Option<&'a str> {
        self.brief.text(section, question)
    }

    /// What people must be able to do.
    pub fn features(&self) -> Vec<&'a str> {
        self.brief.items(SectionId::ProductIntent, "features")
    }

    /// Runs the tests; one line.
    pub fn test_command(&self) -> String {
        let said = self.said(SectionId::DevPlatform, "test_command");
        let said = plain(said.unwrap_or_default(), 300);
        if said.is_empty() { self.choices.kit.test_command.to_owned() } else { said }
    }

    /// The same, as Markdown.
    pub fn tests(&self) -> String {
        code(&self.test_command())
    }

    /// Where it runs.
    pub fn target(&self) -> String {
        let usual = match self.choices.interface {
            Interface::Http => "A container",
            Interface::Commands | Interface::Functions => "On people's own machines",
        };
        let said = self.brief.choice(SectionId::DeploymentTarget, "target");
        said.map_or_else(|| usual.to_owned(), |said| plain(said, 200))
    }

    /// Parts in the order of building, as code in a sentence.
    pub fn layer_names(&self) -> Vec<String> {
        self.layers.iter().map(|layer| code(&layer.name)).collect()
    }
}

/// A name that every language takes for a package.
fn program(title: &str) -> String {
    const TAKEN: [&str; 6] = ["test", "tests", "src", "docs", "migrations", "main"];
    let words: Vec<String> = plain_words(title).into_iter().take(3).collect();
    let named = name(&words);
    let begins_well = named.starts_with(char::is_alphabetic);
    match named {
        _ if named.is_empty() => "app".to_owned(),
        _ if TAKEN.contains(&named.as_str()) || !begins_well => format!("app_{named}"),
        _ => named,
    }
}
