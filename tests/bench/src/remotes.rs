//! Repositories on other servers: an import beside `git clone`, a fetch that finds nothing new, and
//! webhooks beside a build.

use std::{
    fmt::Write as _,
    fs,
    path::Path,
    process::Stdio,
    time::{Duration, Instant},
};

use model_server::{Seen, Turn};
use reqwest::StatusCode;
use ring::hmac;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::{io::AsyncWriteExt, process::Command, time::interval};

use crate::{
    Result,
    account::Account,
    binary::{self, Running},
    builds::{Site, phases, player},
    figures,
    options::Options,
    table::Measure,
};

const FILES: u64 = 5_000;
/// Files of each of the first commits.
const FILES_PER_COMMIT: u64 = 100;
const LINES_PER_FILE: u64 = 40;
/// The target.
const WEBHOOKS_PER_MINUTE: u32 = 1_000;
/// How often to look whether a fetch has ended.
const LOOK: Duration = Duration::from_millis(2);

pub async fn measure(options: &Options) -> Result<Vec<Measure>> {
    let source = Source::start(options.amount(10_000, 500)).await?;
    let folder = tempfile::tempdir()?;
    let settings = folder.path().join("forgeguard.toml");
    fs::write(&settings, "[network]\nallow = ['127.0.0.0/8']\n")?;
    let settings = settings.display().to_string();
    let site = Site::start_in(&[("FORGEGUARD_CONFIG", &settings)], player(work)).await?;
    let credential = json!({
        "scope": "user", "name": "source", "host": source.running.address, "kind": "token",
        "token": source.token,
    });
    let credential = site.account.post("/api/credentials", &credential).await?;
    let import = json!({ "url": source.url, "credential": credential["id"] });
    let mut measures = imports(&site, &source, &import, options).await?;
    let project = site.account.post("/api/imports", &import).await?;
    let remote = format!("/api/projects/{}/remote", project["id"].as_str().ok_or("no id")?);
    fetched(&site.account, &remote).await?;
    measures.push(fetches(&site.account, &remote, &source, options).await?);
    measures.push(webhooks(&site, &remote, options).await?);
    site.stop().await?;
    source.running.stop().await?;
    Ok(measures)
}

/// An import and a clone, in turns.
async fn imports(
    site: &Site,
    source: &Source,
    import: &Value,
    options: &Options,
) -> Result<Vec<Measure>> {
    let (mut imported, mut cloned) = (Vec::new(), Vec::new());
    let before = site.running.resident_kib()?;
    for _ in 0..options.amount(5, 1) {
        let folder = tempfile::tempdir()?;
        let begun = Instant::now();
        source.git(folder.path(), &["clone", "--quiet", "URL", "clone"]).await?;
        cloned.push(figures::ms(begun.elapsed()));
        let begun = Instant::now();
        let project = site.account.post("/api/imports", import).await?;
        let remote = format!("/api/projects/{}/remote", project["id"].as_str().ok_or("no id")?);
        fetched(&site.account, &remote).await?;
        imported.push(figures::ms(begun.elapsed()));
    }
    let grown = site.running.resident_kib()?.saturating_sub(before) / 1024;
    let (imported, cloned) = (figures::median(&imported), figures::median(&cloned));
    let value = format!("{imported:.0} ms beside {cloned:.0} ms");
    Ok(vec![
        Measure::new("remotes: import, beside git clone", value).ratio(imported / cloned).at_most(
            imported / cloned,
            1.3,
            "",
        ),
        Measure::new("remotes: memory of the server after imports", format!("+{grown} MiB"))
            .at_most(grown as f64, 32.0, " MiB"),
    ])
}

/// A fetch that finds nothing new, beside the same by git.
async fn fetches(
    account: &Account,
    remote: &str,
    source: &Source,
    options: &Options,
) -> Result<Measure> {
    let folder = tempfile::tempdir()?;
    source.git(folder.path(), &["clone", "--quiet", "--bare", "URL", "clone"]).await?;
    let clone = folder.path().join("clone");
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..options.amount(20, 3) {
        let begun = Instant::now();
        source.git(&clone, &["fetch", "--quiet", "URL", "+refs/heads/*:refs/heads/*"]).await?;
        theirs.push(figures::ms(begun.elapsed()));
        let begun = Instant::now();
        account.post(&format!("{remote}/fetch"), &json!({})).await?;
        fetched(account, remote).await?;
        ours.push(figures::ms(begun.elapsed()));
    }
    let (ours, theirs) = (figures::median(&ours), figures::median(&theirs));
    let own = ours - theirs;
    let name = "remotes: fetch with nothing new, own time";
    Ok(Measure::new(name, format!("{own:.0} ms beside {theirs:.0} ms of git"))
        .at_most(own, 50.0, " ms"))
}

/// Builds with and without webhooks, in turns.
async fn webhooks(site: &Site, remote: &str, options: &Options) -> Result<Measure> {
    let hook = site.account.post(&format!("{remote}/hook-secret"), &json!({})).await?;
    let text = |name: &str| hook[name].as_str().map(str::to_owned).ok_or("there is no webhook");
    let hook = Hook {
        url: format!("http://{}{}", site.account.address, text("path")?),
        key: hmac::Key::new(hmac::HMAC_SHA256, text("secret")?.as_bytes()),
        client: support::http_client().build()?,
    };
    let titles: Vec<String> = (0..options.amount(6, 1)).map(|n| format!("Part {n}")).collect();
    let (mut with, mut without, mut sent) = (Vec::new(), Vec::new(), 0);
    for _ in 0..options.amount(3, 1) {
        without.push(build(site, &titles).await?);
        tokio::select! {
            took = build(site, &titles) => with.push(took?),
            failed = hook.send(&mut sent) => return Err(failed),
        }
    }
    let (with, without) = (figures::median(&with), figures::median(&without));
    let value = format!("{with:.1} s beside {without:.1} s, {sent} webhooks");
    Ok(Measure::new(format!("remotes: build at {WEBHOOKS_PER_MINUTE} webhooks a minute"), value)
        .ratio(with / without)
        .at_most(with / without, 1.1, ""))
}

/// Seconds until a build of a new project is sealed.
async fn build(site: &Site, titles: &[String]) -> Result<f64> {
    let project = site.project(&[("phases", &phases(titles))], None).await?;
    let begun = Instant::now();
    site.sealed(&site.start_build(&project).await?).await?;
    Ok(begun.elapsed().as_secs_f64())
}

/// Changes a file, and reads it again and again.
fn work(seen: &Seen) -> Option<Turn> {
    let (tool, input) = match seen.turn() {
        0 => ("run_command", json!({ "command": "echo one more >> work.txt" })),
        turn @ 1..40 => ("read_file", json!({ "path": "work.txt", "offset": turn })),
        _ => return None,
    };
    Some(Turn::reply().calls(tool, input))
}

struct Hook {
    url: String,
    key: hmac::Key,
    client: reqwest::Client,
}

impl Hook {
    /// Sends webhooks of pushes, as a forge does, until one is rejected.
    async fn send(&self, sent: &mut u64) -> crate::Error {
        const BODY: &str = r#"{"ref":"refs/heads/main"}"#;
        let signature = hmac::sign(&self.key, BODY.as_bytes());
        let signature = signature.as_ref().iter().fold("sha256=".to_owned(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        });
        let mut ticks = interval(Duration::from_secs(60) / WEBHOOKS_PER_MINUTE);
        loop {
            ticks.tick().await;
            *sent += 1;
            let request = self.client.post(&self.url).body(BODY);
            let request = request.header("x-hub-signature-256", &signature);
            let request = request.header("x-github-delivery", sent.to_string());
            match request.header("x-github-event", "push").send().await {
                Ok(response) if response.status() == StatusCode::ACCEPTED => {}
                Ok(response) => return format!("a webhook got {}", response.status()).into(),
                Err(error) => return error.into(),
            }
        }
    }
}

/// Waits until the fetch of a project has ended.
async fn fetched(account: &Account, remote: &str) -> Result<()> {
    let mut ticks = interval(LOOK);
    loop {
        ticks.tick().await;
        let fetch = account.get(remote).await?["remote"]["fetch"].take();
        match fetch["status"].as_str() {
            Some("queued" | "running") => {}
            Some("done") => return Ok(()),
            _ => return Err(format!("the fetch has failed: {fetch}").into()),
        }
    }
}

/// The other server, and a repository there.
struct Source {
    running: Running,
    url: String,
    token: String,
    _data: TempDir,
}

impl Source {
    async fn start(commits: u64) -> Result<Self> {
        let program = binary::build().await?;
        let data = tempfile::tempdir()?;
        let running = Running::start(&program, &data.path().join("data"), "all").await?;
        let account = Account::sign_in(&running.address).await?;
        let project = account.post("/api/projects", &json!({ "name": "Source" })).await?;
        let project = project["id"].as_str().ok_or("the project has no id")?;
        let url = format!("http://{}/git/{project}.git", running.address);
        let key = account.post("/api/forge-keys", &json!({ "name": "git" })).await?;
        let token = key["key"].as_str().ok_or("there is no key")?.to_owned();
        let source = Self { running, url, token, _data: data };
        let work = source._data.path().join("work.git");
        fs::create_dir(&work)?;
        source.git(&work, &["init", "--quiet", "--bare"]).await?;
        import_history(&work, &history(commits)).await?;
        source.git(&work, &["gc", "--quiet"]).await?;
        source.git(&work, &["push", "--quiet", "URL", "main"]).await?;
        Ok(source)
    }

    /// Runs git; the argument `URL` is replaced by the address of the repository.
    async fn git(&self, folder: &Path, arguments: &[&str]) -> Result<()> {
        let login = format!("http://git:{}@", self.token);
        let url = self.url.replace("http://", &login);
        let arguments = arguments.iter().map(|it| if *it == "URL" { url.as_str() } else { it });
        let status = Command::new("git").current_dir(folder).args(arguments).status().await?;
        if status.success() { Ok(()) } else { Err("git failed".into()) }
    }
}

/// Reads a stream of `git fast-import` into a repository.
async fn import_history(repository: &Path, stream: &str) -> Result<()> {
    let mut git = Command::new("git")
        .current_dir(repository)
        .args(["fast-import", "--quiet"])
        .stdin(Stdio::piped())
        .spawn()?;
    let mut stdin = git.stdin.take().ok_or("git has no input")?;
    stdin.write_all(stream.as_bytes()).await?;
    drop(stdin);
    if git.wait().await?.success() { Ok(()) } else { Err("git fast-import failed".into()) }
}

/// The first commits add [`FILES`] files; each of the others changes a line of one.
fn history(commits: u64) -> String {
    let mut stream = String::new();
    let mut random = Random(1);
    let mut lines: Vec<Vec<u64>> =
        (0..FILES).map(|_| (0..LINES_PER_FILE).map(|_| random.next()).collect()).collect();
    let first_commits = FILES / FILES_PER_COMMIT;
    for commit in 0..commits {
        let time = 1_700_000_000 + commit;
        let _ = write!(
            stream,
            "commit refs/heads/main\ncommitter Ada <ada@example.org> {time} +0000\n\
             data 6\nChange\n"
        );
        let files = match commit < first_commits {
            true => commit * FILES_PER_COMMIT..(commit + 1) * FILES_PER_COMMIT,
            false => {
                let file = random.next() % FILES;
                lines[file as usize][(commit % LINES_PER_FILE) as usize] = random.next();
                file..file + 1
            }
        };
        for file in files {
            let mut text = String::new();
            for line in &lines[file as usize] {
                let _ = writeln!(text, "export const value = {line};");
            }
            let folder = file / FILES_PER_COMMIT;
            let _ = write!(
                stream,
                "M 100644 inline src/part-{folder}/file-{file}.js\ndata {}\n{text}\n",
                text.len()
            );
        }
    }
    stream
}

/// Numbers that compress badly, the same in each run (a xorshift generator).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}
