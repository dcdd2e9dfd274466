//! The copy of the phase's files in which an auditor runs commands. It is made for the first command
//! and discarded with the run, so that nothing that a command writes is ever committed.

use async_trait::async_trait;
use git::Sha;
use tokio::sync::OnceCell;

use super::{branch::Workspace, checkouts::Checkout, handle::Engine};
use crate::tools::{Commands, ScratchCopy};

pub struct AuditCopy {
    pub engine: Engine,
    pub workspace: Workspace,
    /// The branch's head.
    pub head: Sha,
    /// Commands in the worktree, whose policy applies to the copy too.
    pub commands: Commands,
    pub checkout: OnceCell<Checkout>,
}

#[async_trait]
impl ScratchCopy for AuditCopy {
    async fn commands(&self) -> Result<Commands, String> {
        let Workspace { clone, worktree, .. } = self.workspace.clone();
        let check_out = || self.engine.check_out_candidate(clone, self.head, worktree);
        let checkout = self.checkout.get_or_try_init(check_out).await;
        let Checkout { path, pointer, .. } = checkout.map_err(|error| error.to_string())?;
        Ok(self.commands.clone().in_directory(path, pointer.clone()))
    }
}

impl Drop for AuditCopy {
    fn drop(&mut self) {
        if let Some(checkout) = self.checkout.take() {
            self.engine.remove_checkout(checkout);
        }
    }
}
