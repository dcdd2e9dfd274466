//! A worker ends after it made the seal commit, before the seal is recorded. Later events changed what
//! the seal has to contain.

use std::path::PathBuf;

use domain::event::questions::ClarificationKind;
use model_server::ModelServer;
use serde_json::{Value, json};

use crate::{
    open_items_fixture::{begin, sealed, until_asked},
    project_fixture::git,
    watched_build::WatchedBuild,
};

/// A build that waits for a confirmation, with an unrecorded seal commit in its working clone, which
/// is returned with the build and its model. The head in the commit is not the journal's.
async fn begin_with_seal_commit() -> (WatchedBuild, ModelServer, PathBuf) {
    let (mut build, model) = begin().await;
    let question = until_asked(&mut build, ClarificationKind::Confirmation).await;
    build.answer = Some(seal_it(&question));
    let clone = build.server.data().join(format!("work/{}.git", build.project));
    let shown = build.server.get(&format!("/api/builds/{}", build.build)).await;
    let branch = format!("refs/heads/{}", shown["branch"].as_str().expect("a branch"));
    let message = format!(
        "[forge] sealed — verdict: CERTIFIED\n\nBuild-Cycle: {}\nJournal-Head: {}",
        build.build,
        "0".repeat(64)
    );
    let bot = "forgeguard-bot@users.noreply.github.com";
    let email = format!("user.email={bot}");
    let tree = format!("{branch}^{{tree}}");
    let arguments = ["-c", &email, "commit-tree", &tree, "-p", &branch, "-m", &message];
    let commit = git(&clone, &arguments);
    git(&clone, &["update-ref", &branch, &commit]);
    (build, model, clone)
}

fn seal_it(question: &str) -> Value {
    json!({ "question_id": question, "answer": "Seal the build" })
}

/// The titles of the branch's commits at the origin, newest first.
async fn titles(build: &WatchedBuild) -> Vec<String> {
    let shown = build.server.get(&format!("/api/builds/{}", build.build)).await;
    let hosted = build.server.data().join(format!("repos/{}.git", build.project));
    let branch = shown["branch"].as_str().expect("a branch").to_owned();
    let range = format!("{}..{branch}", shown["baseline_sha"].as_str().expect("a commit"));
    let listed = git(&hosted, &["log", "--format=%s", &range]);
    listed.lines().map(|title| title.rsplit(": ").next().expect("a part").to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn seal_commit_that_was_not_pushed_is_taken_back() {
    let (mut build, _model, _) = begin_with_seal_commit().await;
    build.run_to_the_end().await;
    let seal = sealed(&build);
    assert_eq!(seal.verdict.name(), "CONDITIONAL", "{:?}", seal.evidence);
    assert_eq!(titles(&build).await, ["CONDITIONAL", "Greetings"]);
    build.server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn gates_run_again_on_a_seal_commit_that_was_pushed() {
    let (mut build, _model, clone) = begin_with_seal_commit().await;
    let hosted = build.server.data().join(format!("repos/{}.git", build.project));
    let branches = "refs/heads/forge/*:refs/heads/forge/*";
    git(&clone, &["push", "-q", &hosted.display().to_string(), branches]);
    let again = until_asked(&mut build, ClarificationKind::Confirmation).await;
    build.answer = Some(seal_it(&again));
    build.run_to_the_end().await;
    let seal = sealed(&build);
    assert_eq!(seal.verdict.name(), "CONDITIONAL", "{:?}", seal.evidence);
    assert_eq!(titles(&build).await, ["CONDITIONAL", "CERTIFIED", "Greetings"]);
    build.server.stop().await;
}
