//! `check_syntax`: whether a file parses.

use async_trait::async_trait;
use domain::permission::Permission;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{
    context::ToolContext,
    error::ToolError,
    input,
    syntax::{self, Flaw, Syntax},
    tool::{Effect, Tool, ToolReply},
    work_path::WorkPath,
    worktree::Worktree,
};

/// Bytes of the largest file that is parsed.
const MAX_FILE: u64 = 2 * 1024 * 1024;
/// Said where a correct file can look broken.
const DOUBT: &str = "[this language has dialects or macros that the checker does not know in full; \
    if you are sure of these places, leave them]";

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
        "Parses a source, JSON, YAML or TOML file and names the first errors. Use it after each file you change."
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
        ctx.on_files(move |tree| {
            let path = Worktree::file_path(&params.path)?;
            let Ok(text) = String::from_utf8(tree.read(&path, MAX_FILE)?) else {
                return Ok(ToolReply::failed(format!("`{path}` is not UTF-8 text")));
            };
            Ok(match syntax::check(path.as_str(), &text) {
                Syntax::Fine => ToolReply::done(format!("`{path}` parses.")),
                Syntax::Broken(flaws) => ToolReply::failed(told(&path, &flaws)),
                Syntax::Doubtful(flaws) => {
                    ToolReply::failed(format!("{}\n{DOUBT}", told(&path, &flaws)))
                }
                Syntax::Unknown => ToolReply::done(format!(
                    "`{path}` was not checked: only {} can be.",
                    syntax::languages()
                )),
            })
        })
        .await
    }
}

/// Each as `path:line:column: what`.
fn told(path: &WorkPath, flaws: &[Flaw]) -> String {
    let line = |Flaw { line, column, reason }: &Flaw| format!("{path}:{line}:{column}: {reason}");
    flaws.iter().map(line).collect::<Vec<_>>().join("\n")
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
        trial.file("a.py", "def a(:\n    pass\n\ndef b():\n    return (1\n");
        trial.file("a.c", "int main(void) { return 0;\n");
        trial.file("a.xyz", "def");
        let check = |path: &str| json!({ "path": path });
        assert_eq!(trial.ok(&CheckSyntax, check("good.js")).await, "`good.js` parses.");
        let unknown = trial.ok(&CheckSyntax, check("a.xyz")).await;
        assert!(unknown.contains("was not checked") && unknown.contains("C#"), "{unknown}");
        let bad = trial.refused(&CheckSyntax, check("bad.json")).await;
        assert!(bad.starts_with("bad.json:2:"), "{bad}");
        let several = trial.refused(&CheckSyntax, check("a.py")).await;
        assert!(several.starts_with("a.py:1:") && several.contains("\na.py:"), "{several}");
        let doubtful = trial.refused(&CheckSyntax, check("a.c")).await;
        assert!(doubtful.starts_with("a.c:1:") && doubtful.ends_with(DOUBT), "{doubtful}");
        let none = trial.refused(&CheckSyntax, check("none.js")).await;
        assert!(none.contains("does not exist"), "{none}");
    }
}
