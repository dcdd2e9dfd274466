//! Notifications from other nodes on the same PostgreSQL: new events and previews.

use std::{sync::Arc, time::Duration};

use sqlx::postgres::PgNotification;
use tokio::{
    sync::{Mutex, Notify},
    task::JoinHandle,
    time::{sleep, timeout},
};
use uuid::Uuid;

use super::{
    feed::Feed,
    preview_relay::{self, PREVIEW_CHANNEL, PreviewQueue},
};
use crate::{store::Db, supervision::Supervisor};

/// The channel for new events.
pub(super) const JOURNAL_CHANNEL: &str = "forgeguard_journal";
/// Between attempts to connect the listener.
const RECONNECT_INTERVAL: Duration = Duration::from_secs(1);
/// Between attempts to read the table; doubled after each failure.
const MIN_RETRY_INTERVAL: Duration = Duration::from_millis(100);
const MAX_RETRY_INTERVAL: Duration = Duration::from_secs(5);
/// The listener checks its connection after this time without notifications.
const LISTENER_CHECK_INTERVAL: Duration = Duration::from_secs(10);
const LISTENER_TIMEOUT: Duration = Duration::from_secs(5);

/// Updates this node's readers with events of other nodes.
#[derive(Clone)]
pub(super) struct OtherNodes {
    pub(super) db: Db,
    pub(super) feed: Feed,
    /// Notified when readers may have missed events.
    pub(super) behind: Arc<Notify>,
    pub(super) node: Uuid,
}

impl OtherNodes {
    /// Starts listening, reading and sending.
    pub(super) fn spawn(
        self,
        supervisor: &Supervisor,
        previews: Option<PreviewQueue>,
    ) -> Vec<JoinHandle<()>> {
        let (listener, reader) = (self.clone(), self);
        let mut tasks = vec![
            supervisor.spawn("journal listener", move || listener.clone().listen()),
            supervisor.spawn("journal reader", move || reader.clone().catch_up()),
        ];
        if let Some(queue) = previews {
            let queue = Arc::new(Mutex::new(queue));
            tasks.push(supervisor.spawn("preview relay", move || {
                let queue = queue.clone();
                async move { queue.lock().await.run().await }
            }));
        }
        tasks
    }

    /// Receives notifications until it is aborted.
    async fn listen(self) {
        loop {
            let mut listener = match self.db.listen(&[JOURNAL_CHANNEL, PREVIEW_CHANNEL]).await {
                Ok(Some(listener)) => listener,
                Ok(None) => return,
                Err(error) => {
                    tracing::warn!(%error, "cannot listen for other nodes; trying again");
                    sleep(RECONNECT_INTERVAL).await;
                    continue;
                }
            };
            self.behind.notify_one();
            loop {
                match timeout(LISTENER_CHECK_INTERVAL, listener.try_recv()).await {
                    Ok(Ok(Some(notification))) => self.receive(&notification).await,
                    Ok(Ok(None) | Err(_)) => break,
                    // Otherwise a connection that was lost without a FIN would be read indefinitely.
                    Err(_) => {
                        let check = listener.listen(JOURNAL_CHANNEL);
                        if !matches!(timeout(LISTENER_TIMEOUT, check).await, Ok(Ok(()))) {
                            break;
                        }
                    }
                }
            }
        }
    }

    async fn receive(&self, notification: &PgNotification) {
        if notification.channel() == PREVIEW_CHANNEL {
            for (build, frame) in preview_relay::received(notification.payload(), self.node) {
                self.feed.deliver_preview(build, frame);
            }
            return;
        }
        let mut parts = notification.payload().split(':');
        let (from, build, head) = (parts.next(), parts.next(), parts.next());
        let build = build.and_then(|id| id.parse().ok());
        let head = head.and_then(|seq| seq.parse().ok());
        let (Some(build), Some(head)) = (build, head) else { return };
        if from != Some(&self.node.to_string())
            && let Err(error) = self.feed.catch_up(build, head).await
        {
            tracing::warn!(%error, "cannot read what another node has written");
            self.behind.notify_one();
        }
    }

    /// Updates readers from the table whenever they may have missed events, until it is aborted.
    async fn catch_up(self) {
        loop {
            self.behind.notified().await;
            let mut wait = MIN_RETRY_INTERVAL;
            while let Err(error) = self.feed.catch_up_all().await {
                tracing::warn!(%error, "cannot read what has been written; trying again");
                sleep(wait).await;
                wait = MAX_RETRY_INTERVAL.min(wait * 2);
            }
        }
    }
}
