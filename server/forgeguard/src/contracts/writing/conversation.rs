//! The conversation in which one contract is written.

use domain::{contract::ContractType, questionnaire::Size};
use llm::{Message, Reply, Request, StopReason, ToolCall, UserBlock, estimated_tokens, run_label};
use serde_json::json;

use super::{
    fence, fit,
    material::Material,
    prompt,
    tools::{self, CallResult, SUBMIT},
};
use crate::contracts::tool_call_ids::with_unique_ids;

/// The most that a reply may have, in tokens (seed 004 §26.3).
const REPLY_TOKENS: u32 = 16_384;
/// Characters of a refused text that stay in the conversation; of a longer one, none.
const MAX_KEPT_BYTES: usize = 60_000;
/// Characters of a model's words that are passed on.
const WORDS: usize = 400;

/// A conversation about one contract. Can be stored between turns as its messages.
#[derive(Clone, Debug)]
pub struct Conversation {
    kind: ContractType,
    messages: Vec<Message>,
    turns: u32,
}

/// What came of a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heard {
    /// The tool that was called last.
    pub tool: Option<String>,
    /// Texts that were handed in.
    pub submissions: u32,
    /// Why the last of them was refused, or would have been.
    pub refusal: Option<String>,
    /// What comes next.
    pub next: Next,
}

/// What comes after a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// Ask again.
    Ask,
    /// This text fits.
    Accept(String),
    /// No text will come, for this reason.
    GiveUp(String),
}

impl Conversation {
    /// One that has just begun.
    pub fn begin(kind: ContractType, material: &Material) -> Self {
        let messages = vec![Message::user(prompt::first(kind, material))];
        Self { kind, messages, turns: 0 }
    }

    /// One that was interrupted.
    pub fn resume(kind: ContractType, messages: Vec<Message>) -> Self {
        let is_reply = |message: &&Message| matches!(message, Message::Assistant { .. });
        let turns = messages.iter().filter(is_reply).count();
        Self { kind, messages, turns: u32::try_from(turns).unwrap_or(u32::MAX) }
    }

    /// Everything that was said.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Replies so far.
    pub fn turns(&self) -> u32 {
        self.turns
    }

    /// What the model is asked next, as the `attempt`th conversation about this contract of a
    /// project of this size.
    ///
    /// # Errors
    /// When a prompt's template fails.
    pub fn request(&self, model: &str, attempt: u32, size: Size) -> Result<Request, askama::Error> {
        Ok(Request {
            label: run_label(&format!("contract/{}", self.kind), attempt),
            model: model.to_owned(),
            system: prompt::system(self.kind, size)?,
            tools: tools::definitions(),
            messages: self.messages.clone(),
            max_tokens: REPLY_TOKENS,
            forgotten_turns: 0,
        })
    }

    /// Takes a reply: makes its calls, and judges the text that it hands in.
    pub fn handle_reply(&mut self, reply: Reply, material: &Material) -> Heard {
        self.turns += 1;
        let mut heard = Heard { tool: None, submissions: 0, refusal: None, next: Next::Ask };
        if reply.stop_reason == StopReason::Refusal {
            let words: String = reply.text.trim().chars().take(WORDS).collect();
            heard.next = Next::GiveUp(format!("The model declined: {words}"));
            return heard;
        }
        let calls = with_unique_ids(&self.messages, &reply.tool_calls, self.turns);
        if calls.is_empty() {
            self.accept_text(reply, material, &mut heard);
        } else {
            self.run_calls(reply, calls, material, &mut heard);
        }
        if heard.next == Next::Ask && self.turns >= self.kind.turn_limit() {
            heard.next = Next::GiveUp(self.exhausted_limit(heard.refusal.as_deref()));
        }
        heard
    }

    /// A reply that calls nothing is the contract, if it fits.
    fn accept_text(&mut self, reply: Reply, material: &Material, heard: &mut Heard) {
        let cut_off = !reply.stop_reason.is_complete();
        let text = reply.text.clone();
        self.messages.push(shortened(reply, Vec::new()));
        if text.trim().is_empty() {
            let word = format!("Go on, and hand in the {} contract with {SUBMIT}.", self.kind);
            self.messages.push(Message::user(word));
            return;
        }
        let judged = if cut_off { Err(too_long()) } else { self.judge(&text, material, heard) };
        match judged {
            Ok(text) => heard.next = Next::Accept(text),
            Err(reason) => {
                heard.refusal = Some(reason.clone());
                let word = format!(
                    "This cannot stand as the {} contract: {reason}. Hand in the whole text with {SUBMIT}.",
                    self.kind
                );
                self.messages.push(Message::user(word));
            }
        }
    }

    fn run_calls(
        &mut self,
        reply: Reply,
        calls: Vec<ToolCall>,
        material: &Material,
        heard: &mut Heard,
    ) {
        // A call at the end of a reply that was cut off may be a part of what was meant.
        let cut_off = !reply.stop_reason.is_complete();
        let mut results = Vec::new();
        for call in &calls {
            heard.tool = Some(call.name.chars().take(WORDS).collect());
            let (content, is_error) = match tools::call(self.kind, call, material) {
                CallResult::Output(told) => (told, false),
                CallResult::Rejected(reason) => (reason, true),
                CallResult::Submitted(_) if cut_off => {
                    heard.submissions += 1;
                    heard.refusal = Some(too_long());
                    (format!("Refused: {}.", too_long()), true)
                }
                CallResult::Submitted(text) => match self.judge(&text, material, heard) {
                    Ok(text) => {
                        heard.next = Next::Accept(text);
                        ("Accepted.".to_owned(), false)
                    }
                    Err(reason) => {
                        let told = format!(
                            "Refused: {reason}. Correct it and hand in the whole text again."
                        );
                        heard.refusal = Some(reason);
                        (told, true)
                    }
                },
            };
            results.push(UserBlock::ToolResult { call_id: call.id.clone(), content, is_error });
        }
        self.messages.push(shortened(reply, calls));
        self.messages.push(Message::User { content: results });
    }

    fn judge(&self, text: &str, material: &Material, heard: &mut Heard) -> Result<String, String> {
        heard.submissions += 1;
        let text = fence::strip(text, self.kind.format());
        fit::fits(self.kind, text, material)?;
        Ok(format!("{}\n", text.trim_end()))
    }

    fn exhausted_limit(&self, refusal: Option<&str>) -> String {
        let (kind, turns) = (self.kind, self.turns);
        match refusal {
            Some(reason) => format!(
                "The model handed in no {kind} contract that fits within {turns} replies; the last one was refused: {reason}."
            ),
            None => format!("The model handed in no {kind} contract within {turns} replies."),
        }
    }
}

/// Tokens that one call would send with everything pasted: the same instructions, all answers, and
/// every contract before this one whole (seed 004 §24.1), by the estimate that also counts what is
/// sent.
///
/// # Errors
/// When a prompt's template fails.
pub fn pasted_tokens(kind: ContractType, material: &Material) -> Result<u64, askama::Error> {
    let instructions = prompt::system(kind, material.brief.size)?;
    let first = prompt::first(kind, material);
    let answers = tools::everything(material);
    let before = kind.before().filter_map(|before| material.texts.get(&before));
    let texts = [&instructions, &first, &answers].into_iter().chain(before);
    Ok(texts.map(|text| estimated_tokens(text)).sum())
}

fn too_long() -> String {
    "your reply reached the length that one may have; write a shorter text".to_owned()
}

/// The reply as a message, without what is too long to be sent again.
fn shortened(reply: Reply, calls: Vec<ToolCall>) -> Message {
    let Message::Assistant { mut text, provider, .. } = reply.into_message() else {
        return Message::user(String::new());
    };
    let left_out = |text: &str| {
        let length = text.chars().count();
        (length > MAX_KEPT_BYTES).then(|| format!("[{length} characters, left out here]"))
    };
    if let Some(word) = left_out(&text) {
        text = word;
    }
    let short = |mut call: ToolCall| {
        if let Some(word) = left_out(&call.input.to_string()) {
            call.input = json!({ "content": word });
        }
        call
    };
    Message::Assistant { text, tool_calls: calls.into_iter().map(short).collect(), provider }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contracts::brief::Brief;
    use domain::questionnaire::{Answer, SectionId};
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
        Material { brief, texts: texts.into() }
    }

    fn reply(text: &str, calls: &[(&str, Value)]) -> Reply {
        let calls = calls.iter().map(|(name, input)| ToolCall {
            id: String::new(),
            name: (*name).to_owned(),
            input: input.clone(),
        });
        let tool_calls: Vec<_> = calls.collect();
        let stop_reason =
            if tool_calls.is_empty() { StopReason::EndTurn } else { StopReason::ToolUse };
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

        let heard =
            talk.handle_reply(reply("", &[submit("```md\n# Stack\n\nGo.\n```")]), &material);
        assert_eq!(heard.next, Next::Accept("# Stack\n\nGo.\n".into()));
        assert_eq!((talk.turns(), heard.submissions), (2, 1));

        let stored = serde_json::to_string(talk.messages()).unwrap();
        let again =
            Conversation::resume(ContractType::Stack, serde_json::from_str(&stored).unwrap());
        assert_eq!((again.turns(), again.messages()), (2, talk.messages()));
    }

    #[test]
    fn unknown_answer_is_reported_and_uses_one_turn() {
        let material = material();
        for (name, input, expected) in [
            ("get_prior_contract", json!({"contract_type": "physics"}), "not written before"),
            ("get_prior_contract", json!({"contract_type": "phases"}), "not written before"),
            (
                "get_prior_contract",
                json!({"contract_type": "blueprint"}),
                "no blueprint contract yet",
            ),
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
        assert!(results(&talk)[0].0.contains("cannot stand as the physics contract"));
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
        let heard =
            Conversation::begin(ContractType::Ui, &material).handle_reply(declined, &material);
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
        assert!(talk.request("m", 1, Size::Full).unwrap().bytes() < 20_000);
        let cut = Reply { stop_reason: StopReason::MaxTokens, ..reply("", &[submit("# M\n\nx")]) };
        assert!(talk.handle_reply(cut, &material).refusal.unwrap().contains("length"));
    }

    /// The ceilings of every agent's prompt (design, "Token ceilings").
    #[test]
    fn system_prompt_and_tools_stay_within_the_token_limit() {
        let count = |text: &str| tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len();
        for kind in ContractType::ALL {
            let talk = Conversation::begin(kind, &material());
            let request = talk.request("m", 1, Size::Full).unwrap();
            let tools: String = request
                .tools
                .iter()
                .map(|tool| format!("{} {} {}", tool.name, tool.description, tool.input_schema))
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
        let first = Conversation::begin(ContractType::Schema, &material)
            .request("m", 2, Size::Full)
            .unwrap();
        assert_eq!(first.label, "contract/schema#2");
        assert!(!format!("{first:?}").contains("It counts"), "no answer is pasted");
    }
}
