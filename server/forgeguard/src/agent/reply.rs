//! One call of the model. Its text is shown as a preview while it arrives.

use std::time::Duration;

use domain::ids::{BuildId, RunId};
use llm::{Provider, Reply, Request, collect};
use serde_json::json;
use tokio::{sync::mpsc, time::Instant};
use tokio_util::sync::CancellationToken;

use super::run::RequestError;
use crate::journal::{Feed, PreviewKind};

/// Interval between previews; text that arrives meanwhile is sent together.
const PREVIEW_INTERVAL: Duration = Duration::from_millis(50);

/// Where the preview of a reply is shown.
pub(super) struct PreviewTarget<'a> {
    pub feed: &'a Feed,
    pub build_id: BuildId,
    pub run_id: RunId,
}

/// Requests a reply and waits until it is complete.
pub(super) async fn request(
    provider: &dyn Provider,
    request: &Request,
    target: PreviewTarget<'_>,
    cancel: &CancellationToken,
) -> Result<Reply, RequestError> {
    let (sender, receiver) = mpsc::unbounded_channel();
    let reply = async {
        let stream = provider.stream(request).await?;
        // The sender is dropped with this future, which ends the previews.
        collect(stream, move |text| {
            let _ = sender.send(text.to_owned());
        })
        .await
    };
    let previews = send_previews(receiver, |text| {
        let payload = json!({"run_id": target.run_id, "text": text});
        target.feed.preview(target.build_id, PreviewKind::Text, &payload);
    });
    tokio::select! {
        biased;
        () = cancel.cancelled() => Err(RequestError::Cancelled),
        (reply, ()) = async { tokio::join!(reply, previews) } => reply.map_err(RequestError::Failed),
    }
}

/// Sends the first text immediately, and later text in intervals.
async fn send_previews(mut received: mpsc::UnboundedReceiver<String>, send: impl Fn(&str)) {
    let mut next = Instant::now();
    while let Some(mut text) = received.recv().await {
        loop {
            tokio::select! {
                () = tokio::time::sleep_until(next) => break,
                more = received.recv() => match more {
                    Some(more) => text.push_str(&more),
                    None => break,
                },
            }
        }
        send(&text);
        next = Instant::now() + PREVIEW_INTERVAL;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[tokio::test(start_paused = true)]
    async fn text_blocks_are_joined_without_loss() {
        let sent = Mutex::new(Vec::new());
        let start = Instant::now();
        let (sender, receiver) = mpsc::unbounded_channel();
        let produce = async move {
            let mut ticks = tokio::time::interval(Duration::from_millis(10));
            for n in 0..100 {
                ticks.tick().await;
                sender.send(format!("{n} ")).unwrap();
            }
        };
        let record = |text: &str| sent.lock().unwrap().push((start.elapsed(), text.to_owned()));
        tokio::join!(send_previews(receiver, record), produce);
        let sent = sent.into_inner().unwrap();
        let expected: String = (0..100).map(|n| format!("{n} ")).collect();
        assert_eq!(sent.iter().map(|(_, text)| text.as_str()).collect::<String>(), expected);
        assert!((15..=25).contains(&sent.len()), "{} pieces", sent.len());
        assert!(sent[0].0 < Duration::from_millis(5) && sent[0].1.starts_with("0 "));
    }
}
