//! The program without root privileges, on its own data directory.

use std::{
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt, chown},
    path::Path,
    process::{Command, Output},
};

use serde_json::Value;
use tempfile::TempDir;

use crate::harness::{binary, text};

/// The user id of an account without privileges.
const UNPRIVILEGED: u32 = 65_534;

/// A folder that an unprivileged user owns, containing the program.
struct Home {
    folder: TempDir,
    is_root: bool,
}

impl Home {
    fn new() -> Self {
        let folder = TempDir::with_prefix("forgeguard-it-").expect("a temporary folder");
        let is_root = fs::metadata("/proc/self").expect("/proc is mounted").uid() == 0;
        // The program's own folder may be inaccessible to other users.
        let program = folder.path().join("forgeguard");
        fs::copy(binary(), &program).expect("the program can be copied");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("its mode");
        if is_root {
            chown(folder.path(), Some(UNPRIVILEGED), Some(UNPRIVILEGED)).expect("its owner");
        }
        Self { folder, is_root }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Runs the program without privileges, or as the current user if that is not root.
    fn forgeguard(&self, arguments: &[&str]) -> Output {
        let program = self.path().join("forgeguard");
        let mut command = match self.is_root {
            true => {
                let mut command = Command::new("setpriv");
                let id = UNPRIVILEGED;
                command.arg(format!("--reuid={id}")).arg(format!("--regid={id}"));
                command.args(["--clear-groups", "--inh-caps=-all", "--no-new-privs"]).arg(program);
                command
            }
            false => Command::new(program),
        };
        command.args(arguments).current_dir(self.path()).env("HOME", self.path());
        command.env("TMPDIR", self.path()).env_remove("DATABASE_URL");
        command.output().expect("it runs")
    }
}

/// Its output, if it succeeded.
fn printed(output: &Output) -> String {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {errors}", output.status);
    String::from_utf8(output.stdout.clone()).expect("it prints text")
}

fn build_demo_to_its_seal(level: &str) {
    let home = Home::new();
    let demo = ["demo", "--json", "--demo-pace", "0", "--sandbox", level, "--data-dir", "data"];
    let seal: Value = serde_json::from_str(&printed(&home.forgeguard(&demo))).expect("JSON");
    assert_eq!(seal["verdict"], "CERTIFIED", "{seal}");
    let verify = ["verify", &text(&seal["build_id"]), "--data-dir", "data"];
    assert!(printed(&home.forgeguard(&verify)).starts_with("ok: "));
    let owner = fs::metadata(home.path().join("data")).expect("a data directory").uid();
    assert_ne!(owner, 0, "it was not root who wrote it");
}

#[test]
fn unprivileged_user_builds_the_demo_at_the_strict_level() {
    build_demo_to_its_seal("strict");
}

#[test]
fn unprivileged_user_builds_the_demo_at_the_landlock_level() {
    build_demo_to_its_seal("landlock");
}

#[test]
fn doctor_succeeds_for_an_unprivileged_user() {
    let home = Home::new();
    let found = printed(&home.forgeguard(&["doctor", "--data-dir", "data"]));
    assert!(!found.contains("FAIL"), "{found}");
}
