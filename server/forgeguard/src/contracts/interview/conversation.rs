//! The model's turns for one message of the user.

use domain::{
    interview::{Author, MAX_TURNS},
    questionnaire::Questionnaire,
};
use llm::{Message, Reply, Request, StopReason, UserBlock, run_label};
use serde::{Deserialize, Serialize};

use super::{
    form::{self, Known},
    prompt, tools,
};
use crate::contracts::tool_call_ids::with_unique_ids;

/// Maximum length of a reply in tokens: more than the user's longest message as answers.
const REPLY_TOKENS: u32 = 8_192;
/// Size limit of the conversation sent to the model, in characters from its end. Earlier messages
/// are reflected in the form.
const REMEMBERED: usize = 80_000;
/// Size limit of a shown reply, in characters.
const SHOWN: usize = 4_000;
/// Size limit of a model's refusal, in characters.
const WORDS: usize = 400;

/// A message of the conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplyOutcome {
    pub author: Author,
    /// The text.
    pub text: String,
}

/// The step after a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// Send another request.
    Ask,
    /// Show this text to the user.
    Say(String),
    /// Fail for this reason.
    GiveUp(String),
}

/// The conversation that leads to one reply for the user. Can be stored between turns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interview {
    messages: Vec<Message>,
    /// Messages of the user, including this one.
    number: u32,
    turns: u32,
    known: Known,
}

impl Interview {
    /// A new conversation from all messages and the current form. `None` if the user's last message has
    /// a reply.
    pub fn begin(said: &[ReplyOutcome], form: &Questionnaire) -> Option<Self> {
        if said.last()?.author != Author::Person {
            return None;
        }
        let number = said.iter().filter(|said| said.author == Author::Person).count();
        let mut messages: Vec<Message> = remembered(said).iter().map(message).collect();
        let shown = format!("The current state of the form:\n{}", form::json(form));
        messages.push(Message::user(shown));
        let number = u32::try_from(number).unwrap_or(u32::MAX);
        Some(Self { messages, number, turns: 0, known: Known::of(form) })
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
        Ok(Request {
            label: run_label("interview", self.number),
            model: model.to_owned(),
            system: prompt::system()?,
            tools: tools::definitions().into(),
            messages: self.messages.clone(),
            max_tokens: REPLY_TOKENS,
            forgotten_turns: 0,
            earlier_turns: 0,
        })
    }

    /// Handles a reply, and applies its answers to the current `form`.
    pub fn handle_reply(&mut self, reply: Reply, form: &mut Questionnaire) -> Next {
        self.turns += 1;
        if reply.stop_reason == StopReason::Refusal {
            let words: String = reply.text.trim().chars().take(WORDS).collect();
            return Next::GiveUp(format!("The model declined: {words}"));
        }
        if reply.tool_calls.is_empty() {
            let text = reply.text.trim();
            if !text.is_empty() {
                return Next::Say(text.chars().take(SHOWN).collect());
            }
            let word =
                "Now reply to the person: say what you understood, and ask what you need to know.";
            self.messages.extend([reply.into_message(), Message::user(word)]);
        } else {
            self.run_calls(reply, form);
        }
        match self.turns < MAX_TURNS {
            true => Next::Ask,
            false => Next::GiveUp(format!(
                "The model gave no answer within {MAX_TURNS} replies. What it wrote into the form \
                 is kept: try again, or continue in the form."
            )),
        }
    }

    fn run_calls(&mut self, reply: Reply, form: &mut Questionnaire) {
        // A call at the end of a truncated reply may be incomplete.
        let cut_off = !reply.stop_reason.is_complete();
        let calls = with_unique_ids(&self.messages, &reply.tool_calls, self.turns);
        let results = calls.iter().map(|call| {
            let (content, is_error) = match cut_off {
                true => ("Rejected: your reply became too long. Set fewer answers.".into(), true),
                false => tools::call(call, form, &mut self.known),
            };
            UserBlock::ToolResult { call_id: call.id.clone(), content, is_error }
        });
        let results = Message::User { content: results.collect() };
        let mut said = reply.into_message();
        if let Message::Assistant { tool_calls, .. } = &mut said {
            *tool_calls = calls;
        }
        self.messages.extend([said, results]);
    }
}

/// The end of the conversation that fits; it begins with a message of the user.
fn remembered(said: &[ReplyOutcome]) -> &[ReplyOutcome] {
    let mut room = REMEMBERED;
    let fits = |said: &&ReplyOutcome| {
        let length = said.text.chars().count();
        let fits = length <= room;
        room -= length.min(room);
        fits
    };
    let count = said.iter().rev().take_while(fits).count().max(1);
    let end = &said[said.len() - count..];
    let persons = end.iter().position(|said| said.author == Author::Person);
    &end[persons.unwrap_or(0)..]
}

fn message(said: &ReplyOutcome) -> Message {
    let text = said.text.clone();
    match said.author {
        Author::Person => Message::user(text),
        Author::Model => Message::Assistant { text, tool_calls: Vec::new(), provider: None },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::questionnaire::Size;
    use llm::{ToolCall, Usage};
    use serde_json::{Value, json};
    use std::collections::HashSet;

    fn person(text: &str) -> ReplyOutcome {
        ReplyOutcome { author: Author::Person, text: text.to_owned() }
    }

    fn model(text: &str) -> ReplyOutcome {
        ReplyOutcome { author: Author::Model, text: text.to_owned() }
    }

    fn empty() -> Questionnaire {
        Questionnaire { size: Size::Mini, answers: Default::default() }
    }

    fn reply(text: &str, calls: &[Value]) -> Reply {
        let call = |input: &Value| ToolCall {
            id: String::new(),
            name: tools::SET.to_owned(),
            input: input.clone(),
        };
        let tool_calls: Vec<_> = calls.iter().map(call).collect();
        let stop_reason =
            if tool_calls.is_empty() { StopReason::EndTurn } else { StopReason::ToolUse };
        let (text, reasoning) = (text.to_owned(), String::new());
        Reply { text, reasoning, tool_calls, stop_reason, usage: Usage::default(), provider: None }
    }

    fn set(question: &str, text: &str) -> Value {
        let answer = json!({"section": "product_intent", "question": question, "text": text});
        json!({ "answers": [answer] })
    }

    fn texts(request: &Request) -> Vec<(&'static str, String)> {
        let one = |message: &Message| match message {
            Message::User { content } => {
                ("user", content.iter().map(|block| block.content()).collect::<String>())
            }
            Message::Assistant { text, .. } => ("model", text.clone()),
        };
        request.messages.iter().map(one).collect()
    }

    #[test]
    fn fills_the_form_and_answers() {
        let mut form = empty();
        let said = [person("Sheep"), model("What about them?"), person("Count them.")];
        let mut interview = Interview::begin(&said, &form).unwrap();
        let request = interview.request("m").unwrap();
        assert_eq!((request.label.as_str(), request.tools.len()), ("interview#2", 1));
        let sent = texts(&request);
        assert_eq!(sent[1], ("model", "What about them?".into()));
        assert_eq!(sent[2], ("user", "Count them.".into()));
        assert!(sent[3].1.starts_with("The current state of the form:\n{\"size\":\"mini\""));

        let calls = [set("summary", "It counts sheep."), set("users", "Shepherds")];
        assert_eq!(interview.handle_reply(reply("I see.", &calls), &mut form), Next::Ask);
        assert_eq!(form.answers.progress(form.size).answered, 2);
        let stored = serde_json::to_string(&interview).unwrap();
        let mut interview: Interview = serde_json::from_str(&stored).unwrap();
        assert_eq!(interview.turns(), 1);
        let request = interview.request("m").unwrap();
        let Some(Message::User { content }) = request.messages.last() else { panic!() };
        let ids: HashSet<_> = content
            .iter()
            .map(|block| match block {
                UserBlock::ToolResult { call_id, is_error: false, .. } => call_id.clone(),
                block => panic!("{block:?}"),
            })
            .collect();
        assert_eq!(ids.len(), 2, "each call has its result");
        let next = interview.handle_reply(reply("  Sheep, then. What else?\n", &[]), &mut form);
        assert_eq!(next, Next::Say("Sheep, then. What else?".into()));
    }

    #[test]
    fn nothing_is_requested_without_a_new_message() {
        assert_eq!(Interview::begin(&[], &empty()), None);
        assert_eq!(Interview::begin(&[person("a"), model("b")], &empty()), None);
    }

    #[test]
    fn interview_ends_after_too_many_turns_and_keeps_answers() {
        let mut form = empty();
        let mut interview = Interview::begin(&[person("a")], &form).unwrap();
        for turn in 1..=MAX_TURNS {
            let text = format!("It counts to {turn}.");
            match interview.handle_reply(reply("", &[set("summary", &text)]), &mut form) {
                Next::GiveUp(why) => {
                    assert!(turn == MAX_TURNS && why.contains("within 8 replies"), "{why}");
                }
                next => assert!(turn < MAX_TURNS && next == Next::Ask, "{turn}: {next:?}"),
            }
        }
        assert_eq!(form.answers.progress(form.size).answered, 1);
        let mut interview = Interview::begin(&[person("a")], &form).unwrap();
        assert_eq!(
            interview.handle_reply(reply(" ", &[]), &mut form),
            Next::Ask,
            "silence is no answer"
        );
        let declined = Reply { stop_reason: StopReason::Refusal, ..reply("No.", &[]) };
        let next = interview.handle_reply(declined, &mut form);
        assert_eq!(next, Next::GiveUp("The model declined: No.".into()));
    }

    #[test]
    fn truncated_reply_sets_no_answer() {
        let mut form = empty();
        let mut interview = Interview::begin(&[person("a")], &form).unwrap();
        let cut = reply("", &[set("summary", "It cou")]);
        let cut = Reply { stop_reason: StopReason::MaxTokens, ..cut };
        assert_eq!(interview.handle_reply(cut, &mut form), Next::Ask);
        assert_eq!(form, empty());
        let sent = texts(&interview.request("m").unwrap());
        assert!(sent.last().unwrap().1.contains("became too long"), "{sent:?}");
    }

    #[test]
    fn long_conversation_keeps_its_end() {
        let long = "word ".repeat(4_000);
        let mut said = Vec::new();
        for _ in 0..8 {
            said.extend([person(&long), model("Go on.")]);
        }
        said.push(person("The end."));
        let interview = Interview::begin(&said, &empty()).unwrap();
        let sent = texts(&interview.request("m").unwrap());
        assert_eq!(interview.request("m").unwrap().label, "interview#9");
        assert_eq!((sent[0].0, sent.len()), ("user", 8), "three long ones, the end, the form");
        assert!(sent.iter().map(|(_, text)| text.len()).sum::<usize>() < 90_000);
        assert_eq!(
            texts(&Interview::begin(&[person(&long)], &empty()).unwrap().request("m").unwrap())
                .len(),
            2
        );
    }
}
