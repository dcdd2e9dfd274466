//! Lets people push to a project's repository: which references, is judged here; that nothing is
//! deleted or forced, `git` sees to.
//!
//! Judging and taking in happen under the repository's lock, and so does sealing: a push is either
//! there before the seal looks, or is judged after the build has ended.

use std::{
    collections::HashMap,
    fs::File,
    io::{Seek, SeekFrom},
};

use domain::{event::branch::BranchLife, ids::ProjectId};
use git::{
    GitError, HostedRepository, http,
    push::{self, PushRequest},
};

use super::{error::EngineError, handle::Engine};
use crate::store;

const NO_SUCH_BUILD: &str = "no build of this project that is being worked on has this branch";
const ENDED: &str = "this build has ended and its branch stays as it is; push to another branch";
const NOT_ALONE: &str = "not pushed, because another reference of this push was refused";

impl Engine {
    /// Takes in a push, or refuses it; gives the answer's body for the client. `body` is the whole
    /// request. Once begun it comes to its end, whether or not the client waits.
    ///
    /// # Errors
    /// [`GitError::BadPush`] for what no `git` sends.
    pub async fn receive_push(
        &self,
        project: ProjectId,
        protocol: Option<String>,
        body: File,
    ) -> Result<Vec<u8>, EngineError> {
        let engine = self.clone();
        let task = async move { engine.judge_and_receive(project, protocol, body).await };
        match tokio::spawn(task).await {
            Ok(answer) => answer,
            Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
            Err(_) => Err(EngineError::Closed),
        }
    }

    /// Says in the client's words why all of a push is refused.
    ///
    /// # Errors
    /// [`GitError::BadPush`] for what no `git` sends.
    pub async fn refuse_push(&self, body: File, why: String) -> Result<Vec<u8>, EngineError> {
        let (request, _) = self.read(body).await?;
        Ok(request.refused(|_| why.clone()))
    }

    async fn judge_and_receive(
        &self,
        project: ProjectId,
        protocol: Option<String>,
        body: File,
    ) -> Result<Vec<u8>, EngineError> {
        let (request, body) = self.read(body).await?;
        let path = self.paths().hosted(project);
        let hosted = path.clone();
        let _lock = self.blocking(move || Ok(HostedRepository::open(&hosted)?.lock()?)).await?;
        let refused = self.judge(project, &request).await?;
        if !refused.is_empty() {
            return Ok(request.refused(|update| match refused.get(&update.name) {
                Some(why) => why.clone(),
                None => NOT_ALONE.to_owned(),
            }));
        }
        Ok(http::receive_pack(&path, protocol.as_deref(), &request, body).await?)
    }

    /// The commands, and the body from its beginning.
    async fn read(&self, mut body: File) -> Result<(PushRequest, File), EngineError> {
        self.blocking(move || {
            let rewound =
                |error| GitError::Io { what: "read a push again".to_owned(), source: error };
            body.seek(SeekFrom::Start(0)).map_err(rewound)?;
            let request = PushRequest::read(&body)?;
            body.seek(SeekFrom::Start(0)).map_err(rewound)?;
            Ok((request, body))
        })
        .await
    }

    /// Why references are refused, by name.
    async fn judge(
        &self,
        project: ProjectId,
        request: &PushRequest,
    ) -> Result<HashMap<String, String>, EngineError> {
        let mut conn = self.db().read().await?;
        let mut refused = HashMap::new();
        for update in &request.updates {
            let mut closed = None;
            if let Some(id) = update.build_branch().and_then(|name| name.build_id().parse().ok()) {
                let build = store::builds::get(&mut conn, id).await?;
                let build = build.filter(|build| build.project_id == project);
                closed = match build.map(|build| (build.status.is_final(), build.branch_status)) {
                    Some((true, _)) => Some(ENDED),
                    Some((false, Some(BranchLife::Active | BranchLife::Sealing))) => None,
                    Some((false, _)) | None => Some(NO_SUCH_BUILD),
                };
            }
            let why = push::refusal(update, |_| closed.map(str::to_owned));
            refused.extend(why.map(|why| (update.name.clone(), why)));
        }
        Ok(refused)
    }
}
