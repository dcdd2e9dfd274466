//! Tells clients that their lists have changed: sessions on their standalone stream, clients of
//! revisions without sessions on the stream of a subscription.

use rmcp::{
    RoleServer,
    service::{Peer, ServiceError, SubscriptionContext, SubscriptionSendError},
};
use tokio_util::sync::CancellationToken;

use super::list_changes::{ListChange, ListWatch};
use crate::api::access::AccessWatch;

/// Notifies the client of a session until it ends.
pub async fn notify_session(
    mut watch: ListWatch,
    peer: Peer<RoleServer>,
    ended: CancellationToken,
) {
    loop {
        let change = tokio::select! {
            change = watch.changed() => change,
            () = ended.cancelled() => None,
        };
        let Some(change) = change else { return };
        // It fails only if the session has ended.
        if notify_peer(&peer, change).await.is_err() {
            return;
        }
    }
}

async fn notify_peer(peer: &Peer<RoleServer>, change: ListChange) -> Result<(), ServiceError> {
    if change.tools {
        peer.notify_tool_list_changed().await?;
    }
    if change.resources {
        peer.notify_resource_list_changed().await?;
    }
    Ok(())
}

/// Notifies a subscriber until it disconnects, its access ends or the service stops.
pub async fn serve_subscription(
    mut watch: ListWatch,
    context: &SubscriptionContext,
    mut access: AccessWatch,
) {
    loop {
        let change = tokio::select! {
            change = watch.changed() => change,
            () = context.cancelled() => None,
            _ = access.lost() => None,
        };
        let Some(change) = change else { return };
        if notify_subscriber(context, change).await.is_err() {
            return;
        }
    }
}

async fn notify_subscriber(
    context: &SubscriptionContext,
    change: ListChange,
) -> Result<(), SubscriptionSendError> {
    let (sink, accepted) = (context.sink(), context.accepted());
    if change.tools && accepted.tools_list_changed == Some(true) {
        sink.notify_tool_list_changed().await?;
    }
    if change.resources && accepted.resources_list_changed == Some(true) {
        sink.notify_resource_list_changed().await?;
    }
    Ok(())
}
