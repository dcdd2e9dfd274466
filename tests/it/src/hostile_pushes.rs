//! Pushes that expand excessively, with invalid names, and too many at the same time.

use std::{fs, path::Path, time::Duration};

use bytes::Bytes;
use reqwest::{RequestBuilder, header};
use serde_json::json;
use tokio::sync::mpsc;
use tokio_stream::{StreamExt, wrappers::ReceiverStream};

use crate::{
    harness::{ApiResponse, Database, Instance, send, text},
    push_request::{MIB, blob, commands, delta, gzip, pack},
    server_process::ServerProcess,
};

/// How much more memory the service may need, whatever is pushed to it.
const MAX_GROWTH_KIB: u64 = 64 * 1024;

/// A repository that accepts pushes.
struct Target {
    url: String,
    key: String,
    client: reqwest::Client,
}

impl Target {
    async fn of_process(server: &ServerProcess) -> Self {
        let project = server.post("/api/projects", json!({"name": "P", "description": ""})).await;
        let key = server.post("/api/forge-keys", json!({"name": "git"})).await;
        let url = format!("http://{}/git/{}.git", server.address(), text(&project["id"]));
        let client = support::http_client().build().expect("a client");
        Self { url, key: text(&key["key"]), client }
    }

    async fn of_instance(instance: &Instance) -> Self {
        let admin = instance.admin().await;
        let demo = text(&admin.get("/api/projects").await.json()["items"][0]["id"]);
        let key = text(&admin.post("/api/forge-keys", json!({"name": "git"})).await.json()["key"]);
        Self { url: format!("{}/git/{demo}.git", instance.url), key, client: instance.client() }
    }

    fn request(&self, service: &str) -> RequestBuilder {
        let url = format!("{}/git-{service}", self.url);
        self.client.post(url).basic_auth("git", Some(&self.key)).timeout(Duration::from_secs(300))
    }

    async fn push(&self, body: Vec<u8>) -> ApiResponse {
        send(self.request("receive-pack").body(body)).await
    }

    async fn push_gzip(&self, service: &str, body: Vec<u8>) -> ApiResponse {
        let request = self.request(service).header(header::CONTENT_ENCODING, "gzip");
        send(request.body(body)).await
    }
}

/// The peak memory of the process.
fn peak_kib(server: &ServerProcess) -> u64 {
    let pid = server.pid().expect("it runs");
    let status = fs::read_to_string(format!("/proc/{pid}/status")).expect("it runs");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

fn bytes_below(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let size = |entry: fs::DirEntry| match entry.file_type() {
        Ok(kind) if kind.is_dir() => bytes_below(&entry.path()),
        _ => entry.metadata().map_or(0, |metadata| metadata.len()),
    };
    entries.map(size).sum()
}

#[tokio::test(flavor = "multi_thread")]
async fn push_that_expands_a_thousandfold_is_rejected_in_bounded_memory() {
    let server = ServerProcess::start(&[]).await;
    let target = Target::of_process(&server).await;
    let repositories = server.data().join("repos");
    let (peak, stored) = (peak_kib(&server), bytes_below(&repositories));
    let name: &[&[u8]] = &[b"refs/heads/bomb"];
    let piece = blob(100 * MIB);
    for (what, pack, why) in [
        ("35 blobs of 100 MiB", pack(35, &piece.repeat(35)), "expands to more than 1024 MiB"),
        (
            "35 deltas with results of 100 MiB",
            pack(36, &[piece.clone(), delta(100 * MIB, 100 * MIB).repeat(35)].concat()),
            "expands to more than 1024 MiB",
        ),
        ("one object", pack(1, &blob(256 * MIB)), "an object has 256 MiB"),
        ("a result of a delta", pack(1, &delta(1, 4096 * MIB)), "an object has 4096 MiB"),
        ("4,294,967,295 objects", pack(u32::MAX, b""), "has 4294967295 objects"),
        ("an object that is cut off", pack(1, &piece[..1000]), "the pack is damaged"),
        ("no pack", b"nonsense".to_vec(), "the pack is damaged"),
    ] {
        assert!(pack.len() < 5 * MIB as usize, "{what} is small");
        let answer = target.push([commands(name), pack].concat()).await;
        assert_eq!(answer.status, 200, "{what}: {}", answer.text);
        let refusal = format!("ng refs/heads/bomb the pack {why}");
        let refusal = refusal.replace("the pack an object", "an object");
        let refusal = refusal.replace("the pack the pack", "the pack");
        assert!(answer.text.contains(&refusal), "{what}: {}", answer.text);
    }
    let grown = peak_kib(&server) - peak;
    assert!(grown < MAX_GROWTH_KIB, "{grown} KiB more than before");
    assert_eq!(bytes_below(&repositories), stored, "nothing of it is kept");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn gzip_bodies_that_expand_a_thousandfold_are_rejected_in_bounded_memory() {
    let server = ServerProcess::start(&[]).await;
    let target = Target::of_process(&server).await;
    let peak = peak_kib(&server);
    let bomb = gzip(&commands(&[b"refs/heads/bomb"]), 256 * MIB);
    let answer = target.push_gzip("receive-pack", bomb.clone()).await;
    let refusal = "ng refs/heads/bomb a push may have at most 512 MiB";
    assert!(answer.status == 200 && answer.text.contains(refusal), "{}", answer.text);
    target.push_gzip("upload-pack", bomb.clone()).await.problem(413);
    target.push_gzip("receive-pack", gzip(b"", 256 * MIB)).await.problem(400);
    target.push_gzip("receive-pack", bomb[..bomb.len() / 4].to_vec()).await;
    target.push_gzip("receive-pack", b"nonsense".to_vec()).await.problem(400);
    let deflated = target.request("receive-pack").header(header::CONTENT_ENCODING, "deflate");
    send(deflated.body("x")).await.problem(415);
    // Other routes do not accept compressed bodies, so nothing is expanded there.
    for path in ["/api/projects", "/api/session"] {
        let request = target.client.post(format!("http://{}{path}", server.address()));
        let request =
            request.bearer_auth(server.token()).header("content-type", "application/json");
        let request = request.header(header::CONTENT_ENCODING, "gzip");
        let answer = send(request.body(gzip(b"{}", 256 * MIB))).await;
        assert!(answer.status.is_client_error(), "{path}: {}", answer.text);
    }
    let grown = peak_kib(&server) - peak;
    assert!(grown < MAX_GROWTH_KIB, "{grown} KiB more than before");
    assert_eq!(bytes_below(&server.data().join("incoming")), 0);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn push_beyond_the_limits_of_the_settings_is_rejected_and_git_shows_why() {
    let limits = [("FORGEGUARD_MAX_PUSH_MIB", "2"), ("FORGEGUARD_MAX_PUSH_EXPANDED_MIB", "8")];
    let server = ServerProcess::start(&limits).await;
    let target = Target::of_process(&server).await;
    let folder = tempfile::tempdir().expect("a folder");
    let clone = folder.path().join("clone");
    let git = |arguments: &[&str]| {
        let mut command = std::process::Command::new("git");
        command.args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]);
        command.arg("-C").arg(&clone).args(arguments);
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        let output = command.output().expect("git can be run");
        let printed = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8_lossy(&printed).into_owned())
    };
    fs::create_dir(&clone).expect("a folder");
    let address = target.url.replace("http://", &format!("http://git:{}@", target.key));
    assert!(git(&["init", "-q"]).0);
    let noise: Vec<u8> = rand::random_iter().take(3 * MIB as usize).collect();
    for (file, content, why) in [
        ("small", vec![0; MIB as usize], None),
        ("zeros", vec![0; 9 * MIB as usize], Some("the pack expands to more than 8 MiB")),
        ("noise", noise, Some("a push may have at most 2 MiB")),
    ] {
        fs::write(clone.join(file), content).expect("a file");
        assert!(git(&["add", file]).0);
        assert!(git(&["commit", "-q", "-m", file]).0);
        let (ok, printed) = git(&["push", &address, "HEAD:refs/heads/mine"]);
        assert_eq!(ok, why.is_none(), "{file}: {printed}");
        assert!(
            why.is_none_or(|why| printed.contains("remote rejected") && printed.contains(why)),
            "{printed}"
        );
        if !ok {
            assert!(git(&["reset", "-q", "--hard", "HEAD^"]).0);
        }
    }
    server.stop().await;
}

support::on_both! {
    async fn malformed_reference_names_are_rejected(database: Database) {
        let instance = Instance::start(&database).await;
        let target = Target::of_instance(&instance).await;
        let long = format!("refs/heads/{}", "a".repeat(300));
        let too_long = format!("refs/heads/{}", "a/".repeat(1_000));
        let names: [&[u8]; 24] = [
            b"refs/heads/..", b"refs/heads/a..b", b"refs/heads/a.lock", b"refs/heads/a@{0}",
            b"refs/heads/-x", b"refs/heads/HEAD", b"refs/heads/", b"refs/heads//a",
            b"refs/heads/a//b", b"refs/heads/.a", b"refs/heads/a.", b"refs/heads/a\\b",
            b"refs/heads/a:b", b"refs/heads/a*", b"refs/heads/a b", b"refs/heads/a\tb",
            b"refs/heads/a\x7fb", b"refs/heads/\xff\xfe", b"refs/heads/../../../x", b"",
            b"../refs/heads/a", b"refs/heads/main/x", long.as_bytes(), too_long.as_bytes(),
        ];
        for name in names {
            let shown = String::from_utf8_lossy(name);
            let answer = target.push([commands(&[name]), pack(0, b"")].concat()).await;
            match answer.status.as_u16() {
                200 => assert!(answer.text.contains("ng "), "{shown}: {}", answer.text),
                _ => drop(answer.problem(400)),
            }
        }
        let refs = format!("{}/info/refs?service=git-upload-pack", target.url);
        let refs = send(target.client.get(refs).basic_auth("git", Some(&target.key))).await;
        let heads = refs.text.matches("refs/heads/").count();
        assert_eq!(heads, refs.text.matches("refs/heads/main").count(), "{}", refs.text);
        instance.stop().await;
    }

    async fn pushes_beyond_the_concurrency_limit_get_a_retry_after(database: Database) {
        let instance = Instance::start_with(&database, |mut config| {
            config.push_limits.max_concurrent = 1;
            config
        }).await;
        let target = Target::of_instance(&instance).await;
        let user = instance.admin().await.id.parse().expect("an id");
        let engine = &instance.app.engine;
        let slot = engine.take_push_slot(user).expect("a slot");
        let refused = target.push(b"0000".to_vec()).await;
        refused.problem(503);
        assert_eq!(refused.headers[header::RETRY_AFTER], "2");
        drop(slot);

        let (sender, pieces) = mpsc::channel::<Bytes>(1);
        let pieces = ReceiverStream::new(pieces).map(Ok::<_, std::io::Error>);
        let slow = target.request("receive-pack").body(reqwest::Body::wrap_stream(pieces));
        let slow = tokio::spawn(send(slow));
        // More than the buffers between client and server hold: after this, the server is reading.
        for _ in 0..16 {
            sender.send(Bytes::from(vec![b'x'; MIB as usize])).await.expect("it is read");
        }
        assert!(engine.take_push_slot(user).is_none(), "a push that is being received has the slot");
        drop(sender);
        slow.await.expect("it is answered").problem(400);
        assert!(engine.take_push_slot(user).is_some(), "the slot is free again");
        instance.stop().await;
    }
}
