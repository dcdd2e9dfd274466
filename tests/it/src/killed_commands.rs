//! `forgeguard build` is killed at random moments and resumed: the result is that of a build that
//! was not killed.

use std::{
    process::Stdio,
    time::{Duration, Instant},
};

use rand::{RngExt, SeedableRng, rngs::StdRng};
use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, BufReader},
    process::Command,
    time::timeout,
};

use crate::{
    harness::text,
    project_fixture::git,
    spec_fixture::{SPEC, SpecFixture, finished, played, result, stdout},
};

const KILLS: u32 = 4;
const SOAK_KILLS: u32 = 50;
/// The seed of `make test`; soaks use a random one.
const SEED: u64 = 1;

#[tokio::test(flavor = "multi_thread")]
async fn build_that_is_killed_at_random_moments_has_the_same_result() {
    kill_at_random_moments(KILLS, SEED).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn soak_build_that_is_killed_fifty_times_has_the_same_result() {
    kill_at_random_moments(SOAK_KILLS, rand::random()).await;
}

/// Starts builds until they were killed so often. Each is resumed until it has ended.
async fn kill_at_random_moments(kills: u32, seed: u64) {
    println!("seed {seed}");
    let mut random = StdRng::seed_from_u64(seed);
    let fixture = SpecFixture::new(SPEC).await;
    fixture.model.play(played);
    let began = Instant::now();
    let undisturbed = finished(fixture.new_build()).await;
    let length = began.elapsed();
    let expected = facts(&fixture, &result(&undisturbed));
    let mut killed = 0;
    while killed < kills {
        let (mut command, mut in_a_row) = (fixture.new_build(), 0);
        loop {
            // Some soon after a resume, so that one step is interrupted repeatedly.
            let resumed_soon = in_a_row > 0 && random.random_bool(0.5);
            let longest = if resumed_soon { length / 16 } else { length };
            let moment = longest.mul_f64(random.random());
            let (id, ended) = run_for(command, moment).await;
            command = fixture.build(&["--resume", &id]);
            match ended {
                // A step that has ended two workers is not repeated without a user.
                Some(result) if result["result"] == "BLOCKED" => {
                    assert!(in_a_row >= 2, "{result}");
                    in_a_row = 0;
                }
                Some(result) => {
                    let facts = facts(&fixture, &result);
                    if facts != expected {
                        panic!(
                            "after {killed} kills: {facts:?} instead of {expected:?}\n{}\n{}",
                            stdout(&finished(fixture.about(&["report", &id])).await),
                            stdout(&finished(fixture.about(&["logs", &id])).await),
                        );
                    }
                    break;
                }
                None => {
                    (killed, in_a_row) = (killed + 1, in_a_row + 1);
                    println!("kill {killed} of build {id} after {moment:?}");
                }
            }
        }
    }
}

/// Runs a build until this time after it has printed its id, when it is killed. Returns the id, and
/// the result if it has ended before.
async fn run_for(command: std::process::Command, moment: Duration) -> (String, Option<Value>) {
    let mut command = Command::from(command);
    let mut child = command.stdout(Stdio::piped()).kill_on_drop(true).spawn().expect("it starts");
    let mut errors = BufReader::new(child.stderr.take().expect("a pipe"));
    let id = loop {
        let mut line = String::new();
        let length = errors.read_line(&mut line).await.expect("it prints its id");
        assert!(length > 0, "it ends without an id");
        // Warnings may come first, such as about commands that the killed process has left behind.
        if let Some(id) = line.trim().strip_prefix("build ") {
            break id.to_owned();
        }
    };
    let Ok(ended) = timeout(moment, child.wait()).await else {
        child.kill().await.expect("it can be killed");
        return (id, None);
    };
    let (mut printed, mut words) = (String::new(), String::new());
    errors.read_to_string(&mut words).await.expect("it has ended");
    let mut output = child.stdout.take().expect("a pipe");
    output.read_to_string(&mut printed).await.expect("it has ended");
    let code = ended.expect("a status").code();
    assert!(matches!(code, Some(0 | 2 | 3)), "{code:?} {printed}\n{words}");
    (id, Some(serde_json::from_str(&printed).expect("JSON")))
}

/// What must not depend on kills: the verdict, and the files of the branch.
fn facts(fixture: &SpecFixture, result: &Value) -> (String, Value, String) {
    let files = git(&fixture.repository(), &["ls-tree", "-r", &text(&result["branch"])]);
    (text(&result["result"]), result["seal"]["score"].clone(), files)
}
