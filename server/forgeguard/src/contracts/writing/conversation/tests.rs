//! Conversations with scripted replies.

use super::super::tools::REVISION;
use super::*;
use crate::contracts::brief::Brief;
use domain::questionnaire::{Answer, SectionId, Size};
use llm::Usage;
use serde_json::Value;
use std::collections::HashSet;

fn material() -> Material {
    let mut answers = domain::questionnaire::Answers::default();
    let mut answer = |section, question: &str, text: &str| {
        answers.set(section, question, Answer::Text(text.into()));
    };
    answer(SectionId::ProductIntent, "summary", "It counts.\n## Phase 9 \"now\"");
    answer(SectionId::TechStack, "language", "Go");
    answer(SectionId::DevPlatform, "test_command", "go test ./...");
    let brief = Brief { name: "Counter".into(), size: Size::Full, answers };
    let texts = [
        (ContractType::Manifesto, "# Manifesto\n\nCount well.\n".to_owned()),
        (ContractType::Phases, "# Phases\n".to_owned()),
    ];
    Material { texts: texts.into(), ..Material::of(brief) }
}

fn reply(text: &str, calls: &[(&str, Value)]) -> Reply {
    let calls = calls.iter().map(|(name, input)| ToolCall {
        id: String::new(),
        name: (*name).to_owned(),
        input: input.clone(),
    });
    let tool_calls: Vec<_> = calls.collect();
    let stop_reason = if tool_calls.is_empty() { StopReason::EndTurn } else { StopReason::ToolUse };
    let (text, reasoning) = (text.to_owned(), String::new());
    Reply { text, reasoning, tool_calls, stop_reason, usage: Usage::default(), provider: None }
}

fn results(conversation: &Conversation) -> Vec<(String, bool)> {
    let Some(Message::User { content }) = conversation.messages().last() else { panic!() };
    let result = |block: &UserBlock| match block {
        UserBlock::Text { text } => (text.clone(), false),
        UserBlock::ToolResult { content, is_error, .. } => (content.clone(), *is_error),
    };
    content.iter().map(result).collect()
}

fn submit(text: &str) -> (&'static str, Value) {
    (SUBMIT, json!({ "content": text }))
}

#[test]
fn model_fetches_and_submits() {
    let material = material();
    let mut talk = Conversation::begin(ContractType::Stack, &material);
    let calls = [
        ("get_project_intent", json!({})),
        ("get_technical_preferences", json!({"sections": ["tech_stack"]})),
        ("get_prior_contract", json!({"contract_type": "manifesto"})),
        ("get_prior_contract", json!({"contract_type": "manifesto", "outline": true})),
        ("get_user_stories", json!({})),
    ];
    let heard = talk.handle_reply(reply("I look.", &calls), &material);
    assert_eq!(heard.next, Next::Ask);
    assert_eq!(heard.tool.as_deref(), Some("get_user_stories"));
    let told = results(&talk);
    assert!(told.iter().all(|(_, is_error)| !is_error), "{told:?}");
    let intent: Value = serde_json::from_str(&told[0].0).unwrap();
    assert_eq!(intent["project"], "Counter");
    assert_eq!(intent["What should it do?"], "It counts.\n## Phase 9 \"now\"");
    assert_eq!(told[1].0, r#"{"Which programming language?":"Go"}"#);
    assert_eq!(told[2].0, "# Manifesto\n\nCount well.\n");
    assert_eq!(told[3].0, "# Manifesto");
    assert_eq!(told[4].0, "{}");

    let heard = talk.handle_reply(reply("", &[submit("```md\n# Stack\n\nGo.\n```")]), &material);
    assert_eq!(heard.next, Next::Accept("# Stack\n\nGo.\n".into()));
    assert_eq!((talk.turns(), heard.submissions), (2, 1));

    let stored = serde_json::to_string(talk.messages()).unwrap();
    let again = Conversation::resume(ContractType::Stack, serde_json::from_str(&stored).unwrap());
    assert_eq!((again.turns(), again.messages()), (2, talk.messages()));
}

#[test]
fn unknown_answer_is_reported_and_uses_one_turn() {
    let material = material();
    for (name, input, expected) in [
        ("get_prior_contract", json!({"contract_type": "physics"}), "not written before"),
        ("get_prior_contract", json!({"contract_type": "phases"}), "not written before"),
        ("get_prior_contract", json!({"contract_type": "blueprint"}), "no blueprint contract yet"),
        ("get_prior_contract", json!({"contract_type": "law"}), "the nine are"),
        ("get_prior_contract", json!({}), "contract_type"),
        ("get_prior_contract", json!({"contract_type": "manifesto", "offset": 999}), "bytes"),
        ("get_technical_preferences", json!({"sections": ["weather"]}), "sections"),
        ("run_command", json!({"command": "ls"}), "There is no tool `run_command`"),
        (SUBMIT, json!({"text": "# Stack"}), "content"),
        (SUBMIT, json!("# Stack"), "not a valid JSON object"),
        (SUBMIT, json!({"content": " "}), "empty"),
    ] {
        let mut talk = Conversation::begin(ContractType::Stack, &material);
        let heard = talk.handle_reply(reply("", &[(name, input.clone())]), &material);
        let told = results(&talk);
        assert_eq!(heard.next, Next::Ask, "{input}");
        assert!(told[0].1 && told[0].0.contains(expected), "{input}: {told:?}");
    }
}

#[test]
fn all_calls_of_a_reply_run_and_one_valid_submission_is_accepted() {
    let material = material();
    let mut talk = Conversation::begin(ContractType::Ui, &material);
    let calls = [submit(""), submit("# Ui\n\nOne page.\n"), ("nothing", json!({}))];
    let heard = talk.handle_reply(reply("", &calls), &material);
    assert_eq!(heard.next, Next::Accept("# Ui\n\nOne page.\n".into()));
    assert_eq!((heard.submissions, results(&talk).len()), (2, 3));
    let ids: HashSet<_> = talk
        .messages()
        .iter()
        .flat_map(|message| match message {
            Message::Assistant { tool_calls, .. } => tool_calls.clone(),
            Message::User { .. } => Vec::new(),
        })
        .map(|call| call.id)
        .collect();
    assert_eq!(ids.len(), 3, "{ids:?}");
}

#[test]
fn text_without_a_call_is_the_contract() {
    let material = material();
    let mut talk = Conversation::begin(ContractType::Physics, &material);
    let heard = talk.handle_reply(reply("I would rather chat.", &[]), &material);
    assert!(heard.refusal.is_some() && heard.next == Next::Ask);
    assert!(results(&talk)[0].0.contains("Rejected as the physics contract"));
    let heard = talk.handle_reply(reply("", &[]), &material);
    assert_eq!((heard.refusal, heard.next), (None, Next::Ask));
    let physics = "endpoints:\n  - {name: a, method: GET, path: /a}\n";
    let wrapped = format!("Here:\n```yaml\n{physics}```");
    assert_eq!(
        talk.handle_reply(reply(&wrapped, &[]), &material).next,
        Next::Accept(physics.into())
    );
}

#[test]
fn arguments_sent_as_text_are_parsed() {
    let material = material();
    let mut talk = Conversation::begin(ContractType::Ui, &material);
    let encoded = json!(json!({"content": "# Ui\n\nOne page."}).to_string());
    let heard = talk.handle_reply(reply("", &[(SUBMIT, encoded)]), &material);
    assert_eq!(heard.next, Next::Accept("# Ui\n\nOne page.\n".into()));
}

#[test]
fn rejected_submission_is_corrected_by_an_edit() {
    let material = material();
    let mut talk = Conversation::begin(ContractType::Physics, &material);
    let edit = |old: &str, new: &str| (EDIT, json!({"old": old, "new": new}));
    let heard = talk.handle_reply(reply("", &[edit("a", "b")]), &material);
    assert!(heard.submissions == 0 && results(&talk)[0].0.contains("no submission"));
    talk.handle_reply(
        reply("", &[submit("endpoints:\n  - {name: a, call: a}\n  - {name: b}")]),
        &material,
    );
    let missing = talk.handle_reply(reply("", &[edit("{name: c}", "")]), &material);
    assert!(missing.next == Next::Ask && results(&talk)[0].0.contains("does not occur"));
    // Corrections are kept across a restart, and those that are still invalid too.
    talk.handle_reply(reply("", &[edit("{name: b}", "{name: c}")]), &material);
    let mut talk = Conversation::resume(ContractType::Physics, talk.messages().to_vec());
    let heard = talk.handle_reply(reply("", &[edit("{name: c}", "{name: c, call: c}")]), &material);
    let expected = "endpoints:\n  - {name: a, call: a}\n  - {name: c, call: c}\n";
    assert_eq!(heard.next, Next::Accept(expected.into()));
}

#[test]
fn truncated_submission_cannot_be_completed_by_an_edit() {
    let material = material();
    let mut talk = Conversation::begin(ContractType::Ui, &material);
    let cut = Reply { stop_reason: StopReason::MaxTokens, ..reply("", &[submit("# Ui\n\nOne")]) };
    talk.handle_reply(cut, &material);
    let edit = (EDIT, json!({"old": "One", "new": "One page."}));
    let heard = talk.handle_reply(reply("", &[edit]), &material);
    assert!(heard.next == Next::Ask && results(&talk)[0].0.contains("no submission"));
}

#[test]
fn much_shorter_text_is_accepted_when_it_is_repeated() {
    let mut material = material();
    material.texts.insert(ContractType::Ui, format!("# Ui\n\n{}", "A page. ".repeat(50)));
    let mut talk = Conversation::begin(ContractType::Ui, &material);
    let heard = talk.handle_reply(reply("", &[submit("# Ui\n\nOne page.")]), &material);
    assert!(heard.next == Next::Ask && heard.refusal.unwrap().contains("less than a fifth"));
    let heard = talk.handle_reply(reply("", &[submit("# Ui\n\nOne page.")]), &material);
    assert_eq!(heard.next, Next::Accept("# Ui\n\nOne page.\n".into()));
}

#[test]
fn revision_returns_note_findings_and_text() {
    use crate::contracts::consistency::{Finding, Place, Rule};
    let mut material = material();
    let get = || reply("", &[(REVISION, json!({}))]);
    let mut talk = Conversation::begin(ContractType::Ui, &material);
    talk.handle_reply(get(), &material);
    assert!(results(&talk)[0].0.contains("There is no tool"), "nothing is there to revise");

    material.note = Some("Add a dark theme.".into());
    let finding = |contract, text: &str| Finding {
        rule: Rule::ScreenInPhases,
        at: Place { contract, line: 7 },
        see: None,
        text: text.into(),
    };
    material.findings = vec![
        finding(ContractType::Ui, "No phase builds it."),
        finding(ContractType::Stack, "Old."),
    ];
    material.texts.insert(ContractType::Ui, "# Ui\n\nOne page.\n".into());
    let mut talk = Conversation::begin(ContractType::Ui, &material);
    let first = format!("{:?}", talk.messages());
    assert!(first.contains(REVISION) && !first.contains("dark theme"));
    talk.handle_reply(get(), &material);
    let (told, is_error) = results(&talk).remove(0);
    assert!(!is_error);
    for part in ["Add a dark theme.", "ui, line 7: No phase builds it.", "# Ui\n\nOne page."] {
        assert!(told.contains(part), "{told}");
    }
    assert!(!told.contains("Old."));
}

#[test]
fn text_around_a_document_is_removed_or_rejected() {
    let material = material();
    let mut talk = Conversation::begin(ContractType::Ui, &material);
    let echo = format!("{}\n# Ui\n\nOne page.", prompt::first(ContractType::Ui, &material));
    let heard = talk.handle_reply(reply("", &[submit(&echo)]), &material);
    assert_eq!(heard.next, Next::Accept("# Ui\n\nOne page.\n".into()));
    let chat = "# Ui\n\nOne page.\n\nLet me know if you need changes.";
    let heard = talk.handle_reply(reply("", &[submit(chat)]), &material);
    assert!(heard.refusal.unwrap().contains("Let me know"));
}

#[test]
fn generation_fails_without_a_submission() {
    let material = material();
    let mut talk = Conversation::begin(ContractType::Boundaries, &material);
    let limit = ContractType::Boundaries.turn_limit();
    for turn in 1..=limit {
        let heard = talk.handle_reply(reply("", &[submit("{}")]), &material);
        match heard.next {
            Next::GiveUp(why) => {
                assert!(turn == limit && why.contains("within 10 replies"), "{turn}: {why}");
                assert!(why.contains("layers"), "{why}");
            }
            next => assert!(turn < limit && next == Next::Ask, "{turn}"),
        }
    }
    let declined = Reply { stop_reason: StopReason::Refusal, ..reply("No.", &[]) };
    let heard = Conversation::begin(ContractType::Ui, &material).handle_reply(declined, &material);
    assert_eq!(heard.next, Next::GiveUp("The model declined: No.".into()));
}

#[test]
fn oversized_submission_is_rejected_and_not_repeated() {
    let material = material();
    let mut talk = Conversation::begin(ContractType::Manifesto, &material);
    let huge = "word ".repeat(400_000);
    let heard = talk.handle_reply(reply("", &[submit(&huge)]), &material);
    assert!(heard.refusal.unwrap().contains("at most 200000"));
    let heard = talk.handle_reply(reply(&huge, &[]), &material);
    assert!(heard.refusal.is_some());
    assert!(talk.request("m", 1, &material).unwrap().bytes() < 20_000);
    let cut = Reply { stop_reason: StopReason::MaxTokens, ..reply("", &[submit("# M\n\nx")]) };
    assert!(talk.handle_reply(cut, &material).refusal.unwrap().contains("length"));
}

/// Token limits of prompts.
#[test]
fn system_prompt_and_tools_stay_within_the_token_limit() {
    let count = |text: &str| tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len();
    let material = material();
    for kind in ContractType::ALL {
        let talk = Conversation::begin(kind, &material);
        let request = talk.request("m", 1, &material).unwrap();
        let tools: String = request
            .tools
            .iter()
            .map(|tool| {
                format!("{} {} {}", tool.name, tool.description, tool.input_schema.as_str())
            })
            .collect();
        let Some(Message::User { content }) = request.messages.first() else { panic!() };
        let first: usize = content.iter().map(|block| count(block.content())).sum();
        let (system, tools) = (count(&request.system), count(&tools));
        assert!(system <= 1_000 && tools <= 2_500 && first <= 1_500, "{kind} {system} {tools}");
    }
}

#[test]
fn tools_send_fewer_tokens_than_pasting() {
    let mut material = material();
    let pasted = |material: &Material| pasted_tokens(ContractType::Schema, material).unwrap();
    let before = pasted(&material);
    material.texts.insert(ContractType::Stack, "x".repeat(4_000));
    assert_eq!(pasted(&material), before + 1_000);
    let first =
        Conversation::begin(ContractType::Schema, &material).request("m", 2, &material).unwrap();
    assert_eq!(first.label, "contract/schema#2");
    assert!(!format!("{first:?}").contains("It counts"), "no answer is pasted");
}

#[test]
fn limits_in_the_answers_reach_manifesto_blueprint_and_phases() {
    let mut material = material();
    let mut planted = Vec::new();
    for section in Size::Full.sections() {
        for question in section.questions {
            let is_limit = ["rules", "qualities", "constraints"].contains(&question.id);
            let is_intent =
                section.id == SectionId::ProductIntent || section.id == SectionId::UiRequirements;
            if !(is_limit || is_intent) {
                continue;
            }
            let text = format!("planted-{}-{}", planted.len(), question.id);
            let answer = match question.kind {
                domain::questionnaire::Kind::List => Answer::Items(vec![text.clone()]),
                _ => Answer::Text(text.clone()),
            };
            material.brief.answers.set(section.id, question.id, answer);
            planted.push(text);
        }
    }
    for kind in [ContractType::Manifesto, ContractType::Blueprint, ContractType::Phases] {
        let mut talk = Conversation::begin(kind, &material);
        let fetch = [("get_project_intent", json!({})), ("get_user_stories", json!({}))];
        talk.handle_reply(reply("", &fetch), &material);
        let request = format!("{:?}", talk.request("m", 1, &material).unwrap().messages);
        for answer in &planted {
            assert!(request.contains(answer), "{kind} lacks {answer}");
        }
    }
}
