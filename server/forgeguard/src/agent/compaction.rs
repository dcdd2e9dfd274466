//! Shortens a conversation that became too long: its middle is replaced by a summary.
//!
//! The summary is composed from the messages and not requested from a model, so it costs nothing,
//! cannot fail, and is deterministic. The whole transcript stays stored, and each summary is made
//! from all of it.

use domain::{contract::ContractType, usage::TURNS_AFTER_COMPACTION};
use serde_json::Value;

use super::transcript::{FinishedCall, Summary, Transcript};
use crate::{text::ends, tools::ToolName};

/// The part of a model's window that a conversation may fill.
const MAX_FILL_PERCENT: u64 = 70;
/// The part of the window that compaction must free. Less is not worth a new prompt cache.
const MIN_GAIN_PERCENT: u64 = 10;
/// Size limits of the parts of a summary, in bytes.
const MAX_DECISIONS: usize = 7_000;
const MAX_COMMANDS: usize = 2_000;
const MAX_PATHS: usize = 2_000;
const MAX_ANSWERS: usize = 2_000;
/// Size limits of one item, in bytes.
const MAX_DECISION: usize = 500;
const MAX_COMMAND: usize = 160;
const MAX_ANSWER: usize = 400;

/// Tools that change the file in their field `path`.
const CHANGING: [ToolName; 3] = [ToolName::WriteFile, ToolName::EditFile, ToolName::DeleteFile];

/// A shorter conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompactedTranscript {
    /// Replaces the middle.
    pub summary: Summary,
    /// Contracts that were fetched in the middle.
    pub contracts_read: Vec<ContractType>,
}

/// The ratio of tokens counted by the provider to estimated tokens, for one conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenScale {
    counted: u64,
    estimated: u64,
}

impl TokenScale {
    /// Estimates are used unchanged.
    pub const UNKNOWN: Self = Self { counted: 1, estimated: 1 };

    /// From a prompt's estimate and the provider's count.
    pub fn measured(counted: u64, estimated: u64) -> Self {
        match counted.min(estimated) {
            0 => Self::UNKNOWN,
            _ => Self { counted, estimated },
        }
    }

    /// The expected count of the provider.
    pub fn tokens(self, estimated: u64) -> u64 {
        estimated.saturating_mul(self.counted) / self.estimated
    }
}

/// Whether a prompt of this length requires compaction.
pub fn is_full(prompt_tokens: u64, window: u64) -> bool {
    prompt_tokens.saturating_mul(100) > window.saturating_mul(MAX_FILL_PERCENT)
}

/// Whether reducing a prompt from `before` to `after` tokens is worth it.
pub fn is_worth_it(before: u64, after: u64, window: u64) -> bool {
    before.saturating_sub(after).saturating_mul(100) >= window.saturating_mul(MIN_GAIN_PERCENT)
}

/// The conversation without its middle: everything before the first reply and the last two replies
/// with their results are kept. `None` if there is no middle.
pub fn shorten(transcript: &Transcript) -> Option<CompactedTranscript> {
    let kept_from = transcript.reply_from_end(TURNS_AFTER_COMPACTION as usize)?;
    let middle = transcript.middle(kept_from)?;
    let calls = middle.finished_calls();
    let contracts_read = contracts(&calls);
    let text = summary(&middle, &calls, &contracts_read);
    Some(CompactedTranscript { summary: Summary { text, kept_from }, contracts_read })
}

fn summary(middle: &Transcript, calls: &[FinishedCall<'_>], contracts: &[ContractType]) -> String {
    let names: Vec<&str> = contracts.iter().map(|contract| contract.name()).collect();
    let fetched = match names.is_empty() {
        true => Vec::new(),
        false => vec![format!(
            "{}. Their text was removed; fetch what you need again.",
            names.join(", ")
        )],
    };
    let parts = [
        ("Files changed", newest(paths(calls, &CHANGING), MAX_PATHS)),
        ("Files read", newest(paths(calls, &[ToolName::ReadFile]), MAX_PATHS)),
        ("Contracts read", fetched),
        ("Commands run", newest(commands(calls), MAX_COMMANDS)),
        ("Questions answered", newest(answers(calls), MAX_ANSWERS)),
        ("Decisions and progress, in your own words", newest(decisions(middle), MAX_DECISIONS)),
    ];
    let mut text = format!(
        "The conversation became too long, so {} replies in its middle were removed. Their results:\n",
        middle.turns()
    );
    for (title, items) in parts.into_iter().filter(|(_, items)| !items.is_empty()) {
        text += &format!("\n{title}:\n");
        text.extend(items.iter().map(|item| format!("- {item}\n")));
    }
    text + "\nYour scratchpad is unchanged. Files may have changed: read one again before you rely \
            on it."
}

/// As many of the last items as fit into `max_bytes`, in order.
fn newest(items: Vec<String>, max_bytes: usize) -> Vec<String> {
    let mut room = max_bytes;
    let fits = |item: &&String| {
        let fits = item.len() <= room;
        room = room.saturating_sub(item.len());
        fits
    };
    let count = items.iter().rev().take_while(fits).count();
    items[items.len() - count..].to_vec()
}

fn text<'a>(input: &'a Value, field: &str) -> Option<&'a str> {
    input.get(field)?.as_str()
}

/// The distinct paths in calls of these tools, in the order of their last use.
fn paths(calls: &[FinishedCall<'_>], tools: &[ToolName]) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    let is_one =
        |call: &&FinishedCall<'_>| call.tool_name().is_some_and(|tool| tools.contains(&tool));
    for call in calls.iter().filter(is_one).filter(|call| !call.failed) {
        let Some(path) = text(call.input, "path") else { continue };
        paths.retain(|known| known != path);
        paths.push(path.to_owned());
    }
    paths
}

fn contracts(calls: &[FinishedCall<'_>]) -> Vec<ContractType> {
    let mut read = Vec::new();
    for call in calls.iter().filter(|call| !call.failed) {
        let contract = match call.tool_name() {
            Some(ToolName::ForgeGetPhaseBrief) => Some(ContractType::Phases),
            _ => text(call.input, "contract_type").and_then(|name| name.parse().ok()),
        };
        read.extend(contract.filter(|contract| !read.contains(contract)));
    }
    read.sort();
    read
}

fn commands(calls: &[FinishedCall<'_>]) -> Vec<String> {
    let described = |call: &FinishedCall<'_>| {
        let line = match call.tool_name() {
            Some(ToolName::RunCommand) => text(call.input, "command")?,
            Some(ToolName::RunTests) => "the project's tests",
            _ => return None,
        };
        let result = if call.failed { "failed" } else { "succeeded" };
        Some(format!("{result}: {}", on_one_line(line, MAX_COMMAND)))
    };
    calls.iter().filter_map(described).collect()
}

fn answers(calls: &[FinishedCall<'_>]) -> Vec<String> {
    let asked =
        calls.iter().filter(|call| call.tool_name() == Some(ToolName::ForgeAskClarification));
    let described = |call: &FinishedCall<'_>| {
        let question = text(call.input, "question")?;
        let (question, answer) =
            (on_one_line(question, MAX_ANSWER), on_one_line(call.result, MAX_ANSWER));
        Some(format!("{question} → {answer}"))
    };
    asked.filter_map(described).collect()
}

fn decisions(middle: &Transcript) -> Vec<String> {
    let texts = middle.replies().map(|(text, _)| text.trim()).filter(|text| !text.is_empty());
    texts.map(|text| on_one_line(text, MAX_DECISION)).collect()
}

fn on_one_line(text: &str, max_bytes: usize) -> String {
    ends(text, max_bytes).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::new_id;
    use llm::{Message, ToolCall, UserBlock};
    use serde_json::json;

    fn turn(
        transcript: &mut Transcript,
        text: &str,
        tool: &str,
        input: Value,
        result: (&str, bool),
    ) {
        let id = format!("c{}", transcript.turns());
        let call = ToolCall { id: id.clone(), name: tool.into(), input };
        let (content, is_error) = (result.0.into(), result.1);
        transcript.extend([
            Message::Assistant { text: text.into(), tool_calls: vec![call], provider: None },
            Message::User {
                content: vec![UserBlock::ToolResult { call_id: id, content, is_error }],
            },
        ]);
    }

    fn long_transcript() -> Transcript {
        let mut transcript = Transcript::new(new_id());
        transcript.extend([Message::user("the task")]);
        let file = |path: &str| json!({ "path": path, "content": "long text of a file" });
        let contract = |name: &str| json!({ "contract_type": name });
        let t = &mut transcript;
        turn(t, "", "forge_get_project_contract", contract("physics"), ("paths: …", false));
        turn(t, "", "forge_get_project_contract", contract("nonsense"), ("no such", true));
        turn(t, "", "forge_get_phase_brief", json!({"phase_number": 0}), ("## Phase 0", false));
        turn(t, "Ids are UUIDs,\nas physics says.", "write_file", file("a.rs"), ("ok", false));
        turn(t, "", "write_file", file("b.rs"), ("ok", false));
        turn(t, "", "edit_file", file("a.rs"), ("ok", false));
        turn(t, "", "edit_file", file("c.rs"), ("not found", true));
        turn(t, "", "run_command", json!({"command": "cargo test"}), ("2 failed", true));
        let question = json!({ "question": "Which port?" });
        turn(t, "", "forge_ask_clarification", question, ("8080", false));
        turn(t, "Nearly there.", "read_file", file("d.rs"), ("text", false));
        turn(t, "The end.", "read_file", file("e.rs"), ("text", false));
        transcript
    }

    #[test]
    fn names_files_contracts_commands_answers_and_decisions() {
        let shortened = shorten(&long_transcript()).unwrap();
        assert_eq!(shortened.contracts_read, [ContractType::Physics, ContractType::Phases]);
        let text = &shortened.summary.text;
        for part in [
            "so 9 replies in its middle were removed",
            "Files changed:\n- b.rs\n- a.rs\n",
            "- physics, phases. Their text was removed; fetch what you need again.",
            "- failed: cargo test",
            "- Which port? → 8080",
            "- Ids are UUIDs, as physics says.",
        ] {
            assert!(text.contains(part), "{part} is not in:\n{text}");
        }
        for gone in ["long text", "c.rs", "d.rs", "The end", "nonsense"] {
            assert!(!text.contains(gone), "{gone} is in:\n{text}");
        }
    }

    #[test]
    fn summary_is_short_for_any_transcript() {
        let mut transcript = long_transcript();
        for n in 0..2_000 {
            let words = format!("Decision {n} {}", "because ".repeat(50));
            let path = json!({ "path": format!("src/module/file-{n}.rs") });
            turn(&mut transcript, &words, "edit_file", path, ("ok", false));
        }
        let text = shorten(&transcript).unwrap().summary.text;
        assert!(text.len() < 16_000, "{} bytes", text.len());
        assert!(text.contains("Decision 1997") && text.contains("file-1997.rs"));
        assert!(!text.contains("Decision 1998"), "it is kept word for word");
    }

    #[test]
    fn transcript_without_a_middle_is_not_compacted() {
        let mut transcript = Transcript::new(new_id());
        transcript.extend([Message::user("the task")]);
        for _ in 0..2 {
            assert_eq!(shorten(&transcript), None);
            turn(&mut transcript, "", "read_file", json!({}), ("text", false));
        }
        assert_eq!(shorten(&transcript), None);
        turn(&mut transcript, "", "read_file", json!({}), ("text", false));
        assert!(shorten(&transcript).is_some());
    }

    #[test]
    fn compaction_starts_at_seventy_percent_of_the_counted_tokens() {
        assert!(!is_full(140_000, 200_000) && is_full(140_001, 200_000));
        assert!(is_worth_it(140_000, 120_000, 200_000) && !is_worth_it(140_000, 120_001, 200_000));
        assert_eq!(TokenScale::UNKNOWN.tokens(70), 70);
        assert_eq!(TokenScale::measured(300, 100).tokens(70), 210);
        assert_eq!(TokenScale::measured(0, 100), TokenScale::UNKNOWN);
    }
}
