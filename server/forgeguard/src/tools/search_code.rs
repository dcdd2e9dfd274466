//! `search_code`: finds lines by a regular expression.

use std::{fs::File, io};

use async_trait::async_trait;
use domain::permission::Permission;
use globset::{GlobBuilder, GlobMatcher};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkMatch};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{
    context::ToolContext,
    error::ToolError,
    input, permit,
    tool::{Effect, Tool, ToolReply},
    tool_name::ToolName,
    walk::walk,
    work_path::WorkPath,
    worktree::{Kind, Worktree},
    worktree_error::WorktreeError,
};
use crate::text::{TOOL_OUTPUT_CAP, head};

/// Matches per page.
const PAGE: usize = 100;
/// Size limit of a shown line, in bytes.
const MAX_LINE: usize = 300;
/// Lines of context around a match.
const MAX_CONTEXT: usize = 5;
/// Size limit of a compiled pattern, in bytes.
const MAX_PATTERN: usize = 4 << 20;

pub struct SearchCode;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    pattern: String,
    /// File or folder. Default: everything.
    #[serde(default)]
    path: Option<String>,
    /// Such as `**/*.js`.
    #[serde(default)]
    glob: Option<String>,
    #[serde(default)]
    ignore_case: bool,
    /// 0 to 5 lines around each match.
    #[serde(default)]
    context: usize,
    /// Matches to skip.
    #[serde(default)]
    offset: Option<usize>,
}

#[async_trait]
impl Tool for SearchCode {
    fn name(&self) -> ToolName {
        ToolName::SearchCode
    }

    fn description(&self) -> &'static str {
        "Searches lines by a regular expression and returns path:line:text."
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
        let may_read = permit::allows(ctx, Permission::Read);
        ctx.on_files(move |tree| search(tree, &params, may_read)).await
    }
}

fn search(
    tree: &Worktree,
    params: &Params,
    may_read: impl Fn(&WorkPath) -> bool,
) -> Result<ToolReply, ToolError> {
    if params.context > MAX_CONTEXT {
        let reason = format!("`context` must be between 0 and {MAX_CONTEXT}.");
        return Err(ToolError::for_model(reason));
    }
    let start = Worktree::path(params.path.as_deref().unwrap_or(""))?;
    let matcher = matcher(params)?;
    let glob = params.glob.as_deref().map(glob).transpose()?;
    let fits = |path: &WorkPath| glob.as_ref().is_none_or(|glob| glob.is_match(path.as_str()));
    let files: Box<dyn Iterator<Item = WorkPath>> = match tree.kind(&start)? {
        Kind::Directory => Box::new(walk(tree, &start, None)),
        _ => Box::new(std::iter::once(start)),
    };
    let mut page = Page { skip: params.offset.unwrap_or(0), ..Page::default() };
    let mut searcher = SearcherBuilder::new()
        .line_number(true)
        .before_context(params.context)
        .after_context(params.context)
        .binary_detection(BinaryDetection::quit(0))
        .build();
    for path in files.filter(fits) {
        if page.full {
            break;
        }
        match tree.open_file(&path) {
            Ok(file) if may_read(&path) => {
                search_file(&file, &path, &matcher, &mut searcher, &mut page);
            }
            Ok(_) | Err(WorktreeError::Forbidden { .. }) => page.kept_back += 1,
            // It is not a file or cannot be opened.
            Err(_) => {}
        }
    }
    Ok(ToolReply::done(page.into_text(params)))
}

fn matcher(params: &Params) -> Result<RegexMatcher, ToolError> {
    RegexMatcherBuilder::new()
        .case_insensitive(params.ignore_case)
        .line_terminator(Some(b'\n'))
        .size_limit(MAX_PATTERN)
        .build(&params.pattern)
        .map_err(|error| ToolError::for_model(format!("Invalid pattern: {error}")))
}

fn glob(text: &str) -> Result<GlobMatcher, ToolError> {
    let glob = GlobBuilder::new(text).literal_separator(true).build();
    let refused = |error| ToolError::for_model(format!("Invalid glob: {error}"));
    Ok(glob.map_err(refused)?.compile_matcher())
}

/// Skips the rest of a file that turns out to be binary.
fn search_file(
    file: &File,
    path: &WorkPath,
    matcher: &RegexMatcher,
    searcher: &mut Searcher,
    page: &mut Page,
) {
    let _ = searcher.search_file(matcher, file, Rows { path, page });
}

/// Adds the lines of a file to a page.
struct Rows<'a> {
    path: &'a WorkPath,
    page: &'a mut Page,
}

impl Sink for Rows<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, io::Error> {
        let line = found.line_number().unwrap_or_default();
        Ok(self.page.take(self.path, line, &String::from_utf8_lossy(found.bytes())))
    }

    fn context(&mut self, _: &Searcher, found: &SinkContext<'_>) -> Result<bool, io::Error> {
        let line = found.line_number().unwrap_or_default();
        self.page.take_context(self.path, line, &String::from_utf8_lossy(found.bytes()));
        Ok(true)
    }

    fn context_break(&mut self, _: &Searcher) -> Result<bool, io::Error> {
        if !self.page.rows.is_empty() {
            self.page.rows.push_str("--\n");
        }
        Ok(true)
    }
}

#[derive(Default)]
struct Page {
    skip: usize,
    seen: usize,
    rows: String,
    full: bool,
    /// Files that the permission rules exclude.
    kept_back: usize,
}

impl Page {
    /// Adds a match; returns whether there is room for more.
    fn take(&mut self, path: &WorkPath, line: u64, text: &str) -> bool {
        if self.seen < self.skip {
            self.seen += 1;
            return true;
        }
        let row = row(path, ':', line, text);
        self.full = self.seen - self.skip == PAGE || self.rows.len() + row.len() > TOOL_OUTPUT_CAP;
        if !self.full {
            self.rows.push_str(&row);
            self.seen += 1;
        }
        !self.full
    }

    /// Adds a line near a match of this page.
    fn take_context(&mut self, path: &WorkPath, line: u64, text: &str) {
        let row = row(path, '-', line, text);
        let is_shown = self.seen >= self.skip && self.seen - self.skip < PAGE;
        if is_shown && self.rows.len() + row.len() <= TOOL_OUTPUT_CAP {
            self.rows.push_str(&row);
        }
    }

    fn into_text(self, params: &Params) -> String {
        let kept_back = match self.kept_back {
            0 => String::new(),
            n => format!("\n[{n} files omitted: the project's rules do not allow reading them]"),
        };
        let text = match (self.rows.is_empty(), self.full, self.skip) {
            (true, _, 0) => format!("No line matches `{}`.", head(&params.pattern, MAX_LINE)),
            (true, ..) => "There are no more matches.".to_owned(),
            (false, true, _) => {
                format!("{}[more matches; continue with offset {}]", self.rows, self.seen)
            }
            (false, false, _) => self.rows,
        };
        text + &kept_back
    }
}

/// `path:line:text` for a match, `path:line-text` for its context. Each begins with its own place, so
/// that a text which looks like another one does not count as read.
fn row(path: &WorkPath, separator: char, line: u64, text: &str) -> String {
    let text = text.trim_end();
    let kept = head(text, MAX_LINE);
    let cut = if kept.len() < text.len() { " [… line cut]" } else { "" };
    format!("{path}:{line}{separator}{kept}{cut}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::fixture::Fixture;
    use serde_json::json;

    #[tokio::test]
    async fn matches_have_line_numbers() {
        let fixture = Fixture::new().await;
        fixture.file("src/a.js", "const due = 1;\n// Due\nexport { due };\n");
        fixture.file("src/b.md", "due\n");
        fixture.file("dist/a.js", "due\n");
        fixture.file("bin", "due\0due");
        fixture.file(".gitignore", "dist\n");
        let search = |input| fixture.ok(&SearchCode, input);
        assert_eq!(
            search(json!({"pattern": "\\bdue\\b", "glob": "**/*.js"})).await,
            "src/a.js:1:const due = 1;\nsrc/a.js:3:export { due };\n"
        );
        assert_eq!(search(json!({"pattern": "^due$"})).await, "src/b.md:1:due\n");
        let either_case =
            search(json!({"pattern": "DUE", "path": "src/a.js", "ignore_case": true}));
        assert_eq!(either_case.await.lines().count(), 3);
        assert_eq!(search(json!({"pattern": "nowhere"})).await, "No line matches `nowhere`.");
    }

    #[tokio::test]
    async fn lines_around_a_match_are_shown_like_grep_does() {
        let fixture = Fixture::new().await;
        fixture.file("a.txt", "1\n2\nx\n4\n5\n6\n7\nx\n");
        assert_eq!(
            fixture.ok(&SearchCode, json!({"pattern": "x", "context": 1})).await,
            "a.txt:2-2\na.txt:3:x\na.txt:4-4\n--\na.txt:7-7\na.txt:8:x\n"
        );
        let said = fixture.refused(&SearchCode, json!({"pattern": "x", "context": 6})).await;
        assert!(said.contains("`context`"), "{said}");
    }

    #[tokio::test]
    async fn matches_are_paginated() {
        let fixture = Fixture::new().await;
        fixture.file("a.txt", &"x\n".repeat(PAGE + 5));
        let first = fixture.ok(&SearchCode, json!({"pattern": "x"})).await;
        assert!(first.ends_with("[more matches; continue with offset 100]"), "{first}");
        let second = fixture.ok(&SearchCode, json!({"pattern": "x", "offset": 100})).await;
        assert_eq!(second.lines().count(), 5);
        assert!(second.starts_with("a.txt:101:x"), "{second}");
    }

    #[tokio::test]
    async fn invalid_search_is_reported() {
        let fixture = Fixture::new().await;
        for (input, expected) in [
            (json!({"pattern": "("}), "Invalid pattern"),
            (json!({"pattern": "a\\nb"}), "Invalid pattern"),
            (json!({"pattern": "a", "glob": "[x"}), "Invalid glob"),
            (json!({"pattern": "a", "path": "../.."}), "`..`"),
            (json!({"pattern": "a", "path": "none"}), "does not exist"),
        ] {
            let said = fixture.refused(&SearchCode, input.clone()).await;
            assert!(said.contains(expected), "{input}: {said}");
        }
    }
}
