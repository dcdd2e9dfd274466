//! The program itself, as a script starts it.

use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, Command, Output, Stdio},
};

use crate::harness::{PASSWORD, binary, send, text};
use serde_json::{Value, json};
use tempfile::TempDir;

fn command(data: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(binary());
    command.arg("--data-dir").arg(data).args(arguments).current_dir(data);
    for variable in ["DATABASE_URL", "FORGEGUARD_ADMIN_EMAIL", "FORGEGUARD_ADMIN_PASSWORD"] {
        command.env_remove(variable);
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(data: &Path, arguments: &[&str], input: &str) -> Output {
    let mut child = command(data, arguments).stdin(Stdio::piped()).spawn().expect("it starts");
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().expect("it ends")
}

fn said(output: &Output) -> String {
    let both = [&output.stdout[..], &output.stderr[..]].concat();
    String::from_utf8_lossy(&both).into_owned()
}

#[track_caller]
fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{}", said(output));
    String::from_utf8(output.stdout.clone()).unwrap().trim().to_owned()
}

/// A server that has said where it listens.
struct Serving {
    child: Child,
    listening: Value,
}

impl Serving {
    fn start(data: &Path) -> Self {
        let arguments = ["serve", "--listen", "127.0.0.1:0", "--log-format", "json"];
        let mut child = command(data, &arguments).stderr(Stdio::null()).spawn().expect("it starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let listening = serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e}: {line}"));
        Self { child, listening }
    }

    fn stop(mut self) {
        let kill = Command::new("kill").arg(self.child.id().to_string()).status().unwrap();
        assert!(kill.success());
        assert!(self.child.wait().unwrap().success(), "a stop is no failure");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_script_learns_where_it_listens() {
    let data = TempDir::new().unwrap();
    let serving = Serving::start(data.path());
    assert_eq!(serving.listening["event"], "listening");
    let address = text(&serving.listening["address"]);
    let setup = text(&serving.listening["setup_url"]);
    let token = setup.strip_prefix(&format!("{address}/setup?token=")).unwrap().to_owned();
    let client = support::http_client().build().unwrap();
    assert_eq!(send(client.get(format!("{address}/readyz"))).await.status, 200);
    let body = json!({"token": token, "email": "a@example.org", "name": "A", "password": PASSWORD});
    let done = send(client.post(format!("{address}/api/setup")).json(&body)).await;
    assert_eq!(done.status, 201, "{}", done.text);

    let second = run(data.path(), &["serve", "--listen", "127.0.0.1:0"], "");
    assert!(
        !second.status.success() && said(&second).contains("another ForgeGuard"),
        "{}",
        said(&second)
    );
    serving.stop();

    let again = Serving::start(data.path());
    assert!(again.listening.get("setup_url").is_none(), "{}", again.listening);
    again.stop();
}

#[test]
fn accounts_and_keys_can_be_made_without_a_browser() {
    let data = TempDir::new().unwrap();
    let short = run(data.path(), &["user", "add", "a@example.org"], "short\n");
    assert!(!short.status.success() && said(&short).contains("password"), "{}", said(&short));
    let added = run(data.path(), &["user", "add", "a@example.org", "--admin"], PASSWORD);
    assert!(stdout(&added).parse::<uuid::Uuid>().is_ok());
    let taken = run(data.path(), &["user", "add", "A@example.org"], PASSWORD);
    assert!(!taken.status.success() && said(&taken).contains("already"), "{}", said(&taken));
    let key = run(data.path(), &["key", "create", "a@example.org"], "");
    assert!(stdout(&key).starts_with("fgk_"));
    let nobody = run(data.path(), &["key", "create", "nobody@example.org"], "");
    assert!(!nobody.status.success());
    assert!(stdout(&run(data.path(), &["status"], "")).contains("queued          0"));
}

#[test]
fn what_is_wrong_with_settings_is_said_in_a_line() {
    let data = TempDir::new().unwrap();
    for (file, said_about) in [
        ("lisden = '127.0.0.1:0'", "lisden"),
        ("workers = 0", "workers"),
        ("database_url = 'mysql://x'", "sqlite: or postgres://"),
    ] {
        std::fs::write(data.path().join("forgeguard.toml"), file).unwrap();
        let output = run(data.path(), &["migrate"], "");
        assert_eq!(output.status.code(), Some(1), "{file}");
        assert!(said(&output).contains(said_about), "{file}: {}", said(&output));
    }
}

#[test]
fn the_doctor_tells_of_each_model_and_shows_no_key() {
    let data = TempDir::new().unwrap();
    let examine = |file: &str, arguments: &[&str]| {
        std::fs::write(data.path().join("forgeguard.toml"), file).unwrap();
        let mut command = command(data.path(), &[&["doctor"], arguments].concat());
        let keys = [("ANTHROPIC_API_KEY", "sk-secret"), ("OPENAI_BASE_URL", "http://127.0.0.1:9")];
        said(&command.envs(keys).output().unwrap())
    };
    let told =
        examine("[models]\nusual = 'anthropic/claude-sonnet-4-5'\nfixer = 'openai/mine'", &[]);
    for line in [
        "ok   model              anthropic/claude-sonnet-4-5 for scout, coder, auditor; \
         https://api.anthropic.com, key set; window of 200000 tokens; \
         3 USD in and 15 USD out for a million",
        "--   model              openai/mine for fixer; http://127.0.0.1:9, no key; window of 200000 \
         tokens; price unknown",
        "[prices.\"mine\"]",
    ] {
        assert!(told.contains(line), "{line}\n{told}");
    }
    assert!(!told.contains("sk-secret") && !told.contains("model asked"), "{told}");
    let asked = examine("[models]\nusual = 'openai/mine'", &["--ask"]);
    assert!(
        asked.contains("FAIL model asked        mine: ") && asked.contains("cannot be reached"),
        "{asked}"
    );
    let played = examine("scenario = 'none.json'", &[]);
    assert!(
        played.contains("FAIL model") && played.contains("none.json cannot be read"),
        "{played}"
    );
}

#[test]
fn the_demo_ends_with_a_seal_that_holds() {
    let data = TempDir::new().unwrap();
    let kept = data.path().join("kept");
    let output = run(data.path(), &["demo", "--json", "--keep", kept.to_str().unwrap()], "");
    let seal: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(seal["verdict"], "CERTIFIED", "{seal}");
    let build = text(&seal["build_id"]);
    let verified = stdout(&run(&kept, &["verify", &build], ""));
    assert!(verified.starts_with("ok: "), "{verified}");
}
