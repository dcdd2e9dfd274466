//! The program as started by scripts.

use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, Command, Output, Stdio},
};

use crate::harness::{ADMIN, PASSWORD, binary, send, text};
use serde_json::{Value, json};
use tempfile::TempDir;

fn command(data: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(binary());
    command.arg("--data-dir").arg(data).args(arguments).current_dir(data);
    for variable in
        ["ANTHROPIC_API_KEY", "DATABASE_URL", "FORGEGUARD_ADMIN_EMAIL", "FORGEGUARD_ADMIN_PASSWORD"]
    {
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

fn output_text(output: &Output) -> String {
    let both = [&output.stdout[..], &output.stderr[..]].concat();
    String::from_utf8_lossy(&both).into_owned()
}

#[track_caller]
fn stdout(output: &Output) -> String {
    assert!(output.status.success(), "{}", output_text(output));
    String::from_utf8(output.stdout.clone()).unwrap().trim().to_owned()
}

/// A server that has printed its address.
struct Serving {
    child: Child,
    listening: Value,
}

impl Serving {
    fn start(data: &Path) -> Self {
        Self::with(data, &["--listen", "127.0.0.1:0"], &[])
    }

    fn with(data: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> Self {
        let arguments = [&["serve", "--log-format", "json"], arguments].concat();
        let mut command = command(data, &arguments);
        command.envs(environment.iter().copied()).stderr(Stdio::null());
        let mut child = command.spawn().expect("it starts");
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
async fn serve_prints_its_address_as_json() {
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
        !second.status.success() && output_text(&second).contains("another ForgeGuard"),
        "{}",
        output_text(&second)
    );
    serving.stop();

    let again = Serving::start(data.path());
    assert!(again.listening.get("setup_url").is_none(), "{}", again.listening);
    again.stop();
}

#[test]
fn accounts_and_keys_are_created_on_the_command_line() {
    let data = TempDir::new().unwrap();
    let short = run(data.path(), &["user", "add", "a@example.org"], "short\n");
    assert!(
        !short.status.success() && output_text(&short).contains("password"),
        "{}",
        output_text(&short)
    );
    let added = run(data.path(), &["user", "add", "a@example.org", "--admin"], PASSWORD);
    assert!(stdout(&added).parse::<uuid::Uuid>().is_ok());
    let taken = run(data.path(), &["user", "add", "A@example.org"], PASSWORD);
    assert!(
        !taken.status.success() && output_text(&taken).contains("already"),
        "{}",
        output_text(&taken)
    );
    let key = run(data.path(), &["key", "create", "a@example.org"], "");
    assert!(stdout(&key).starts_with("fgk_"));
    let unknown = run(data.path(), &["key", "create", "unknown@example.org"], "");
    assert!(!unknown.status.success());
    assert!(stdout(&run(data.path(), &["status"], "")).contains("queued          0"));
}

#[test]
fn missing_data_directory_is_named() {
    let data = TempDir::new().unwrap();
    let missing = data.path().join("none");
    let mut command = command(&missing, &["status"]);
    command.current_dir(data.path());
    let output = command.output().unwrap();
    assert!(!output.status.success());
    let words = format!("there is no data directory {}", missing.display());
    assert!(output_text(&output).contains(&words), "{}", output_text(&output));
}

#[test]
fn accounts_and_keys_are_created_with_invalid_model_settings() {
    let data = TempDir::new().unwrap();
    let file = "[models]\nusual = 'anthropic/claude-sonnet-4-5'\n";
    std::fs::write(data.path().join("forgeguard.toml"), file).unwrap();
    let mut serve = command(data.path(), &["serve", "--listen", "127.0.0.1:0"]);
    let serve = serve.output().unwrap();
    assert!(
        !serve.status.success() && output_text(&serve).contains("needs a key"),
        "{}",
        output_text(&serve)
    );
    let added = run(data.path(), &["user", "add", "a@example.org", "--admin"], PASSWORD);
    assert!(stdout(&added).parse::<uuid::Uuid>().is_ok());
    assert!(stdout(&run(data.path(), &["key", "create", "a@example.org"], "")).starts_with("fgk_"));
    stdout(&run(data.path(), &["migrate"], ""));
}

#[test]
fn invalid_settings_are_reported_in_one_line() {
    let data = TempDir::new().unwrap();
    for (file, said_about) in [
        ("lisden = '127.0.0.1:0'", "lisden"),
        ("workers = 0", "workers"),
        ("database_url = 'mysql://x'", "sqlite: or postgres://"),
    ] {
        std::fs::write(data.path().join("forgeguard.toml"), file).unwrap();
        let output = run(data.path(), &["migrate"], "");
        assert_eq!(output.status.code(), Some(1), "{file}");
        assert!(output_text(&output).contains(said_about), "{file}: {}", output_text(&output));
    }
}

#[test]
fn doctor_reports_each_model_and_hides_keys() {
    let data = TempDir::new().unwrap();
    let examine = |file: &str, arguments: &[&str]| {
        std::fs::write(data.path().join("forgeguard.toml"), file).unwrap();
        let mut command = command(data.path(), &[&["doctor"], arguments].concat());
        let keys = [("ANTHROPIC_API_KEY", "sk-secret"), ("OPENAI_BASE_URL", "http://127.0.0.1:9")];
        output_text(&command.envs(keys).output().unwrap())
    };
    let report =
        examine("[models]\nusual = 'anthropic/claude-sonnet-5-5'\nfixer = 'openai/mine'", &[]);
    for line in [
        "ok   model              anthropic/claude-sonnet-5-5 for scout, coder, auditor; \
         https://api.anthropic.com, key set; window of 1000000 tokens; \
         2 USD input and 10 USD output per million tokens as of 2026-11-22",
        "--   model              openai/mine for fixer; http://127.0.0.1:9, no key; window of 200000 \
         tokens; price unknown",
        "[catalog.\"mine\"]",
    ] {
        assert!(report.contains(line), "{line}\n{report}");
    }
    let ending = examine("[models]\nusual = 'anthropic/claude-sonnet-4-5'", &[]);
    assert!(ending.contains("end of life 2026-11-30") && ending.contains("--   model"), "{ending}");
    let by_environment = {
        let mut command = command(data.path(), &["doctor"]);
        let set = [("FORGEGUARD_MODEL", "openai/gpt-6.1-sol"), ("OPENAI_API_KEY", "sk-secret")];
        output_text(&command.envs(set).output().unwrap())
    };
    assert!(by_environment.contains("openai/gpt-6.1-sol for scout"), "{by_environment}");
    assert!(!report.contains("sk-secret") && !report.contains("model request"), "{report}");
    let asked = examine("[models]\nusual = 'openai/mine'", &["--ask"]);
    assert!(
        asked.contains("FAIL model request      mine: ") && asked.contains("cannot be reached"),
        "{asked}"
    );
    let played = examine("scenario = 'none.json'", &[]);
    assert!(
        played.contains("FAIL model") && played.contains("none.json cannot be read"),
        "{played}"
    );
}

#[test]
fn demo_is_sealed_in_the_given_data_directory_and_database() {
    let folder = TempDir::new().unwrap();
    let (kept, elsewhere) = (folder.path().join("kept"), folder.path().join("elsewhere.db"));
    std::fs::create_dir(&kept).unwrap();
    let database = format!("sqlite:{}", elsewhere.display());
    let with_database = |arguments: &[&str]| {
        command(&kept, arguments).env("DATABASE_URL", &database).output().unwrap()
    };
    let demo = ["demo", "--json", "--demo-pace", "0"];
    // Again on the same data, with another build.
    for _ in 0..2 {
        let output = with_database(&demo);
        let seal: Value = serde_json::from_str(&stdout(&output)).unwrap();
        assert_eq!(seal["verdict"], "CERTIFIED", "{seal}");
        let build = text(&seal["build_id"]);
        let verified = stdout(&with_database(&["verify", &build]));
        assert!(verified.starts_with("ok: "), "{verified}");
    }
    assert!(kept.join("repos").is_dir() && !kept.join("forgeguard.db").exists());
    // A database without its data directory gets another demo project.
    let other = TempDir::new().unwrap();
    let output = command(other.path(), &demo).env("DATABASE_URL", &database).output().unwrap();
    assert!(stdout(&output).contains("CERTIFIED"), "{}", output_text(&output));
}

#[test]
fn demo_without_a_data_directory_leaves_no_files() {
    let folder = TempDir::new().unwrap();
    let mut command = Command::new(binary());
    command.args(["demo", "--json", "--demo-pace", "0"]).current_dir(folder.path());
    command.env_remove("DATABASE_URL").env_remove("FORGEGUARD_DATA_DIR");
    assert!(stdout(&command.output().unwrap()).contains("CERTIFIED"));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn serve_without_git_reports_what_to_install() {
    let data = TempDir::new().unwrap();
    let mut command = command(data.path(), &["serve", "--listen", "127.0.0.1:0"]);
    let output = command.env("PATH", data.path()).output().unwrap();
    let printed = output_text(&output);
    assert!(!output.status.success(), "{printed}");
    assert!(printed.contains("install git") && printed.contains("PATH"), "{printed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn git_on_the_search_path_serves_clients() {
    let data = TempDir::new().unwrap();
    let programs = TempDir::new().unwrap();
    let real = Command::new("sh").args(["-c", "command -v git"]).output().unwrap();
    let (trace, git) = (programs.path().join("used"), programs.path().join("git"));
    let script =
        format!("#!/bin/sh\necho \"$@\" >> '{}'\nexec {} \"$@\"\n", trace.display(), stdout(&real));
    std::fs::write(&git, script).unwrap();
    std::fs::set_permissions(&git, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let set = [("FORGEGUARD_ADMIN_EMAIL", ADMIN), ("FORGEGUARD_ADMIN_PASSWORD", PASSWORD)];
    let path = [("PATH", programs.path().to_str().unwrap())];
    let serving =
        Serving::with(data.path(), &["--listen", "127.0.0.1:0"], &[&set[..], &path[..]].concat());
    let address = text(&serving.listening["address"]);
    let client = support::http_client().build().unwrap();
    let account = json!({"email": ADMIN, "password": PASSWORD});
    let session = send(client.post(format!("{address}/api/session")).json(&account)).await.json();
    let token = text(&session["access_token"]);
    let get = |path: String| client.get(format!("{address}{path}")).bearer_auth(&token);
    let project = send(get("/api/projects".to_owned())).await.json();
    let project = text(&project["items"][0]["id"]);
    let refs = format!("/git/{project}.git/info/refs?service=git-upload-pack");
    assert_eq!(send(get(refs)).await.status, 200);
    let used = std::fs::read_to_string(trace).unwrap();
    assert!(used.contains("upload-pack"), "{used}");
    serving.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn setup_link_is_reachable_when_listening_on_all_addresses() {
    for listen in ["0.0.0.0:0", "[::]:0"] {
        let data = TempDir::new().unwrap();
        let serving = Serving::with(data.path(), &["--listen", listen], &[]);
        let setup = text(&serving.listening["setup_url"]);
        assert!(!setup.contains("0.0.0.0") && !setup.contains("[::]"), "{setup}");
        let client = support::http_client().build().unwrap();
        assert_eq!(send(client.get(&setup)).await.status, 200, "{setup}");
        serving.stop();
    }
}

#[test]
fn worker_prints_no_setup_link() {
    let data = TempDir::new().unwrap();
    let serving = Serving::with(data.path(), &["--listen", "127.0.0.1:0", "--role", "worker"], &[]);
    assert!(serving.listening.get("setup_url").is_none(), "{}", serving.listening);
    serving.stop();
}
