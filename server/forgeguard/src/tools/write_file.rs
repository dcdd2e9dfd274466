//! `write_file`: creates or replaces a file.

use async_trait::async_trait;
use domain::event::agents::{FileChanged, FileOperation};
use domain::permission::Permission;
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

/// Size limit of a written file, in bytes.
const MAX_FILE: usize = 2 * 1024 * 1024;

pub struct WriteFile;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    path: String,
    content: String,
}

#[async_trait]
impl Tool for WriteFile {
    fn name(&self) -> ToolName {
        ToolName::WriteFile
    }

    fn description(&self) -> &'static str {
        "Creates or replaces a file, with missing folders."
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
        let run_id = ctx.run_id;
        ctx.on_files(move |tree| {
            let path = Worktree::file_path(&params.path)?;
            let content = params.content.as_bytes();
            if content.len() > MAX_FILE {
                let reason = format!("a file can have at most {MAX_FILE} bytes");
                return Ok(ToolReply::failed(reason));
            }
            let before = match tree.read_if_there(&path, MAX_COUNTED) {
                // It can be replaced without counting its lines.
                Err(WorktreeError::TooLarge { .. }) => Some(Vec::new()),
                before => before?,
            };
            let lines = params.content.lines().count();
            if before.as_deref() == Some(content) && !content.is_empty() {
                let same = format!("`{path}` has this content already ({lines} lines).");
                return Ok(ToolReply::done(same));
            }
            tree.write(&path, content)?;
            let operation = match before {
                Some(_) => FileOperation::Modified,
                None => FileOperation::Created,
            };
            let word = if before.is_some() { "Replaced" } else { "Created" };
            let (insertions, deletions) = line_changes(&before.unwrap_or_default(), content);
            let change =
                FileChanged { run_id, path: path.to_string(), operation, insertions, deletions };
            Ok(ToolReply::done(format!("{word} `{path}` ({lines} lines)."))
                .with_events([change.into()]))
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

    fn change(events: &[EventBody]) -> (&str, FileOperation, u32, u32) {
        let [EventBody::BuildFileChanged(change)] = events else { panic!("{events:?}") };
        (&change.path, change.operation, change.insertions, change.deletions)
    }

    #[tokio::test]
    async fn write_counts_changed_lines() {
        let fixture = Fixture::new().await;
        let input = |content| json!({"path": "./src/new/a.js", "content": content});
        let created = fixture.done(&WriteFile, input("a\nb\n")).await;
        assert_eq!(change(&created.events), ("src/new/a.js", FileOperation::Created, 2, 0));
        let replaced = fixture.done(&WriteFile, input("a\nc\nd\n")).await;
        assert_eq!(change(&replaced.events), ("src/new/a.js", FileOperation::Modified, 2, 1));
        assert_eq!(fixture.read("src/new/a.js"), "a\nc\nd\n");
        let again = fixture.done(&WriteFile, input("a\nc\nd\n")).await;
        assert!(again.ok && again.events.is_empty() && again.output.contains("already"));
    }

    #[tokio::test]
    async fn paths_outside_and_oversized_files_are_rejected() {
        let fixture = Fixture::new().await;
        let large = "x".repeat(MAX_FILE + 1);
        for (path, content, expected) in [
            ("../a", "", "`..`"),
            (".GIT/hooks/pre-commit", "", "off limits"),
            ("", "", "must name a file"),
            ("a", large.as_str(), "at most"),
        ] {
            let said = fixture.refused(&WriteFile, json!({"path": path, "content": content})).await;
            assert!(said.contains(expected), "{path}: {said}");
        }
        assert_eq!(std::fs::read_dir(fixture.root()).unwrap().count(), 0);
    }
}
