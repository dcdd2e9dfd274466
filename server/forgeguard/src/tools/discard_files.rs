//! `discard_files`: undoes changes outside the phase's scope.

use std::time::Duration;

use async_trait::async_trait;
use domain::{
    event::agents::{FileChanged, FileOperation},
    failure::ErrorClass,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{
    context::ToolContext,
    error::ToolError,
    input, stray_files,
    tool::{Effect, Tool, ToolReply},
    tool_name::ToolName,
    worktree::Worktree,
    worktree_error::WorktreeError,
};
use crate::threads;

const DISCARD_TIMEOUT: Duration = Duration::from_secs(120);

pub struct DiscardFiles;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// Default: all.
    #[serde(default)]
    paths: Option<Vec<String>>,
}

#[async_trait]
impl Tool for DiscardFiles {
    fn name(&self) -> ToolName {
        ToolName::DiscardFiles
    }

    fn description(&self) -> &'static str {
        "Undoes changes outside the scope: deletes new files, restores others."
    }

    fn effect(&self) -> Effect {
        Effect::Write
    }

    fn schema(&self) -> Value {
        input::schema::<Params>()
    }

    // Nothing is asked: what the scope gate rejects is only set back to what the phase began with.
    async fn call(&self, ctx: &ToolContext, input: Value) -> Result<ToolReply, ToolError> {
        let Params { paths } = input::read(input)?;
        let stray = stray_files::list(ctx).await?;
        let mut wanted = Vec::new();
        for path in paths.as_ref().unwrap_or(&stray) {
            let path = Worktree::file_path(path)?.to_string();
            if !stray.contains(&path) {
                return Ok(ToolReply::failed(format!(
                    "`{path}` is not a changed file outside the scope of this phase. Nothing was \
                     discarded."
                )));
            }
            wanted.push(path);
        }
        let (tree, changes, run_id) = (ctx.worktree.clone(), ctx.changes.clone(), ctx.run_id);
        let discarded = threads::run(DISCARD_TIMEOUT, move || {
            let mut events = Vec::new();
            for path in wanted {
                let broken = |reason| ToolError::broken(ErrorClass::Resource, reason);
                let place = Worktree::file_path(&path)?;
                let operation = match changes.original(&path).map_err(broken)? {
                    Some(content) => {
                        tree.write(&place, &content)?;
                        FileOperation::Modified
                    }
                    None => match tree.remove(&place) {
                        Ok(()) | Err(WorktreeError::NotFound(_)) => FileOperation::Deleted,
                        Err(error) => return Err(error.into()),
                    },
                };
                events.push(FileChanged { run_id, path, operation, insertions: 0, deletions: 0 });
            }
            Ok::<_, ToolError>(events)
        });
        let broken = |reason| ToolError::broken(ErrorClass::Resource, reason);
        let events = discarded.await.map_err(|error| broken(error.to_string()))??;
        if events.is_empty() {
            return Ok(ToolReply::done("No file outside the scope has changed."));
        }
        let lines = events.iter().map(|change| match change.operation {
            FileOperation::Deleted => format!("deleted `{}`", change.path),
            _ => format!("restored `{}`", change.path),
        });
        let text = lines.collect::<Vec<_>>().join("\n");
        Ok(ToolReply::done(text).with_events(events.into_iter().map(Into::into)))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::tools::fixture::{ChangedFiles, Fixture};
    use serde_json::json;

    async fn with_stray_files() -> Fixture {
        let mut fixture = Fixture::new().await;
        let state = Arc::make_mut(&mut fixture.ctx.state);
        state.phases[0].outline.scope = vec!["src/**".into()];
        for path in ["src/a.js", "out.log", "README.md"] {
            fixture.file(path, "changed");
        }
        fixture.ctx.changes = Arc::new(ChangedFiles(vec!["src/a.js", "out.log", "README.md"]));
        fixture
    }

    #[tokio::test]
    async fn all_changes_outside_the_scope_are_undone() {
        let fixture = with_stray_files().await;
        let note = stray_files::note(&fixture.ctx).await.unwrap();
        assert!(note.contains("2 files outside the scope were"), "{note}");
        assert!(note.contains("out.log, README.md"), "{note}");
        let done = fixture.done(&DiscardFiles, json!({})).await;
        assert_eq!(done.output, "deleted `out.log`\nrestored `README.md`");
        assert_eq!(done.events.len(), 2);
        assert!(!fixture.root().join("out.log").exists());
        assert_eq!(fixture.read("README.md"), "the original of README.md");
        assert_eq!(fixture.read("src/a.js"), "changed");
    }

    #[tokio::test]
    async fn files_within_the_scope_are_kept() {
        let mut fixture = with_stray_files().await;
        let both = json!({"paths": ["out.log", "src/a.js"]});
        let said = fixture.refused(&DiscardFiles, both).await;
        assert!(said.contains("`src/a.js`") && said.contains("Nothing was"), "{said}");
        assert!(fixture.root().join("out.log").exists());
        Arc::make_mut(&mut fixture.ctx.state).phases[0].outline.scope = Vec::new();
        assert_eq!(stray_files::note(&fixture.ctx).await.unwrap(), "");
        let none = fixture.ok(&DiscardFiles, json!({})).await;
        assert!(none.contains("No file"), "{none}");
    }
}
