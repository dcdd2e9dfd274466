//! The tools for fetching inputs and submitting a contract.

use domain::{
    contract::ContractType,
    questionnaire::{Answer, Question, SectionId, Size},
};
use llm::{ToolCall, ToolDefinition};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use super::{material::Material, name_summary::name_summary, revision};
use crate::text::{no_such_page, page};
use crate::tools::{ToolError, input};

/// The tool that submits a contract.
pub(super) const SUBMIT: &str = "submit_contract";
/// The tool that corrects the last submission.
pub(super) const EDIT: &str = "edit_submission";
/// The tool that returns what is to be revised.
pub(super) const REVISION: &str = "get_current_contract";

/// The sections that are about technology.
const TECHNICAL: [SectionId; 6] = [
    SectionId::TechStack,
    SectionId::DatabaseSchema,
    SectionId::ApiEndpoints,
    SectionId::ArchitecturalBoundaries,
    SectionId::DeploymentTarget,
    SectionId::DevPlatform,
];
/// Answers that limit every decision.
const LIMITS: [(SectionId, &str); 4] = [
    (SectionId::DatabaseSchema, "rules"),
    (SectionId::ArchitecturalBoundaries, "rules"),
    (SectionId::ArchitecturalBoundaries, "qualities"),
    (SectionId::DeploymentTarget, "constraints"),
];
/// The question whose answer is returned as user stories.
const FEATURES: &str = "features";

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FromAnswers {
    #[serde(default)]
    offset: Option<usize>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TechnicalPreferences {
    /// All if empty.
    #[serde(default)]
    sections: Vec<Technical>,
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
    contract_type: String,
    /// Headings and names only.
    #[serde(default)]
    outline: bool,
    #[serde(default)]
    offset: Option<usize>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Submission {
    /// Without a fence around it.
    content: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Edit {
    /// Occurs once in your last submission.
    old: String,
    new: String,
}

pub(super) enum CallResult {
    /// What the model requested.
    Output(String),
    /// With the reason.
    Rejected(String),
    Submitted(Submitted),
}

/// What a call submits.
pub(super) enum Submitted {
    /// The text of a contract.
    Whole(String),
    /// A correction of the last submission.
    Edit { old: String, new: String },
}

/// The tools for a contract: one that exists already can be fetched, and a submission corrected.
pub(super) fn definitions(is_revision: bool, has_submission: bool) -> Vec<ToolDefinition> {
    let tool = |name: &str, description: &str, input_schema: Value| ToolDefinition {
        name: name.to_owned(),
        description: description.to_owned(),
        input_schema: input_schema.into(),
    };
    let mut tools = vec![
        tool(
            "get_project_intent",
            "What is to be built, for whom, and within which limits.",
            input::schema::<FromAnswers>(),
        ),
        tool(
            "get_user_stories",
            "What users must be able to do and see.",
            input::schema::<FromAnswers>(),
        ),
        tool(
            "get_technical_preferences",
            "Answers about technology, data, API and operation.",
            input::schema::<TechnicalPreferences>(),
        ),
        tool(
            "get_prior_contract",
            "An existing contract, whole or as its outline.",
            input::schema::<PriorContract>(),
        ),
        tool(
            SUBMIT,
            "Submits the contract. If it is invalid, returns the reason.",
            input::schema::<Submission>(),
        ),
    ];
    if has_submission {
        tools.push(tool(
            EDIT,
            "Replaces one piece of your last submission and submits the result.",
            input::schema::<Edit>(),
        ));
    }
    if is_revision {
        tools.push(tool(
            REVISION,
            "The contract that you revise: the requested change, findings, and the current text.",
            input::schema::<FromAnswers>(),
        ));
    }
    tools
}

/// Makes a call for the contract `kind`.
pub(super) fn call(kind: ContractType, call: &ToolCall, material: &Material) -> CallResult {
    match make(kind, call, material) {
        Ok(called) => called,
        Err(ToolError::ForModel(reason)) => CallResult::Rejected(reason),
        Err(error) => CallResult::Rejected(error.to_string()),
    }
}

/// What a call submits; `None` for other calls and invalid input.
pub(super) fn submitted(call: &ToolCall) -> Option<Submitted> {
    match call.name.as_str() {
        SUBMIT => whole(call.input.clone()).ok(),
        EDIT => edit(call.input.clone()).ok(),
        _ => None,
    }
}

fn whole(input: Value) -> Result<Submitted, ToolError> {
    let Submission { content } = input::read(input)?;
    Ok(Submitted::Whole(content))
}

fn edit(input: Value) -> Result<Submitted, ToolError> {
    let Edit { old, new } = input::read(input)?;
    Ok(Submitted::Edit { old, new })
}

fn make(kind: ContractType, call: &ToolCall, material: &Material) -> Result<CallResult, ToolError> {
    let input = call.input.clone();
    Ok(match call.name.as_str() {
        "get_project_intent" => {
            let FromAnswers { offset } = input::read(input)?;
            paged(&intent_for(kind, material), offset)
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
        SUBMIT => CallResult::Submitted(whole(input)?),
        EDIT => CallResult::Submitted(edit(input)?),
        REVISION if material.is_revision(kind) => {
            let FromAnswers { offset } = input::read(input)?;
            paged(&revision::summary(kind, material), offset)
        }
        name => {
            let name: String = name.chars().take(60).collect();
            let tools = definitions(material.is_revision(kind), true);
            let names: Vec<_> = tools.into_iter().map(|tool| tool.name).collect();
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
            "The {wanted} contract is not written before {kind}: continue without it."
        ));
    }
    let text = material.texts.get(&wanted);
    text.map(|text| (wanted, text.as_str()))
        .ok_or_else(|| format!("This project has no {wanted} contract yet: continue without it."))
}

/// All answers as JSON, so that they cannot be mistaken for other content.
pub(super) fn answers(material: &Material) -> [String; 3] {
    [intent(material, &[]), stories(material), preferences(material, &[])]
}

/// The intent for a contract; principles, requirements and phases need the limits too.
pub(super) fn intent_for(kind: ContractType, material: &Material) -> String {
    match kind {
        ContractType::Manifesto | ContractType::Blueprint | ContractType::Phases => {
            intent(material, &LIMITS)
        }
        _ => intent(material, &[]),
    }
}

fn intent(material: &Material, limits: &[(SectionId, &str)]) -> String {
    let size = match material.brief.size {
        Size::Full => "usual",
        Size::Mini => "small: exactly two phases",
    };
    let mut told = vec![
        ("project", AnswerText::Text(material.brief.name.trim())),
        ("size", AnswerText::Text(size)),
    ];
    told.extend(questions_of(SectionId::ProductIntent, material, |id| id != FEATURES));
    for (section, limit) in limits {
        told.extend(questions_of(*section, material, |id| id == *limit));
    }
    json(&told)
}

fn stories(material: &Material) -> String {
    let mut told = questions_of(SectionId::ProductIntent, material, |id| id == FEATURES);
    told.extend(questions_of(SectionId::UiRequirements, material, |_| true));
    json(&told)
}

fn preferences(material: &Material, only: &[Technical]) -> String {
    let wanted = |section: &SectionId| {
        only.is_empty() || only.iter().any(|technical| technical.section() == *section)
    };
    let sections = TECHNICAL.into_iter().filter(wanted);
    let told: Vec<_> =
        sections.flat_map(|section| questions_of(section, material, |_| true)).collect();
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

/// The answered questions of a section, with the answers.
fn questions_of(
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
