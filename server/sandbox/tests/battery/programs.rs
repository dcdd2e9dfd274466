//! Real programs, which have to work as they do outside.

use std::fs;
use std::path::Path;

use sandbox::Command;

use crate::support::{Site, at_each_level};

at_each_level!(
    the_test_runner_of_node_works,
    python_runs_processes_of_its_own,
    commands_start_where_they_should,
    explicit_variables_and_paths_arrive,
);

async fn the_test_runner_of_node_works(site: Site) {
    let tests = site.worktree().join("test");
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
    let outcome = site.run(Command::new(["node", "--test"])).await.unwrap();
    let text = outcome.output.text();
    assert!(outcome.succeeded(), "{text}");
    assert!(text.contains("pass 6") && text.contains("fail 0"), "{text}");

    fs::write(
        tests.join("three.test.js"),
        "require('node:test')('fails', () => { throw new Error('as it should') });",
    )
    .unwrap();
    let outcome = site.run(Command::new(["node", "--test"])).await.unwrap();
    assert_eq!(outcome.exit_code, Some(1));
    assert!(outcome.output.text().contains("as it should"));
}

async fn python_runs_processes_of_its_own(site: Site) {
    let outcome = site
        .python(
            "import subprocess, tempfile, threading\n\
             with tempfile.NamedTemporaryFile('w') as file:\n\
             \x20   file.write('hello'); file.flush()\n\
             \x20   print(subprocess.check_output(['cat', file.name]).decode())\n",
        )
        .await;
    assert_eq!(outcome.output.text(), "hello\n");
}

async fn commands_start_where_they_should(site: Site) {
    fs::create_dir_all(site.worktree().join("a/b")).unwrap();
    let command = Command::shell("pwd; cat").in_directory("a/b");
    let outcome = site.run(command).await.unwrap();
    let expected = site.worktree().canonicalize().unwrap().join("a/b");
    assert_eq!(Path::new(outcome.output.text().trim()), expected);
}

async fn explicit_variables_and_paths_arrive(mut site: Site) {
    let tools = site.top.path().join("data/tools");
    fs::create_dir(&tools).unwrap();
    let tool = tools.join("greet");
    fs::write(&tool, "#!/bin/sh\necho hello $NAME $LANG\n").unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(&tool, mode).unwrap();
    // Named on purpose, so that lying in a hidden tree does not matter.
    site.policy.path = vec![tools];
    site.policy.environment = vec![("NAME".into(), "you".into()), ("LANG".into(), "C".into())];
    let outcome = site.run(Command::new(["greet"])).await.unwrap();
    assert_eq!(outcome.output.text(), "hello you C\n");
}
