//! One call of the model: its words go to the feed as they come.

use std::time::Duration;

use domain::ids::{BuildId, RunId};
use llm::{Provider, Reply, Request, collect};
use serde_json::json;
use tokio::{sync::mpsc, time::Instant};
use tokio_util::sync::CancellationToken;

use super::run::RequestError;
use crate::journal::{Feed, PreviewKind};

/// Words that come within this time go out together.
const GATHER: Duration = Duration::from_millis(50);

/// Where the words of a reply are shown.
pub(super) struct Audience<'a> {
    pub feed: &'a Feed,
    pub build_id: BuildId,
    pub run_id: RunId,
}

/// Asks the model and waits for its whole reply.
pub(super) async fn ask(
    provider: &dyn Provider,
    request: &Request,
    audience: Audience<'_>,
    cancel: &CancellationToken,
) -> Result<Reply, RequestError> {
    let (words, heard) = mpsc::unbounded_channel();
    let handle_reply = async {
        let stream = provider.stream(request).await?;
        // The channel closes with this future, which ends the show.
        collect(stream, move |text| {
            let _ = words.send(text.to_owned());
        })
        .await
    };
    let show = show(heard, |text| {
        let payload = json!({"run_id": audience.run_id, "text": text});
        audience.feed.preview(audience.build_id, PreviewKind::Text, &payload);
    });
    tokio::select! {
        biased;
        () = cancel.cancelled() => Err(RequestError::Cancelled),
        (reply, ()) = async { tokio::join!(handle_reply, show) } => reply.map_err(RequestError::Failed),
    }
}

/// The first words at once, later ones gathered for a moment.
async fn show(mut heard: mpsc::UnboundedReceiver<String>, send: impl Fn(&str)) {
    let mut next = Instant::now();
    while let Some(mut text) = heard.recv().await {
        loop {
            tokio::select! {
                () = tokio::time::sleep_until(next) => break,
                more = heard.recv() => match more {
                    Some(more) => text.push_str(&more),
                    None => break,
                },
            }
        }
        send(&text);
        next = Instant::now() + GATHER;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[tokio::test(start_paused = true)]
    async fn text_blocks_are_joined_without_loss() {
        let sent = Mutex::new(Vec::new());
        let begun = Instant::now();
        let (words, heard) = mpsc::unbounded_channel();
        let speak = async move {
            let mut ticks = tokio::time::interval(Duration::from_millis(10));
            for n in 0..100 {
                ticks.tick().await;
                words.send(format!("{n} ")).unwrap();
            }
        };
        let note = |text: &str| sent.lock().unwrap().push((begun.elapsed(), text.to_owned()));
        tokio::join!(show(heard, note), speak);
        let sent = sent.into_inner().unwrap();
        let expected: String = (0..100).map(|n| format!("{n} ")).collect();
        assert_eq!(sent.iter().map(|(_, text)| text.as_str()).collect::<String>(), expected);
        assert!((15..=25).contains(&sent.len()), "{} pieces", sent.len());
        assert!(sent[0].0 < Duration::from_millis(5) && sent[0].1.starts_with("0 "));
    }
}
