//! What a build starts from, where a user has chosen it: branch, first phase, contracts and models.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use domain::{
    event::{
        agents::Role,
        life::{FirstPhase, Origin},
    },
    executor::{Executor, PhaseExecutor},
    ids::SnapshotId,
    phases::PhaseOutline,
    validation::ValidationError,
};
use git::{HostedRepository, Sha};

use super::{error::EngineError, handle::Engine};
use crate::store::{
    Conn,
    builds::{self, Build},
    contracts::{self, Contract},
    projects::Project,
};

const BUILD_BRANCH_PREFIX: &str = "forge/";

/// `None` or empty: the default.
#[derive(Clone, Debug, Default)]
pub struct StartChoices {
    /// The branch that the build starts from.
    pub baseline_branch: Option<String>,
    pub first_phase: Option<FirstPhase>,
    /// The snapshot of an earlier build, instead of the current contracts.
    pub snapshot: Option<SnapshotId>,
    /// Models for this build only.
    pub models: BTreeMap<Role, String>,
    /// What performs the coder's work; `None`: as the project's settings say.
    pub executor: Option<Executor>,
    /// What performs it in single phases instead.
    pub phase_executors: Vec<PhaseExecutor>,
}

/// A branch that a build can start from.
pub struct BaselineBranch {
    pub name: String,
    pub sha: Sha,
    pub is_default: bool,
    /// The sealed build whose branch it is.
    pub build: Option<Build>,
}

impl Engine {
    /// The branches that a build can start from: the default one first, then users' branches and those
    /// of sealed builds, newest first.
    pub async fn baseline_branches(
        &self,
        project: &Project,
    ) -> Result<Vec<BaselineBranch>, EngineError> {
        let path = self.paths().hosted(project.id);
        let found = self.blocking(move || Ok(HostedRepository::open(&path)?.branches()?)).await?;
        let sealed = builds::list_sealed(&mut self.db().read().await?, project.id).await?;
        let (of_builds, mut others): (Vec<_>, Vec<_>) =
            found.into_iter().partition(|(name, _)| name.starts_with(BUILD_BRANCH_PREFIX));
        others.sort_by_key(|(name, _)| *name != project.default_branch);
        let mut branches: Vec<BaselineBranch> = others
            .into_iter()
            .map(|(name, sha)| {
                let is_default = name == project.default_branch;
                BaselineBranch { name, sha, is_default, build: None }
            })
            .collect();
        branches.extend(sealed.into_iter().filter_map(|build| {
            let (name, sha) =
                of_builds.iter().find(|(name, _)| Some(name) == build.branch.as_ref())?;
            let (name, sha) = (name.clone(), *sha);
            Some(BaselineBranch { name, sha, is_default: false, build: Some(build) })
        }));
        Ok(branches)
    }

    /// The commit of the chosen branch.
    pub(super) async fn baseline_sha(
        &self,
        project: &Project,
        branch: &str,
    ) -> Result<Sha, EngineError> {
        let branches = self.baseline_branches(project).await?;
        let found = branches.into_iter().find(|found| found.name == branch);
        let found = found.ok_or_else(|| {
            invalid(
                "baseline_branch",
                "choose a branch with at least one commit: the default branch, a pushed one, or \
                 that of a sealed build",
            )
        })?;
        Ok(found.sha)
    }

    /// Rejects models that this node cannot use.
    pub(super) async fn check_own_models(
        &self,
        project: &Project,
        own: &BTreeMap<Role, String>,
    ) -> Result<(), EngineError> {
        let source = self.model_source().await?;
        for (role, name) in own {
            let obstacle = match project.origin {
                Origin::Demo => Some("the demo project plays a recorded build".to_owned()),
                Origin::Questionnaire => source.obstacle(*role, name),
            };
            if let Some(reason) = obstacle {
                return Err(invalid(&format!("models.{}", role.name()), &reason));
            }
        }
        Ok(())
    }
}

/// The contracts of an earlier build, and when they were pinned.
pub(super) async fn pinned_contracts(
    conn: &mut Conn,
    project: &Project,
    snapshot: SnapshotId,
) -> Result<(Vec<Contract>, DateTime<Utc>), EngineError> {
    let pinned_at = contracts::frozen_at(conn, project.id, snapshot).await?;
    let pinned_at = pinned_at
        .ok_or_else(|| invalid("snapshot", "choose a snapshot of one of the project's builds"))?;
    Ok((contracts::list_frozen(conn, snapshot).await?, pinned_at))
}

/// Rejects a first phase that the contract does not have.
pub(super) fn check_first_phase(
    first: Option<&FirstPhase>,
    phases: &[PhaseOutline],
) -> Result<(), EngineError> {
    let last = phases.last().map_or(0, |phase| phase.number);
    match first {
        Some(first) if first.number > last => {
            let reason = format!("the last phase of the contract is phase {last}");
            Err(invalid("first_phase", &reason))
        }
        _ => Ok(()),
    }
}

/// Rejects executors for phases that are not built, and two for the same one.
pub(super) fn check_phase_executors(
    chosen: &[PhaseExecutor],
    first: Option<&FirstPhase>,
    phases: &[PhaseOutline],
) -> Result<(), EngineError> {
    let built = phases.iter().map(|phase| phase.number);
    let mut open: BTreeSet<u32> =
        built.filter(|number| *number >= first.map_or(0, |first| first.number)).collect();
    match chosen.iter().find(|own| !open.remove(&own.phase)) {
        Some(PhaseExecutor { phase, .. }) => {
            let reason =
                format!("phase {phase} is not one of the phases that are built, or is named twice");
            Err(invalid("phase_executors", &reason))
        }
        None => Ok(()),
    }
}

fn invalid(field: &str, reason: &str) -> EngineError {
    EngineError::InvalidStart(ValidationError::new(field, reason))
}
