//! Home directories of external agents on this node. That of a build is removed when the build ends, or at
//! the next start of the node if it has ended elsewhere.

use std::path::Path;

use domain::ids::BuildId;
use rootdir::RootDir;

use super::{error::EngineError, handle::Engine};
use crate::{agent::AgentHome, store::builds};

impl Engine {
    /// The home directory of a build's external agent on this node.
    pub(super) fn agent_home(&self, build: BuildId) -> AgentHome {
        AgentHome::new(self.parts.node.agent_homes().join(build.to_string()))
    }

    /// Removes the home directory of a build's external agent, if it has one on this node.
    pub(super) async fn remove_agent_home(&self, build: BuildId) {
        let home = self.agent_home(build);
        if let Err(error) = self.blocking(move || Ok(home.remove()?)).await {
            tracing::warn!(build_id = %build, %error, "an agent's home directory is left until the next start");
        }
    }

    /// Removes the home directories of builds that have ended, in the background.
    pub(super) async fn remove_old_agent_homes(&self) {
        let directory = self.parts.node.agent_homes();
        let listed = self.blocking(move || Ok(builds_in(&directory)?)).await;
        let found = listed.unwrap_or_else(|error| {
            tracing::warn!(%error, "home directories of agents cannot be listed");
            Vec::new()
        });
        let engine = self.clone();
        tokio::spawn(async move {
            for build in found {
                match engine.has_ended(build).await {
                    Ok(true) => engine.remove_agent_home(build).await,
                    Ok(false) => {}
                    Err(error) => {
                        tracing::warn!(build_id = %build, %error, "a build cannot be read")
                    }
                }
            }
        });
    }

    async fn has_ended(&self, build: BuildId) -> Result<bool, EngineError> {
        let row = builds::get(&mut self.db().read().await?, build).await?;
        Ok(row.is_none_or(|row| row.status.is_final()))
    }
}

fn builds_in(directory: &Path) -> std::io::Result<Vec<BuildId>> {
    let entries = RootDir::open(directory)?.read_dir("")?;
    Ok(entries.iter().filter_map(|entry| entry.name.to_str()?.parse().ok()).collect())
}
