//! `git_diff`: returns what the phase has changed so far.

use std::time::Duration;

use async_trait::async_trait;
use domain::{failure::ErrorClass, permission::Permission};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{
    context::ToolContext,
    error::ToolError,
    input, permit,
    tool::{Effect, Tool, ToolReply},
    tool_name::ToolName,
    worktree::Worktree,
};
use crate::{text, threads};

/// Size limit of a diff over all pages, in bytes.
const MAX_DIFF: usize = 1024 * 1024;
const DIFF_TIMEOUT: Duration = Duration::from_secs(120);

pub struct GitDiff;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// Default: all.
    #[serde(default)]
    path: Option<String>,
    /// Bytes to skip.
    #[serde(default)]
    offset: Option<usize>,
}

#[async_trait]
impl Tool for GitDiff {
    fn name(&self) -> ToolName {
        ToolName::GitDiff
    }

    fn description(&self) -> &'static str {
        "Shows what this phase has changed so far."
    }

    fn effect(&self) -> Effect {
        Effect::Read
    }

    fn schema(&self) -> Value {
        input::schema::<Params>()
    }

    fn needs(&self, _: &ToolContext, input: &Value) -> Option<(Permission, String)> {
        let params: Params = input::read(input.clone()).ok()?;
        let path = Worktree::path(params.path.as_deref().unwrap_or("")).ok()?;
        Some((Permission::Read, path.to_string()))
    }

    async fn call(&self, ctx: &ToolContext, input: Value) -> Result<ToolReply, ToolError> {
        let Params { path, offset } = input::read(input)?;
        let wanted = Worktree::path(path.as_deref().unwrap_or(""))?;
        let (changes, tree) = (ctx.changes.clone(), ctx.worktree.clone());
        let readable = permit::readable(ctx);
        let shown = threads::run(DIFF_TIMEOUT, move || {
            let below = format!("{wanted}/");
            let is_wanted = |path: &String| {
                wanted.as_str().is_empty() || path == wanted.as_str() || path.starts_with(&below)
            };
            // Names that are no valid paths for tools cannot be checked against the rules.
            let may_read =
                |path: &String| Worktree::path(path).is_ok_and(|path| readable(&tree, &path));
            let (paths, kept_back): (Vec<String>, Vec<String>) =
                changes.paths()?.into_iter().filter(is_wanted).partition(may_read);
            let mut text = changes.diff(&paths, MAX_DIFF)?;
            if !kept_back.is_empty() {
                let count = kept_back.len();
                text.push_str(&format!(
                    "[{count} files omitted: the project's rules do not allow reading them]\n"
                ));
            }
            Ok::<_, String>(text)
        });
        let diff = match shown.await {
            Ok(Ok(diff)) => diff,
            Ok(Err(reason)) => return Err(ToolError::broken(ErrorClass::Resource, reason)),
            Err(error) => return Err(ToolError::broken(ErrorClass::Resource, error.to_string())),
        };
        if diff.is_empty() {
            return Ok(ToolReply::done("Nothing has changed."));
        }
        Ok(match text::page(&diff, offset.unwrap_or(0)) {
            Some(page) => ToolReply::done(page),
            None => ToolReply::failed(text::no_such_page(&diff)),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::tools::fixture::{ChangedFiles, Fixture};
    use domain::permission::Rule;
    use serde_json::json;

    #[tokio::test]
    async fn changes_of_the_phase_are_shown_for_all_files_or_one_path() {
        let mut fixture = Fixture::new().await;
        let none = fixture.ok(&GitDiff, json!({})).await;
        assert_eq!(none, "Nothing has changed.");
        let paths = vec!["src/a.js", "src/b.js", "srcs.js"];
        fixture.ctx.changes = Arc::new(ChangedFiles(paths));
        for (input, expected) in [
            (json!({}), "--- src/a.js\n--- src/b.js\n--- srcs.js\n"),
            (json!({"path": "src"}), "--- src/a.js\n--- src/b.js\n"),
            (json!({"path": "src/b.js"}), "--- src/b.js\n"),
            (json!({"path": "docs"}), "Nothing has changed."),
            (json!({"path": "src/b.js", "offset": 4}), "src/b.js\n"),
        ] {
            assert_eq!(fixture.ok(&GitDiff, input.clone()).await, expected, "{input}");
        }
        let past = fixture.refused(&GitDiff, json!({"offset": 900})).await;
        assert!(past.contains("`offset`"), "{past}");
    }

    #[tokio::test]
    async fn files_that_may_not_be_read_are_omitted() {
        let mut fixture = Fixture::new().await;
        fixture.ctx.changes = Arc::new(ChangedFiles(vec!["a.js", "private/key"]));
        let rule: Rule = serde_json::from_value(
            json!({"permission": "read", "pattern": "private/*", "action": "deny"}),
        )
        .unwrap();
        fixture.ctx.permissions = Arc::new([rule]);
        let diff = fixture.ok(&GitDiff, json!({})).await;
        assert!(diff.starts_with("--- a.js\n[1 files omitted"), "{diff}");
    }
}
