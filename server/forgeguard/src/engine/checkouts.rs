//! Clean checkouts of a commit for the final gates, the checks of the tests and the commands of
//! auditors, each in its own directory on this node. They are removed in the background; leftovers of
//! a crash are removed at the next start.

use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use git::{GitError, Sha, WorkingClone, Worktree};
use rootdir::{Removal, RootDir};
use uuid::Uuid;

use super::{error::EngineError, handle::Engine};

/// Duration of one slice of a removal, well below the timeout of blocking work.
const REMOVAL_SLICE: Duration = Duration::from_secs(20);

/// A commit in its own directory.
pub struct Checkout {
    pub path: PathBuf,
    /// The content of its `.git` file.
    pub pointer: Vec<u8>,
    name: String,
}

impl Engine {
    /// Checks out a commit into an empty directory.
    pub(super) async fn check_out(
        &self,
        clone: WorkingClone,
        commit: Sha,
    ) -> Result<Checkout, EngineError> {
        self.fill_checkout(clone, move |clone, path| clone.export(commit, path)).await
    }

    /// The same with these files of another commit.
    pub(super) async fn check_out_with(
        &self,
        clone: WorkingClone,
        commit: Sha,
        source: Sha,
        files: Vec<String>,
    ) -> Result<Checkout, EngineError> {
        let export = move |clone: &WorkingClone, path: &Path| {
            clone.export_with(commit, source, &files, path)
        };
        self.fill_checkout(clone, export).await
    }

    /// The same with the files that a worktree has now.
    pub(super) async fn check_out_candidate(
        &self,
        clone: WorkingClone,
        commit: Sha,
        worktree: Worktree,
    ) -> Result<Checkout, EngineError> {
        let export = move |clone: &WorkingClone, path: &Path| {
            clone.export_candidate(commit, worktree.write_candidate()?.tree, path)
        };
        self.fill_checkout(clone, export).await
    }

    async fn fill_checkout(
        &self,
        clone: WorkingClone,
        export: impl FnOnce(&WorkingClone, &Path) -> Result<Sha, GitError> + Send + 'static,
    ) -> Result<Checkout, EngineError> {
        let name = Uuid::now_v7().to_string();
        let path = self.parts.node.checkouts().join(&name);
        let mut checkout = Checkout { path: path.clone(), pointer: Vec::new(), name };
        let work = move || {
            export(&clone, &path)?;
            Ok(clone.export_pointer(&path)?)
        };
        match self.blocking(work).await {
            Ok(pointer) => {
                checkout.pointer = pointer;
                Ok(checkout)
            }
            Err(error) => {
                self.remove_checkout(checkout);
                Err(error)
            }
        }
    }

    /// Removes a checkout in the background. No process may use it any more.
    pub(super) fn remove_checkout(&self, checkout: Checkout) {
        let engine = self.clone();
        tokio::spawn(async move { engine.remove_checkout_named(&checkout.name).await });
    }

    /// Removes leftovers of an earlier process of this node in the background. Call it before the first
    /// checkout is created.
    pub(super) async fn remove_old_checkouts(&self) {
        let directory = self.parts.node.checkouts();
        let listed = self.blocking(move || Ok(RootDir::open(&directory)?.read_dir("")?)).await;
        let old = listed.unwrap_or_else(|error| {
            tracing::warn!(%error, "old checkouts cannot be listed");
            Vec::new()
        });
        let engine = self.clone();
        tokio::spawn(async move {
            for entry in old {
                engine.remove_checkout_named(&entry.name.to_string_lossy()).await;
            }
        });
    }

    async fn remove_checkout_named(&self, name: &str) {
        while !self.shutdown.is_cancelled() {
            let (directory, name) = (self.parts.node.checkouts(), name.to_owned());
            let removed = self.blocking(move || {
                let root = RootDir::open(&directory)?;
                Ok(root.remove_all(&name, Instant::now() + REMOVAL_SLICE)?)
            });
            match removed.await {
                Ok(Removal::Done) => return,
                Ok(Removal::Unfinished) => {}
                Err(error) => {
                    tracing::warn!(%error, "a checkout is left until the next start");
                    return;
                }
            }
        }
    }
}
