//! `move_file`: moves or renames a file.

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

pub struct MoveFile;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    from: String,
    to: String,
}

#[async_trait]
impl Tool for MoveFile {
    fn name(&self) -> ToolName {
        ToolName::MoveFile
    }

    fn description(&self) -> &'static str {
        "Moves or renames a file. Nothing is overwritten."
    }

    fn effect(&self) -> Effect {
        Effect::Write
    }

    fn schema(&self) -> Value {
        input::schema::<Params>()
    }

    fn needs(&self, _: &ToolContext, input: &Value) -> Option<(Permission, String)> {
        let params: Params = input::read(input.clone()).ok()?;
        Some((Permission::Edit, Worktree::path(&params.from).ok()?.to_string()))
    }

    fn also_changes(&self, input: &Value) -> Option<String> {
        let params: Params = input::read(input.clone()).ok()?;
        Some(Worktree::path(&params.to).ok()?.to_string())
    }

    async fn call(&self, ctx: &ToolContext, input: Value) -> Result<ToolReply, ToolError> {
        let params: Params = input::read(input)?;
        let (run_id, resumed) = (ctx.run_id, ctx.resumed);
        ctx.on_files(move |tree| {
            let from = Worktree::file_path(&params.from)?;
            let to = Worktree::file_path(&params.to)?;
            match tree.rename(&from, &to) {
                Err(WorktreeError::NotFound(_)) if resumed && tree.kind(&to).is_ok() => {
                    let done = format!("`{from}` was already moved before a restart.");
                    return Ok(ToolReply::done(done));
                }
                moved => moved?,
            }
            // Only for counting lines: a link or a large file is moved too.
            let content = tree.read(&to, MAX_COUNTED).unwrap_or_default();
            let (lines, _) = line_changes(&[], &content);
            let change = |path: String, operation, insertions, deletions| {
                FileChanged { run_id, path, operation, insertions, deletions }.into()
            };
            Ok(ToolReply::done(format!("Moved `{from}` to `{to}`.")).with_events([
                change(from.to_string(), FileOperation::Deleted, 0, lines),
                change(to.to_string(), FileOperation::Created, lines, 0),
            ]))
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
    async fn file_is_moved_and_recorded_as_two_changes() {
        let mut fixture = Fixture::new().await;
        fixture.file("a.js", "a\nb\n");
        let input = || json!({"from": "a.js", "to": "src/new/b.js"});
        let done = fixture.done(&MoveFile, input()).await;
        let changes: Vec<_> = done
            .events
            .iter()
            .map(|event| match event {
                EventBody::BuildFileChanged(it) => {
                    (it.path.as_str(), it.operation, it.insertions, it.deletions)
                }
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(
            changes,
            [
                ("a.js", FileOperation::Deleted, 0, 2),
                ("src/new/b.js", FileOperation::Created, 2, 0)
            ]
        );
        assert_eq!(fixture.read("src/new/b.js"), "a\nb\n");
        fixture.ctx.resumed = true;
        let again = fixture.done(&MoveFile, input()).await;
        assert!(again.ok && again.events.is_empty(), "{}", again.output);
    }

    #[tokio::test]
    async fn nothing_is_overwritten_and_nothing_leaves_the_worktree() {
        let fixture = Fixture::new().await;
        fixture.file("a", "a");
        fixture.file("b", "b");
        for (from, to, expected) in [
            ("a", "b", "exists already"),
            ("none", "c", "does not exist"),
            ("a", "../c", "`..`"),
            ("a", ".git/hooks/x", "off limits"),
            ("a", "b/c", "is not a folder"),
        ] {
            let said = fixture.refused(&MoveFile, json!({"from": from, "to": to})).await;
            assert!(said.contains(expected), "{from} {to}: {said}");
        }
        assert_eq!((fixture.read("a"), fixture.read("b")), ("a".into(), "b".into()));
    }
}
