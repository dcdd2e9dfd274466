//! Sessions of MCP clients: bound to the key that opened them, limited per user, and closed when they
//! are idle or the key ends.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use domain::ids::UserId;
use futures::Stream;
use rmcp::{
    model::{ClientJsonRpcMessage, ServerJsonRpcMessage},
    transport::{
        common::server_side_http::ServerSseMessage,
        streamable_http_server::{
            SessionId, SessionManager,
            session::local::{LocalSessionManager, LocalSessionManagerError},
        },
    },
};
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::api::access::{AccessWatch, Credential};

/// Editors stay connected while their user does something else.
const IDLE_TIMEOUT: Duration = Duration::from_secs(60 * 60);
/// With one more, the session that was idle longest is closed; its client then starts a new one.
const MAX_SESSIONS_PER_USER: usize = 256;

pub struct Sessions {
    inner: LocalSessionManager,
    open: Mutex<HashMap<SessionId, OpenSession>>,
}

struct OpenSession {
    user: UserId,
    credential: Credential,
    last_used: Instant,
    /// Ends the watch of the credential.
    _watch: DropGuard,
}

impl Default for Sessions {
    fn default() -> Self {
        Self::with_idle_timeout(IDLE_TIMEOUT)
    }
}

impl Sessions {
    fn with_idle_timeout(idle_timeout: Duration) -> Self {
        let mut inner = LocalSessionManager::default();
        inner.session_config.keep_alive = Some(idle_timeout);
        Self { inner, open: Mutex::default() }
    }

    /// Whether a session was opened with this credential, and is still open.
    pub fn is_of(&self, id: &str, credential: &Credential) -> bool {
        let mut open = self.lock();
        let Some(session) = open.get_mut(id).filter(|it| it.credential == *credential) else {
            return false;
        };
        session.last_used = Instant::now();
        true
    }

    /// Binds a new session to the credential that opened it. It is closed when the access ends.
    pub async fn bind(
        self: &Arc<Self>,
        id: SessionId,
        user: UserId,
        credential: Credential,
        mut access: AccessWatch,
    ) {
        let ended = CancellationToken::new();
        let _watch = ended.clone().drop_guard();
        let session = OpenSession { user, credential, last_used: Instant::now(), _watch };
        let surplus = {
            let mut open = self.lock();
            open.insert(id.clone(), session);
            surplus(&open, user)
        };
        if let Some(surplus) = surplus {
            self.close(&surplus).await;
        }
        // It may have ended before it was bound.
        if !self.inner.sessions.read().await.contains_key(&id) {
            self.lock().remove(&id);
            return;
        }
        let sessions = self.clone();
        tokio::spawn(async move {
            tokio::select! {
                _ = access.lost() => sessions.close(&id).await,
                () = ended.cancelled() => {}
            }
        });
    }

    async fn close(&self, id: &SessionId) {
        if let Err(error) = self.close_session(id).await {
            tracing::debug!(%error, "an MCP session had ended already");
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SessionId, OpenSession>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The session to close if the user has too many.
fn surplus(open: &HashMap<SessionId, OpenSession>, user: UserId) -> Option<SessionId> {
    let own = || open.iter().filter(|(_, session)| session.user == user);
    if own().count() <= MAX_SESSIONS_PER_USER {
        return None;
    }
    own().min_by_key(|(_, session)| session.last_used).map(|(id, _)| id.clone())
}

impl SessionManager for Sessions {
    type Error = LocalSessionManagerError;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Self::Error> {
        self.inner.create_session().await
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Self::Error> {
        self.inner.initialize_session(id, message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Self::Error> {
        self.inner.has_session(id).await
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Self::Error> {
        self.lock().remove(id);
        self.inner.close_session(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.inner.create_stream(id, message).await
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), Self::Error> {
        self.inner.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.inner.create_standalone_stream(id).await
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.inner.resume(id, last_event_id).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{api::access::AccessMonitor, store};

    async fn opened(sessions: &Arc<Sessions>, user: UserId, key: &str) -> SessionId {
        let (id, _transport) = sessions.create_session().await.unwrap();
        let credential = Credential::ForgeKey(key.into());
        let access = Arc::new(AccessMonitor::default()).watch(user, credential.clone());
        sessions.bind(id.clone(), user, credential, access).await;
        id
    }

    #[tokio::test]
    async fn session_belongs_to_the_key_that_opened_it() {
        let sessions = Arc::new(Sessions::default());
        let id = opened(&sessions, store::new_id(), "one").await;
        assert!(sessions.is_of(&id, &Credential::ForgeKey("one".into())));
        assert!(!sessions.is_of(&id, &Credential::ForgeKey("two".into())));
        sessions.close_session(&id).await.unwrap();
        assert!(!sessions.is_of(&id, &Credential::ForgeKey("one".into())));
    }

    #[tokio::test]
    async fn surplus_session_of_a_user_replaces_the_one_that_was_idle_longest() {
        let sessions = Arc::new(Sessions::default());
        let (ada, eve) = (store::new_id(), store::new_id());
        let other = opened(&sessions, eve, "eve").await;
        let first = opened(&sessions, ada, "ada").await;
        let second = opened(&sessions, ada, "ada").await;
        let key = Credential::ForgeKey("ada".into());
        assert!(sessions.is_of(&first, &key), "used last");
        for _ in 2..=MAX_SESSIONS_PER_USER {
            opened(&sessions, ada, "ada").await;
        }
        assert!(sessions.is_of(&first, &key) && !sessions.is_of(&second, &key));
        assert!(sessions.is_of(&other, &Credential::ForgeKey("eve".into())));
        assert_eq!(sessions.lock().len(), MAX_SESSIONS_PER_USER + 1);
    }
}
