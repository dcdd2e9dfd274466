//! Recording of a conversation, and its replay.

use std::collections::BTreeMap;

use llm::{Message, Offline, Provider, Reply, SCENARIO_VERSION, Scenario};
use model_server::{Dialect, ModelServer, Tokens, Turn};
use serde_json::json;

use crate::fixture::{LABEL, ask, provider, results};

#[tokio::test]
async fn recorded_conversation_is_replayed_unchanged() {
    for dialect in Dialect::ALL {
        let server = ModelServer::start(dialect).await;
        // The second turn depends on the tool results.
        server.play(|seen| match seen.turn() {
            0 => Turn::reply()
                .thinks("Where to look?")
                .and_says("Looking — überall.")
                .calls("look", json!({"at": "a"}))
                .calls("ask", json!({}))
                .tokens(Tokens { input: 50, output: 9, cache_read: 700, cache_write: 0 }),
            1 => Turn::says(format!("I got {} results.", seen.news().len())),
            turn => panic!("turn {turn} is unexpected"),
        });
        let replies = converse(&*provider(dialect, server.base_url())).await;
        assert_eq!(replies[1].text, "I got 2 results.");
        server.finish();

        let turns = replies.iter().cloned().map(|reply| vec![reply.into()]).collect();
        let scenario = Scenario {
            version: SCENARIO_VERSION,
            name: "taken".into(),
            description: String::new(),
            runs: BTreeMap::from([(LABEL.to_owned(), turns)]),
        };
        let json = scenario.to_json();
        let offline = Offline::playing(Scenario::load(&json).unwrap());
        assert_eq!(converse(&offline).await, replies);
    }
}

/// Two turns; the second request contains the results of the first reply's calls.
async fn converse(provider: &dyn Provider) -> Vec<Reply> {
    let mut messages = vec![Message::user("Begin.")];
    let first = ask(provider, messages.clone()).await.unwrap();
    messages.push(first.clone().into_message());
    messages.push(Message::User { content: results(&first) });
    let second = ask(provider, messages).await.unwrap();
    vec![first, second]
}
