//! Clone, fetch and push with the real client over a socket.

use std::{
    collections::HashSet,
    fs,
    io::{self, Cursor, SeekFrom, Write},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    pin::Pin,
    process::Stdio,
    task::{Context, Poll},
};

use git::{
    GitError, http,
    pack::{self, PackLimits, PackSize},
    push::PushRequest,
};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncSeek, AsyncWriteExt, ReadBuf},
    net::{TcpListener, TcpStream},
};

use crate::project::{Project, client, git, name, request, try_git, write};

const MAX_PUSH_SIZE: u64 = 16 * 1024 * 1024;
const PACK_LIMITS: PackLimits =
    PackLimits { max_object_size: MAX_PUSH_SIZE, max_expanded: u64::MAX };

/// Serves one repository at `/`; responses end by closing the connection.
pub async fn serve(repository: PathBuf) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(answer(stream, repository.clone()));
        }
    });
    format!("http://{address}/")
}

async fn answer(mut stream: TcpStream, repository: PathBuf) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.unwrap());
    }
    let head = String::from_utf8(head).unwrap();
    let header = |name: &str| {
        head.lines().find_map(|line| {
            let (key, value) = line.split_once(": ")?;
            key.eq_ignore_ascii_case(name).then(|| value.to_owned())
        })
    };
    let protocol = header("git-protocol");
    let length: usize = header("content-length").map_or(0, |text| text.parse().unwrap());
    if head.starts_with("GET") {
        let service = head.split("service=").nth(1).unwrap().split(' ').next().unwrap();
        let service = http::Service::parse(service).unwrap();
        let body =
            http::advertise_refs(&repository, service, protocol.as_deref(), None).await.unwrap();
        let kind = service.advertisement();
        let start = format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nConnection: close\r\n\r\n");
        stream.write_all(start.as_bytes()).await.unwrap();
        stream.write_all(&body).await.unwrap();
        return;
    }
    if head.contains("git-receive-pack") {
        let mut body = vec![0; length];
        stream.read_exact(&mut body).await.unwrap();
        let mut rest = body.as_slice();
        let request = PushRequest::read(&mut rest).unwrap();
        let size = match rest {
            [] => PackSize::default(),
            rest => pack::measure(rest, rest.len() as u64, PACK_LIMITS).unwrap(),
        };
        let answer = receive(&repository, protocol.as_deref(), &request, size, rest).await;
        let kind = http::PUSH_RESULT;
        let start = format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nConnection: close\r\n\r\n");
        stream.write_all(start.as_bytes()).await.unwrap();
        // Without a response the client sees a closed connection.
        stream.write_all(&answer.unwrap_or_default()).await.unwrap();
        return;
    }
    let (read, mut write) = stream.into_split();
    let mut pack =
        http::upload_pack(&repository, protocol.as_deref(), read.take(length as u64)).unwrap();
    let kind = http::RESULT;
    let start = format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nConnection: close\r\n\r\n");
    write.write_all(start.as_bytes()).await.unwrap();
    tokio::io::copy(&mut pack, &mut write).await.unwrap();
}

async fn receive(
    repository: &Path,
    protocol: Option<&str>,
    request: &PushRequest,
    size: PackSize,
    pack: &[u8],
) -> Result<Vec<u8>, GitError> {
    let body = Cursor::new(pack);
    http::receive_pack(repository, protocol, request, size, MAX_PUSH_SIZE, body).await
}

/// Settings and hooks that could start a program on a push.
fn plant(project: &Project) -> PathBuf {
    let trace = project.path("bait-taken");
    let script = format!("#!/bin/sh\ntouch '{}'\n", trace.display());
    let origin = project.origin.path();
    fs::create_dir_all(origin.join("hooks")).unwrap();
    let hooks = [
        "post-upload-pack",
        "reference-transaction",
        "pre-receive",
        "update",
        "proc-receive",
        "post-receive",
        "post-update",
        "push-to-checkout",
        "pre-auto-gc",
    ];
    let bait = origin.join("bait.sh");
    for file in hooks.map(|hook| origin.join("hooks").join(hook)).iter().chain([&bait]) {
        fs::write(file, &script).unwrap();
        fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let (hooks, bait) = (origin.join("hooks").display().to_string(), bait.display().to_string());
    for (key, value) in [
        ("core.hooksPath", hooks.as_str()),
        ("core.alternateRefsCommand", bait.as_str()),
        ("core.fsmonitor", bait.as_str()),
        ("uploadpack.packObjectsHook", bait.as_str()),
        ("gpg.program", bait.as_str()),
        ("receive.denyNonFastForwards", "false"),
        ("receive.denyDeletes", "false"),
        ("receive.fsckObjects", "false"),
        ("receive.autogc", "true"),
        ("gc.auto", "1"),
        ("gc.recentObjectsHook", bait.as_str()),
    ] {
        git(origin, &["config", key, value]);
    }
    trace
}

#[tokio::test(flavor = "multi_thread")]
async fn push_is_fast_forward_only_and_starts_no_configured_program() {
    let project = Project::new();
    let (branch, _) = project.build();
    branch.push().unwrap();
    let trace = plant(&project);
    let url = serve(project.origin.path().to_owned()).await;
    tokio::task::spawn_blocking(move || {
        let dir = project.dir.path();
        git(dir, &["clone", "-q", &url, "copy"]);
        let copy = dir.join("copy");
        let push = |what: &[&str]| try_git(&copy, &[&["push", "-q", "origin"], what].concat());
        let at = |name: &str| project.origin.head_of(name).unwrap().map(|sha| sha.to_string());
        let commit = |title: &str| {
            git(&copy, &["commit", "-q", "--allow-empty", "-m", title]);
            Some(git(&copy, &["rev-parse", "HEAD"]))
        };
        let first = commit("first");
        let (ok, said) = push(&["HEAD:mine", &format!("HEAD:{}", name())]);
        assert!(ok, "{said}");
        assert_eq!((at("mine"), at(name().as_str())), (first.clone(), first.clone()));

        git(&copy, &["reset", "-q", "--hard", "HEAD^"]);
        commit("second");
        let (ok, said) = push(&["--force", "HEAD:mine"]);
        assert!(!ok && said.contains("non-fast-forward"), "{said}");
        let (ok, said) = push(&["--delete", "mine"]);
        assert!(!ok && said.contains("deletion prohibited"), "{said}");
        assert_eq!(at("mine"), first);

        // Invalid objects are rejected and leave nothing behind.
        let tree = format!("100644 blob {}\t.git\n", git(&copy, &["rev-parse", "HEAD:README.md"]));
        let tree = with_input(&copy, &["mktree"], &tree);
        let bad = git(&copy, &["commit-tree", "-m", "evil", &tree]);
        let (ok, said) = push(&[&format!("{bad}:refs/heads/evil")]);
        assert!(!ok && said.contains("hasDotgit"), "{said}");
        assert_eq!(at("evil"), None);
        assert!(!try_git(project.origin.path(), &["cat-file", "-e", &bad]).0);

        // A symbolic reference to another branch is not followed.
        let near = project.origin.path().join("refs/heads/near");
        fs::write(near, "ref: refs/heads/main\n").unwrap();
        assert!(!push(&["HEAD:near"]).0);
        assert_eq!(at("main"), Some(project.first.to_string()));
        assert!(!trace.exists(), "a planted command ran");
        // Shows that the script works.
        git(&copy, &["push", "-q", &project.origin.path().display().to_string(), "HEAD:baited"]);
        assert!(trace.exists());
    })
    .await
    .unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn pushed_trees_that_are_too_deep_are_rejected() {
    let project = Project::new();
    let url = serve(project.origin.path().to_owned()).await;
    tokio::task::spawn_blocking(move || {
        let dir = project.dir.path();
        git(dir, &["clone", "-q", &url, "copy"]);
        let copy = dir.join("copy");
        let mut tree = git(&copy, &["rev-parse", "HEAD^{tree}"]);
        for depth in 0..300 {
            tree = with_input(&copy, &["mktree"], &format!("040000 tree {tree}\ta\n"));
            let is_deep = depth == 299;
            if is_deep || depth == 99 {
                let commit = git(&copy, &["commit-tree", "-m", "deep", &tree]);
                let branch = format!("deep-{depth}");
                let target = format!("{commit}:refs/heads/{branch}");
                let (ok, said) = try_git(&copy, &["push", "-q", "origin", &target]);
                assert_eq!(ok, !is_deep, "{said}");
                assert_eq!(project.origin.head_of(&branch).unwrap().is_none(), is_deep, "{said}");
            }
        }
    })
    .await
    .unwrap();
}

#[tokio::test]
async fn git_processes_cannot_allocate_without_limit() {
    let project = Project::new();
    let old = "0".repeat(40);
    let command = format!("{old} {} refs/heads/bomb\0 report-status side-band-64k", "1".repeat(40));
    let count = 100_000_000_u32.to_be_bytes();
    let pack = [b"PACK\0\0\0\x02".as_slice(), &count].concat();
    let body = format!("{:04x}{command}0000", command.len() + 4).into_bytes();
    let request = PushRequest::read(body.as_slice()).unwrap();
    // Bypasses the measurement of the pack.
    let size = PackSize { objects: u32::MAX, expanded: u64::MAX };
    let answer = receive(project.origin.path(), None, &request, size, &pack).await.unwrap();
    let answer = String::from_utf8_lossy(&answer);
    assert!(answer.contains("ut of memory") && answer.contains("ng refs/heads/bomb"), "{answer}");
}

/// A push that makes room for its objects before it is read again.
struct Repeated<'a> {
    body: Cursor<&'a [u8]>,
    obstacle: &'a Path,
}

impl AsyncRead for Repeated<'_> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.body).poll_read(context, buffer)
    }
}

impl AsyncSeek for Repeated<'_> {
    fn start_seek(mut self: Pin<&mut Self>, position: SeekFrom) -> io::Result<()> {
        if matches!(position, SeekFrom::Start(_)) {
            fs::remove_file(self.obstacle)?;
        }
        Pin::new(&mut self.body).start_seek(position)
    }

    fn poll_complete(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<u64>> {
        Pin::new(&mut self.body).poll_complete(context)
    }
}

/// As while a repack removes the folder that the object is moved to.
#[tokio::test]
async fn push_whose_objects_could_not_be_stored_is_repeated() {
    let project = Project::new();
    let origin = project.origin.path();
    let empty_tree = with_input(origin, &["mktree"], "");
    let before = objects(origin);
    let commit = (0..)
        .map(|index| git(origin, &["commit-tree", "-m", &format!("{index}"), &empty_tree]))
        .find(|sha| !before.contains(&sha[..2]))
        .unwrap();
    let pack = pack_of(origin, &commit);
    let folder = origin.join("objects").join(&commit[..2]);
    fs::remove_dir_all(&folder).unwrap();
    fs::write(&folder, "").unwrap();
    let line = format!("{} {commit} refs/heads/mine\0report-status", "0".repeat(40));
    let body = format!("{:04x}{line}0000", line.len() + 4);
    let request = PushRequest::read(body.as_bytes()).unwrap();
    let size = pack::measure(pack.as_slice(), pack.len() as u64, PACK_LIMITS).unwrap();

    let answer = receive(origin, None, &request, size, &pack).await.unwrap();
    let answer = String::from_utf8_lossy(&answer);
    assert!(answer.contains("ng refs/heads/mine unable to migrate objects"), "{answer}");
    let body = Repeated { body: Cursor::new(&pack), obstacle: &folder };
    http::receive_pack(origin, None, &request, size, MAX_PUSH_SIZE, body).await.unwrap();
    let head = project.origin.head_of("mine").unwrap().unwrap();
    assert_eq!(head.to_string(), commit);
    git(origin, &["fsck", "--full", "--strict"]);
}

/// Names of the folders of loose objects.
fn objects(repository: &Path) -> HashSet<String> {
    let entries = fs::read_dir(repository.join("objects")).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

fn pack_of(repository: &Path, commit: &str) -> Vec<u8> {
    let arguments = ["pack-objects", "--stdout", "--revs", "-q"];
    let mut packing = client(repository)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    packing.stdin.take().unwrap().write_all(commit.as_bytes()).unwrap();
    packing.wait_with_output().unwrap().stdout
}

#[tokio::test(flavor = "multi_thread")]
async fn client_clones_and_fetches() {
    let project = Project::new();
    let (branch, worktree) = project.build();
    branch.push().unwrap();
    let hooks = project.origin.path().join("hooks");
    fs::create_dir_all(&hooks).unwrap();
    let trace = project.path("hook-ran");
    for hook in ["post-upload-pack", "reference-transaction", "pre-receive"] {
        fs::write(hooks.join(hook), format!("#!/bin/sh\ntouch '{}'\n", trace.display())).unwrap();
        fs::set_permissions(hooks.join(hook), fs::Permissions::from_mode(0o755)).unwrap();
    }
    let url = serve(project.origin.path().to_owned()).await;

    tokio::task::spawn_blocking(move || {
        let dir = project.dir.path();
        for version in ["0", "2"] {
            let copy = format!("copy{version}");
            let protocol = format!("protocol.version={version}");
            git(dir, &["-c", &protocol, "clone", "-q", &url, &copy]);
            assert_eq!(git(&dir.join(&copy), &["rev-parse", "HEAD"]), project.first.to_string());
        }
        git(dir, &["clone", "-q", "--filter=blob:none", "--no-checkout", &url, "partial"]);

        write(&worktree, "new.txt", "new");
        let commit = branch.commit(&worktree, &request("new")).unwrap().unwrap();
        branch.push().unwrap();
        let copy = dir.join("copy2");
        git(&copy, &["fetch", "-q"]);
        let seen = git(&copy, &["rev-parse", &format!("origin/{}", name())]);
        assert_eq!(seen, commit.sha.to_string());
        assert!(!trace.exists());
    })
    .await
    .unwrap();
}

#[tokio::test]
async fn unknown_protocol_versions_are_ignored() {
    let project = Project::new();
    let path = project.origin.path();
    let text = async |protocol| {
        let body =
            http::advertise_refs(path, http::Service::UploadPack, protocol, None).await.unwrap();
        String::from_utf8_lossy(&body).into_owned()
    };
    let start = "001e# service=git-upload-pack\n0000";
    assert!(text(Some("version=2")).await.starts_with(&format!("{start}000eversion 2\n")));
    assert!(text(Some("x=y:version=1")).await.starts_with(&format!("{start}000eversion 1\n")));
    for other in [None, Some("version=2;id"), Some("version=3"), Some("\n"), Some("")] {
        let body = text(other).await;
        let id = project.first.to_string();
        assert!(body.starts_with(start) && body[start.len() + 4..].starts_with(&id), "{body}");
    }
}

#[tokio::test]
async fn dropping_the_response_kills_the_process() {
    let project = Project::new();
    let path = project.origin.path();
    let (mut client, body) = tokio::io::duplex(64);
    let pack = http::upload_pack(path, Some("version=2"), body).unwrap();
    client.write_all(b"0014command=ls-refs\n").await.unwrap();
    assert!(running(path.to_str().unwrap()));
    drop(pack);
    let ended = async {
        while running(path.to_str().unwrap()) {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(10), ended).await.unwrap();
}

#[tokio::test]
async fn unsupported_service_is_an_error() {
    assert!(matches!(http::Service::parse("git-upload-archive"), Err(GitError::UnknownService(_))));
    let dir = tempfile::tempdir().unwrap();
    let error =
        http::advertise_refs(dir.path(), http::Service::ReceivePack, None, None).await.unwrap_err();
    assert!(matches!(error, GitError::NoRepository(_)), "{error}");
    assert!(http::upload_pack(dir.path(), None, tokio::io::empty()).is_err());
}

fn with_input(dir: &Path, args: &[&str], input: &str) -> String {
    let mut command = client(dir);
    let mut child =
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap().trim().to_owned()
}

/// Whether a process has this text in its command line. Zombies have none.
fn running(text: &str) -> bool {
    fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        fs::read(entry.path().join("cmdline"))
            .is_ok_and(|line| String::from_utf8_lossy(&line).contains(text))
    })
}
