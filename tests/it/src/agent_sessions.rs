//! External agents that are interrupted, or ask their user: they are started again and continue.

use std::{
    fs,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use domain::event::agents::RunOutcome;
use serde_json::json;

use crate::{agent_build::begin, outages::eventually};

#[tokio::test(flavor = "multi_thread")]
async fn phase_continues_with_a_new_process_after_the_worker_was_killed() {
    let script = "
      const reply = await ask('What now?');
      if (reply.text.includes('wait')) {
        call('w', 'Wait', 'waiting');
        setInterval(() => {}, 1000);
        return;
      }
      writeFiles();
      text('=== TASK DONE: 1 ===');
      finish('It greets.');";
    let reply = |asked| if asked == 0 { "Please wait." } else { "Write." };
    let mut build = begin(script, json!({}), reply).await;
    build.run_until_called("Wait").await;
    build.watched.kill_and_restart().await;
    build.watched.run_to_the_end().await;
    build.watched.assert_certified().await;
    assert_eq!(build.outcomes(), [RunOutcome::Completed]);
    build.watched.server.stop().await;
}

/// Asks the user. `WatchedBuild` answers.
const ASK: &str = "
      const asked = { question: 'How long is a loan?', options: ['Two weeks', 'Four weeks'] };
      const asking = tool('forge_ask_clarification', asked);";

#[tokio::test(flavor = "multi_thread")]
async fn agent_asks_the_user() {
    let script = format!(
        "{ASK}
      call('a', 'Answer', await asking);
      call('b', 'Again', await tool('forge_ask_clarification', {{ question: 'How long is a loan' }}));
      writeFiles();
      text('=== TASK DONE: 1 ===');
      finish('It greets.');"
    );
    let mut build = begin(&script, json!({}), |_| "").await;
    build.watched.run_to_the_end().await;
    build.watched.assert_certified().await;
    assert_eq!(build.output_of("Answer"), "The user answered: Two weeks");
    assert_eq!(build.output_of("Again"), "The user has answered that already: Two weeks");
    assert_eq!(build.outcomes(), [RunOutcome::Completed]);
    build.watched.server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn agent_that_ended_before_the_answer_is_started_again_with_it() {
    let script = format!(
        "const task = process.env.FORGEGUARD_TASK;
      if (task.includes('How long is a loan? — Two weeks')) {{
        writeFiles();
        text('=== TASK DONE: 1 ===');
        return finish('It greets.');
      }}
      {ASK}
      asking.catch(() => undefined);
      while (!(await ask('May I go?')).text.includes('leave')) {{}}
      process.exit(0);"
    );
    let may_go = Arc::new(AtomicBool::new(false));
    let reply = {
        let may_go = may_go.clone();
        move |_| if may_go.load(Ordering::Relaxed) { "leave" } else { "stay" }
    };
    let mut build = begin(&script, json!({}), reply).await;
    build.run_until_asked().await;
    may_go.store(true, Ordering::Relaxed);
    eventually(async || build.watched.processes().is_empty()).await;
    build.watched.run_to_the_end().await;
    build.watched.assert_certified().await;
    assert_eq!(build.outcomes(), [RunOutcome::Completed]);
    build.watched.server.stop().await;
}

/// Takes the 40 seconds that a call waits.
#[tokio::test(flavor = "multi_thread")]
async fn soak_agent_whose_user_answers_late_is_told_to_end() {
    let script = format!(
        "const task = process.env.FORGEGUARD_TASK;
      if (task.includes('You asked: How long is a loan?')) {{
        call('t', 'Task', task);
        writeFiles();
        text('=== TASK DONE: 1 ===');
        return finish('It greets.');
      }}
      {ASK}
      call('a', 'Answer', await asking);
      setInterval(() => {{}}, 1000);"
    );
    let mut build = begin(&script, json!({}), |_| "").await;
    build.run_until_asked().await;
    eventually(async || build.watched.processes().is_empty()).await;
    build.watched.skip_question().await;
    build.watched.run_to_the_end().await;
    build.watched.assert_certified().await;
    assert!(build.output_of("Answer").contains("End your turn now"));
    assert!(build.output_of("Task").contains("The user leaves the decision to you"));
    build.watched.server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn interrupted_agent_continues_its_session() {
    let script = "
      const task = process.env.FORGEGUARD_TASK;
      const log = process.env.HOME + '/session';
      if (!process.env.FORGEGUARD_SESSION) {
        fs.writeFileSync(log, task);
        say({ type: 'system', subtype: 'init', session_id: 'ses-1' });
        call('b', 'Begun', 'begun');
        setInterval(() => {}, 1000);
        return;
      }
      const first = fs.readFileSync(log, 'utf8').split('\\n')[0];
      call('c', 'Continued', [process.env.FORGEGUARD_SESSION, first, task].join('\\n'));
      writeFiles();
      text('=== TASK DONE: 1 ===');
      finish('It greets.');";
    let mut build = begin(script, json!({}), |_| "").await;
    build.run_until_called("Begun").await;
    let say = format!("/api/builds/{}/interject", build.watched.build);
    build.watched.server.post(&say, json!({ "text": "Greet politely." })).await;
    build.watched.kill_and_restart().await;
    build.watched.run_to_the_end().await;
    build.watched.assert_certified().await;
    assert_eq!(build.outcomes(), [RunOutcome::Completed]);
    let output = build.output_of("Continued");
    let expected = "ses-1\nYou are the coder of a build that ForgeGuard runs.";
    assert!(output.starts_with(expected), "{output}");
    assert!(output.contains("\nYour process was interrupted"), "{output}");
    assert!(output.contains("Greet politely."), "{output}");
    let homes = build.watched.server.data().join("nodes/only/agents");
    assert_eq!(fs::read_dir(&homes).expect("a folder").count(), 0, "it is removed with its run");
    build.watched.server.stop().await;
}
