//! The socket: who may open it, what it says, and the codes it closes with.

use std::time::Duration;

use crate::harness::{Database, Instance, Person};
use domain::ids::BuildId;
use forgeguard::{api::StreamLimits, config::Config};
use futures::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::{net::TcpStream, time::timeout};
use tokio_tungstenite::{
    MaybeTlsStream, WebSocketStream, connect_async,
    tungstenite::{Error, Message, client::IntoClientRequest, http::Request},
};

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

const PATIENCE: Duration = Duration::from_secs(30);

fn request(instance: &Instance, headers: &[(&'static str, &str)]) -> Request<()> {
    let address = instance.url.replacen("http", "ws", 1) + "/api/ws";
    let mut request = address.into_client_request().unwrap();
    for (name, value) in headers {
        request.headers_mut().insert(*name, value.parse().unwrap());
    }
    request
}

async fn open(instance: &Instance, person: &Person) -> Socket {
    let bearer = format!("Bearer {}", person.token);
    let opened = connect_async(request(instance, &[("authorization", &bearer)])).await;
    opened.expect("the socket opens").0
}

/// From a page of ours, without a cookie.
async fn open_as_stranger(instance: &Instance) -> Socket {
    connect_async(request(instance, &[("origin", &instance.url)])).await.expect("it opens").0
}

async fn say(socket: &mut Socket, frame: Value) {
    socket.send(Message::text(frame.to_string())).await.expect("the socket is open");
}

async fn subscribe(socket: &mut Socket, build: BuildId, after: u64) {
    say(socket, json!({"op": "subscribe", "build_id": build, "after": after})).await;
}

/// The next frame that is no ping, or the code that ended the socket.
async fn next(socket: &mut Socket) -> Result<Value, u16> {
    loop {
        let message = timeout(PATIENCE, socket.next()).await.expect("a frame comes in time");
        match message {
            Some(Ok(Message::Text(text))) => {
                let frame: Value = serde_json::from_str(&text).expect("frames are JSON");
                if frame["op"] != "ping" {
                    return Ok(frame);
                }
            }
            Some(Ok(Message::Close(Some(close)))) => {
                // Reading on is what answers the farewell.
                while let Ok(Some(Ok(_))) = timeout(PATIENCE, socket.next()).await {}
                return Err(close.code.into());
            }
            Some(Ok(_)) => {}
            other => panic!("the socket ended without a code: {other:?}"),
        }
    }
}

async fn frame(socket: &mut Socket) -> Value {
    next(socket).await.expect("a frame")
}

/// The code that ends the socket, after at most one frame that says why.
async fn closed(socket: &mut Socket) -> u16 {
    loop {
        match next(socket).await {
            Ok(frame) => assert_eq!(frame["op"], "error", "{frame}"),
            Err(code) => return code,
        }
    }
}

async fn with_build(database: &Database) -> (Instance, Person, BuildId) {
    with_limits(database, StreamLimits::default()).await
}

async fn with_limits(database: &Database, stream: StreamLimits) -> (Instance, Person, BuildId) {
    let instance = Instance::start_with(database, |config| Config { stream, ..config }).await;
    let ada = instance.user("ada@example.org").await;
    let project = ada.project("P").await;
    let build = instance.queue_build(&project, &ada.id).await;
    (instance, ada, build)
}

async fn sqlite() -> (support::Sqlite, Database) {
    let file = support::Sqlite::create();
    let Ok(database) = Database::connect(&file.url(), 1).await;
    (file, database)
}

support::on_both! {
    async fn history_and_present_join_without_a_gap(database: Database) {
        let (instance, ada, build) = with_build(&database).await;
        instance.log(build, (0..9).map(|n| n.to_string())).await;
        let mut socket = open(&instance, &ada).await;
        subscribe(&mut socket, build, 3).await;
        let subscribed = frame(&mut socket).await;
        assert_eq!(subscribed, json!({"op": "subscribed", "build_id": build, "head": 10}));
        let writing = async {
            for n in 0..20 {
                instance.log(build, [format!("live {n}")]).await;
            }
        };
        let reading = async {
            let mut seqs = Vec::new();
            while seqs.len() < 27 {
                let event = frame(&mut socket).await;
                assert_eq!(event["op"], "event", "{event}");
                seqs.push(event["event"]["seq"].as_u64().unwrap());
            }
            seqs
        };
        let ((), seqs) = tokio::join!(writing, reading);
        assert_eq!(seqs, (4..=30).collect::<Vec<_>>());

        let page = ada.get(&format!("/api/builds/{build}/events?after=29")).await.json();
        subscribe(&mut socket, build, 29).await;
        frame(&mut socket).await;
        assert_eq!(frame(&mut socket).await["event"], page["items"][0], "the same text");
        instance.stop().await;
    }

    async fn one_socket_carries_several_builds(database: Database) {
        let (instance, ada, first) = with_build(&database).await;
        let project = ada.project("Q").await;
        let second = instance.queue_build(&project, &ada.id).await;
        let mut socket = open(&instance, &ada).await;
        for build in [first, second] {
            subscribe(&mut socket, build, 1).await;
            assert_eq!(frame(&mut socket).await["op"], "subscribed");
            instance.log(build, ["hello".to_owned()]).await;
            assert_eq!(frame(&mut socket).await["event"]["build_id"], build.to_string());
        }
        say(&mut socket, json!({"op": "unsubscribe", "build_id": first})).await;
        subscribe(&mut socket, second, 2).await;
        assert_eq!(frame(&mut socket).await["op"], "subscribed");
        instance.log(first, ["unheard".to_owned()]).await;
        instance.log(second, ["heard".to_owned()]).await;
        let heard = frame(&mut socket).await;
        assert_eq!(heard["event"]["payload"]["message"], "heard");
        instance.stop().await;
    }

    async fn a_cursor_ahead_of_the_journal_is_reset(database: Database) {
        let (instance, ada, build) = with_build(&database).await;
        let mut socket = open(&instance, &ada).await;
        subscribe(&mut socket, build, 99).await;
        frame(&mut socket).await;
        let reset = frame(&mut socket).await;
        assert_eq!(reset, json!({"op": "reset", "build_id": build, "head": 1}));
        instance.log(build, ["next".to_owned()]).await;
        assert_eq!(frame(&mut socket).await["event"]["seq"], 2);
        instance.stop().await;
    }

    async fn others_hear_nothing(database: Database) {
        let (instance, _, build) = with_build(&database).await;
        let other = instance.user("other@example.org").await;
        let missing: BuildId = "00000000-0000-7000-8000-000000000000".parse().unwrap();
        for (build, code) in [(build, 4003), (missing, 4004)] {
            let mut socket = open(&instance, &other).await;
            subscribe(&mut socket, build, 0).await;
            let error = frame(&mut socket).await;
            assert_eq!((&error["op"], &error["code"]), (&json!("error"), &json!(code)));
            assert_eq!(closed(&mut socket).await, code);
        }
        instance.stop().await;
    }

    async fn the_first_frame_may_sign_in(database: Database) {
        let (instance, ada, build) = with_build(&database).await;
        let mut socket = open_as_stranger(&instance).await;
        say(&mut socket, json!({"op": "auth", "token": ada.token})).await;
        subscribe(&mut socket, build, 0).await;
        assert_eq!(frame(&mut socket).await["op"], "subscribed");

        let mut socket = open_as_stranger(&instance).await;
        say(&mut socket, json!({"op": "auth", "token": "nonsense"})).await;
        assert_eq!(closed(&mut socket).await, 4001);
        let mut socket = open_as_stranger(&instance).await;
        subscribe(&mut socket, build, 0).await;
        assert_eq!(closed(&mut socket).await, 4001);
        instance.stop().await;
    }
}

#[tokio::test]
async fn only_pages_of_ours_and_scripts_with_a_token_may_open_it() {
    let (_file, database) = sqlite().await;
    let (instance, ada, _) = with_build(&database).await;
    let bearer = format!("Bearer {}", ada.token);
    let cookie = format!("fg_session={}", ada.token);
    let own = instance.url.clone();
    for (headers, opens) in [
        (vec![], false),
        (vec![("origin", own.as_str())], true),
        (vec![("cookie", cookie.as_str())], false),
        (vec![("cookie", cookie.as_str()), ("origin", own.as_str())], true),
        (vec![("cookie", cookie.as_str()), ("origin", "http://evil.example")], false),
        (vec![("authorization", bearer.as_str())], true),
        (vec![("authorization", bearer.as_str()), ("origin", "http://evil.example")], false),
    ] {
        match connect_async(request(&instance, &headers)).await {
            Ok(_) => assert!(opens, "{headers:?}"),
            Err(Error::Http(response)) => {
                assert!(!opens && response.status() == 403, "{headers:?}: {response:?}");
            }
            Err(error) => panic!("{headers:?}: {error}"),
        }
    }
    instance.stop().await;
}

#[tokio::test]
async fn credentials_that_do_not_count_are_told_by_the_code() {
    let (_file, database) = sqlite().await;
    let (instance, _, _) = with_build(&database).await;
    let headers = [("authorization", "Bearer nonsense")];
    let mut socket = connect_async(request(&instance, &headers)).await.unwrap().0;
    assert_eq!(closed(&mut socket).await, 4001);
    instance.stop().await;
}

#[tokio::test]
async fn whoever_does_not_sign_in_is_shown_out() {
    let (_file, database) = sqlite().await;
    let stream =
        StreamLimits { sign_in_grace: Duration::from_millis(100), ..StreamLimits::default() };
    let (instance, _, _) = with_limits(&database, stream).await;
    let mut socket = open_as_stranger(&instance).await;
    assert_eq!(closed(&mut socket).await, 4001);
    instance.stop().await;
}

#[tokio::test]
async fn a_session_that_ends_ends_its_socket() {
    let (_file, database) = sqlite().await;
    let stream = StreamLimits { ping_every: Duration::from_millis(100), ..StreamLimits::default() };
    let (instance, ada, build) = with_limits(&database, stream).await;
    let mut socket = open(&instance, &ada).await;
    subscribe(&mut socket, build, 0).await;
    assert_eq!(frame(&mut socket).await["op"], "subscribed");
    assert_eq!(frame(&mut socket).await["op"], "event");
    assert_eq!(ada.delete("/api/session").await.status, 204);
    assert_eq!(closed(&mut socket).await, 4001);
    instance.stop().await;
}

#[tokio::test]
async fn pings_come_in_both_kinds() {
    let (_file, database) = sqlite().await;
    let stream = StreamLimits { ping_every: Duration::from_millis(50), ..StreamLimits::default() };
    let (instance, ada, _) = with_limits(&database, stream).await;
    let mut socket = open(&instance, &ada).await;
    let (mut text, mut control) = (0, 0);
    while text < 2 || control < 2 {
        match timeout(PATIENCE, socket.next()).await.unwrap().unwrap().unwrap() {
            Message::Text(frame) if frame.as_str() == r#"{"op":"ping"}"# => text += 1,
            Message::Ping(_) => control += 1,
            other => panic!("{other:?}"),
        }
    }
    say(&mut socket, json!({"op": "pong"})).await;
    instance.stop().await;
}

#[tokio::test]
async fn a_reader_that_stands_still_is_too_slow_and_loses_nothing() {
    let (_file, database) = sqlite().await;
    let stream =
        StreamLimits { write_grace: Duration::from_millis(300), ..StreamLimits::default() };
    let (instance, ada, build) = with_limits(&database, stream).await;
    let mut slow = open(&instance, &ada).await;
    subscribe(&mut slow, build, 0).await;
    let mut quick = open(&instance, &ada).await;
    subscribe(&mut quick, build, 0).await;
    assert_eq!(frame(&mut quick).await["op"], "subscribed");
    // More than the buffers of a connection hold, each line small enough not to be cut.
    let lines = 6_000_u64;
    let writing = async {
        for n in 0..lines / 100 {
            instance.log(build, (0..100).map(|m| format!("{n} {m} {}", "x".repeat(8_000)))).await;
        }
    };
    let reading = async {
        for expected in 1..=lines + 1 {
            assert_eq!(frame(&mut quick).await["event"]["seq"], expected);
        }
    };
    tokio::join!(writing, reading);

    // Only now does the slow one read: what was sent before the server gave up, in order.
    let mut last = 0;
    let code = loop {
        match timeout(PATIENCE, slow.next()).await.expect("it ends in time") {
            Some(Ok(Message::Text(text))) => {
                let frame: Value = serde_json::from_str(&text).unwrap();
                if frame["op"] == "event" {
                    last += 1;
                    assert_eq!(frame["event"]["seq"], last);
                }
            }
            Some(Ok(Message::Close(close))) => break close.map(|close| u16::from(close.code)),
            Some(Ok(_)) => {}
            Some(Err(_)) | None => break None,
        }
    };
    assert!(matches!(code, None | Some(4008)), "{code:?}");
    assert!(last < lines, "it was closed before the end");

    let mut again = open(&instance, &ada).await;
    subscribe(&mut again, build, last).await;
    assert_eq!(frame(&mut again).await["op"], "subscribed");
    for expected in last + 1..=lines + 1 {
        assert_eq!(frame(&mut again).await["event"]["seq"], expected);
    }
    instance.stop().await;
}

#[tokio::test]
async fn a_stop_says_goodbye() {
    let (_file, database) = sqlite().await;
    let (instance, ada, build) = with_build(&database).await;
    let mut socket = open(&instance, &ada).await;
    subscribe(&mut socket, build, 1).await;
    frame(&mut socket).await;
    instance.begin_to_stop();
    assert_eq!(closed(&mut socket).await, 1001);
    instance.stop().await;
}

#[tokio::test]
async fn nonsense_ends_the_socket_and_nothing_else() {
    let (_file, database) = sqlite().await;
    let (instance, ada, build) = with_build(&database).await;
    let unread = json!({"op": "subscribe", "build_id": "x"}).to_string();
    for message in [
        Message::text("nonsense"),
        Message::text(r#"{"op":"dance"}"#),
        Message::text(unread),
        Message::binary(vec![1, 2, 3]),
    ] {
        let mut socket = open(&instance, &ada).await;
        socket.send(message.clone()).await.unwrap();
        assert_eq!(closed(&mut socket).await, 1003, "{message:?}");
    }
    let mut socket = open(&instance, &ada).await;
    socket.send(Message::text("x".repeat(20_000))).await.unwrap();
    while let Ok(Some(Ok(_))) = timeout(PATIENCE, socket.next()).await {}
    let mut socket = open(&instance, &ada).await;
    subscribe(&mut socket, build, 0).await;
    assert_eq!(frame(&mut socket).await["op"], "subscribed");
    instance.stop().await;
}
