//! Real programs must work inside as they do outside.

use std::fs;
use std::path::Path;

use sandbox::Command;

use crate::support::{TestEnv, at_each_level};

at_each_level!(
    node_test_runner_works,
    python_starts_child_processes,
    command_starts_in_its_working_directory,
    environment_variables_and_paths_of_the_policy_are_set,
    files_can_be_moved_between_directories,
);

async fn node_test_runner_works(env: TestEnv) {
    let tests = env.worktree().join("test");
    fs::create_dir(&tests).unwrap();
    for name in ["one", "two"] {
        let text = r#"
const test = require('node:test');
const assert = require('node:assert');
const { execFileSync } = require('node:child_process');
const { Worker } = require('node:worker_threads');
test('adds', () => assert.strictEqual(1 + 1, 2));
test('starts processes', () => {
  assert.strictEqual(execFileSync('/bin/sh', ['-c', 'echo hello']).toString(), 'hello\n');
});
test('starts threads', (_, done) => {
  new Worker('process.exit(0)', { eval: true }).on('exit', () => done());
});
"#;
        fs::write(tests.join(format!("{name}.test.js")), text).unwrap();
    }
    let outcome = env.run(Command::new(["node", "--test"])).await.unwrap();
    let text = outcome.output.text();
    assert!(outcome.succeeded(), "{text}");
    assert!(text.contains("pass 6") && text.contains("fail 0"), "{text}");

    fs::write(
        tests.join("three.test.js"),
        "require('node:test')('fails', () => { throw new Error('expected failure') });",
    )
    .unwrap();
    let outcome = env.run(Command::new(["node", "--test"])).await.unwrap();
    assert_eq!(outcome.exit_code, Some(1));
    assert!(outcome.output.text().contains("expected failure"));
}

async fn python_starts_child_processes(env: TestEnv) {
    let outcome = env
        .python(
            "import subprocess, tempfile, threading\n\
             with tempfile.NamedTemporaryFile('w') as file:\n\
             \x20   file.write('hello'); file.flush()\n\
             \x20   print(subprocess.check_output(['cat', file.name]).decode())\n",
        )
        .await;
    assert_eq!(outcome.output.text(), "hello\n");
}

async fn command_starts_in_its_working_directory(env: TestEnv) {
    fs::create_dir_all(env.worktree().join("a/b")).unwrap();
    let command = Command::shell("pwd; cat").in_directory("a/b");
    let outcome = env.run(command).await.unwrap();
    let expected = env.worktree().canonicalize().unwrap().join("a/b");
    assert_eq!(Path::new(outcome.output.text().trim()), expected);
}

async fn environment_variables_and_paths_of_the_policy_are_set(mut env: TestEnv) {
    let tools = env.top.path().join("data/tools");
    fs::create_dir(&tools).unwrap();
    let tool = tools.join("greet");
    fs::write(&tool, "#!/bin/sh\necho hello $NAME $LANG\n").unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(&tool, mode).unwrap();
    // Readable although it is in a hidden tree, because it is listed explicitly.
    env.policy.path = vec![tools];
    env.policy.environment = vec![("NAME".into(), "you".into()), ("LANG".into(), "C".into())];
    let outcome = env.run(Command::new(["greet"])).await.unwrap();
    assert_eq!(outcome.output.text(), "hello you C\n");
}

/// Many programs do not fall back to copying if renaming fails.
async fn files_can_be_moved_between_directories(env: TestEnv) {
    let outcome = env
        .python(
            "import os\n\
             os.makedirs('a/b'); os.mkdir('c'); open('a/file', 'w').close()\n\
             os.rename('a/file', 'c/file'); os.rename('a/b', 'c/b'); os.link('c/file', 'a/linked')\n",
        )
        .await;
    assert!(outcome.succeeded(), "{}", outcome.output.text());
}
