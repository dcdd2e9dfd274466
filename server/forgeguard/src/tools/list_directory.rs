//! `list_directory`: lists a folder.

use async_trait::async_trait;
use domain::permission::Permission;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{
    context::ToolContext,
    error::ToolError,
    input,
    tool::{Effect, Tool, ToolReply},
    tool_name::ToolName,
    walk::walk,
    worktree::{Kind, Worktree},
    worktree_error::WorktreeError,
};

/// Entries per page.
const PAGE: usize = 500;
/// Levels, by default.
const DEPTH: usize = 2;
const MAX_DEPTH: usize = 10;

pub struct ListDirectory;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// Default: the root.
    #[serde(default)]
    path: Option<String>,
    /// 1 to 10 levels. Default: 2.
    #[serde(default)]
    depth: Option<usize>,
    /// Entries to skip.
    #[serde(default)]
    offset: Option<usize>,
}

#[async_trait]
impl Tool for ListDirectory {
    fn name(&self) -> ToolName {
        ToolName::ListDirectory
    }

    fn description(&self) -> &'static str {
        "Lists folders and files with their sizes, without those in .gitignore."
    }

    fn effect(&self) -> Effect {
        Effect::Read
    }

    fn schema(&self) -> Value {
        input::schema::<Params>()
    }

    fn needs(&self, _: &ToolContext, input: &Value) -> Option<(Permission, String)> {
        let params: Params = input::read(input.clone()).ok()?;
        Some((
            Permission::Read,
            Worktree::path(params.path.as_deref().unwrap_or("")).ok()?.to_string(),
        ))
    }

    async fn call(&self, ctx: &ToolContext, input: Value) -> Result<ToolReply, ToolError> {
        let params: Params = input::read(input)?;
        ctx.on_files(move |tree| list(tree, &params)).await
    }
}

fn list(tree: &Worktree, params: &Params) -> Result<ToolReply, ToolError> {
    let start = Worktree::path(params.path.as_deref().unwrap_or(""))?;
    if tree.kind(&start)? != Kind::Directory {
        return Err(WorktreeError::NotADirectory(start).into());
    }
    let depth = params.depth.unwrap_or(DEPTH).clamp(1, MAX_DEPTH);
    let skipped = params.offset.unwrap_or(0);
    let mut rows = String::new();
    let mut shown = 0;
    for path in walk(tree, &start, Some(depth)).skip(skipped) {
        if shown == PAGE {
            let next = skipped + shown;
            rows.push_str(&format!("[more entries; continue with offset {next}]"));
            return Ok(ToolReply::done(rows));
        }
        let row = match tree.kind(&path) {
            Ok(Kind::File(bytes)) => format!("{path} ({bytes} bytes)\n"),
            Ok(Kind::Directory) => format!("{path}/\n"),
            Ok(Kind::Link)
            | Err(
                WorktreeError::LeadsOut(_)
                | WorktreeError::NotFound(_)
                | WorktreeError::Forbidden { .. },
            ) => {
                format!("{path} (link)\n")
            }
            Ok(Kind::Other) => format!("{path} (not a file)\n"),
            Err(_) => continue,
        };
        rows.push_str(&row);
        shown += 1;
    }
    let nothing = match skipped {
        0 => "(nothing is here, or all of it is ignored)",
        _ => "(there are no more entries)",
    };
    Ok(ToolReply::done(if rows.is_empty() { nothing.to_owned() } else { rows }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::fixture::Fixture;
    use serde_json::json;

    #[tokio::test]
    async fn lists_what_is_not_ignored() {
        let fixture = Fixture::new().await;
        fixture.file("src/a.js", "abc");
        fixture.file("src/deep/down/b.js", "");
        fixture.file("node_modules/x/index.js", "");
        fixture.file(".gitignore", "node_modules\n");
        let list = |input| fixture.ok(&ListDirectory, input);
        assert_eq!(
            list(json!({})).await,
            ".gitignore (13 bytes)\nsrc/\nsrc/a.js (3 bytes)\nsrc/deep/\n"
        );
        assert_eq!(
            list(json!({"path": "src", "depth": 1})).await,
            "src/a.js (3 bytes)\nsrc/deep/\n"
        );
        assert!(list(json!({"depth": 9})).await.contains("src/deep/down/b.js"));
        assert!(list(json!({"path": "node_modules"})).await.contains("ignored"));
    }

    #[tokio::test]
    async fn long_list_is_paginated() {
        let fixture = Fixture::new().await;
        for n in 0..(PAGE + 3) {
            fixture.file(&format!("f{n:04}"), "");
        }
        let first = fixture.ok(&ListDirectory, json!({})).await;
        assert!(first.ends_with("[more entries; continue with offset 500]"), "{first}");
        let second = fixture.ok(&ListDirectory, json!({"offset": 500})).await;
        assert_eq!(second.lines().count(), 3);
        assert_eq!(
            fixture.ok(&ListDirectory, json!({"offset": 999})).await,
            "(there are no more entries)"
        );
    }

    #[tokio::test]
    async fn path_that_is_not_a_folder_is_rejected() {
        let fixture = Fixture::new().await;
        fixture.file("a.txt", "");
        std::os::unix::fs::symlink("/etc", fixture.root().join("etc")).unwrap();
        for (path, expected) in
            [("a.txt", "not a folder"), ("../", "`..`"), ("/", "relative"), ("etc", "leads out")]
        {
            let said = fixture.refused(&ListDirectory, json!({"path": path})).await;
            assert!(said.contains(expected), "{path}: {said}");
        }
        assert!(fixture.ok(&ListDirectory, json!({})).await.contains("etc (link)"));
    }
}
