//! Fetches remotes of projects: the first time as an import, then on demand, before builds and after
//! webhooks. The branches of the hosted repository follow the remote's, forward only.

use std::time::Duration;

use domain::{
    ids::ProjectId,
    remote::{FetchKind, FetchProgress, FetchStage, FetchStatus, RemoteFindings, RemoteProblem},
};
use git::{
    Followed, HostedRepository, RepositoryFindings,
    remote::{self, Progress, RemoteLimits, Stage},
};
use tokio::{
    sync::{Notify, watch},
    time::{MissedTickBehavior, interval, timeout},
};
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};

use super::{
    error::EngineError,
    handle::Engine,
    queue::{self, POLL_INTERVAL, Worker},
    remotes::{MIN_FETCH_INTERVAL, RemoteError},
};
use crate::store::{
    self,
    fetches::{self, Fetch, FetchQueue, Lease},
    leases,
    projects::{self, Project},
    remotes,
};

const FETCH_TIMEOUT: Duration = Duration::from_secs(3600);
/// A build does not wait longer for the fetch before it.
const WAIT_TIMEOUT: Duration = Duration::from_secs(60);
const PROGRESS_INTERVAL: Duration = Duration::from_millis(500);
/// After so many claims without an end, such as crashes of the service, it has failed.
const MAX_ATTEMPTS: u32 = 5;

/// Works on due fetches until shutdown.
pub async fn run(engine: Engine) {
    queue::run(FetchWorker { engine }).await;
}

#[derive(Clone)]
struct FetchWorker {
    engine: Engine,
}

impl Worker for FetchWorker {
    type Queue = FetchQueue;

    fn engine(&self) -> &Engine {
        &self.engine
    }

    fn when_due(&self) -> &Notify {
        &self.engine.wake_fetcher
    }

    async fn work(&self, lease: Lease, stop: CancellationToken) {
        if let Err(error) = self.fetch(&lease, &stop).await {
            tracing::error!(fetch_id = %lease.id, %error, "a fetch could not be recorded");
        }
        self.engine.fetches.send_replace(());
    }
}

impl FetchWorker {
    async fn fetch(&self, lease: &Lease, stop: &CancellationToken) -> Result<(), EngineError> {
        let engine = &self.engine;
        let row = fetches::get(&mut engine.db().read().await?, lease.id).await?;
        let Some(row) = row else { return Ok(()) };
        let watching = watch_for_cancel(engine.clone(), lease.clone(), stop.clone());
        let _watching = AbortOnDropHandle::new(tokio::spawn(watching));
        let fetched = if row.attempts > MAX_ATTEMPTS {
            Err(RemoteError::other(format!(
                "the service ended {MAX_ATTEMPTS} times during this fetch"
            )))
        } else {
            self.fetch_remote(&row, lease, stop).await
        };
        let cancelled = |error: &RemoteError| error.problem == RemoteProblem::Cancelled;
        if fetched.as_ref().is_err_and(cancelled) {
            let row = fetches::get(&mut engine.db().read().await?, lease.id).await?;
            if row.is_some_and(|row| !row.cancel_requested) {
                // The service stops: another worker continues.
                let mut tx = engine.db().write().await?;
                leases::hand_back::<FetchQueue>(&mut tx, lease, store::now()).await?;
                return Ok(tx.commit().await?);
            }
        }
        self.record(&row, lease, fetched).await
    }

    /// Records the result, if the lease still holds.
    async fn record(
        &self,
        row: &Fetch,
        lease: &Lease,
        fetched: Result<Fetched, RemoteError>,
    ) -> Result<(), EngineError> {
        let (project, now) = (row.project_id, store::now());
        let mut tx = self.engine.db().write().await?;
        let (status, failed) = match &fetched {
            Ok(_) => (FetchStatus::Done, None),
            Err(error) if error.problem == RemoteProblem::Cancelled => {
                (FetchStatus::Cancelled, Some((error.problem, error.message.as_str())))
            }
            Err(error) => (FetchStatus::Failed, Some((error.problem, error.message.as_str()))),
        };
        let again_at = now + MIN_FETCH_INTERVAL;
        if !fetches::finish(&mut tx, lease, status, failed, again_at, now).await? {
            return Ok(());
        }
        match &fetched {
            Ok(Fetched { followed, findings }) => {
                let findings = serde_json::to_string(findings)?;
                let branch = &followed.default_branch;
                remotes::set_fetched(&mut tx, project, branch, &findings, now).await?;
                projects::set_default_branch(&mut tx, project, branch).await?;
            }
            Err(error) if status == FetchStatus::Failed => {
                tracing::info!(project_id = %project, problem = ?error.problem, "a fetch failed");
                remotes::set_fetch_error(&mut tx, project, &error.message).await?;
            }
            Err(_) => {}
        }
        tx.commit().await?;
        if fetched.is_ok() {
            self.engine.repack_queue.push(project);
        }
        Ok(())
    }

    async fn fetch_remote(
        &self,
        row: &Fetch,
        lease: &Lease,
        stop: &CancellationToken,
    ) -> Result<Fetched, RemoteError> {
        let engine = &self.engine;
        let failed = |error: store::Error| RemoteError::other(error.to_string());
        let mut conn = engine.db().read().await.map_err(failed)?;
        let project = projects::get(&mut conn, row.project_id).await.map_err(failed)?;
        let remote = remotes::get(&mut conn, row.project_id).await.map_err(failed)?;
        drop(conn);
        let (Some(project), Some(remote)) = (project, remote) else {
            return Err(RemoteError::other("the project was deleted".to_owned()));
        };
        let access = engine.remote_access(&project, &remote).await?;
        let limits = engine.list_limits();
        let refs = remote::list(&access, limits, stop.cancelled()).await?;
        let Some(default_branch) = refs.default_branch().map(str::to_owned) else {
            return Err(match refs.branches.len() {
                0 => RemoteError {
                    problem: RemoteProblem::Empty,
                    message: "the remote repository has no commit; push one, then try again"
                        .to_owned(),
                },
                _ => RemoteError::other(
                    "the remote repository has no default branch; set one on the server".to_owned(),
                ),
            });
        };
        let path = engine.paths().hosted(project.id);
        let wanted = refs.clone();
        let hosted = path.clone();
        let is_fetched = engine
            .blocking(move || Ok(HostedRepository::open(&hosted)?.is_fetched(&wanted)?))
            .await
            .map_err(other)?;
        if !is_fetched {
            let limits = RemoteLimits { timeout: FETCH_TIMEOUT, ..limits };
            let (shown, progress) = watch::channel(STARTED);
            let reporting = report_progress(engine.clone(), lease.clone(), progress);
            let _reporting = AbortOnDropHandle::new(tokio::spawn(reporting));
            let show = move |progress| shown.send_modify(|shown| update(shown, progress));
            remote::fetch(&access, &path, limits, show, stop.cancelled()).await?;
        }
        let replaced = match row.kind {
            FetchKind::Import => {
                engine.replaceable_first_commit(project.id).await.map_err(other)?
            }
            FetchKind::Fetch => None,
        };
        let branches = u32::try_from(refs.branches.len()).unwrap_or(u32::MAX);
        let tags = u32::try_from(refs.tags.len()).unwrap_or(u32::MAX);
        // What another version has stored may not be readable; it is then determined again.
        let known = remote.findings.as_deref();
        let known = known.and_then(|text| serde_json::from_str::<RemoteFindings>(text).ok());
        let (followed, found) = engine
            .blocking(move || {
                let hosted = HostedRepository::open(&path)?;
                let lock = hosted.lock()?;
                let before = hosted.head_of(&default_branch)?;
                let followed = hosted.follow(&default_branch, replaced.as_ref())?;
                drop(lock);
                let found = match known {
                    // The same commit has the same files.
                    Some(RemoteFindings { submodules, lfs_files, .. })
                        if before == Some(followed.head) =>
                    {
                        RepositoryFindings { submodules, lfs_files }
                    }
                    _ => hosted.findings(followed.head)?,
                };
                Ok((followed, found))
            })
            .await
            .map_err(other)?;
        if followed.diverged.contains(&followed.default_branch) {
            return Err(diverged(&followed));
        }
        let RepositoryFindings { submodules, lfs_files } = found;
        let diverged = followed.diverged.clone();
        let findings = RemoteFindings { branches, tags, submodules, lfs_files, diverged };
        Ok(Fetched { followed, findings })
    }
}

struct Fetched {
    followed: Followed,
    findings: RemoteFindings,
}

const STARTED: FetchProgress =
    FetchProgress { stage: FetchStage::Connecting, percent: None, bytes: 0 };

impl Engine {
    /// Fetches the remote of a project, if it has one, and waits until that has ended.
    ///
    /// # Errors
    /// [`EngineError::FetchFailed`] if it failed or takes too long.
    pub(super) async fn fetch_before_build(&self, project: &Project) -> Result<(), EngineError> {
        if remotes::get(&mut self.db().read().await?, project.id).await?.is_none() {
            return Ok(());
        }
        let mut changes = self.fetches.subscribe();
        self.request_fetch(project.id).await?;
        let ended = timeout(WAIT_TIMEOUT, self.fetch_ended(project.id, &mut changes)).await;
        let Ok(ended) = ended else {
            let seconds = WAIT_TIMEOUT.as_secs();
            let why = format!("it did not finish within {seconds} seconds and continues");
            return Err(EngineError::FetchFailed(why));
        };
        match ended? {
            Some(fetch) if fetch.status != FetchStatus::Done => {
                let why = fetch.failure.unwrap_or_else(|| "it was cancelled".to_owned());
                Err(EngineError::FetchFailed(why))
            }
            _ => Ok(()),
        }
    }

    async fn fetch_ended(
        &self,
        project: ProjectId,
        changes: &mut watch::Receiver<()>,
    ) -> Result<Option<Fetch>, EngineError> {
        loop {
            let fetch = fetches::of_project(&mut self.db().read().await?, project).await?;
            match fetch {
                Some(fetch) if !fetch.status.is_final() => {}
                ended => return Ok(ended),
            }
            // Fetches of other nodes are found by polling.
            let _ = timeout(POLL_INTERVAL, changes.changed()).await;
        }
    }
}

fn other(error: EngineError) -> RemoteError {
    RemoteError::other(error.to_string())
}

fn diverged(followed: &Followed) -> RemoteError {
    let Followed { default_branch, head, .. } = followed;
    RemoteError {
        problem: RemoteProblem::Diverged,
        message: format!(
            "the branch {default_branch} was rewritten at the remote, or has commits here that the \
             remote does not have. It stays at {head}. Push those commits to the remote, restore the \
             earlier history there, or create another project from it"
        ),
    }
}

fn update(shown: &mut FetchProgress, progress: Progress) {
    shown.stage = match progress.stage {
        Stage::Preparing => FetchStage::Preparing,
        Stage::Receiving => FetchStage::Receiving,
        Stage::Checking => FetchStage::Checking,
    };
    shown.percent = progress.percent;
    shown.bytes = progress.bytes.unwrap_or(shown.bytes);
}

/// Stores the newest progress, not more often than [`PROGRESS_INTERVAL`].
async fn report_progress(
    engine: Engine,
    lease: Lease,
    mut progress: watch::Receiver<FetchProgress>,
) {
    let mut ticks = interval(PROGRESS_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while progress.changed().await.is_ok() {
        ticks.tick().await;
        let newest = *progress.borrow_and_update();
        let stored = async {
            let text = serde_json::to_string(&newest)?;
            let mut tx = engine.db().write().await?;
            fetches::set_progress(&mut tx, &lease, &text).await?;
            tx.commit().await?;
            Ok::<_, EngineError>(())
        };
        if let Err(error) = stored.await {
            tracing::warn!(%error, "the progress of a fetch could not be stored");
        }
        engine.fetches.send_replace(());
    }
}

/// Cancels `stop` when a user cancels the fetch, or its lease is lost.
async fn watch_for_cancel(engine: Engine, lease: Lease, stop: CancellationToken) {
    let mut changes = engine.fetches.subscribe();
    loop {
        let row = async { fetches::get(&mut engine.db().read().await?, lease.id).await };
        match row.await {
            Ok(Some(row)) if row.fence == lease.fence && !row.cancel_requested => {}
            Ok(_) => return stop.cancel(),
            Err(error) => tracing::warn!(%error, "a fetch could not be read; trying again"),
        }
        let _ = timeout(POLL_INTERVAL, changes.changed()).await;
    }
}
