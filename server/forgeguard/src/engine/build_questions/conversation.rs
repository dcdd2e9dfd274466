//! The model's turns for one question. Nothing here does I/O: the caller sends the requests and runs
//! the calls.

use domain::build_question::{MAX_TURNS, must_answer};
use llm::{Message, Reply, Request, StopReason, ToolCall, UserBlock, run_label};
use serde::{Deserialize, Serialize};

use super::{calls, prompt};
use crate::{contracts::tool_call_ids::with_unique_ids, text::head};

/// Maximum length of a reply in tokens, with the model's reasoning.
const REPLY_TOKENS: u32 = 4_096;
/// Size limit of an answer, in bytes.
const MAX_ANSWER_BYTES: usize = 16_000;
/// Size limit of a model's refusal, in characters.
const MAX_REFUSAL_CHARS: usize = 400;
/// Calls of one reply that are run.
const MAX_CALLS: usize = 6;

/// Can be stored between turns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Conversation {
    messages: Vec<Message>,
    turns: u32,
    /// Sent and received so far.
    tokens: u64,
}

/// The step after a reply.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Next {
    /// Run these calls, and add their results. If the reply was the last, they have to contain a
    /// valid answer.
    Run { calls: Vec<ToolCall>, is_last: bool },
    /// Send another request.
    Ask,
    /// This is the answer, without references.
    Answer(String),
    /// Fail for this reason.
    GiveUp(String),
}

/// The result of a call, or the error for the model.
pub(super) type CallResult = Result<String, String>;

impl Conversation {
    pub fn begin(facts: &str, question: &str) -> Self {
        let content = format!("{facts}\n\nThe question:\n{question}");
        Self { messages: vec![Message::user(content)], turns: 0, tokens: 0 }
    }

    /// The number of replies.
    pub fn turns(&self) -> u32 {
        self.turns
    }

    /// The next request.
    ///
    /// # Errors
    /// If the template of a prompt fails.
    pub fn request(&self, model: &str) -> Result<Request, askama::Error> {
        let mut messages = self.messages.clone();
        let tools = match must_answer(self.turns, self.tokens) {
            false => calls::definitions(),
            true => {
                messages.push(Message::user(
                    "Answer now with submit_answer, from what you have read. Say what is missing.",
                ));
                vec![calls::submit_definition()]
            }
        };
        Ok(Request {
            label: run_label("build-question", 1),
            model: model.to_owned(),
            system: prompt::system()?,
            tools: tools.into(),
            messages,
            max_tokens: REPLY_TOKENS,
            forgotten_turns: 0,
            earlier_turns: 0,
        })
    }

    pub fn handle_reply(&mut self, reply: Reply) -> Next {
        let is_last = must_answer(self.turns, self.tokens);
        self.turns += 1;
        self.tokens += reply.usage.prompt() + reply.usage.output;
        if reply.stop_reason == StopReason::Refusal {
            let words: String = reply.text.trim().chars().take(MAX_REFUSAL_CHARS).collect();
            return Next::GiveUp(format!("The model declined: {words}"));
        }
        let is_complete = reply.stop_reason.is_complete();
        if reply.tool_calls.is_empty() {
            let text = reply.text.trim();
            if !text.is_empty() && (is_complete || is_last) {
                return Next::Answer(shortened(text).to_owned());
            }
            let problem = match is_complete {
                true => "Your reply was empty. Answer with submit_answer.",
                false => "Your reply became too long. Answer briefly with submit_answer.",
            };
            self.messages.extend([reply.into_message(), Message::user(problem)]);
            return if is_last { give_up() } else { Next::Ask };
        }
        let mut calls = with_unique_ids(&self.messages, &reply.tool_calls, self.turns);
        let mut message = reply.into_message();
        if let Message::Assistant { tool_calls, .. } = &mut message {
            tool_calls.clone_from(&calls);
        }
        self.messages.push(message);
        // A call at the end of a truncated reply may be incomplete.
        if !is_complete {
            let problem = || Err("Rejected: your reply became too long.".to_owned());
            let results = calls.iter().map(|call| (call.id.clone(), problem())).collect();
            return self.add_results(results, is_last);
        }
        // The others are answered by `add_results`.
        calls.truncate(MAX_CALLS);
        Next::Run { calls, is_last }
    }

    /// Adds the results of the last reply's calls, by their ids.
    pub fn add_results(&mut self, results: Vec<(String, CallResult)>, is_last: bool) -> Next {
        let Some(Message::Assistant { tool_calls, .. }) = self.messages.last() else {
            return Next::Ask;
        };
        let left_out = tool_calls.iter().skip(results.len());
        let left_out: Vec<_> = left_out
            .map(|call| (call.id.clone(), Err(format!("Not run: at most {MAX_CALLS} calls."))))
            .collect();
        let block = |(call_id, result): (String, CallResult)| {
            let is_error = result.is_err();
            let content = result.unwrap_or_else(|problem| problem);
            UserBlock::ToolResult { call_id, content, is_error }
        };
        let content = results.into_iter().chain(left_out).map(block).collect();
        self.messages.push(Message::User { content });
        if is_last { give_up() } else { Next::Ask }
    }
}

/// Within the limit of an answer.
pub(super) fn shortened(text: &str) -> &str {
    head(text, MAX_ANSWER_BYTES)
}

fn give_up() -> Next {
    Next::GiveUp(format!(
        "The model gave no answer within {MAX_TURNS} replies and the token limit of a question. \
         Try again, or ask something narrower."
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::build_question::MAX_TOKENS;
    use llm::Usage;
    use serde_json::json;

    fn reply(text: &str, calls: usize) -> Reply {
        let call = |_| ToolCall {
            id: String::new(),
            name: "read_event".to_owned(),
            input: json!({ "seq": 1 }),
        };
        let tool_calls: Vec<_> = (0..calls).map(call).collect();
        let stop_reason = if calls == 0 { StopReason::EndTurn } else { StopReason::ToolUse };
        let (text, reasoning) = (text.to_owned(), String::new());
        Reply { text, reasoning, tool_calls, stop_reason, usage: Usage::default(), provider: None }
    }

    fn begun() -> Conversation {
        Conversation::begin("Facts.", "Why?")
    }

    fn tools(talk: &Conversation) -> Vec<String> {
        let request = talk.request("m").unwrap();
        request.tools.iter().map(|tool| tool.name.clone()).collect()
    }

    #[test]
    fn calls_and_their_results_are_paired_by_unique_ids() {
        let mut talk = begun();
        let Next::Run { calls, is_last: false } = talk.handle_reply(reply("", 8)) else { panic!() };
        assert_eq!(calls.len(), MAX_CALLS);
        let results = calls.iter().map(|call| (call.id.clone(), Ok("x".to_owned()))).collect();
        assert_eq!(talk.add_results(results, false), Next::Ask);
        let stored = serde_json::to_string(&talk).unwrap();
        assert_eq!(serde_json::from_str::<Conversation>(&stored).unwrap(), talk);
        let request = talk.request("m").unwrap();
        let Some(Message::User { content }) = request.messages.last() else { panic!() };
        let (errors, ids): (Vec<_>, Vec<_>) = content
            .iter()
            .filter_map(|block| match block {
                UserBlock::ToolResult { call_id, is_error, .. } => Some((*is_error, call_id)),
                UserBlock::Text { .. } => None,
            })
            .unzip();
        assert_eq!(errors, [false, false, false, false, false, false, true, true]);
        let Message::Assistant { tool_calls, .. } = &request.messages[1] else { panic!() };
        assert!(tool_calls.iter().map(|call| &call.id).eq(ids));
    }

    #[test]
    fn text_without_calls_is_the_answer() {
        assert_eq!(begun().handle_reply(reply(" So. ", 0)), Next::Answer("So.".into()));
        assert_eq!(begun().handle_reply(reply(" ", 0)), Next::Ask);
        let cut = Reply { stop_reason: StopReason::MaxTokens, ..reply("So", 0) };
        assert_eq!(begun().handle_reply(cut), Next::Ask);
        let declined = Reply { stop_reason: StopReason::Refusal, ..reply("No.", 0) };
        let next = begun().handle_reply(declined);
        assert_eq!(next, Next::GiveUp("The model declined: No.".into()));
    }

    #[test]
    fn last_turn_can_only_submit_an_answer() {
        let mut talk = begun();
        for _ in 1..MAX_TURNS {
            assert!(tools(&talk).len() > 1);
            assert_eq!(talk.handle_reply(reply("", 0)), Next::Ask);
        }
        assert_eq!(tools(&talk), [calls::SUBMIT]);
        let Next::Run { calls, is_last: true } = talk.handle_reply(reply("", 1)) else { panic!() };
        let next = talk.add_results(vec![(calls[0].id.clone(), Err("x".into()))], true);
        assert!(matches!(next, Next::GiveUp(_)), "{next:?}");
    }

    #[test]
    fn token_limit_ends_the_reading() {
        let mut talk = begun();
        let usage = Usage { cache_read: MAX_TOKENS, ..Usage::default() };
        talk.handle_reply(Reply { usage, ..reply("", 0) });
        assert_eq!(tools(&talk), [calls::SUBMIT]);
        assert!(matches!(talk.handle_reply(reply("", 0)), Next::GiveUp(_)));
    }
}
