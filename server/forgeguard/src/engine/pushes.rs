//! Users' pushes to a project's repository. The allowed references are determined here; `git` rejects
//! deletions and forced updates. A rejected reference does not affect the others.
//!
//! Checking and receiving happen under the repository lock, as does sealing: a push is either
//! complete before the seal, or checked after the build has ended.

use std::{
    collections::HashMap,
    fs::File,
    io::{BufReader, Seek, SeekFrom},
};

use domain::{
    event::{branch::BranchLife, life::Origin},
    ids::{ProjectId, UserId},
};
use git::{
    FirstCommit, GitError, HostedRepository,
    http::{self, Service},
    pack::{self, PackError, PackLimits, PackSize},
    push::{self, PushRequest},
};

use super::{
    error::EngineError,
    handle::Engine,
    push_slots::{PushLimits, PushSlot},
};
use crate::store;

const NO_SUCH_BUILD: &str = "this branch does not belong to a running build of this project";
const ENDED: &str = "this build has ended, so its branch cannot change; push to another branch";
const FOLLOWS_REMOTE: &str =
    "this project follows a repository on another server; push to the default branch there";
const NOT_ALONE: &str = "not pushed, because another reference of this push was rejected";

impl Engine {
    /// Limits for pushes.
    pub fn push_limits(&self) -> PushLimits {
        self.parts.push_limits
    }

    /// A slot for a push; `None` if all are taken.
    pub fn take_push_slot(&self, user: UserId) -> Option<PushSlot> {
        self.push_slots.take(user)
    }

    /// The references advertised to a client that pushes. The first commit of a new project is hidden
    /// while there is nothing else, so that git pushes an existing history in its place.
    pub async fn advertise_push(
        &self,
        project: ProjectId,
        protocol: Option<&str>,
    ) -> Result<Vec<u8>, EngineError> {
        let first = self.replaceable_first_commit(project).await?;
        let hidden = first.as_ref().map(|first| first.reference.as_str());
        let path = self.paths().hosted(project);
        Ok(http::advertise_refs(&path, Service::ReceivePack, protocol, hidden).await?)
    }

    /// Receives a push, or rejects it; returns the response body. `body` is the whole request. Once
    /// started it completes, even if the client disconnects.
    ///
    /// # Errors
    /// [`GitError::BadPush`] for malformed requests.
    pub async fn receive_push(
        &self,
        project: ProjectId,
        protocol: Option<String>,
        body: File,
        slot: PushSlot,
    ) -> Result<Vec<u8>, EngineError> {
        let engine = self.clone();
        let task = async move {
            let answer = engine.judge_and_receive(project, protocol, body).await;
            drop(slot);
            answer
        };
        match tokio::spawn(task).await {
            Ok(answer) => answer,
            Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
            Err(_) => Err(EngineError::Closed),
        }
    }

    /// The response that rejects a whole push with a reason.
    ///
    /// # Errors
    /// [`GitError::BadPush`] for malformed requests.
    pub async fn refuse_push(&self, body: File, why: String) -> Result<Vec<u8>, EngineError> {
        let request = self.blocking(move || read_commands(&body)).await?;
        Ok(request.refused(|_| why.clone()))
    }

    async fn judge_and_receive(
        &self,
        project: ProjectId,
        protocol: Option<String>,
        body: File,
    ) -> Result<Vec<u8>, EngineError> {
        let permit = self.unpacking.acquire().await.map_err(|_| EngineError::Closed)?;
        let limits = self.push_limits();
        let (request, pack_start, size, mut body) = self
            .blocking(move || {
                let request = read_commands(&body)?;
                let pack_start = (&body).stream_position()?;
                let size = measure_pack(&body, limits.pack).map_err(GitError::from);
                Ok((request, pack_start, size, body))
            })
            .await?;
        // Not held while waiting for the lock, which a seal may hold for long.
        drop(permit);
        let size = match size {
            Ok(size) => size,
            Err(GitError::Pack(PackError::Io(error))) => return Err(EngineError::Io(error)),
            Err(why) => return Ok(request.refused(|_| why.to_string())),
        };
        let path = self.paths().hosted(project);
        let hosted = path.clone();
        let _lock = self.blocking(move || Ok(HostedRepository::open(&hosted)?.lock()?)).await?;
        let first = self.replaceable_first_commit(project).await?;
        let refused = self.judge(project, &request).await?;
        let is_all = request.updates.iter().all(|update| refused.contains_key(&update.name));
        if !refused.is_empty() && (is_all || request.is_atomic()) {
            return Ok(request.refused(|update| match refused.get(&update.name) {
                Some(why) => why.clone(),
                None => NOT_ALONE.to_owned(),
            }));
        }
        let mut accepted = request.clone().without(&refused);
        if let Some(first) = &first {
            accepted = accepted.replacing(first);
        }
        let _permit = self.unpacking.acquire().await.map_err(|_| EngineError::Closed)?;
        body.seek(SeekFrom::Start(pack_start))?;
        let body = tokio::fs::File::from_std(body);
        let (protocol, max_size) = (protocol.as_deref(), limits.max_size);
        let answer = http::receive_pack(&path, protocol, &accepted, size, max_size, body).await?;
        self.repack_queue.push(project);
        Ok(request.complete(answer, &refused))
    }

    /// Whether a push may replace the repository's history: before any push and any build.
    pub async fn accepts_history(&self, project: ProjectId) -> Result<bool, EngineError> {
        Ok(self.replaceable_first_commit(project).await?.is_some())
    }

    /// The initial commit that ForgeGuard made for a new project, while it may be replaced: before any
    /// push and any build.
    pub(super) async fn replaceable_first_commit(
        &self,
        project: ProjectId,
    ) -> Result<Option<FirstCommit>, EngineError> {
        let mut conn = self.db().read().await?;
        let found = store::projects::get(&mut conn, project).await?;
        let is_own = found.is_some_and(|project| project.origin != Origin::Demo);
        let has_builds = store::builds::count_of_project(&mut conn, project).await? > 0;
        drop(conn);
        if !is_own || has_builds {
            return Ok(None);
        }
        let path = self.paths().hosted(project);
        self.blocking(move || Ok(HostedRepository::open(&path)?.untouched_first_commit()?)).await
    }

    /// The reasons for rejected references, by name.
    async fn judge(
        &self,
        project: ProjectId,
        request: &PushRequest,
    ) -> Result<HashMap<String, String>, EngineError> {
        let mut conn = self.db().read().await?;
        // Only of a project that follows a remote.
        let remote = store::remotes::get(&mut conn, project).await?;
        let default_branch = remote
            .and_then(|remote| remote.default_branch)
            .map(|name| format!("refs/heads/{name}"));
        let mut refused = HashMap::new();
        for update in &request.updates {
            let mut closed = None;
            if let Some(name) = update.build_branch() {
                let build = store::builds::by_branch(&mut conn, project, name.as_str()).await?;
                closed = match build.map(|build| (build.status.is_final(), build.branch_status)) {
                    Some((true, _)) => Some(ENDED),
                    Some((false, Some(BranchLife::Active | BranchLife::Sealing))) => None,
                    Some((false, _)) | None => Some(NO_SUCH_BUILD),
                };
            }
            let follows = default_branch.as_ref().is_some_and(|name| *name == update.name);
            let why = match follows {
                true => Some(FOLLOWS_REMOTE.to_owned()),
                false => push::refusal(update, |_| closed.map(str::to_owned)),
            };
            refused.extend(why.map(|why| (update.name.clone(), why)));
        }
        Ok(refused)
    }
}

/// Reads the commands, up to the pack.
fn read_commands(mut body: &File) -> Result<PushRequest, EngineError> {
    body.rewind()?;
    Ok(PushRequest::read(body)?)
}

/// The expanded size of the pack at the file's position; `None` if there is none, as in a push that
/// only deletes.
fn measure_pack(mut body: &File, limits: PackLimits) -> Result<PackSize, PackError> {
    let length = body.metadata()?.len().saturating_sub(body.stream_position()?);
    match length {
        0 => Ok(PackSize::default()),
        _ => pack::measure(BufReader::new(body), length, limits),
    }
}
