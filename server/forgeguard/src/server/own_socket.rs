//! The API on a socket in the data directory, for commands of the user who owns the directory.

use std::{
    fs::{self, DirBuilder},
    io,
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
    sync::Arc,
};

use axum::{Extension, serve};
use tokio::{net::UnixListener, task::JoinHandle};

use crate::{
    api::{
        App,
        identity::{Identity, Proof},
        router,
    },
    store::users::User,
};

/// The socket of a data directory.
pub fn socket_path(data_dir: &Path) -> PathBuf {
    data_dir.join("command-line").join("api.sock")
}

/// Serves until it is closed, or the service stops.
pub struct OwnSocket {
    path: PathBuf,
    task: JoinHandle<io::Result<()>>,
}

impl OwnSocket {
    /// Requests over the socket are those of `user`. The caller holds the data directory's lock, so a
    /// socket that exists is left over from a process that was killed.
    pub fn open(app: &Arc<App>, user: User) -> io::Result<Self> {
        let path = socket_path(app.engine.paths().root());
        if let Some(directory) = path.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
        }
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let listener = UnixListener::bind(&path)?;
        let identity = Identity { user, proof: Proof::DataDirectory };
        let routes = router::router(app.clone()).layer(Extension(identity));
        let stopping = app.stopping.clone();
        let task = tokio::spawn(async move {
            serve(listener, routes).with_graceful_shutdown(stopping.cancelled_owned()).await
        });
        Ok(Self { path, task })
    }

    /// Ends the service, once `App::stopping` is cancelled and replies are complete.
    pub async fn closed(self) {
        match self.task.await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!(%error, "the socket of the data directory failed"),
            Err(error) => tracing::error!(%error, "the socket of the data directory failed"),
        }
        if let Err(error) = fs::remove_file(&self.path) {
            tracing::debug!(%error, "the socket of the data directory is already removed");
        }
    }
}
