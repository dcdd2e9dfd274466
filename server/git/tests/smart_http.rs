//! Clone, fetch and a refused push, by the real client over a socket.

use std::{fs, os::unix::fs::PermissionsExt, path::PathBuf};

use git::{GitError, http};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

use crate::project::{Project, git, name, request, try_git, write};

/// Serves one repository at `/`; answers are ended by closing the connection.
async fn serve(repository: PathBuf) -> String {
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
        let (kind, body) = match http::Service::parse(service) {
            Ok(http::Service::UploadPack) => {
                let body = http::advertise_refs(&repository, protocol.as_deref()).await.unwrap();
                (http::ADVERTISEMENT, body)
            }
            Err(GitError::PushRefused) => (http::PUSH_ADVERTISEMENT, http::push_refusal()),
            Err(error) => panic!("{error}"),
        };
        let start = format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nConnection: close\r\n\r\n");
        stream.write_all(start.as_bytes()).await.unwrap();
        stream.write_all(&body).await.unwrap();
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

#[tokio::test(flavor = "multi_thread")]
async fn people_clone_and_fetch_and_cannot_push() {
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

        git(&copy, &["commit", "-q", "--allow-empty", "-m", "x"]);
        let (pushed, said) = try_git(&copy, &["push", "origin", "HEAD:main"]);
        assert!(!pushed);
        assert!(said.contains("pushing over HTTP is not offered"), "{said}");
        assert_eq!(project.origin.head_of("main").unwrap(), Some(project.first));
        assert!(!trace.exists());
    })
    .await
    .unwrap();
}

#[tokio::test]
async fn only_known_protocol_versions_reach_the_process() {
    let project = Project::new();
    let path = project.origin.path();
    let text = async |protocol| {
        let body = http::advertise_refs(path, protocol).await.unwrap();
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
async fn dropping_the_answer_ends_the_process() {
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
async fn what_is_not_offered_is_said() {
    assert!(matches!(http::Service::parse("git-receive-pack"), Err(GitError::PushRefused)));
    assert!(matches!(http::Service::parse("git-upload-archive"), Err(GitError::UnknownService(_))));
    let dir = tempfile::tempdir().unwrap();
    let error = http::advertise_refs(dir.path(), None).await.unwrap_err();
    assert!(matches!(error, GitError::NoRepository(_)), "{error}");
    assert!(http::upload_pack(dir.path(), None, tokio::io::empty()).is_err());
}

/// Whether a process has this text in its command line. A dead one that nobody waited for has none.
fn running(text: &str) -> bool {
    fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        fs::read(entry.path().join("cmdline"))
            .is_ok_and(|line| String::from_utf8_lossy(&line).contains(text))
    })
}
