//! The bundled example: a questionnaire, and a scenario that writes the nine contracts from it,
//! replayed here as by the engine.

use std::{fs, path::PathBuf};

use domain::{
    contract::{ContractSource, ContractType},
    questionnaire::{Answers, Size},
};
use llm::{Message, Offline, Provider, Reply, Scenario, UserBlock, collect, estimated_tokens};
use serde::Deserialize;

use super::{
    brief::Brief,
    consistency,
    templates::{OURS, template},
    validate,
    writing::{Conversation, Material, Next, pasted_tokens},
};
use crate::contract_set::{ContractSet, ContractText};

/// The export format of answers.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Exported {
    kind: String,
    project: String,
    #[serde(rename = "exported_at")]
    _exported_at: chrono::DateTime<chrono::Utc>,
    size: Size,
    answers: Answers,
}

fn read(file: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../static/example");
    fs::read_to_string(folder.join(file)).unwrap()
}

fn written(kind: ContractType) -> String {
    read(&format!("contracts/{}", kind.file_name()))
}

fn brief() -> Brief {
    let exported: Exported = serde_json::from_str(&read("questionnaire.json")).unwrap();
    assert_eq!(exported.kind, "forgeguard-questionnaire");
    Brief { name: exported.project, size: exported.size, answers: exported.answers }
}

/// The result of a run for one contract.
#[derive(Debug, Default)]
struct DraftSummary {
    text: String,
    turns: u32,
    refusals: Vec<String>,
    /// Calls that failed, including rejected submissions.
    errors: usize,
    sent: u64,
    pasted: u64,
}

async fn play(offline: &Offline, kind: ContractType, material: &Material) -> DraftSummary {
    let mut talk = Conversation::begin(kind, material);
    let mut came = DraftSummary::default();
    loop {
        let request = talk.request("offline", 1, material).unwrap();
        came.sent += request.estimated_tokens();
        let reply: Reply = collect(offline.stream(&request).await.unwrap(), |_| {}).await.unwrap();
        let heard = talk.handle_reply(reply, material);
        came.pasted += pasted_tokens(kind, material).unwrap() * u64::from(heard.submissions);
        came.refusals.extend(heard.refusal);
        came.turns = talk.turns();
        match heard.next {
            Next::Ask => {}
            Next::Accept(text) => {
                came.text = text;
                came.errors = errors(talk.messages());
                return came;
            }
            Next::GiveUp(why) => panic!("{kind}: {why}"),
        }
    }
}

fn errors(messages: &[Message]) -> usize {
    let blocks = messages.iter().flat_map(|message| match message {
        Message::User { content } => content.as_slice(),
        Message::Assistant { .. } => &[],
    });
    blocks.filter(|block| matches!(block, UserBlock::ToolResult { is_error: true, .. })).count()
}

#[test]
fn example_answers_are_complete() {
    let brief = brief();
    assert_eq!((brief.name.as_str(), brief.size), ("TaskFlow", Size::Full));
    assert_eq!(brief.answers.validate(), []);
    let progress = brief.answers.progress(brief.size);
    assert_eq!(progress.answered, progress.questions);
    let tokens = estimated_tokens(&serde_json::to_string(&brief.answers).unwrap());
    assert!((3_000..=4_500).contains(&tokens), "{tokens}");
    let said = serde_json::to_string(&brief.answers).unwrap().to_lowercase();
    for word in OURS {
        assert!(!said.contains(word), "the answers hold `{word}`");
    }
}

#[test]
fn contracts_are_valid_and_consistent() {
    let own = |kind| ContractText {
        source: ContractSource::Project,
        content: written(kind),
        ..template(kind)
    };
    let set = ContractSet::complete(ContractType::ALL.map(own).into(), template);
    for text in set.iter() {
        let fits = validate(text.kind, &text.content);
        fits.unwrap_or_else(|validation_error| panic!("{}: {validation_error}", text.kind));
        let lower = text.content.to_lowercase();
        for word in OURS {
            assert!(!lower.contains(word), "{} holds `{word}`", text.kind);
        }
    }
    assert_eq!(consistency::check(&set), []);
    let tokens: u64 = set.iter().map(|text| estimated_tokens(&text.content)).sum();
    assert!((10_000..=14_000).contains(&tokens), "{tokens}");
}

#[tokio::test]
async fn example_run_writes_the_bundled_contracts() {
    let scenario = Scenario::load(&read("scenario.json")).unwrap();
    assert_eq!(scenario.runs.len(), 9);
    let offline = Offline::playing(scenario);
    let mut material = Material::of(brief());
    let (mut sent, mut pasted) = (0, 0);
    for kind in ContractType::ALL {
        let came = play(&offline, kind, &material).await;
        assert_eq!(came.text, written(kind), "run `make example` after changing a contract");
        let refused = kind == ContractType::Physics;
        assert_eq!(came.turns, 2 + u32::from(refused), "{kind}");
        assert_eq!(came.refusals.len(), usize::from(refused), "{kind}: {:?}", came.refusals);
        assert_eq!(came.errors, came.refusals.len(), "{kind} calls what is not there");
        assert!(came.refusals.iter().all(|why| why.contains("is already defined")));
        (sent, pasted) = (sent + came.sent, pasted + came.pasted);
        material.texts.insert(kind, came.text);
    }
    assert!(sent * 100 <= pasted * 35, "{sent} of {pasted}");
}
