//! Output of commands, collected and live.

use sandbox::{Command, Limits};
use sha2::{Digest, Sha256};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::support::{TestEnv, at_each_level};

at_each_level!(
    long_output_is_capped_and_hashed_in_full,
    stdout_and_stderr_keep_their_order,
    output_arrives_while_the_command_runs,
    full_output_channel_does_not_block_the_command,
);

async fn long_output_is_capped_and_hashed_in_full(env: TestEnv) {
    let outcome = env.shell("seq 1 400000").await;
    let whole: String = (1..=400_000).map(|number| format!("{number}\n")).collect();
    let (output, max_bytes) = (&outcome.output, Limits::default().output_bytes);
    assert!(outcome.succeeded() && whole.len() > 2 * max_bytes);
    assert_eq!(output.total_bytes, whole.len() as u64);
    assert_eq!(output.cut_bytes, (whole.len() - max_bytes) as u64);
    assert!(output.text().starts_with("1\n2\n3\n") && output.text().ends_with("\n400000\n"));
    assert!(output.text().contains("bytes cut"));
    assert_eq!(output.sha256, hex::encode(Sha256::digest(whole.as_bytes())));
}

async fn stdout_and_stderr_keep_their_order(env: TestEnv) {
    let outcome = env.shell("echo a; echo b >&2; echo c; echo d >&2").await;
    assert_eq!(outcome.output.text(), "a\nb\nc\nd\n");
}

async fn output_arrives_while_the_command_runs(env: TestEnv) {
    let (sender, mut chunks) = mpsc::channel(8);
    let line = "echo first; until [ -e seen ]; do sleep 0.01; done; echo last";
    let run = env.runner.run(
        env.policy.clone(),
        Command::shell(line),
        CancellationToken::new(),
        Some(sender),
    );
    let receive = async {
        assert_eq!(chunks.recv().await.unwrap().text, "first\n");
        std::fs::write(env.worktree().join("seen"), "").unwrap();
        assert_eq!(chunks.recv().await.unwrap().text, "last\n");
        assert_eq!(chunks.recv().await, None);
    };
    let (outcome, ()) = tokio::join!(run, receive);
    assert!(outcome.unwrap().succeeded());
}

async fn full_output_channel_does_not_block_the_command(env: TestEnv) {
    let (sender, mut chunks) = mpsc::channel(1);
    let command = Command::shell("seq 1 200000");
    let run = env.runner.run(env.policy.clone(), command, CancellationToken::new(), Some(sender));
    let outcome = run.await.unwrap();
    assert!(outcome.succeeded() && outcome.output.text().ends_with("200000\n"));
    let only = chunks.recv().await.unwrap();
    assert!(only.text.starts_with("1\n2\n") && only.dropped_bytes == 0);
    assert_eq!(chunks.recv().await, None);
}
