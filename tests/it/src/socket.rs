//! The WebSocket: permissions, messages, and close codes.

use std::time::Duration;

use crate::harness::{Database, Instance, Person, text};
use domain::ids::BuildId;
use forgeguard::{api::StreamLimits, config::Config};
use futures::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};
use tokio_tungstenite::{
    MaybeTlsStream, WebSocketStream, connect_async,
    tungstenite::{Error, Message, client::IntoClientRequest, http::Request},
};

pub type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

const FRAME_TIMEOUT: Duration = Duration::from_secs(30);

fn request(instance: &Instance, headers: &[(&'static str, &str)]) -> Request<()> {
    let address = instance.url.replacen("http", "ws", 1) + "/api/ws";
    let mut request = address.into_client_request().unwrap();
    for (name, value) in headers {
        request.headers_mut().insert(*name, value.parse().unwrap());
    }
    request
}

pub async fn open(instance: &Instance, person: &Person) -> Socket {
    let bearer = format!("Bearer {}", person.token);
    let opened = connect_async(request(instance, &[("authorization", &bearer)])).await;
    opened.expect("the socket opens").0
}

/// From a page of the own origin, without a cookie.
async fn open_without_credentials(instance: &Instance) -> Socket {
    connect_async(request(instance, &[("origin", &instance.url)])).await.expect("it opens").0
}

pub async fn send_message(socket: &mut Socket, frame: Value) {
    socket.send(Message::text(frame.to_string())).await.expect("the socket is open");
}

pub async fn subscribe(socket: &mut Socket, build: BuildId, after: u64) {
    send_message(socket, json!({"op": "subscribe", "build_id": build, "after": after})).await;
}

/// The next frame other than a ping, or the code with which the socket was closed.
async fn next(socket: &mut Socket) -> Result<Value, u16> {
    loop {
        let message = timeout(FRAME_TIMEOUT, socket.next()).await.expect("a frame comes in time");
        match message {
            Some(Ok(Message::Text(text))) => {
                let frame: Value = serde_json::from_str(&text).expect("frames are JSON");
                if frame["op"] != "ping" {
                    return Ok(frame);
                }
            }
            Some(Ok(Message::Close(Some(close)))) => {
                // Reading on answers the close frame.
                while let Ok(Some(Ok(_))) = timeout(FRAME_TIMEOUT, socket.next()).await {}
                return Err(close.code.into());
            }
            Some(Ok(_)) => {}
            other => panic!("the socket ended without a code: {other:?}"),
        }
    }
}

pub async fn frame(socket: &mut Socket) -> Value {
    next(socket).await.expect("a frame")
}

/// The close code, after at most one frame with the reason.
pub async fn closed(socket: &mut Socket) -> u16 {
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
    let file = support::Sqlite::migrated().await;
    let Ok(database) = Database::connect(&file.url(), 1).await;
    (file, database)
}

support::on_both! {
    async fn stored_and_new_events_are_delivered_without_a_gap(database: Database) {
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

    async fn socket_follows_several_builds(database: Database) {
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
        send_message(&mut socket, json!({"op": "unsubscribe", "build_id": first})).await;
        subscribe(&mut socket, second, 2).await;
        assert_eq!(frame(&mut socket).await["op"], "subscribed");
        instance.log(first, ["unheard".to_owned()]).await;
        instance.log(second, ["received".to_owned()]).await;
        let received = frame(&mut socket).await;
        assert_eq!(received["event"]["payload"]["message"], "received");
        instance.stop().await;
    }

    async fn cursor_ahead_of_the_journal_is_reset(database: Database) {
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

    async fn other_users_cannot_subscribe(database: Database) {
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

    async fn first_frame_may_sign_in(database: Database) {
        let (instance, ada, build) = with_build(&database).await;
        let mut socket = open_without_credentials(&instance).await;
        send_message(&mut socket, json!({"op": "auth", "token": ada.token})).await;
        subscribe(&mut socket, build, 0).await;
        assert_eq!(frame(&mut socket).await["op"], "subscribed");

        let mut socket = open_without_credentials(&instance).await;
        send_message(&mut socket, json!({"op": "auth", "token": "nonsense"})).await;
        assert_eq!(closed(&mut socket).await, 4001);
        let mut socket = open_without_credentials(&instance).await;
        subscribe(&mut socket, build, 0).await;
        assert_eq!(closed(&mut socket).await, 4001);
        instance.stop().await;
    }
}

#[tokio::test]
async fn first_frame_signs_in_a_client_that_sends_no_origin() {
    let (_file, database) = sqlite().await;
    let (instance, ada, build) = with_build(&database).await;
    let key = text(&ada.post("/api/forge-keys", json!({"name": "script"})).await.json()["key"]);
    for token in [ada.token.as_str(), key.as_str()] {
        let mut socket = connect_async(request(&instance, &[])).await.expect("it opens").0;
        send_message(&mut socket, json!({"op": "auth", "token": token})).await;
        subscribe(&mut socket, build, 0).await;
        assert_eq!(frame(&mut socket).await["op"], "subscribed");
    }
    let mut socket = connect_async(request(&instance, &[])).await.expect("it opens").0;
    subscribe(&mut socket, build, 0).await;
    assert_eq!(closed(&mut socket).await, 4001);
    instance.stop().await;
}

#[tokio::test]
async fn protocol_errors_close_the_socket_with_their_codes() {
    let (_file, database) = sqlite().await;
    let (instance, ada, _) = with_build(&database).await;
    let mask = [0; 4];
    let too_long = [&[0x81, 0xfe, 0x50, 0x00], &mask[..], &[b'x'; 0x5000]].concat();
    for (bytes, code) in [
        // A frame without a mask, an unknown opcode, an unexpected continuation.
        (vec![0x81, 0x01, b'x'], 1002),
        ([&[0x83, 0x80], &mask[..]].concat(), 1002),
        ([&[0x80, 0x80], &mask[..]].concat(), 1002),
        ([&[0x81, 0x81], &mask[..], &[0xff]].concat(), 1007),
        (too_long, 1009),
    ] {
        let mut socket = open(&instance, &ada).await;
        raw(&mut socket).write_all(&bytes).await.unwrap();
        assert_eq!(closed(&mut socket).await, code, "{:?}", &bytes[..3]);
    }
    instance.stop().await;
}

/// The connection below a socket.
fn raw(socket: &mut Socket) -> &mut TcpStream {
    match socket.get_mut() {
        MaybeTlsStream::Plain(stream) => stream,
        _ => panic!("tests speak without TLS"),
    }
}

#[tokio::test]
async fn socket_is_closed_when_no_ping_is_answered() {
    let (_file, database) = sqlite().await;
    let stream = StreamLimits {
        ping_interval: Duration::from_millis(50),
        pong_timeout: Duration::from_millis(300),
        ..StreamLimits::default()
    };
    let (instance, ada, _) = with_limits(&database, stream).await;
    let mut socket = open(&instance, &ada).await;
    // Read below the protocol implementation, which would answer.
    let mut received = Vec::new();
    let end = timeout(FRAME_TIMEOUT, raw(&mut socket).read_to_end(&mut received)).await;
    end.expect("the server ends the connection").unwrap();
    let close = 4008_u16.to_be_bytes();
    let close = received.windows(4).position(|bytes| bytes[0] == 0x88 && bytes[2..] == close);
    assert!(close.is_some(), "{received:?}");
    assert!(received.windows(2).any(|bytes| bytes == [0x89, 0]), "it was pinged before");
    instance.stop().await;
}

#[tokio::test]
async fn socket_stays_open_while_pings_are_answered() {
    let (_file, database) = sqlite().await;
    let stream = StreamLimits {
        ping_interval: Duration::from_millis(100),
        pong_timeout: Duration::from_secs(2),
        ..StreamLimits::default()
    };
    let (instance, ada, build) = with_limits(&database, stream).await;
    let mut socket = open(&instance, &ada).await;
    let mut pings = 0;
    while pings < 30 {
        let message = timeout(FRAME_TIMEOUT, socket.next()).await.unwrap().unwrap().unwrap();
        pings += u32::from(message.is_ping());
        assert!(!message.is_close(), "{message:?}");
    }
    subscribe(&mut socket, build, 0).await;
    assert_eq!(frame(&mut socket).await["op"], "subscribed");
    instance.stop().await;
}

#[tokio::test]
async fn socket_requires_the_own_origin_or_a_token() {
    let (_file, database) = sqlite().await;
    let (instance, ada, _) = with_build(&database).await;
    let bearer = format!("Bearer {}", ada.token);
    let cookie = format!("fg_session={}", ada.token);
    let own = instance.url.clone();
    for (headers, opens) in [
        (vec![], true),
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
async fn invalid_credentials_are_reported_by_the_close_code() {
    let (_file, database) = sqlite().await;
    let (instance, _, _) = with_build(&database).await;
    let headers = [("authorization", "Bearer nonsense")];
    let mut socket = connect_async(request(&instance, &headers)).await.unwrap().0;
    assert_eq!(closed(&mut socket).await, 4001);
    instance.stop().await;
}

#[tokio::test]
async fn socket_is_closed_without_a_sign_in() {
    let (_file, database) = sqlite().await;
    let stream =
        StreamLimits { sign_in_timeout: Duration::from_millis(100), ..StreamLimits::default() };
    let (instance, _, _) = with_limits(&database, stream).await;
    let mut socket = open_without_credentials(&instance).await;
    assert_eq!(closed(&mut socket).await, 4001);
    instance.stop().await;
}

#[tokio::test]
async fn socket_is_closed_when_its_session_ends() {
    let (_file, database) = sqlite().await;
    let stream =
        StreamLimits { ping_interval: Duration::from_millis(100), ..StreamLimits::default() };
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
async fn pings_are_sent_as_frames_and_messages() {
    let (_file, database) = sqlite().await;
    let stream =
        StreamLimits { ping_interval: Duration::from_millis(50), ..StreamLimits::default() };
    let (instance, ada, _) = with_limits(&database, stream).await;
    let mut socket = open(&instance, &ada).await;
    let (mut text, mut control) = (0, 0);
    while text < 2 || control < 2 {
        match timeout(FRAME_TIMEOUT, socket.next()).await.unwrap().unwrap().unwrap() {
            Message::Text(frame) if frame.as_str() == r#"{"op":"ping"}"# => text += 1,
            Message::Ping(_) => control += 1,
            other => panic!("{other:?}"),
        }
    }
    send_message(&mut socket, json!({"op": "pong"})).await;
    instance.stop().await;
}

#[tokio::test]
async fn stalled_reader_is_disconnected_and_loses_nothing() {
    let (_file, database) = sqlite().await;
    let stream =
        StreamLimits { write_timeout: Duration::from_millis(300), ..StreamLimits::default() };
    let (instance, ada, build) = with_limits(&database, stream).await;
    let mut slow = open(&instance, &ada).await;
    subscribe(&mut slow, build, 0).await;
    let mut quick = open(&instance, &ada).await;
    subscribe(&mut quick, build, 0).await;
    assert_eq!(frame(&mut quick).await["op"], "subscribed");
    // More than the buffers of a connection hold, each line short enough not to be truncated.
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

    // Only now does the client read: what was sent before the disconnect is in order.
    let mut last = 0;
    let code = loop {
        match timeout(FRAME_TIMEOUT, slow.next()).await.expect("it ends in time") {
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
async fn socket_is_closed_when_the_server_stops() {
    let (_file, database) = sqlite().await;
    let (instance, ada, build) = with_build(&database).await;
    let mut socket = open(&instance, &ada).await;
    subscribe(&mut socket, build, 1).await;
    frame(&mut socket).await;
    instance.request_stop();
    assert_eq!(closed(&mut socket).await, 1001);
    instance.stop().await;
}

#[tokio::test]
async fn invalid_message_closes_only_its_socket() {
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
    assert_eq!(closed(&mut socket).await, 1009);
    let mut socket = open(&instance, &ada).await;
    subscribe(&mut socket, build, 0).await;
    assert_eq!(frame(&mut socket).await["op"], "subscribed");
    instance.stop().await;
}
