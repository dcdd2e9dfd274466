//! `forgeguard doctor` runs the programs of gates in the sandbox.

use std::{fs, os::unix::fs::PermissionsExt, path::Path, process::Command};

use model_server::Dialect;
use serde_json::json;
use tempfile::TempDir;

use crate::{harness::binary, project_fixture::ProjectFixture};

fn script(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, format!("#!/bin/sh\n{text}\n")).expect("a script");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("a mode");
}

#[tokio::test(flavor = "multi_thread")]
async fn doctor_says_which_programs_of_gates_run_in_the_sandbox() {
    let fixture = ProjectFixture::new(Dialect::Anthropic, "").await;
    let gate = json!({
        "name": "test", "command": "cd . && snake -m tests && viper; no-such-tool | own-tool",
        "timeout_s": 60, "required": true, "network": false
    });
    fixture.set("settings", json!({ "gates": [gate] })).await;
    let home = TempDir::with_prefix("forgeguard-it-").expect("a home");
    let at = |path: &str| home.path().join(path);
    // The shims of a version manager: one whose version is in its root, and one without a version.
    script(&at(".pyenv/shims/snake"), "exec \"$PYENV_ROOT/versions/3/bin/snake\" \"$@\"");
    script(&at(".pyenv/versions/3/bin/snake"), ". \"$PYENV_ROOT/versions/3/lib/version\"");
    fs::create_dir_all(at(".pyenv/versions/3/lib")).expect("a folder");
    fs::write(at(".pyenv/versions/3/lib/version"), "echo Snake 3.12").expect("a file");
    script(&at(".pyenv/shims/viper"), "echo 'pyenv: viper: command not found' >&2; exit 127");
    script(&at("tools/own-tool"), "echo own 1");
    let path = std::env::var("PATH").expect("a path");
    let path = format!("{}:{}:{path}", at(".pyenv/shims").display(), at("tools").display());
    for level in ["strict", "landlock"] {
        let mut command = Command::new(binary());
        command.arg("--data-dir").arg(fixture.server.data()).args(["doctor", "--sandbox", level]);
        command.env_remove("DATABASE_URL").env("PATH", &path).env("HOME", home.path());
        let output = command.output().expect("it runs");
        let found = String::from_utf8_lossy(&output.stdout).into_owned();
        let own = format!("It is at {}, which the sandbox", at("tools/own-tool").display());
        for expected in [
            "ok   gate program       snake for P: found: Snake 3.12",
            "--   gate program       viper for P: failed with exit code 127: pyenv: viper: command",
            "pyenv global VERSION",
            "--   gate program       no-such-tool for P: missing",
            "Install no-such-tool, and add its directory to the PATH",
            "--   gate program       own-tool for P: missing",
            own.as_str(),
        ] {
            assert!(found.contains(expected), "{level}: {expected}\n{found}");
        }
        assert!(!found.contains("gate program       cd "), "{found}");
    }
    fixture.model.finish();
    fixture.server.stop().await;
}
