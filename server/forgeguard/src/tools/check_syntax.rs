//! `check_syntax`: reports syntax errors of a file.

use async_trait::async_trait;
use domain::permission::Permission;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{
    context::ToolContext,
    error::ToolError,
    input,
    syntax::{self, Syntax, SyntaxError},
    tool::{Effect, Tool, ToolReply},
    tool_name::ToolName,
    work_path::WorkPath,
    worktree::Worktree,
};

/// Files above this size, in bytes, are not parsed.
const MAX_FILE: u64 = 2 * 1024 * 1024;
/// Added to errors of languages in which a correct file can appear to have errors.
const UNCERTAIN: &str = "[this language has dialects or macros that the checker does not fully support; \
    if you are sure that these places are correct, ignore them]";

pub struct CheckSyntax;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    path: String,
}

#[async_trait]
impl Tool for CheckSyntax {
    fn name(&self) -> ToolName {
        ToolName::CheckSyntax
    }

    fn description(&self) -> &'static str {
        "Checks the syntax of a source, JSON, YAML or TOML file."
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
                Syntax::Broken(syntax_errors) => {
                    ToolReply::failed(described(&path, &syntax_errors))
                }
                Syntax::Doubtful(syntax_errors) => {
                    ToolReply::failed(format!("{}\n{UNCERTAIN}", described(&path, &syntax_errors)))
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

/// Each as `path:line:column: reason`.
fn described(path: &WorkPath, syntax_errors: &[SyntaxError]) -> String {
    let line = |SyntaxError { line, column, reason }: &SyntaxError| {
        format!("{path}:{line}:{column}: {reason}")
    };
    syntax_errors.iter().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::fixture::Fixture;
    use serde_json::json;

    #[tokio::test]
    async fn error_has_line_and_column() {
        let fixture = Fixture::new().await;
        fixture.file("good.js", "export const a = 1;\n");
        fixture.file("bad.json", "{\n\"a\" 1}");
        fixture.file("a.py", "def a(:\n    pass\n\ndef b():\n    return (1\n");
        fixture.file("a.c", "int main(void) { return 0;\n");
        fixture.file("a.xyz", "def");
        let check = |path: &str| json!({ "path": path });
        assert_eq!(fixture.ok(&CheckSyntax, check("good.js")).await, "`good.js` parses.");
        let unknown = fixture.ok(&CheckSyntax, check("a.xyz")).await;
        assert!(unknown.contains("was not checked") && unknown.contains("C#"), "{unknown}");
        let bad = fixture.refused(&CheckSyntax, check("bad.json")).await;
        assert!(bad.starts_with("bad.json:2:"), "{bad}");
        let several = fixture.refused(&CheckSyntax, check("a.py")).await;
        assert!(several.starts_with("a.py:1:") && several.contains("\na.py:"), "{several}");
        let uncertain = fixture.refused(&CheckSyntax, check("a.c")).await;
        assert!(uncertain.starts_with("a.c:1:") && uncertain.ends_with(UNCERTAIN), "{uncertain}");
        let none = fixture.refused(&CheckSyntax, check("none.js")).await;
        assert!(none.contains("does not exist"), "{none}");
    }
}
