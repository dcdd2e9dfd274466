//! The conversation in which one contract is written.

use domain::contract::{ContractFormat, ContractType};
use llm::{Message, Reply, Request, StopReason, ToolCall, UserBlock, estimated_tokens, run_label};
use serde_json::json;

use super::{
    fence, fit,
    material::Material,
    prompt,
    submission::{self, TRUNCATED},
    tools::{self, CallResult, EDIT, SUBMIT, Submitted},
};
use crate::contracts::{shrinkage, tool_call_ids::with_unique_ids};

/// In tokens.
const MAX_REPLY_LENGTH: u32 = 16_384;
/// Longer rejected texts are removed from the conversation.
const MAX_REJECTED_CHARS: usize = 60_000;
/// Length of a refusal that is shown to the user.
const MAX_REFUSAL_CHARS: usize = 400;
/// Length of a piece of a submission that a reason quotes.
const MAX_QUOTED_CHARS: usize = 80;
/// Asks the model to repeat a submission that may have lost most of the contract.
const MUCH_SHORTER: &str = "this is less than a fifth of the current text";

/// A conversation about one contract. It can be stored between turns as its messages.
#[derive(Clone, Debug)]
pub struct Conversation {
    kind: ContractType,
    messages: Vec<Message>,
    turns: u32,
}

/// The content of a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heard {
    /// The tool that was called last.
    pub tool: Option<String>,
    /// The number of submissions.
    pub submissions: u32,
    /// Why the last submission was rejected, or would have been.
    pub refusal: Option<String>,
    pub next: Next,
}

/// The step after a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// Send another request.
    Ask,
    /// This text is valid.
    Accept(String),
    /// Fail for this reason.
    GiveUp(String),
}

impl Conversation {
    /// A new conversation.
    pub fn begin(kind: ContractType, material: &Material) -> Self {
        let messages = vec![Message::user(prompt::first(kind, material))];
        Self { kind, messages, turns: 0 }
    }

    /// An interrupted conversation.
    pub fn resume(kind: ContractType, messages: Vec<Message>) -> Self {
        let is_reply = |message: &&Message| matches!(message, Message::Assistant { .. });
        let turns = messages.iter().filter(is_reply).count();
        Self { kind, messages, turns: u32::try_from(turns).unwrap_or(u32::MAX) }
    }

    /// All messages.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// The number of replies.
    pub fn turns(&self) -> u32 {
        self.turns
    }

    /// The next request, in the `attempt`th conversation about this contract.
    ///
    /// # Errors
    /// If the template of a prompt fails.
    pub fn request(
        &self,
        model: &str,
        attempt: u32,
        material: &Material,
    ) -> Result<Request, askama::Error> {
        Ok(Request {
            label: run_label(&format!("contract/{}", self.kind), attempt),
            model: model.to_owned(),
            system: prompt::system(self.kind, material.brief.size)?,
            tools: tools::definitions(
                material.is_revision(self.kind),
                submission::latest(&self.messages).is_some(),
            )
            .into(),
            messages: self.messages.clone(),
            max_tokens: MAX_REPLY_LENGTH,
            forgotten_turns: 0,
            earlier_turns: 0,
        })
    }

    /// Handles a reply: makes its calls, and judges its submission.
    pub fn handle_reply(&mut self, reply: Reply, material: &Material) -> Heard {
        self.turns += 1;
        let mut heard = Heard { tool: None, submissions: 0, refusal: None, next: Next::Ask };
        if reply.stop_reason == StopReason::Refusal {
            let words: String = reply.text.trim().chars().take(MAX_REFUSAL_CHARS).collect();
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

    /// A reply without calls is the contract, if it is valid.
    fn accept_text(&mut self, reply: Reply, material: &Material, heard: &mut Heard) {
        let is_truncated = !reply.stop_reason.is_complete();
        let text = reply.text.clone();
        let judged = match text.trim().is_empty() {
            true => None,
            false if is_truncated => Some(Err(TRUNCATED.to_owned())),
            false => Some(self.judge(&text, material, heard)),
        };
        self.messages.push(shortened(reply, Vec::new()));
        let kind = self.kind;
        match judged {
            None => {
                let text = format!("Continue, and submit the {kind} contract with {SUBMIT}.");
                self.messages.push(Message::user(text));
            }
            Some(Ok(text)) => heard.next = Next::Accept(text),
            Some(Err(reason)) => {
                self.messages.push(Message::user(format!(
                    "Rejected as the {kind} contract: {reason}. Correct it with {EDIT}, or submit \
                     the whole text with {SUBMIT}."
                )));
                heard.refusal = Some(reason);
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
        let is_truncated = !reply.stop_reason.is_complete();
        let mut latest = submission::latest(&self.messages);
        let mut results = Vec::new();
        for call in &calls {
            heard.tool = Some(call.name.chars().take(MAX_REFUSAL_CHARS).collect());
            let (content, is_error) = match tools::call(self.kind, call, material) {
                CallResult::Output(output) => (output, false),
                CallResult::Rejected(reason) => (reason, true),
                // A call at the end of a truncated reply may be incomplete.
                CallResult::Submitted(_) if is_truncated => {
                    heard.submissions += 1;
                    heard.refusal = Some(TRUNCATED.to_owned());
                    (format!("Rejected: {TRUNCATED}."), true)
                }
                CallResult::Submitted(submitted) => {
                    self.submit(submitted, &mut latest, material, heard)
                }
            };
            results.push(UserBlock::ToolResult { call_id: call.id.clone(), content, is_error });
        }
        self.messages.push(shortened(reply, calls));
        self.messages.push(Message::User { content: results });
    }

    /// Judges a submission. Returns the result of the call, and whether it is an error.
    fn submit(
        &self,
        submitted: Submitted,
        latest: &mut Option<String>,
        material: &Material,
        heard: &mut Heard,
    ) -> (String, bool) {
        let text = match (submitted, latest.as_deref()) {
            (Submitted::Whole(text), _) => text,
            (Submitted::Edit { old, new }, Some(text)) => {
                match submission::edit(text, &old, &new) {
                    Ok(text) => text,
                    Err(reason) => return (format!("Not edited: {reason}."), true),
                }
            }
            (Submitted::Edit { .. }, None) => {
                return (format!("There is no submission to edit. Use {SUBMIT}."), true);
            }
        };
        let judged = self.judge(&text, material, heard);
        *latest = Some(text);
        match judged {
            Ok(text) => {
                heard.next = Next::Accept(text);
                ("Accepted.".to_owned(), false)
            }
            Err(reason) => {
                let result = format!(
                    "Rejected: {reason}. Correct it with {EDIT}, or submit the whole text again."
                );
                heard.refusal = Some(reason);
                (result, true)
            }
        }
    }

    fn judge(&self, text: &str, material: &Material, heard: &mut Heard) -> Result<String, String> {
        heard.submissions += 1;
        let mut inputs = vec![prompt::first(self.kind, material)];
        inputs.push(tools::intent_for(self.kind, material));
        inputs.extend(tools::answers(material));
        let text = fence::strip(fence::without_input(text.trim(), &inputs), self.kind.format());
        fit::fits(self.kind, text, material)?;
        if self.kind.format() == ContractFormat::Markdown
            && let Some(remark) = fence::closing_remark(text)
        {
            let remark: String = remark.chars().take(MAX_QUOTED_CHARS).collect();
            return Err(format!("“{remark}” is addressed to the reader; remove it"));
        }
        let before = material.texts.get(&self.kind);
        if before.is_some_and(|before| shrinkage::is_much_shorter(before, text))
            && !self.has_asked_about_length()
        {
            return Err(format!(
                "{MUCH_SHORTER}; submit the complete text, or this one again if it is complete"
            ));
        }
        Ok(format!("{}\n", text.trim_end()))
    }

    fn has_asked_about_length(&self) -> bool {
        let blocks = self.messages.iter().flat_map(|message| match message {
            Message::User { content } => content.as_slice(),
            Message::Assistant { .. } => &[],
        });
        let mut texts = blocks.filter_map(|block| match block {
            UserBlock::Text { text } => Some(text),
            UserBlock::ToolResult { content, is_error: true, .. } => Some(content),
            UserBlock::ToolResult { .. } => None,
        });
        texts.any(|text| text.starts_with("Rejected") && text.contains(MUCH_SHORTER))
    }

    fn exhausted_limit(&self, refusal: Option<&str>) -> String {
        let (kind, turns) = (self.kind, self.turns);
        match refusal {
            Some(reason) => format!(
                "The model submitted no valid {kind} contract within {turns} replies; the last one was rejected: {reason}."
            ),
            None => format!("The model submitted no {kind} contract within {turns} replies."),
        }
    }
}

/// Tokens of a single request that contains everything: the same instructions, all answers, and all
/// earlier contracts in full, by the same estimate as for requests.
///
/// # Errors
/// If the template of a prompt fails.
pub fn pasted_tokens(kind: ContractType, material: &Material) -> Result<u64, askama::Error> {
    let instructions = prompt::system(kind, material.brief.size)?;
    let first = prompt::first(kind, material);
    let answers = tools::answers(material).join("\n");
    let before = kind.before().filter_map(|before| material.texts.get(&before));
    let texts = [&instructions, &first, &answers].into_iter().chain(before);
    Ok(texts.map(|text| estimated_tokens(text)).sum())
}

/// The reply as a message, without texts that are too long to be sent again.
fn shortened(reply: Reply, calls: Vec<ToolCall>) -> Message {
    let Message::Assistant { mut text, provider, .. } = reply.into_message() else {
        return Message::user(String::new());
    };
    let left_out = |text: &str| {
        (text.chars().count() > MAX_REJECTED_CHARS).then(|| submission::placeholder(text))
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
mod tests;
