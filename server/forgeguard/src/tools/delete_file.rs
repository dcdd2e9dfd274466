//! `delete_file`: deletes a file.

use async_trait::async_trait;
use domain::{
    event::agents::{FileChanged, FileOperation},
    permission::Permission,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{
    context::ToolContext,
    error::ToolError,
    input,
    line_changes::{MAX_COUNTED, line_changes},
    tool::{Effect, Tool, ToolReply},
    tool_name::ToolName,
    worktree::Worktree,
    worktree_error::WorktreeError,
};

pub struct DeleteFile;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    path: String,
}

#[async_trait]
impl Tool for DeleteFile {
    fn name(&self) -> ToolName {
        ToolName::DeleteFile
    }

    fn description(&self) -> &'static str {
        "Deletes a file."
    }

    fn effect(&self) -> Effect {
        Effect::Write
    }

    fn schema(&self) -> Value {
        input::schema::<Params>()
    }

    fn needs(&self, _: &ToolContext, input: &Value) -> Option<(Permission, String)> {
        let params: Params = input::read(input.clone()).ok()?;
        Some((Permission::Edit, Worktree::path(&params.path).ok()?.to_string()))
    }

    async fn call(&self, ctx: &ToolContext, input: Value) -> Result<ToolReply, ToolError> {
        let params: Params = input::read(input)?;
        let (run_id, resumed) = (ctx.run_id, ctx.resumed);
        ctx.on_files(move |tree| {
            let path = Worktree::file_path(&params.path)?;
            // Only for counting lines: a link or a large file is deleted too.
            let before = tree.read(&path, MAX_COUNTED).unwrap_or_default();
            match tree.remove(&path) {
                Err(WorktreeError::NotFound(_)) if resumed => {
                    let done = format!("`{path}` was already deleted before a restart.");
                    return Ok(ToolReply::done(done));
                }
                removed => removed?,
            }
            let (insertions, deletions) = line_changes(&before, &[]);
            let (path, operation) = (path.to_string(), FileOperation::Deleted);
            let text = format!("Deleted `{path}`.");
            let change = FileChanged { run_id, path, operation, insertions, deletions };
            Ok(ToolReply::done(text).with_events([change.into()]))
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::fixture::Fixture;
    use domain::event::EventBody;
    use serde_json::json;

    #[tokio::test]
    async fn file_is_deleted_and_recorded() {
        let mut fixture = Fixture::new().await;
        fixture.file("src/a.js", "a\nb\n");
        let input = || json!({"path": "src/a.js"});
        let done = fixture.done(&DeleteFile, input()).await;
        let [EventBody::BuildFileChanged(change)] = done.events.as_slice() else { panic!() };
        assert_eq!((change.operation, change.deletions), (FileOperation::Deleted, 2));
        assert!(!fixture.root().join("src/a.js").exists());
        fixture.ctx.resumed = true;
        let again = fixture.done(&DeleteFile, input()).await;
        assert!(again.ok && again.events.is_empty(), "{}", again.output);
    }

    #[tokio::test]
    async fn link_is_deleted_and_its_target_is_kept() {
        let fixture = Fixture::new().await;
        fixture.file("a", "a");
        std::os::unix::fs::symlink("a", fixture.root().join("link")).unwrap();
        fixture.ok(&DeleteFile, json!({"path": "link"})).await;
        assert_eq!(fixture.read("a"), "a");
    }

    #[tokio::test]
    async fn missing_files_folders_and_paths_outside_are_rejected() {
        let fixture = Fixture::new().await;
        fixture.file("src/a.js", "a");
        for (path, expected) in [
            ("none", "does not exist"),
            ("none/a", "`none/a` does not exist"),
            ("src", "is not a file"),
            ("../a", "`..`"),
            (".git/config", "off limits"),
        ] {
            let said = fixture.refused(&DeleteFile, json!({"path": path})).await;
            assert!(said.contains(expected), "{path}: {said}");
        }
        assert_eq!(fixture.read("src/a.js"), "a");
    }
}
