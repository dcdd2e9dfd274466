//! A session with a real provider, recorded and played again without one.

use std::collections::BTreeMap;

use llm::{Message, Offline, Pace, Provider, Reply, SCENARIO_VERSION, Scenario};
use model_server::{Dialect, ModelServer, Tokens, Turn};
use serde_json::json;

use crate::asking::{LABEL, ask, provider, results};

#[tokio::test]
async fn a_recorded_session_replays_as_it_was() {
    for dialect in Dialect::ALL {
        let server = ModelServer::start(dialect).await;
        // The second turn follows from what the tools returned.
        server.play(|seen| match seen.turn() {
            0 => Turn::reply()
                .thinks("Where to look?")
                .and_says("Looking — überall.")
                .calls("look", json!({"at": "a"}))
                .calls("ask", json!({}))
                .tokens(Tokens { input: 50, output: 9, cache_read: 700, cache_write: 0 }),
            1 => Turn::says(format!("I heard {} things.", seen.news().len())),
            turn => panic!("turn {turn} was not to be"),
        });
        let heard = session(&*provider(dialect, server.base_url())).await;
        assert_eq!(heard[1].text, "I heard 2 things.");
        server.finish();

        let turns = heard.iter().cloned().map(|reply| vec![reply.into()]).collect();
        let scenario = Scenario {
            version: SCENARIO_VERSION,
            name: "taken".into(),
            description: String::new(),
            runs: BTreeMap::from([(LABEL.to_owned(), turns)]),
        };
        let json = scenario.to_json();
        let offline = Offline::playing(Scenario::load(&json).unwrap(), Pace::default());
        assert_eq!(session(&offline).await, heard);
    }
}

/// Two turns: the second with the results of the first one's calls.
async fn session(provider: &dyn Provider) -> Vec<Reply> {
    let mut messages = vec![Message::user("Begin.")];
    let first = ask(provider, messages.clone()).await.unwrap();
    messages.push(first.clone().into_message());
    messages.push(Message::User { content: results(&first) });
    let second = ask(provider, messages).await.unwrap();
    vec![first, second]
}
