//! Repacks repositories in the background, one at a time on each node, after pushes.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    time::Duration,
};

use git::repack::{Repack, Repacked};
use tokio::time::{Instant, sleep};

use super::{error::EngineError, handle::Engine};

/// A longer run is terminated.
const REPACK_TIMEOUT: Duration = Duration::from_secs(1800);
/// Delay before a repository whose repacking failed is tried again.
const RETRY_DELAY: Duration = Duration::from_secs(3600);

/// Repacks the repositories of projects with new objects until shutdown.
pub async fn run(engine: Engine) {
    let mut failed_at: HashMap<PathBuf, Instant> = HashMap::new();
    loop {
        let project = tokio::select! {
            project = engine.repack_queue.pop() => project,
            () = engine.shutdown.cancelled() => return,
        };
        for path in [engine.paths().hosted(project), engine.paths().work(project)] {
            failed_at.retain(|_, at| at.elapsed() < RETRY_DELAY);
            if failed_at.contains_key(&path) {
                continue;
            }
            if let Err(error) = repack(&engine, &path).await {
                tracing::warn!(path = %path.display(), %error, "a repository could not be repacked");
                failed_at.insert(path, Instant::now());
            }
        }
    }
}

async fn repack(engine: &Engine, path: &Path) -> Result<(), EngineError> {
    let directory = path.to_owned();
    let Some(due) = engine.blocking(move || Ok(Repack::begin(&directory)?)).await? else {
        return Ok(());
    };
    let started = Instant::now();
    let stop = async {
        tokio::select! {
            () = engine.shutdown.cancelled() => {}
            () = sleep(REPACK_TIMEOUT) => {}
        }
    };
    match due.run(stop).await? {
        Repacked::Done => {
            let ms = started.elapsed().as_millis();
            tracing::info!(path = %path.display(), ms, "repacked a repository");
            Ok(())
        }
        Repacked::Stopped if engine.shutdown.is_cancelled() => Ok(()),
        Repacked::Stopped => {
            let timed_out = std::io::ErrorKind::TimedOut;
            Err(EngineError::Io(timed_out.into()))
        }
    }
}
