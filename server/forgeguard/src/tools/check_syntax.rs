//! `check_syntax`: whether a file parses.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{
    context::ToolContext,
    error::ToolError,
    input,
    syntax::{self, Flaw, Syntax},
    tool::{Effect, Tool, ToolReply},
    worktree::Worktree,
};

/// Bytes of the largest file that is parsed.
const MAX_FILE: u64 = 2 * 1024 * 1024;

/// The tool.
pub struct CheckSyntax;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// Path from the project's top folder.
    path: String,
}

#[async_trait]
impl Tool for CheckSyntax {
    fn name(&self) -> &'static str {
        "check_syntax"
    }

    fn description(&self) -> &'static str {
        "Parses a JavaScript, JSON, YAML or TOML file and names the first error. Use it after each file you change."
    }

    fn effect(&self) -> Effect {
        Effect::Read
    }

    fn schema(&self) -> Value {
        input::schema::<Params>()
    }

    async fn call(&self, ctx: &ToolContext, input: Value) -> Result<ToolReply, ToolError> {
        let params: Params = input::read(input)?;
        ctx.on_files(move |tree| {
            let path = Worktree::file_path(&params.path)?;
            let Ok(text) = String::from_utf8(tree.read(&path, MAX_FILE)?) else {
                return Ok(ToolReply::failed(format!("`{path}` is not UTF-8 text")));
            };
            Ok(match syntax::check(path.as_str(), &text) {
                Syntax::Fine => ToolReply::done(format!("`{path}` parses.")),
                Syntax::Broken(Flaw { line, column, reason }) => {
                    ToolReply::failed(format!("{path}:{line}:{column}: {reason}"))
                }
                Syntax::Unknown => ToolReply::done(format!(
                    "`{path}` was not checked: only {} can be.",
                    syntax::LANGUAGES
                )),
            })
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::trial::Trial;
    use serde_json::json;

    #[tokio::test]
    async fn names_the_place_of_an_error() {
        let trial = Trial::new().await;
        trial.file("good.js", "export const a = 1;\n");
        trial.file("bad.json", "{\n\"a\" 1}");
        trial.file("a.py", "def");
        let check = |path: &str| json!({ "path": path });
        assert_eq!(trial.ok(&CheckSyntax, check("good.js")).await, "`good.js` parses.");
        assert!(trial.ok(&CheckSyntax, check("a.py")).await.contains("was not checked"));
        let bad = trial.refused(&CheckSyntax, check("bad.json")).await;
        assert!(bad.starts_with("bad.json:2:"), "{bad}");
        let none = trial.refused(&CheckSyntax, check("none.js")).await;
        assert!(none.contains("does not exist"), "{none}");
    }
}
