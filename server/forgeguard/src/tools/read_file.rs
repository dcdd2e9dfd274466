//! `read_file`: returns numbered lines of a file, by page.

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
    worktree::Worktree,
};
use crate::text::{TOOL_OUTPUT_CAP, head};

/// Files above this size, in bytes, are not opened.
const MAX_FILE: u64 = 8 * 1024 * 1024;
/// Lines per page, by default.
const PAGE: usize = 2_000;
/// Size limit of a shown line, in bytes.
const MAX_LINE: usize = 2_000;

pub struct ReadFile;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    path: String,
    /// First line, from 1.
    #[serde(default)]
    offset: Option<usize>,
    /// Lines.
    #[serde(default)]
    limit: Option<usize>,
}

#[async_trait]
impl Tool for ReadFile {
    fn name(&self) -> ToolName {
        ToolName::ReadFile
    }

    fn description(&self) -> &'static str {
        "Reads a text file. Each line begins with its number and a tab."
    }

    fn effect(&self) -> Effect {
        Effect::Read
    }

    fn schema(&self) -> Value {
        input::schema::<Params>()
    }

    fn needs(&self, _: &ToolContext, input: &Value) -> Option<(Permission, String)> {
        let params: Params = input::read(input.clone()).ok()?;
        Some((Permission::Read, Worktree::path(&params.path).ok()?.to_string()))
    }

    async fn call(&self, ctx: &ToolContext, input: Value) -> Result<ToolReply, ToolError> {
        let params: Params = input::read(input)?;
        ctx.on_files(move |tree| read(tree, &params)).await
    }
}

fn read(tree: &Worktree, params: &Params) -> Result<ToolReply, ToolError> {
    let path = Worktree::file_path(&params.path)?;
    let content = tree.read(&path, MAX_FILE)?;
    if content.contains(&0) {
        return Ok(ToolReply::failed(format!("`{path}` is not a text file")));
    }
    let text = String::from_utf8_lossy(&content);
    let total = text.lines().count();
    if total == 0 {
        return Ok(ToolReply::done("(the file is empty)"));
    }
    let first = params.offset.unwrap_or(1).max(1);
    if first > total {
        let reason = format!("`{path}` has {total} lines, so there is no line {first}");
        return Ok(ToolReply::failed(reason));
    }
    Ok(ToolReply::done(page(&text, first, params.limit.unwrap_or(PAGE).max(1), total)))
}

fn page(text: &str, first: usize, limit: usize, total: usize) -> String {
    let mut shown = String::new();
    let mut next = first;
    for line in text.lines().skip(first - 1).take(limit) {
        let kept = head(line, MAX_LINE);
        let cut = if kept.len() < line.len() { " [… line cut]" } else { "" };
        let row = format!("{next}\t{kept}{cut}\n");
        if shown.len() + row.len() > TOOL_OUTPUT_CAP {
            break;
        }
        shown.push_str(&row);
        next += 1;
    }
    if next <= total {
        shown.push_str(&format!(
            "[lines {first} to {} of {total}; continue with offset {next}]",
            next - 1
        ));
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::fixture::Fixture;
    use serde_json::json;

    #[tokio::test]
    async fn lines_are_numbered_and_paginated() {
        let fixture = Fixture::new().await;
        fixture.file("a.txt", "one\ntwo\nthree\n");
        let all = fixture.ok(&ReadFile, json!({"path": "./a.txt"})).await;
        assert_eq!(all, "1\tone\n2\ttwo\n3\tthree\n");
        let some = fixture.ok(&ReadFile, json!({"path": "a.txt", "offset": 2, "limit": 1})).await;
        assert_eq!(some, "2\ttwo\n[lines 2 to 2 of 3; continue with offset 3]");
        let past = fixture.refused(&ReadFile, json!({"path": "a.txt", "offset": 4})).await;
        assert!(past.contains("3 lines"), "{past}");
    }

    #[tokio::test]
    async fn pages_stay_within_the_limit_and_are_complete() {
        let fixture = Fixture::new().await;
        let lines: Vec<String> =
            (1..=9_000).map(|n| format!("line {n} {}", "x".repeat(20))).collect();
        fixture.file("long.txt", &lines.join("\n"));
        let (mut offset, mut seen) = (1, 0);
        while offset <= 9_000 {
            let page = fixture
                .ok(&ReadFile, json!({"path": "long.txt", "offset": offset, "limit": 9_000}))
                .await;
            assert!(page.len() <= TOOL_OUTPUT_CAP + 100);
            let shown = page.lines().filter(|line| !line.starts_with('[')).count();
            assert!(shown > 0, "a page is never empty");
            (offset, seen) = (offset + shown, seen + shown);
        }
        assert_eq!(seen, 9_000);
    }

    #[tokio::test]
    async fn long_line_is_cut_with_a_note() {
        let fixture = Fixture::new().await;
        fixture.file("one.txt", &"é".repeat(5_000));
        let shown = fixture.ok(&ReadFile, json!({"path": "one.txt"})).await;
        assert!(shown.contains("[… line cut]") && shown.len() < 2_100);
    }

    #[tokio::test]
    async fn unreadable_file_is_reported() {
        let fixture = Fixture::new().await;
        fixture.file("image.png", "\0\u{1}");
        fixture.file("empty", "");
        assert_eq!(fixture.ok(&ReadFile, json!({"path": "empty"})).await, "(the file is empty)");
        for (path, expected) in [
            ("image.png", "not a text file"),
            ("none.txt", "does not exist"),
            ("../x", "`..`"),
            (".git/config", "off limits"),
            (".", "must name a file"),
        ] {
            let said = fixture.refused(&ReadFile, json!({"path": path})).await;
            assert!(said.contains(expected), "{path}: {said}");
        }
    }
}
