//! The gates of a build that continues after a pause or a block: those that its project has then.

use domain::{
    event::{
        EventBody,
        gates::GatesChanged,
        life::{Actor, Interjected, Unpaused},
    },
    gate::{GateChange, GateDefinition, GateDetection},
    ids::BuildId,
    state::{BuildState, Status},
};

use super::{
    branch, driver::Driver, error::EngineError, handle::Engine, settings::ProjectSettings,
};
use crate::store::{self, projects::Project};

/// The project's gates, and how they were detected.
type Gates = (Vec<GateDefinition>, Option<GateDetection>);

impl Engine {
    /// What changes about the gates of a paused or blocked build when it is resumed; nothing for
    /// other builds.
    pub async fn gate_changes(
        &self,
        project: &Project,
        build: BuildId,
    ) -> Result<Vec<GateChange>, EngineError> {
        let state = self.journal().state(build).await?;
        if !matches!(state.status, Status::Paused | Status::Blocked) {
            return Ok(Vec::new());
        }
        let (gates, detection) = self.gates_to_resume_with(project, &state).await?;
        Ok(state.gate_changes(&gates, detection.as_ref()))
    }

    async fn gates_to_resume_with(
        &self,
        project: &Project,
        state: &BuildState,
    ) -> Result<Gates, EngineError> {
        let settings = ProjectSettings::read(&project.settings)?;
        let queued = &state.queued;
        let baseline = match (&state.branch, &queued.follows, &queued.baseline_branch) {
            (Some(_), ..) => Some(branch::baseline(state)?),
            (None, Some(follows), _) => {
                Some(follows.head_sha.parse().map_err(git::GitError::from)?)
            }
            (None, None, Some(name)) => Some(self.baseline_sha(project, name).await?),
            (None, None, None) => None,
        };
        self.gates(project, &settings, baseline).await
    }
}

impl Driver {
    /// Lets the build continue with the gates that its project has now. The timeouts of open questions
    /// continue where the pause stopped them.
    pub(super) async fn unpause(&self, state: &BuildState, by: Actor) -> Result<(), EngineError> {
        let mut conn = self.engine.db().read().await?;
        let build = store::builds::get(&mut conn, self.build()).await?;
        let build = build.ok_or(EngineError::NotFound("build"))?;
        let project = store::projects::get(&mut conn, build.project_id).await?;
        drop(conn);
        let gates = match project {
            Some(project) => Some(self.engine.gates_to_resume_with(&project, state).await?),
            // It is being deleted.
            None => None,
        };
        let derive = move |state: &BuildState| {
            let mut events: Vec<EventBody> = Vec::new();
            let changed = gates.and_then(|gates| changed(state, gates, by.clone()));
            let message = changed.as_ref().map(|changed| message(&changed.changes));
            events.extend(changed.map(EventBody::from));
            let question_expiries = state.expiries_after_pause(store::now());
            events.push(Unpaused { by, question_expiries, question_expires_at: None }.into());
            let message = message.filter(|_| state.has_begun() && state.phase().is_some());
            events.extend(message.map(|text| Interjected { by: Actor::Forge, text }.into()));
            events
        };
        self.append_with(derive).await.map(drop)
    }
}

fn changed(state: &BuildState, (gates, detection): Gates, by: Actor) -> Option<GatesChanged> {
    let changes = state.gate_changes(&gates, detection.as_ref());
    let detection = detection.map(Box::new);
    (!changes.is_empty()).then_some(GatesChanged { by, gates, detection, changes })
}

/// The message to the agents.
fn message(changes: &[GateChange]) -> String {
    let lines = changes.iter().map(|change| {
        let name = &change.gate;
        match (&change.before, &change.after) {
            (_, None) => format!("- {name} was removed"),
            (None, Some(gate)) => format!("- {name} was added: `{}`", gate.command),
            (Some(before), Some(gate)) if before.command != gate.command => {
                format!("- {name} now runs `{}`", gate.command)
            }
            (Some(_), Some(_)) => format!("- the settings of {name} were changed"),
        }
    });
    let lines: Vec<String> = lines.collect();
    format!("The project's gates were changed while the build waited:\n{}", lines.join("\n"))
}
