//! Scenarios: recorded replies, looked up by the label of a run and the turn.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{error::ModelError, request::Request, scripted::ScriptedReply};

/// The version of the format that this crate reads and writes.
pub const SCENARIO_VERSION: u32 = 1;

/// A session's replies.
///
/// ```json
/// {"version": 1, "name": "greeting", "description": "Says hello.",
///  "runs": {"hello": [
///    [{"text": "Who is there?", "tool_calls": [{"name": "ask", "input": {"question": "Name?"}}]}],
///    [{"when": "Ada", "text": "Hello, countess."}, {"text": "Hello."}]
///  ]}}
/// ```
///
/// A run is a list of turns, a turn a list of alternatives. The turn is the number of previous
/// replies, and its first matching alternative is used. Nothing else is considered, so an
/// interrupted conversation continues with the same replies.
///
/// The label of a repeated run ends in its number, `hello#2`. If the scenario does not contain it,
/// the replies of the previous run are used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// [`SCENARIO_VERSION`].
    pub version: u32,
    pub name: String,
    #[serde(default)]
    pub description: String,
    /// Label of the run → turns → alternatives.
    pub runs: BTreeMap<String, Vec<Vec<ScriptedReply>>>,
}

/// The label of the `number`th run of this name, from 1.
pub fn run_label(name: &str, number: u32) -> String {
    if number > 1 { format!("{name}#{number}") } else { name.to_owned() }
}

fn name_and_number(label: &str) -> (&str, u32) {
    let numbered = label.rsplit_once('#');
    numbered.and_then(|(name, number)| Some((name, number.parse().ok()?))).unwrap_or((label, 1))
}

/// Why a scenario is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid scenario: {}", problems.join("; "))]
pub struct InvalidScenario {
    /// All errors, each with its location.
    pub problems: Vec<String>,
}

impl Scenario {
    /// Parses and validates a scenario.
    ///
    /// # Errors
    /// All validation errors, or the syntax error.
    pub fn load(json: &str) -> Result<Self, InvalidScenario> {
        let unreadable =
            |error: serde_json::Error| InvalidScenario { problems: vec![error.to_string()] };
        let value: Value = serde_json::from_str(json).map_err(unreadable)?;
        match value.get("version").and_then(Value::as_u64) {
            Some(version) if version == u64::from(SCENARIO_VERSION) => {}
            Some(version) => {
                let problem =
                    format!("version {version} is not supported, only {SCENARIO_VERSION} is");
                return Err(InvalidScenario { problems: vec![problem] });
            }
            None => return Err(InvalidScenario { problems: vec!["`version` is missing".into()] }),
        }
        // Parsed from the text again, so that errors have line and column.
        let scenario: Self = serde_json::from_str(json).map_err(unreadable)?;
        let problems = scenario.problems();
        if problems.is_empty() { Ok(scenario) } else { Err(InvalidScenario { problems }) }
    }

    /// The text that [`Scenario::load`] parses.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    /// The reply to a request, determined by its label, its turn and its new messages.
    ///
    /// # Errors
    /// [`ModelError::NoScenario`] if the scenario has no reply for it.
    pub fn reply(&self, request: &Request) -> Result<&ScriptedReply, ModelError> {
        let Request { label, .. } = request;
        let missing = |what: String| {
            Err(ModelError::NoScenario {
                reason: format!("the scenario “{}” {what}", self.name)
            })
        };
        let Some(turns) = self.turns(label) else {
            return missing(format!("has no run `{label}`"));
        };
        let turn = request.turn();
        let Some(alternatives) = turns.get(turn) else {
            return missing(format!("ends before turn {turn} of run `{label}`"));
        };
        let news: Vec<String> =
            request.news().map(|block| block.content().to_lowercase()).collect();
        let matches = |reply: &&ScriptedReply| match &reply.when {
            None => true,
            Some(when) => news.iter().any(|text| text.contains(&when.to_lowercase())),
        };
        match alternatives.iter().find(matches) {
            Some(reply) => Ok(reply),
            None => missing(format!("has no matching reply for turn {turn} of run `{label}`")),
        }
    }

    /// The turns of this run, or else of the latest previous one in the scenario.
    fn turns(&self, label: &str) -> Option<&Vec<Vec<ScriptedReply>>> {
        let (name, number) = name_and_number(label);
        let runs = self.runs.iter().map(|(label, turns)| (name_and_number(label), turns));
        runs.filter(|((other, earlier), _)| *other == name && *earlier <= number)
            .max_by_key(|((_, earlier), _)| *earlier)
            .map(|(_, turns)| turns)
    }

    fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        if self.name.trim().is_empty() {
            problems.push("`name` is empty".into());
        }
        if self.runs.is_empty() {
            problems.push("`runs` is empty".into());
        }
        for (label, turns) in &self.runs {
            if label.trim().is_empty() {
                problems.push("a run has no label".into());
            }
            if turns.is_empty() {
                problems.push(format!("run `{label}` has no turns"));
            }
            for (turn, alternatives) in turns.iter().enumerate() {
                let place = format!("run `{label}`, turn {turn}");
                if alternatives.is_empty() {
                    problems.push(format!("{place}: there is no reply"));
                }
                if let Some(always) = alternatives.iter().position(|reply| reply.when.is_none())
                    && always + 1 < alternatives.len()
                {
                    problems.push(format!(
                        "{place}: reply {always} always matches, so later ones are unreachable"
                    ));
                }
                for (index, reply) in alternatives.iter().enumerate() {
                    problems.extend(
                        reply.problems().map(|what| format!("{place}, reply {index}: {what}")),
                    );
                }
            }
        }
        problems
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{Message, UserBlock};
    use serde_json::json;

    fn problems(json: &Value) -> Vec<String> {
        Scenario::load(&json.to_string()).unwrap_err().problems
    }

    fn with_runs(runs: Value) -> Value {
        json!({"version": 1, "name": "n", "runs": runs})
    }

    #[test]
    fn syntax_and_version_errors_are_reported() {
        for (json, problem) in [
            (json!({"name": "n", "runs": {}}), "`version` is missing"),
            (json!({"version": 9, "name": "n", "runs": {}}), "version 9 is not supported"),
            (json!({"version": 1, "runs": {}}), "missing field `name`"),
            (with_runs(json!({"a": [[{"txt": "typo"}]]})), "unknown field `txt`"),
        ] {
            let found = problems(&json);
            assert!(found.len() == 1 && found[0].contains(problem), "{found:?}");
        }
        assert!(Scenario::load("{").unwrap_err().to_string().contains("invalid scenario"));
    }

    #[test]
    fn validation_reports_every_problem_with_its_location() {
        let found = problems(&json!({"version": 1, "name": " ", "runs": {
            "": [[{"text": "x"}]],
            "a": [],
            "b": [[], [{"text": "x"}, {"text": "y"}], [{"when": "", "text": "x"}, {}],
                [{"text": "x", "failure": {"class": "transient", "message": "m"}}]],
            "c": [[{"tool_calls": [
                {"name": "", "input": {}},
                {"id": "i", "name": "t", "input": 1},
                {"id": "i", "name": "t", "input": {}}
            ]}]],
        }}));
        assert_eq!(
            found,
            [
                "`name` is empty",
                "a run has no label",
                "run `a` has no turns",
                "run `b`, turn 0: there is no reply",
                "run `b`, turn 1: reply 0 always matches, so later ones are unreachable",
                "run `b`, turn 2, reply 0: `when` is empty",
                "run `b`, turn 2, reply 1: it has neither text nor tool calls",
                "run `b`, turn 3, reply 0: it has both a failure and a reply",
                "run `c`, turn 0, reply 0: tool call 0 has no name",
                "run `c`, turn 0, reply 0: the input of tool call 1 is not an object",
                "run `c`, turn 0, reply 0: tool call 2 repeats the id `i`",
            ]
        );
        assert_eq!(problems(&with_runs(json!({}))), ["`runs` is empty"]);
    }

    #[test]
    fn scenario_round_trips_through_json() {
        let json = with_runs(json!({"a": [[
            {"when": "w", "text": "t", "tool_calls": [{"name": "t", "input": {"k": [1]}}],
             "tokens": {"input": 1, "output": 2}, "stop_reason": {"other": "odd"}},
            {"text": "else"}
        ], [{"failure": {"class": "config", "message": "no"}}]]}));
        let scenario = Scenario::load(&json.to_string()).unwrap();
        assert_eq!(Scenario::load(&scenario.to_json()).unwrap(), scenario);
    }

    #[test]
    fn first_alternative_that_matches_the_new_messages_is_used() {
        let scenario = Scenario::load(
            &with_runs(json!({
                "a": [
                    [{"text": "start"}],
                    [{"when": "Red", "text": "red"}, {"when": "blue", "text": "blue"}, {"text": "else"}],
                    [{"when": "never", "text": "x"}]
                ]
            }))
            .to_string(),
        )
        .unwrap();
        let said = Message::Assistant { text: "start".into(), tool_calls: vec![], provider: None };
        let result = |content: &str| Message::User {
            content: vec![UserBlock::ToolResult {
                call_id: "c".into(),
                content: content.into(),
                is_error: false,
            }],
        };
        let request = |label: &str, messages: Vec<Message>| Request {
            label: label.into(),
            model: "offline".into(),
            system: String::new(),
            tools: [].into(),
            messages,
            max_tokens: 1,
            forgotten_turns: 0,
            earlier_turns: 0,
        };
        let text = |messages| scenario.reply(&request("a", messages)).unwrap().text.clone();
        let red_before = Message::user("red");
        assert_eq!(text(vec![red_before.clone()]), "start");
        let before = || vec![red_before.clone(), said.clone()];
        let then = |more: Vec<Message>| [before(), more].concat();
        assert_eq!(text(then(vec![result("they like RED and blue")])), "red");
        assert_eq!(text(then(vec![result("Blue"), Message::user("by the way")])), "blue");
        assert_eq!(text(then(vec![result("green")])), "else");

        let error = |label: &str, replies: usize| {
            scenario.reply(&request(label, vec![said.clone(); replies])).unwrap_err().to_string()
        };
        assert!(error("b", 0).contains("has no run `b`"));
        assert!(error("a", 2).contains("no matching reply for turn 2 of run `a`"));
        assert!(error("a", 3).contains("ends before turn 3 of run `a`"));
    }

    #[test]
    fn repeated_run_uses_its_own_replies_or_those_of_the_previous_run() {
        let runs = json!({"a": [[{"text": "first"}]], "a#3": [[{"text": "third"}]]});
        let scenario = Scenario::load(&with_runs(runs).to_string()).unwrap();
        let reply_text = |number| {
            let label = run_label("a", number);
            let request = Request {
                label,
                model: "offline".into(),
                system: String::new(),
                tools: [].into(),
                messages: vec![],
                max_tokens: 1,
                forgotten_turns: 0,
                earlier_turns: 0,
            };
            scenario.reply(&request).unwrap().text.clone()
        };
        assert_eq!([1, 2, 3, 9].map(reply_text), ["first", "first", "third", "third"]);
        assert_eq!((run_label("a", 1), run_label("a", 2)), ("a".into(), "a#2".into()));
    }
}
