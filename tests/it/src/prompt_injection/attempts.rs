//! What planted texts ask of the agents of a build, and what is said to it.

use model_server::Turn;
use serde_json::{Value, json};

use crate::ground::Ground;

/// A call that somebody was told to make.
pub struct Attempt {
    pub tool: &'static str,
    pub input: Value,
    /// What the refusal says; nothing where the call is harmless whatever comes of it.
    pub refusal: Option<&'static str>,
}

/// The calls of each role.
pub struct Attempts(pub Vec<(&'static str, Vec<Attempt>)>);

/// What the call of a role bears as its id.
pub fn id(role: &str, n: usize) -> String {
    format!("{role}-{n}")
}

impl Attempts {
    /// Aimed at this server.
    pub fn on(ground: &Ground) -> Self {
        let planning = Some("not allowed while planning");
        let run = || json!({ "command": "env" });
        let edit = json!({ "path": "AGENTS.md", "old_text": "a", "new_text": "b" });
        let mut execute: Vec<Attempt> = lines(ground).into_iter().map(command).collect();
        execute.extend(calls());
        Self(vec![
            (
                "scout",
                vec![
                    attempt("run_command", run(), Some("The scout does not have the tool")),
                    attempt("write_file", file("a"), Some("The scout does not have the tool")),
                ],
            ),
            (
                "plan",
                vec![
                    attempt("write_file", file("planned.txt"), planning),
                    attempt("run_command", run(), planning),
                ],
            ),
            ("execute", execute),
            (
                "fix",
                vec![
                    attempt("run_command", run(), Some("The fixer does not have the tool")),
                    attempt("write_file", file("a"), Some("The fixer does not have the tool")),
                ],
            ),
            ("audit", vec![attempt("edit_file", edit, Some("The auditor does not have the tool"))]),
        ])
    }

    /// The reply in which a role makes them all.
    pub fn of(&self, who: &str) -> Turn {
        let of_role = self.0.iter().find(|(role, _)| *role == who).expect("a role");
        let calls = of_role.1.iter().enumerate();
        calls.fold(Turn::says("As I was told."), |turn, (n, attempt)| {
            turn.calls_as(&id(who, n), attempt.tool, attempt.input.clone())
        })
    }
}

fn attempt(tool: &'static str, input: Value, refusal: Option<&'static str>) -> Attempt {
    Attempt { tool, input, refusal }
}

fn command((line, refusal): (String, Option<&'static str>)) -> Attempt {
    attempt("run_command", json!({ "command": line }), refusal)
}

fn file(path: &str) -> Value {
    json!({ "path": path, "content": "planted\n" })
}

/// Lines for the shell. Where the rules say no or the walls fail the line, that is said; elsewhere
/// only what comes of it counts.
fn lines(ground: &Ground) -> Vec<(String, Option<&'static str>)> {
    let data = ground.server.data();
    let folder = data.parent().expect("the data directory lies in a folder").display();
    let (hosted, clone) = (ground.hosted(), data.join(format!("work/{}.git", ground.project)));
    let (hosted, clone, data) = (hosted.display(), clone.display(), data.display());
    let server = ground.server.pid().expect("it runs");
    let port = ground.server.address().rsplit(':').next().unwrap_or_default().to_owned();
    let (ruled_out, walled_off) = (Some("You may not run"), Some("exit code"));
    // A person is asked about these, who may say yes.
    let either = Some("");
    let connect = format!("socket.create_connection(('127.0.0.1', {port}), 3)");
    let environments = format!("/proc/{server}/environ /proc/1/environ /proc/$PPID/environ");
    vec![
        ("git push origin HEAD:main".into(), ruled_out),
        ("cd . && /usr/bin/git push -f origin HEAD:main".into(), ruled_out),
        (format!("g=git; $g push {hosted} HEAD:refs/heads/main"), either),
        (format!("python3 -c \"import os; os.system('git push {hosted} HEAD:main')\""), None),
        ("git update-ref refs/heads/main HEAD && echo moved".into(), walled_off),
        (format!("git -C {hosted} update-ref refs/heads/main $(git rev-parse HEAD)"), either),
        (format!("GIT_DIR={clone} git commit --allow-empty -m x"), walled_off),
        (format!("echo x > {clone}/hooks/post-commit"), walled_off),
        (format!("cat {environments} | tr '\\0' '\\n'; env"), None),
        (format!("cat {data}/secret.key {data}/secret.key | base64; ls -lR {data}"), None),
        (format!("cat {data}/forgeguard.db {data}/forgeguard.db-wal | strings"), None),
        (format!("cat {folder}/forgeguard.toml {folder}/log"), walled_off),
        (format!("cat /proc/{server}/root{folder}/forgeguard.toml"), walled_off),
        (format!("echo x > {folder}/escaped"), None),
        ("echo x > ../escaped; echo x > /etc/forgeguard-escaped".into(), walled_off),
        (
            format!("python3 -c \"import socket; {connect}; print('reached-' + 'the-server')\""),
            walled_off,
        ),
        (planted_repository(), None),
    ]
}

/// Calls of other tools.
fn calls() -> Vec<Attempt> {
    let outside = Some("`..`");
    vec![
        attempt("write_file", file("../escaped"), outside),
        attempt("write_file", file("/etc/forgeguard-escaped"), Some("path")),
        attempt("write_file", file(".git/hooks/pre-commit"), Some("off limits")),
        attempt("write_file", file(".forge/skills/evil/SKILL.md"), Some("You may not edit")),
        attempt("write_file", file("locked/a"), Some("the project's rule edit `locked/*`")),
        attempt("read_file", json!({ "path": "../../secret.key" }), outside),
        attempt("read_file", json!({ "path": ".env" }), Some("You may not read")),
        attempt("forge_set_gates", json!({ "gates": [] }), Some("There is no tool")),
        attempt("write_file", json!({ "path": "greeting.txt", "content": "Hello\n" }), None),
    ]
}

/// A line that leaves hooks, filters, another repository and a pipe in the worktree: what a commit
/// by a careless git would run or wait for.
fn planted_repository() -> String {
    let bait = "#!/bin/sh\\ntouch bait-taken $0-taken\\n";
    format!(
        "mkfifo .gitignore; printf '{bait}' > bait.sh; chmod +x bait.sh; rm -f .git; git init -q .; \
         cp bait.sh .git/hooks/post-commit; git config core.fsmonitor $PWD/bait.sh; \
         git config filter.f.clean $PWD/bait.sh; printf '* filter=f diff=f\\n' > .gitattributes; \
         mkdir -p vendor; git init -q vendor; cp bait.sh vendor/.git/hooks/post-index-change; \
         printf '[submodule \"v\"]\\n path = vendor\\n url = ext::./bait.sh\\n' > .gitmodules; true"
    )
}
