//! What the model can fetch for a contract, and how it hands its text in.

use domain::{
    contract::ContractType,
    questionnaire::{Answer, Question, SectionId, Size},
};
use llm::{ToolCall, ToolDefinition};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

use super::{material::Material, name_summary::name_summary};
use crate::tools::{
    ToolError,
    cut::{no_such_page, page},
    input,
};

/// The tool that ends a conversation.
pub(super) const SUBMIT: &str = "submit_contract";

/// The sections that are about technology.
const TECHNICAL: [SectionId; 6] = [
    SectionId::TechStack,
    SectionId::DatabaseSchema,
    SectionId::ApiEndpoints,
    SectionId::ArchitecturalBoundaries,
    SectionId::DeploymentTarget,
    SectionId::DevPlatform,
];
/// The question of the first section that is told as user stories.
const FEATURES: &str = "features";

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FromAnswers {
    /// Bytes to skip.
    #[serde(default)]
    offset: Option<usize>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TechnicalPreferences {
    /// Only these; else all.
    #[serde(default)]
    sections: Vec<Technical>,
    /// Bytes to skip.
    #[serde(default)]
    offset: Option<usize>,
}

#[derive(Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Technical {
    TechStack,
    DatabaseSchema,
    ApiEndpoints,
    ArchitecturalBoundaries,
    DeploymentTarget,
    DevPlatform,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PriorContract {
    /// One of those before this one.
    contract_type: String,
    /// Headings and names only.
    #[serde(default)]
    outline: bool,
    /// Bytes to skip.
    #[serde(default)]
    offset: Option<usize>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Submission {
    /// The whole contract, without a fence around it.
    content: String,
}

pub(super) enum CallResult {
    /// What the model requested.
    Output(String),
    /// With the reason.
    Rejected(String),
    /// The text of a contract.
    Submitted(String),
}

/// The tools as the model is told of them.
pub(super) fn definitions() -> Vec<ToolDefinition> {
    let tool = |name: &str, description: &str, input_schema| ToolDefinition {
        name: name.to_owned(),
        description: description.to_owned(),
        input_schema,
    };
    vec![
        tool(
            "get_project_intent",
            "What is to be built, for whom, what it leaves alone, and how large the project is.",
            input::schema::<FromAnswers>(),
        ),
        tool(
            "get_user_stories",
            "What its users must be able to do, and what they see.",
            input::schema::<FromAnswers>(),
        ),
        tool(
            "get_technical_preferences",
            "What was answered about technology, data, calls, layers, operation and development.",
            input::schema::<TechnicalPreferences>(),
        ),
        tool(
            "get_prior_contract",
            "A contract that is written already, whole or as its outline.",
            input::schema::<PriorContract>(),
        ),
        tool(
            SUBMIT,
            "Hands in the contract. Ends your work if it fits; else says what does not.",
            input::schema::<Submission>(),
        ),
    ]
}

/// Makes a call for the contract `kind`.
pub(super) fn call(kind: ContractType, call: &ToolCall, material: &Material) -> CallResult {
    match make(kind, call, material) {
        Ok(called) => called,
        Err(ToolError::ForModel(reason)) => CallResult::Rejected(reason),
        Err(error) => CallResult::Rejected(error.to_string()),
    }
}

fn make(kind: ContractType, call: &ToolCall, material: &Material) -> Result<CallResult, ToolError> {
    let input = call.input.clone();
    Ok(match call.name.as_str() {
        "get_project_intent" => {
            let FromAnswers { offset } = input::read(input)?;
            paged(&intent(material), offset)
        }
        "get_user_stories" => {
            let FromAnswers { offset } = input::read(input)?;
            paged(&stories(material), offset)
        }
        "get_technical_preferences" => {
            let TechnicalPreferences { sections, offset } = input::read(input)?;
            paged(&preferences(material, &sections), offset)
        }
        "get_prior_contract" => {
            let PriorContract { contract_type, outline, offset } = input::read(input)?;
            match prior(kind, &contract_type, material) {
                Ok((kind, text)) if outline => paged(&name_summary(kind, text), offset),
                Ok((_, text)) => paged(text, offset),
                Err(reason) => CallResult::Rejected(reason),
            }
        }
        SUBMIT => {
            let Submission { content } = input::read(input)?;
            CallResult::Submitted(content)
        }
        name => {
            let name: String = name.chars().take(60).collect();
            let names: Vec<_> = definitions().into_iter().map(|tool| tool.name).collect();
            CallResult::Rejected(format!(
                "There is no tool `{name}`. There are: {}.",
                names.join(", ")
            ))
        }
    })
}

fn paged(text: &str, offset: Option<usize>) -> CallResult {
    match page(text, offset.unwrap_or(0)) {
        Some(page) => CallResult::Output(page),
        None => CallResult::Rejected(no_such_page(text)),
    }
}

fn prior<'a>(
    kind: ContractType,
    name: &str,
    material: &'a Material,
) -> Result<(ContractType, &'a str), String> {
    let wanted: ContractType =
        name.parse().map_err(|error: domain::contract::UnknownContractType| error.to_string())?;
    if !kind.before().any(|before| before == wanted) {
        return Err(format!(
            "The {wanted} contract is not written before {kind}: go on without it."
        ));
    }
    let text = material.texts.get(&wanted);
    text.map(|text| (wanted, text.as_str()))
        .ok_or_else(|| format!("This project has no {wanted} contract yet: go on without it."))
}

/// All that was asked of the person, as JSON: so no answer can pass for anything else.
pub(super) fn everything(material: &Material) -> String {
    let sections = [intent(material), stories(material), preferences(material, &[])];
    sections.join("\n")
}

fn intent(material: &Material) -> String {
    let size = match material.brief.size {
        Size::Full => "usual",
        Size::Mini => "small: exactly two phases",
    };
    let questions = questions(SectionId::ProductIntent, material, |id| id != FEATURES);
    let mut told = vec![
        ("project", AnswerText::Text(material.brief.name.trim())),
        ("size", AnswerText::Text(size)),
    ];
    told.extend(questions);
    json(&told)
}

fn stories(material: &Material) -> String {
    let mut told = questions(SectionId::ProductIntent, material, |id| id == FEATURES);
    told.extend(questions(SectionId::UiRequirements, material, |_| true));
    json(&told)
}

fn preferences(material: &Material, only: &[Technical]) -> String {
    let wanted = |section: &SectionId| {
        only.is_empty() || only.iter().any(|technical| technical.section() == *section)
    };
    let sections = TECHNICAL.into_iter().filter(wanted);
    let told: Vec<_> =
        sections.flat_map(|section| questions(section, material, |_| true)).collect();
    match told.is_empty() {
        true => "Nothing was answered about this.".to_owned(),
        false => json(&told),
    }
}

impl Technical {
    fn section(self) -> SectionId {
        match self {
            Self::TechStack => SectionId::TechStack,
            Self::DatabaseSchema => SectionId::DatabaseSchema,
            Self::ApiEndpoints => SectionId::ApiEndpoints,
            Self::ArchitecturalBoundaries => SectionId::ArchitecturalBoundaries,
            Self::DeploymentTarget => SectionId::DeploymentTarget,
            Self::DevPlatform => SectionId::DevPlatform,
        }
    }
}

#[derive(Serialize)]
#[serde(untagged)]
enum AnswerText<'a> {
    Text(&'a str),
    Items(Vec<&'a str>),
}

/// The questions of a section that were asked and answered, with the answers.
fn questions(
    section: SectionId,
    material: &Material,
    which: impl Fn(&str) -> bool,
) -> Vec<(&'static str, AnswerText<'_>)> {
    let brief = &material.brief;
    if !brief.size.sections().any(|asked| asked.id == section) {
        return Vec::new();
    }
    let told = |question: &'static Question| {
        let told = match brief.answers.get(section, question.id)? {
            Answer::Text(text) => AnswerText::Text(text.trim()),
            Answer::Items(_) => AnswerText::Items(brief.items(section, question.id)),
        };
        Some((question.label, told))
    };
    section
        .section()
        .questions
        .iter()
        .filter(|question| which(question.id))
        .filter_map(told)
        .collect()
}

/// An object with its fields in this order.
fn json(fields: &[(&str, AnswerText<'_>)]) -> String {
    struct InOrder<'a>(&'a [(&'a str, AnswerText<'a>)]);
    impl Serialize for InOrder<'_> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_map(self.0.iter().map(|(label, told)| (label, told)))
        }
    }
    serde_json::to_string(&InOrder(fields)).unwrap_or_default()
}
