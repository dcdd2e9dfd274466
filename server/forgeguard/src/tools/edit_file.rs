//! `edit_file`: replaces text in a file.

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
    line_changes::line_changes,
    text_edits::{Edit, EditOutcome, apply},
    tool::{Effect, Tool, ToolReply},
    tool_name::ToolName,
    worktree::Worktree,
};

/// Files above this size, in bytes, are not edited.
const MAX_FILE: u64 = 2 * 1024 * 1024;

pub struct EditFile;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    path: String,
    /// Made in this order; all or none.
    #[serde(default)]
    edits: Vec<Edit>,
    /// A single edit may be given without a list, as models are used to.
    #[serde(default)]
    #[schemars(skip)]
    old_text: Option<String>,
    #[serde(default)]
    #[schemars(skip)]
    new_text: Option<String>,
    #[serde(default)]
    #[schemars(skip)]
    replace_all: bool,
}

impl Params {
    fn into_edits(self) -> Result<Vec<Edit>, ToolError> {
        match (self.old_text, self.new_text) {
            (None, None) => Ok(self.edits),
            (Some(old_text), Some(new_text)) if self.edits.is_empty() => {
                Ok(vec![Edit { old_text, new_text, replace_all: self.replace_all }])
            }
            _ => Err(ToolError::for_model("Give `edits`, or `old_text` and `new_text`.")),
        }
    }
}

#[async_trait]
impl Tool for EditFile {
    fn name(&self) -> ToolName {
        ToolName::EditFile
    }

    fn description(&self) -> &'static str {
        "Replaces texts in a file."
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
        let name = params.path.clone();
        let edits = params.into_edits()?;
        ctx.on_files(move |tree| {
            let path = Worktree::file_path(&name)?;
            let Ok(before) = String::from_utf8(tree.read(&path, MAX_FILE)?) else {
                return Ok(ToolReply::failed(format!("`{path}` is not a text file")));
            };
            match apply(&before, &edits, resumed) {
                EditOutcome::Not(reason) => Ok(ToolReply::failed(format!("`{path}`: {reason}"))),
                EditOutcome::Already => {
                    let done = format!("`{path}`: this edit was already made before a restart.");
                    Ok(ToolReply::done(done))
                }
                EditOutcome::To { text, places } => {
                    tree.write(&path, text.as_bytes())?;
                    let (insertions, deletions) = line_changes(before.as_bytes(), text.as_bytes());
                    let operation = FileOperation::Modified;
                    let path = path.to_string();
                    let text = match places {
                        1 => format!("Edited `{path}`."),
                        _ => format!("Edited `{path}` in {places} places."),
                    };
                    let change = FileChanged { run_id, path, operation, insertions, deletions };
                    Ok(ToolReply::done(text).with_events([change.into()]))
                }
            }
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
    async fn several_edits_are_one_change() {
        let fixture = Fixture::new().await;
        fixture.file("a.js", "one\ntwo\n");
        let edits = json!([
            {"old_text": "one", "new_text": "1"}, {"old_text": "two", "new_text": "2"}
        ]);
        let done = fixture.done(&EditFile, json!({"path": "a.js", "edits": edits})).await;
        assert_eq!((done.events.len(), fixture.read("a.js").as_str()), (1, "1\n2\n"));
        let both = json!({"path": "a.js", "edits": edits, "old_text": "1", "new_text": "3"});
        let said = fixture.refused(&EditFile, both).await;
        assert!(said.contains("Give `edits`"), "{said}");
    }

    #[tokio::test]
    async fn resumed_edit_changes_the_file_once() {
        let mut fixture = Fixture::new().await;
        fixture.file("a.js", "import x;\n\nrun();\n");
        let input =
            json!({"path": "a.js", "old_text": "import x;", "new_text": "import x;\nimport y;"});
        let done = fixture.done(&EditFile, input.clone()).await;
        let [EventBody::BuildFileChanged(change)] = done.events.as_slice() else { panic!() };
        assert_eq!((change.insertions, change.deletions), (1, 0));
        fixture.ctx.resumed = true;
        let again = fixture.done(&EditFile, input).await;
        assert!(again.ok && again.events.is_empty() && again.output.contains("already"));
        assert_eq!(fixture.read("a.js"), "import x;\nimport y;\n\nrun();\n");
    }

    #[tokio::test]
    async fn failed_edit_is_reported() {
        let fixture = Fixture::new().await;
        fixture.file("a.txt", "a a");
        std::fs::write(fixture.root().join("latin"), [0xe9]).unwrap();
        for (path, expected) in
            [("a.txt", "occurs 2 times"), ("none", "does not exist"), ("latin", "not a text file")]
        {
            let input = json!({"path": path, "old_text": "a", "new_text": "b"});
            let said = fixture.refused(&EditFile, input).await;
            assert!(said.contains(expected), "{path}: {said}");
        }
        assert_eq!(fixture.read("a.txt"), "a a");
    }
}
