//! Requests to all forges, against a server that checks them with the forges' API documents.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use forge::{
    CommitState, CommitStatus, Connection, Forge, ForgeError, Kind, NewPullRequest, Opened,
    PullRequestState, Repository, Retry, ReviewComment, Token,
};
use forge_server::{Fault, ForgeServer, Kind as ServerKind, TOKEN};

const BRANCH: &str = "forge/build-3-due-dates";
const KINDS: [(Kind, ServerKind); 3] = [
    (Kind::GitHub, ServerKind::GitHub),
    (Kind::Gitea, ServerKind::Forgejo),
    (Kind::GitLab, ServerKind::GitLab),
];
/// Long enough for each reply that comes.
const TIMEOUT: Duration = Duration::from_secs(20);

fn client(kind: Kind, server: &ForgeServer, timeout: Duration) -> Forge {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("default versions")
        .with_root_certificates(rustls::RootCertStore::empty())
        .with_no_client_auth();
    let repository = Repository::new(kind, &server.repository_url()).expect("a repository");
    let address: SocketAddr = server.address().parse().expect("an address");
    let connection = Connection {
        repository: &repository,
        token: Token::new(TOKEN.to_owned()),
        tls,
        addresses: &[address],
        timeout,
    };
    Forge::new(connection).expect("a client")
}

async fn start(kind: ServerKind) -> ForgeServer {
    let server = ForgeServer::start(kind).await;
    server.git().commit(BRANCH, "A change");
    server
}

fn request(draft: bool) -> NewPullRequest<'static> {
    NewPullRequest { title: "Due dates", body: "# Report", head: BRANCH, base: "main", draft }
}

fn operation(kind: Kind) -> &'static str {
    if kind == Kind::GitLab { "post /projects/{id}/merge_requests" } else { "post /pulls" }
}

#[tokio::test]
async fn issue_is_read() {
    for (kind, at) in KINDS {
        let server = ForgeServer::start(at).await;
        server.add_issue(7, "Sort the list", Some("By date.\r\n"));
        server.add_issue(8, "No text", None);
        let forge = client(kind, &server, TIMEOUT);
        let issue = forge.issue(7).await.unwrap();
        assert_eq!((issue.title.as_str(), issue.body.as_str()), ("Sort the list", "By date.\r\n"));
        assert!(issue.url.ends_with("/issues/7"), "{issue:?}");
        assert_eq!(forge.issue(8).await.unwrap().body, "", "{kind:?}");
        let missing = forge.issue(9).await;
        assert!(matches!(missing, Err(ForgeError::NotFound(_))), "{missing:?}");
    }
}

#[tokio::test]
async fn pull_request_is_opened_once_and_followed_until_it_is_merged() {
    for (kind, at) in KINDS {
        let server = start(at).await;
        let forge = client(kind, &server, TIMEOUT);
        assert_eq!(forge.find(BRANCH).await, Ok(None), "{kind:?}");
        let Opened::New(opened) = forge.open(&request(true)).await.unwrap() else {
            panic!("{kind:?}: it is new");
        };
        assert_eq!((opened.number, opened.state), (1, PullRequestState::Open));
        assert!(opened.draft && opened.url.starts_with("http://"), "{opened:?}");
        assert_eq!(Some(opened.head_sha.clone()), server.git().head(BRANCH));
        assert_eq!(forge.open(&request(true)).await, Ok(Opened::Found(opened.clone())));

        forge.add_labels(1, &["forge".to_owned()]).await.unwrap();
        forge.request_reviews(1, &["alex".to_owned()]).await.unwrap();
        let pull = server.pulls().remove(0);
        assert_eq!((pull.labels, pull.reviewers.len()), (vec!["forge".to_owned()], 1));
        assert_eq!((pull.body.as_str(), pull.base.as_str()), ("# Report", "main"));

        server.edit_pull(1, |pull| pull.is_open = false);
        assert_eq!(forge.get(1).await.unwrap().state, PullRequestState::Closed);
        let found = forge.open(&request(true)).await.unwrap();
        assert!(matches!(found, Opened::Found(_)), "a closed one is not opened again: {found:?}");
        server.edit_pull(1, |pull| pull.is_merged = true);
        assert_eq!(forge.get(1).await.unwrap().state, PullRequestState::Merged);
        assert_eq!(server.pulls().len(), 1);
    }
}

#[tokio::test]
async fn checks_and_comments_are_read_and_the_status_is_set() {
    for (kind, at) in KINDS {
        let server = start(at).await;
        let forge = client(kind, &server, TIMEOUT);
        let Opened::New(opened) = forge.open(&request(false)).await.unwrap() else {
            panic!("it is new");
        };
        let status = CommitStatus {
            state: CommitState::Success,
            description: &"CERTIFIED ".repeat(50),
            target_url: "https://forge/projects/shelf/builds/3",
        };
        forge.set_status(&opened.head_sha, &status).await.unwrap();
        let (sha, context, state) = server.statuses().remove(0);
        assert_eq!(
            (sha, context.as_str(), state.as_str()),
            (opened.head_sha.clone(), "ForgeGuard", "success")
        );
        let failed = if kind == Kind::GitLab { "failed" } else { "failure" };
        server.add_status(&opened.head_sha, "lint", failed);
        server.add_status(&opened.head_sha, "tests", "success");
        let checks = forge.checks(&opened.head_sha).await.unwrap();
        // GitHub has a check run in addition.
        let pending = u32::from(kind == Kind::GitHub);
        assert_eq!((checks.passed, checks.failed, checks.pending), (1, 1, pending), "{kind:?}");

        server.edit_pull(1, |pull| {
            pull.comments = vec![
                ("alex".to_owned(), "Nearly".to_owned(), None),
                ("alex".to_owned(), "Why?".to_owned(), Some(("src/a.rs".to_owned(), 4))),
            ];
        });
        let found = forge.review_comments(1).await.unwrap();
        let ids: std::collections::HashSet<_> = found.iter().map(|comment| &comment.id).collect();
        assert_eq!(ids.len(), found.len(), "{found:?}");
        let line =
            |comment: &ReviewComment| (comment.path.clone(), comment.line, comment.body.clone());
        let mut found: Vec<_> = found.iter().map(line).collect();
        found.sort();
        let expected = [
            (None, None, "Nearly".to_owned()),
            (Some("src/a.rs".to_owned()), Some(4), "Why?".to_owned()),
        ];
        assert_eq!(found, expected, "{kind:?}");
    }
}

#[tokio::test]
async fn comments_beyond_the_first_page_are_read() {
    for (kind, at) in KINDS {
        let server = start(at).await;
        let forge = client(kind, &server, TIMEOUT);
        forge.open(&request(false)).await.unwrap();
        server.edit_pull(1, |pull| {
            let on_line = |line| {
                let body = format!("Comment {line}");
                ("alex".to_owned(), body, Some(("src/a.rs".to_owned(), line)))
            };
            pull.comments = (1..=250).map(on_line).collect();
        });
        let found = forge.review_comments(1).await.unwrap();
        let lines: Vec<_> = found.iter().filter_map(|comment| comment.line).collect();
        assert_eq!(lines, (1..=250).collect::<Vec<_>>(), "{kind:?}");
    }
}

#[tokio::test]
async fn newest_reviews_of_gitea_are_read_from_all_pages() {
    let (kind, at) = KINDS.into_iter().find(|(kind, _)| *kind == Kind::Gitea).expect("Gitea");
    let server = start(at).await;
    let forge = client(kind, &server, TIMEOUT);
    forge.open(&request(false)).await.unwrap();
    server.edit_pull(1, |pull| {
        let review = |number| ("alex".to_owned(), format!("Review {number}"), None);
        pull.comments = (1..=120).map(review).collect();
    });
    let found = forge.review_comments(1).await.unwrap();
    let bodies: Vec<_> = found.iter().map(|comment| comment.body.as_str()).collect();
    let newest: Vec<_> = (101..=120).map(|number| format!("Review {number}")).collect();
    assert_eq!(bodies, newest);
}

#[tokio::test]
async fn lost_reply_does_not_lead_to_a_second_pull_request() {
    for (kind, at) in KINDS {
        let server = start(at).await;
        let forge = client(kind, &server, TIMEOUT);
        server.fail_next(operation(kind), Fault::LostReply);
        let lost = forge.open(&request(false)).await.unwrap_err();
        assert!(matches!(lost.retry(), Retry::After(None)), "{lost}");
        assert!(matches!(forge.open(&request(false)).await, Ok(Opened::Found(_))));
        // Someone opens one between our look and our request.
        let list = operation(kind).replace("post", "get");
        let body = "[]".to_owned();
        server.fail_next(&list, Fault::Reply { status: 200, headers: Vec::new(), body });
        assert!(matches!(forge.open(&request(false)).await, Ok(Opened::Found(_))), "{kind:?}");
        assert_eq!(server.pulls().len(), 1);
    }
}

#[tokio::test]
async fn failures_are_classified_and_do_not_contain_the_token() {
    let server = start(ServerKind::GitHub).await;
    let forge = client(Kind::GitHub, &server, TIMEOUT);
    let seconds = |n| Some(Duration::from_secs(n));
    let header = |name, value: &str| vec![(name, value.to_owned())];
    let cases = [
        (403, header("retry-after", "60"), Retry::After(seconds(60))),
        (403, header("x-ratelimit-remaining", "0"), Retry::After(seconds(60))),
        (403, Vec::new(), Retry::Never),
        (404, Vec::new(), Retry::Never),
        (422, Vec::new(), Retry::Never),
        (429, Vec::new(), Retry::After(seconds(60))),
        (500, Vec::new(), Retry::After(None)),
        (503, header("retry-after", "5"), Retry::After(seconds(5))),
        (302, header("location", "http://other.example/"), Retry::Never),
    ];
    for (status, headers, expected) in cases {
        let body = format!(r#"{{"message":"{TOKEN} is bad\n{}"}}"#, "x".repeat(5_000));
        server.fail_next("get /pulls", Fault::Reply { status, headers, body });
        let error = forge.find(BRANCH).await.unwrap_err();
        assert_eq!(error.retry(), expected, "{status}: {error}");
        let shown = format!("{error} {error:?} {forge:?}");
        assert!(!shown.contains(TOKEN) && error.to_string().len() < 500, "{shown}");
    }
    server.set_token_valid(false);
    let rejected = forge.find(BRANCH).await.unwrap_err();
    assert!(matches!(rejected, ForgeError::Unauthorized(_)), "{rejected}");
}

#[tokio::test]
async fn token_stays_at_its_origin() {
    let server = start(ServerKind::Forgejo).await;
    let other = start(ServerKind::Forgejo).await;
    let forge = client(Kind::Gitea, &server, TIMEOUT);
    let location = format!("http://{}/api/v1/repos/me/shelf/pulls?state=all", other.address());
    let headers = vec![("location", location)];
    server.fail_next("get /pulls", Fault::Reply { status: 307, headers, body: String::new() });
    let error = forge.find(BRANCH).await.unwrap_err();
    assert_eq!(error, ForgeError::Redirected("127.0.0.1".to_owned()));
    assert!(other.seen().is_empty());
    // A renamed repository is found at its origin.
    let location = format!("http://{}/api/v1/repos/me/shelf/pulls?state=all", server.address());
    let headers = vec![("location", location)];
    server.fail_next("get /pulls", Fault::Reply { status: 301, headers, body: String::new() });
    assert_eq!(forge.find(BRANCH).await, Ok(None));
}

#[tokio::test]
async fn silent_and_endless_replies_end() {
    let server = start(ServerKind::Forgejo).await;
    let forge = client(Kind::Gitea, &server, Duration::from_millis(200));
    server.fail_next("get /pulls", Fault::Hang);
    let error = forge.find(BRANCH).await.unwrap_err();
    assert!(matches!(error, ForgeError::Unreachable(_)), "{error}");
    let forge = client(Kind::Gitea, &server, TIMEOUT);
    server.fail_next("get /pulls", Fault::Endless);
    let error = forge.find(BRANCH).await.unwrap_err();
    assert!(matches!(error, ForgeError::BadReply(_)), "{error}");
}
