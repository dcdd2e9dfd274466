//! Transcripts with pending, finished and summarised calls.

use super::*;
use crate::store::new_id;
use serde_json::json;

fn call(id: &str) -> ToolCall {
    ToolCall { id: id.into(), name: "look".into(), input: json!({"id": id}) }
}

fn reply(ids: &[&str]) -> Message {
    let tool_calls = ids.iter().map(|id| call(id)).collect();
    Message::Assistant { text: "t".into(), tool_calls, provider: None }
}

fn result(id: &str) -> Message {
    let content = format!("result of {id}");
    let block = UserBlock::ToolResult { call_id: id.into(), content, is_error: false };
    Message::User { content: vec![block] }
}

fn transcript(messages: Vec<Message>) -> Transcript {
    let mut transcript = Transcript::new(new_id());
    transcript.extend(messages);
    transcript
}

#[test]
fn calls_without_a_result_are_pending() {
    let started = transcript(vec![Message::user("go"), reply(&["a", "b", "c"]), result("b")]);
    let ids: Vec<String> = started.pending().into_iter().map(|call| call.id).collect();
    assert_eq!(ids, ["a", "c"]);
    let done = transcript(vec![Message::user("go"), reply(&["a"]), result("a")]);
    assert!(done.pending().is_empty());
    assert!(transcript(vec![Message::user("go")]).pending().is_empty());
    assert!(transcript(vec![reply(&[]), Message::user("more")]).pending().is_empty());
}

#[test]
fn results_are_sent_in_the_order_of_the_calls() {
    let stored = transcript(vec![
        Message::user("go"),
        reply(&["a", "b"]),
        Message::user("a reminder"),
        result("b"),
        result("a"),
        Message::user("by the way"),
        reply(&[]),
    ]);
    let sent = stored.conversation(&[]);
    assert_eq!(sent.len(), 4);
    let texts: Vec<&str> = blocks(&sent[2]).iter().map(UserBlock::content).collect();
    assert_eq!(texts, ["result of a", "result of b", "a reminder", "by the way"]);
}

#[test]
fn finished_calls_with_equal_ids_are_distinguished() {
    let stored = transcript(vec![reply(&["a"]), result("a"), reply(&["a", "b"]), result("b")]);
    let finished = stored.finished_calls();
    let results: Vec<&str> = finished.iter().map(|call| call.result).collect();
    assert_eq!(results, ["result of a", "result of b"]);
    assert_eq!(stored.pending()[0].id, "a");
}

#[test]
fn call_ids_are_made_unique() {
    let stored = transcript(vec![reply(&["a"]), result("a")]);
    let calls = stored.with_unique_ids(vec![call("a"), call(""), call("b"), call("b")]);
    let ids: Vec<&str> = calls.iter().map(|call| call.id.as_str()).collect();
    assert_eq!(ids, ["a-1-0", "-1-1", "b", "b-1-3"]);
}

#[test]
fn rows_are_numbered_without_gaps() {
    let mut stored = transcript(vec![Message::user("go")]);
    let next = [reply(&["a"]), result("a")];
    let rows = stored.rows(&next);
    let places: Vec<(u32, &str)> = rows.iter().map(|row| (row.position, row.role)).collect();
    assert_eq!(places, [(1, "assistant"), (2, "user")]);
    stored.extend(next);
    assert_eq!(stored.rows(&[Message::user("x")])[0].position, 3);
    assert!(stored.was_sent("go") && !stored.was_sent("x"));
}

#[test]
fn summary_replaces_the_middle() {
    let mut stored = transcript(vec![Message::user("go"), Message::user("and be quick")]);
    for id in ["a", "b", "c", "d"] {
        stored.extend([reply(&[id]), result(id)]);
    }
    let kept_from = stored.reply_from_end(2).unwrap();
    let middle = stored.middle(kept_from).unwrap();
    assert_eq!(middle.finished_calls().len(), 2);
    let summary = Summary { text: "two looks".into(), kept_from };
    let row = stored.summary_row(&summary);
    assert_eq!((row.position, row.role), (10, "summary"));

    let mut loaded = stored.clone();
    loaded.take(row.role, &row.message.to_string()).unwrap();
    let sent = loaded.conversation(&[]);
    assert_eq!(sent.len(), 5);
    let texts: Vec<&str> = blocks(&sent[0]).iter().map(UserBlock::content).collect();
    assert_eq!(texts, ["go", "and be quick", "two looks"]);
    assert_eq!(&sent[1..], &stored.conversation(&[])[5..]);
    assert_eq!((loaded.forgotten_turns(), loaded.turns()), (2, 4));
    assert_eq!(loaded.finished_calls().len(), 4);
    assert!(loaded.middle(kept_from).is_none(), "the summary replaces it already");
    assert_eq!(loaded.rows(&[reply(&[])])[0].position, 11);
}

#[test]
fn damaged_summary_is_ignored() {
    for kept_from in [0, 1, 99] {
        let mut stored = transcript(vec![Message::user("go"), reply(&["a"]), result("a")]);
        stored.shorten(Summary { text: "?".into(), kept_from });
        assert!(!stored.conversation(&[]).is_empty());
    }
}
