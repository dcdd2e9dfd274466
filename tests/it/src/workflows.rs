//! The workflows in `docs/actions`: their steps, run as the servers run them, with expressions
//! replaced.

use std::{fs, os::unix::fs::PermissionsExt, path::PathBuf, process::Command};

use model_server::KEY;
use tempfile::TempDir;

use crate::{
    harness::binary,
    project_fixture::git,
    scripted_project::CODE,
    spec_fixture::{SPEC, SpecFixture, finished, played, stderr, stdout},
};

/// A checkout whose last commit adds a spec, and the repository that it was cloned from.
struct Runner {
    fixture: SpecFixture,
    checkout: PathBuf,
    origin: PathBuf,
    /// The commit before the last one.
    before: String,
    /// Has `forgeguard`, and a `gh` that prints its arguments.
    programs: TempDir,
}

impl Runner {
    async fn prepare() -> Self {
        let fixture = SpecFixture::new(SPEC).await;
        fixture.model.play(played);
        let checkout = fixture.repository();
        git(&checkout, &["branch", "-m", "main"]);
        let before = git(&checkout, &["rev-parse", "HEAD"]);
        fs::create_dir(checkout.join("specs")).unwrap();
        fs::write(checkout.join("specs/greetings.md"), SPEC).unwrap();
        git(&checkout, &["add", "."]);
        git(&checkout, &["commit", "-q", "-m", "Specify greetings"]);
        let origin = fixture.folder.path().join("origin.git");
        let address = origin.display().to_string();
        git(&checkout, &["clone", "-q", "--bare", ".", &address]);
        git(&checkout, &["remote", "add", "origin", &address]);
        let programs = TempDir::with_prefix("forgeguard-it-").unwrap();
        std::os::unix::fs::symlink(binary(), programs.path().join("forgeguard")).unwrap();
        let gh = programs.path().join("gh");
        fs::write(&gh, "#!/bin/sh\necho \"gh $*\"\n").unwrap();
        fs::set_permissions(&gh, fs::Permissions::from_mode(0o755)).unwrap();
        Self { fixture, checkout, origin, before, programs }
    }

    /// Runs a step, whose script may contain these expressions; returns what it prints.
    async fn step(&self, script: &str, expressions: &[(String, String)]) -> String {
        let replace = |script: String, (name, value): &(String, String)| {
            script.replace(&format!("${{{{ {name} }}}}"), value)
        };
        let script = expressions.iter().fold(script.to_owned(), replace);
        assert!(!script.contains("${{"), "{script}");
        let path = std::env::var("PATH").unwrap();
        let mut command = Command::new("bash");
        command.args(["-e", "-c", &script]).current_dir(&self.checkout);
        command.env("PATH", format!("{}:{path}", self.programs.path().display()));
        command.env("ANTHROPIC_API_KEY", KEY);
        command.env("ANTHROPIC_BASE_URL", self.fixture.model.base_url());
        for (name, file) in [
            ("FORGEGUARD_CONFIG", "forgeguard.toml"),
            ("FORGEGUARD_DATA_DIR", "data"),
            ("GITHUB_OUTPUT", "output"),
            ("GITHUB_STEP_SUMMARY", "summary"),
        ] {
            command.env(name, self.fixture.folder.path().join(file));
        }
        command.env_remove("DATABASE_URL");
        let output = finished(command).await;
        assert!(output.status.success(), "{script}\n{}{}", stdout(&output), stderr(&output));
        stdout(&output)
    }

    fn file(&self, name: &str) -> String {
        fs::read_to_string(self.fixture.folder.path().join(name)).unwrap()
    }

    fn before(&self) -> (String, String) {
        ("github.event.before".to_owned(), self.before.clone())
    }

    /// Checks that the origin has the branch of the build, and an unchanged default branch.
    fn assert_pushed(&self) -> String {
        let main = git(&self.checkout, &["rev-parse", "HEAD"]);
        assert_eq!(git(&self.origin, &["rev-parse", "main"]), main);
        let branches =
            git(&self.origin, &["for-each-ref", "--format=%(refname:short)", "refs/heads/forge"]);
        assert_eq!(branches.lines().count(), 1, "{branches}");
        let code = git(&self.origin, &["show", &format!("{branches}:src/greet.js")]);
        assert_eq!(code, CODE.trim_end());
        branches
    }
}

/// The scripts of a workflow's steps.
fn scripts(workflow: &str) -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/actions/");
    let text = fs::read_to_string(format!("{folder}{workflow}")).unwrap();
    let mut scripts = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let Some(indentation) = line.strip_suffix("run: |").map(str::len) else { continue };
        let is_inside = |line: &&str| line.len() - line.trim_start().len() > indentation;
        let script = std::iter::from_fn(|| lines.next_if(is_inside));
        scripts.push(script.map(str::trim_start).collect::<Vec<_>>().join("\n"));
    }
    scripts
}

#[tokio::test(flavor = "multi_thread")]
async fn github_workflow_builds_a_spec_and_opens_a_pull_request() {
    let [build, deliver] = scripts("github.yml").try_into().unwrap();
    let runner = Runner::prepare().await;
    runner.step(&build, &[runner.before()]).await;
    assert!(runner.file("summary").starts_with("# "), "{}", runner.file("summary"));
    let outputs = runner.file("output");
    let outputs = outputs.lines().filter_map(|line| line.split_once('='));
    let outputs: Vec<(String, String)> = outputs
        .map(|(name, value)| (format!("steps.build.outputs.{name}"), value.to_owned()))
        .collect();
    let opened = runner.step(&deliver, &outputs).await;
    let branch = runner.assert_pushed();
    assert!(opened.contains(&format!("gh pr create --head {branch} --base main")), "{opened}");
}

#[tokio::test(flavor = "multi_thread")]
async fn forgejo_workflow_builds_a_spec_and_pushes_its_branch() {
    let [build] = scripts("forgejo.yml").try_into().unwrap();
    let runner = Runner::prepare().await;
    let report = runner.step(&build, &[runner.before()]).await;
    let branch = runner.assert_pushed();
    assert!(report.contains(&branch), "{report}");
}
