//! Builds with a model over HTTP, including all kinds of failures of the provider.

use std::time::Duration;

use domain::{event::EventBody, failure::ErrorClass, ids::BuildId};
use model_server::{Dialect, ModelServer, Seen, Turn};
use serde_json::json;
use tokio::time::timeout;

use crate::{
    follower::Follower, harness::text, project_fixture::ProjectFixture,
    server_process::ServerProcess,
};

const PHASES: &str = "# Phases\n\n## Phase 0 — Greetings\n**Deliverables:**\n- greeting.txt\n\
    **Exit criteria:**\n- it greets\n";
/// Short, as these tests are about order and not about time.
const WAITS: &str = "[waits]\ntransient = [1, 1, 1, 1, 1]\nunknown = [1, 1, 1]\n";
const EVENT_TIMEOUT: Duration = Duration::from_secs(120);

/// A build of a small project by a model of this dialect, and its events.
struct Building {
    server: ServerProcess,
    model: ModelServer,
    build: BuildId,
    follower: Follower,
    events: Vec<EventBody>,
}

impl Building {
    /// `first` are the model's first turns in any role; then it behaves well.
    async fn start(dialect: Dialect, first: impl IntoIterator<Item = Turn>) -> Self {
        let ProjectFixture { server, model, project } = ProjectFixture::new(dialect, WAITS).await;
        model.script(first);
        model.play(good_model);
        let project = format!("/api/projects/{project}");
        server.put(&format!("{project}/contracts/phases"), json!({ "content": PHASES })).await;
        let gate = json!({
            "name": "test", "command": "cat greeting.txt && echo ok 1", "timeout_s": 60,
            "required": true, "network": false
        });
        let settings = json!({ "gates": [gate], "clarification_timeout_s": null });
        server.put(&format!("{project}/settings"), settings).await;
        let build = server
            .post(
                &format!("{project}/builds"),
                json!({ "budgets": { "usd_micros": "unlimited" }, "exploration": "always" }),
            )
            .await;
        let build = text(&build["id"]).parse().expect("an id");
        let follower = Follower::new(server.address(), server.token(), build);
        Self { server, model, build, follower, events: Vec::new() }
    }

    /// Reads until the build is sealed or blocked.
    async fn settle(&mut self) {
        loop {
            let event = timeout(EVENT_TIMEOUT, self.follower.event()).await;
            let event = event.unwrap_or_else(|_| {
                panic!("nothing after {:?}\n{}", self.events.last(), self.server.log())
            });
            let ends = matches!(event.body, EventBody::BuildSealed(_) | EventBody::BuildBlocked(_));
            self.events.push(event.body);
            if ends {
                return;
            }
        }
    }

    fn retries(&self) -> Vec<(ErrorClass, i64)> {
        let mut retries = Vec::new();
        for event in &self.events {
            if let EventBody::BuildRetryScheduled(retry) = event {
                retries.push((retry.error_class, i64::from(retry.attempt)));
            }
        }
        retries
    }

    fn tracked(&self) -> Vec<String> {
        let of = |event: &EventBody| match event {
            EventBody::BuildErrorTracked(tracked) => Some(tracked.record.message.clone()),
            _ => None,
        };
        self.events.iter().filter_map(of).collect()
    }

    fn verdict(&self) -> &'static str {
        match self.events.last() {
            Some(EventBody::BuildSealed(sealed)) => sealed.verdict.name(),
            other => panic!("not sealed: {other:?}"),
        }
    }
}

/// A competent model.
fn good_model(seen: &Seen) -> Turn {
    let system = seen.system();
    let window = || Turn::reply().calls("forge_get_phase_brief", json!({ "phase_number": 0 }));
    let criteria = "=== PHASE SIGN-OFF: PASS ===\ncriterion 1: passed — greeting.txt:1\n\
        === END PHASE SIGN-OFF ===";
    match seen.turn() {
        0 if system.contains("You are the auditor") => {
            Turn::reply().calls("read_file", json!({ "path": "greeting.txt" }))
        }
        _ if system.contains("You are the auditor") => Turn::says(criteria),
        0 if seen.is_planning() => window(),
        _ if system.contains("You are the scout") => Turn::says("An empty project."),
        _ if seen.is_planning() => {
            Turn::says("=== PLAN ===\n1. Write greeting.txt\nGates: validate\n=== END PLAN ===")
        }
        0 => Turn::says("I write it.")
            .calls("write_file", json!({ "path": "greeting.txt", "content": "Hello\n" }))
            .calls("read_file", json!({ "path": "README.md" })),
        _ => Turn::says("=== TASK DONE: 1 ===\nIt greets."),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn build_works_over_both_protocols() {
    for dialect in Dialect::ALL {
        let mut building = Building::start(dialect, []).await;
        building.settle().await;
        assert_eq!(building.verdict(), "CERTIFIED", "{:?}", building.tracked());
        let build = building.server.get(&format!("/api/builds/{}", building.build)).await;
        assert_eq!(build["model"], "m-1");
        assert!(building.model.requests().iter().all(|seen| seen.model() == "m-1"));
        let turns = building.events.iter().filter_map(|event| match event {
            EventBody::BuildAgentTurn(turn) => Some(turn),
            _ => None,
        });
        // 100 input and 20 output tokens at 1 and 2 USD per million.
        assert!(turns.clone().count() >= 6);
        assert!(turns.into_iter().all(|turn| turn.cost_usd_micros == 140));
        building.model.finish();
        building.server.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn transient_failures_are_retried() {
    let failures = [
        Turn::error(429, "rate_limit_error", "Slow down").header("retry-after", "2"),
        Turn::error(529, "overloaded_error", "Overloaded"),
        Turn::says("An answer that is never").cut_after(1),
        Turn::error(500, "api_error", "Oh dear"),
    ];
    for dialect in Dialect::ALL {
        let mut building = Building::start(dialect, failures.clone()).await;
        building.settle().await;
        let expected: Vec<_> = (1..=4).map(|attempt| (ErrorClass::Transient, attempt)).collect();
        assert_eq!(building.retries(), expected);
        assert_eq!(building.verdict(), "CERTIFIED", "{:?}", building.tracked());
        // Four failures, four records, all resolved at the end of the phase.
        assert_eq!(building.tracked().len(), 4, "{:?}", building.tracked());
        building.model.finish();
        building.server.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn configuration_errors_block_the_build_until_it_is_resumed() {
    for (failure, word) in [
        (Turn::error(401, "authentication_error", "No"), "ANTHROPIC_API_KEY"),
        (Turn::error(404, "not_found_error", "model: m-1"), "m-1"),
        (Turn::error(402, "billing_error", "credit"), "quota"),
    ] {
        let mut building = Building::start(Dialect::Anthropic, [failure]).await;
        building.settle().await;
        let Some(EventBody::BuildBlocked(blocked)) = building.events.last() else {
            panic!("{:?}", building.events.last())
        };
        assert_eq!(blocked.reason.name(), "config");
        assert!(blocked.report.contains(word), "{}", blocked.report);
        assert!(building.retries().is_empty(), "{:?}", building.tracked());

        let resume = format!("/api/builds/{}/resume", building.build);
        building.server.post(&resume, json!({})).await;
        building.settle().await;
        assert_eq!(building.verdict(), "CERTIFIED");
        building.model.finish();
        building.server.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_failure_is_retried_three_times_and_then_blocks() {
    let garbled = || Turn::says("A whole answer").garbled_after(1);
    let mut building = Building::start(Dialect::Anthropic, [(); 4].map(|()| garbled())).await;
    building.settle().await;
    let expected: Vec<_> = (1..=3).map(|attempt| (ErrorClass::Unknown, attempt)).collect();
    assert_eq!(building.retries(), expected);
    let Some(EventBody::BuildBlocked(blocked)) = building.events.last() else {
        panic!("{:?}", building.events.last())
    };
    assert_eq!(blocked.reason.name(), "retries");
    // Equal failures are one record with a count.
    let messages: std::collections::BTreeSet<_> = building.tracked().into_iter().collect();
    assert_eq!(messages.len(), 1, "{messages:?}");
    building.model.finish();
    building.server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unusual_replies_become_part_of_the_conversation() {
    let odd = [
        Turn::reply().thinks("Hm. Let me think about this for a while."),
        Turn::reply()
            .calls("no_such_tool", json!({ "a": 1 }))
            .calls("list_directory", json!({ "path": 7 })),
        Turn::reply().calls_with("read_file", "{\"path\": \"READ"),
        Turn::reply().calls("read_file", json!({ "path": "../../../etc/shadow" })),
    ];
    for dialect in Dialect::ALL {
        let mut building = Building::start(dialect, odd.clone()).await;
        building.settle().await;
        assert_eq!(building.verdict(), "CERTIFIED", "{:?}", building.tracked());
        assert!(building.retries().is_empty(), "{:?}", building.tracked());
        building.model.finish();
        building.server.stop().await;
    }
}
