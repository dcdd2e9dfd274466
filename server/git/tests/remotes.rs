//! Listing, fetching and pushing with real servers.

use std::{
    fs,
    future::pending,
    path::{Path, PathBuf},
    time::Duration,
};

use git::{
    GitError, HostedRepository, Sha,
    remote::{self, Login, RemoteAccess, RemoteFailure, RemoteLimits, RemoteRefs, generate_key},
};
use tempfile::TempDir;
use tokio::{io::AsyncWriteExt, net::TcpListener};

use crate::{
    project::git,
    remote_servers::{Request, Sshd, http_server},
};

const LIMITS: RemoteLimits = RemoteLimits {
    timeout: Duration::from_secs(60),
    stall: Duration::from_secs(30),
    max_bytes: 1 << 30,
};
fn token(token: &str) -> Login {
    Login::Token { username: "ada".to_owned(), token: token.to_owned() }
}

/// A repository with two commits on `trunk`, the branch `forge/build-1` and a tag; and the hosted
/// repository that fetches it.
struct Remotes {
    folder: TempDir,
    hosted: HostedRepository,
}

impl Remotes {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("source.git");
        let work = folder.path().join("work");
        git(folder.path(), &["init", "-q", "--bare", "-b", "trunk", "source.git"]);
        git(&source, &["config", "http.receivepack", "true"]);
        git(folder.path(), &["clone", "-q", "source.git", "work"]);
        for name in ["one", "two"] {
            commit(&work, name);
        }
        git(&work, &["tag", "-a", "-m", "First", "v1"]);
        git(
            &work,
            &["push", "-q", "origin", "HEAD:trunk", "HEAD~1:refs/heads/forge/build-1", "v1"],
        );
        let hosted = HostedRepository::create(&folder.path().join("hosted.git"), "main").unwrap();
        Self { folder, hosted }
    }

    fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    fn push(&self, arguments: &[&str]) {
        git(&self.work(), &[&["push", "-q", "origin"], arguments].concat());
    }

    fn access(&self, url: &str, login: Login) -> RemoteAccess {
        let known_hosts = self.folder.path().join("known hosts");
        let url: remote::RemoteUrl = url.parse().unwrap();
        let addresses = vec![format!("127.0.0.1:{}", url.port()).parse().unwrap()];
        let key_folder = self.folder.path().join("a key's folder");
        RemoteAccess { url, addresses, login, known_hosts, key_folder }
    }

    async fn fetch(&self, access: &RemoteAccess) -> Result<RemoteRefs, RemoteFailure> {
        let refs = remote::list(access, LIMITS, pending()).await?;
        remote::fetch(access, self.hosted.path(), LIMITS, |_| {}, pending()).await?;
        Ok(refs)
    }
}

fn commit(work: &Path, name: &str) {
    fs::write(work.join(name), name).unwrap();
    git(work, &["add", "-A"]);
    let author = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"];
    git(work, &[&author[..], &["commit", "-q", "-m", name]].concat());
}

fn head(folder: &Path, name: &str) -> Sha {
    git(folder, &["rev-parse", name]).trim().parse().unwrap()
}

#[tokio::test]
async fn branches_are_fetched_over_http_and_followed_forward_only() {
    let remotes = Remotes::new();
    let server = http_server(remotes.folder.path().to_owned()).await;
    let access = remotes.access(&format!("{server}/source.git"), token("tok-1"));
    let refs = remotes.fetch(&access).await.unwrap();
    let first = head(&remotes.work(), "HEAD");
    assert_eq!(refs.default_branch(), Some("trunk"));
    assert_eq!(refs.branches, [("trunk".to_owned(), first)]);
    assert!(remotes.hosted.is_fetched(&refs).unwrap());

    let followed = remotes.hosted.follow("trunk", None).unwrap();
    assert_eq!((followed.head, followed.diverged.len()), (first, 0));
    assert_eq!(remotes.hosted.default_branch().unwrap(), "trunk");
    assert_eq!(remotes.hosted.branches().unwrap(), [("trunk".to_owned(), first)]);

    commit(&remotes.work(), "three");
    remotes.push(&["HEAD:trunk", "HEAD:topic"]);
    remotes.fetch(&access).await.unwrap();
    let third = head(&remotes.work(), "HEAD");
    assert_eq!(remotes.hosted.follow("trunk", None).unwrap().head, third);
    assert_eq!(remotes.hosted.head_of("topic").unwrap(), Some(third));

    // A rewritten branch stays where it is.
    remotes.push(&["--force", &format!("{first}:trunk")]);
    let refs = remotes.fetch(&access).await.unwrap();
    let followed = remotes.hosted.follow("trunk", None).unwrap();
    assert_eq!((followed.head, followed.diverged), (third, vec!["trunk".to_owned()]));
    assert!(remotes.hosted.is_fetched(&refs).unwrap());
}

#[tokio::test]
async fn commit_of_a_build_is_pushed_forward_only() {
    let remotes = Remotes::new();
    let server = http_server(remotes.folder.path().to_owned()).await;
    let access = remotes.access(&format!("{server}/source.git"), token("tok-1"));
    remotes.fetch(&access).await.unwrap();
    let (tip, before) = (head(&remotes.work(), "HEAD"), head(&remotes.work(), "HEAD~1"));
    let hosted = remotes.hosted.path();
    let build = "forge/build-2-due-dates".parse().unwrap();
    let push = async |sha| remote::push(&access, hosted, sha, &build, LIMITS, pending()).await;
    for _ in 0..2 {
        push(tip).await.unwrap();
    }
    let source = remotes.folder.path().join("source.git");
    assert_eq!(head(&source, "refs/heads/forge/build-2-due-dates"), tip);
    let back = push(before).await.unwrap_err();
    assert!(matches!(back, RemoteFailure::Rejected(_)), "{back}");
    assert_eq!(head(&source, "refs/heads/forge/build-2-due-dates"), tip);
}

#[tokio::test]
async fn failures_are_classified() {
    let remotes = Remotes::new();
    let server = http_server(remotes.folder.path().to_owned()).await;
    let url = format!("{server}/source.git");
    for login in [Login::Anonymous, token("revoked")] {
        let failure = remotes.fetch(&remotes.access(&url, login)).await.unwrap_err();
        assert!(matches!(failure, RemoteFailure::Login), "{failure}");
    }
    let absent = remotes.access(&format!("{server}/absent.git"), token("tok-1"));
    let failure = remotes.fetch(&absent).await.unwrap_err();
    assert!(matches!(failure, RemoteFailure::NotFound), "{failure}");

    // A port on which nothing listens any more.
    let closed = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let closed = remotes.access(&format!("http://{closed}/a"), Login::Anonymous);
    let failure = remotes.fetch(&closed).await.unwrap_err();
    assert!(matches!(failure, RemoteFailure::Network(_)), "{failure}");
}

#[tokio::test]
async fn credential_does_not_follow_redirects() {
    let remotes = Remotes::new();
    let other = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let elsewhere = other.local_addr().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/a.git", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let Some(mut request) = Request::read(stream).await else { continue };
            let moved = format!(
                "HTTP/1.1 302 Found\r\nLocation: http://{elsewhere}/a.git/info/refs?service=\
                 git-upload-pack\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            );
            let _ = request.stream.write_all(moved.as_bytes()).await;
        }
    });
    let access = remotes.access(&url, token("tok-1"));
    let failure = tokio::select! {
        fetched = remotes.fetch(&access) => fetched.unwrap_err(),
        _ = other.accept() => panic!("the other server was connected to"),
    };
    assert!(matches!(failure, RemoteFailure::Redirected), "{failure}");
}

#[tokio::test]
async fn remote_that_hangs_ends_by_timeout_and_by_cancelling() {
    let remotes = Remotes::new();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/a.git", listener.local_addr().unwrap());
    let access = remotes.access(&url, Login::Anonymous);
    let limits = RemoteLimits { stall: Duration::from_millis(300), ..LIMITS };
    let failure = remote::list(&access, limits, pending()).await.unwrap_err();
    assert!(matches!(failure, RemoteFailure::Timeout), "{failure}");
    let accepted = async { drop(listener.accept().await.unwrap()) };
    let failure = remote::list(&access, LIMITS, accepted).await.unwrap_err();
    assert!(matches!(failure, RemoteFailure::Cancelled | RemoteFailure::Network(_)), "{failure}");
}

#[tokio::test]
async fn repository_over_the_limit_is_rejected_and_leaves_no_objects() {
    let remotes = Remotes::new();
    let server = http_server(remotes.folder.path().to_owned()).await;
    let noise: Vec<u8> = (0..200_000_u64)
        .flat_map(|n| n.wrapping_mul(n).wrapping_mul(0x9E37_79B9_7F4A_7C15).to_be_bytes())
        .collect();
    fs::write(remotes.work().join("noise"), noise).unwrap();
    commit(&remotes.work(), "four");
    remotes.push(&["HEAD:trunk"]);
    let access = remotes.access(&format!("{server}/source.git"), token("tok-1"));
    let limits = RemoteLimits { max_bytes: 100_000, ..LIMITS };
    let hosted = remotes.hosted.path();
    let failure = remote::fetch(&access, hosted, limits, |_| {}, pending()).await.unwrap_err();
    assert!(matches!(failure, RemoteFailure::TooLarge(_)), "{failure}");
    let packs = fs::read_dir(hosted.join("objects/pack")).unwrap();
    let temporary = packs
        .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().starts_with("tmp_"));
    assert_eq!(temporary.count(), 0);
    remotes.fetch(&access).await.unwrap();
}

#[tokio::test]
async fn shallow_history_is_rejected() {
    let remotes = Remotes::new();
    let source = format!("file://{}", remotes.folder.path().join("source.git").display());
    git(remotes.folder.path(), &["clone", "-q", "--bare", "--depth=1", &source, "shallow.git"]);
    let server = http_server(remotes.folder.path().to_owned()).await;
    let access = remotes.access(&format!("{server}/shallow.git"), token("tok-1"));
    let failure = remotes.fetch(&access).await.unwrap_err();
    assert!(matches!(failure, RemoteFailure::Shallow), "{failure}");
}

#[tokio::test]
async fn submodules_and_pointers_are_found() {
    let remotes = Remotes::new();
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n";
    fs::write(remotes.work().join("image.png"), pointer).unwrap();
    let tip = head(&remotes.work(), "HEAD").to_string();
    let entry = format!("160000,{tip},libs/other");
    git(&remotes.work(), &["update-index", "--add", "--cacheinfo", &entry]);
    let author = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"];
    git(&remotes.work(), &["add", "image.png"]);
    git(&remotes.work(), &[&author[..], &["commit", "-q", "-m", "five"]].concat());
    remotes.push(&["HEAD:trunk"]);
    let server = http_server(remotes.folder.path().to_owned()).await;
    remotes.fetch(&remotes.access(&format!("{server}/source.git"), token("tok-1"))).await.unwrap();
    let followed = remotes.hosted.follow("trunk", None).unwrap();
    let found = remotes.hosted.findings(followed.head).unwrap();
    assert_eq!(found.submodules, ["libs/other"]);
    assert_eq!(found.lfs_files, ["image.png"]);
}

#[tokio::test]
async fn generated_key_fetches_over_ssh_and_a_changed_host_is_rejected() {
    let remotes = Remotes::new();
    let key = generate_key("forgeguard").await.unwrap();
    assert!(key.public_key.starts_with("ssh-ed25519 "), "{}", key.public_key);
    let sshd = Sshd::start(&key).await;
    let url = sshd.url(&remotes.folder.path().join("source.git"));
    let login = || Login::Key { private_key: key.private_key.clone() };
    let access = remotes.access(&url, login());
    let refs = remotes.fetch(&access).await.unwrap_or_else(|why| panic!("{why}\n{}", sshd.log()));
    assert_eq!(refs.default_branch(), Some("trunk"));
    let known = fs::read_to_string(&access.known_hosts).unwrap();
    assert!(known.starts_with(&format!("[127.0.0.1]:{} ", sshd.port)), "{known}");

    let other = generate_key("other").await.unwrap();
    let wrong = remotes.access(&url, Login::Key { private_key: other.private_key });
    let failure = remotes.fetch(&wrong).await.unwrap_err();
    assert!(matches!(failure, RemoteFailure::Login), "{failure}");
    let absent = remotes.access(&sshd.url(&remotes.folder.path().join("absent.git")), login());
    let failure = remotes.fetch(&absent).await.unwrap_err();
    assert!(matches!(failure, RemoteFailure::NotFound), "{failure}");

    let changed =
        known.replace(known.split_whitespace().last().unwrap(), other_host(&other.public_key));
    fs::write(&access.known_hosts, changed).unwrap();
    let failure = remotes.fetch(&access).await.unwrap_err();
    assert!(matches!(failure, RemoteFailure::HostKey), "{failure}");
}

fn other_host(public_key: &str) -> &str {
    public_key.split_whitespace().nth(1).unwrap()
}

#[test]
fn errors_of_git_are_passed_on() {
    let failure = RemoteFailure::from(GitError::NoDefaultBranch);
    assert!(failure.to_string().contains("no default branch"), "{failure}");
}
