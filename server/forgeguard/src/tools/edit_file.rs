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
    /// Path relative to the project's root.
    path: String,
    /// The text to replace, exactly as in the file, with enough context to occur once.
    old_text: String,
    /// The replacement.
    new_text: String,
    /// Whether to replace every occurrence.
    #[serde(default)]
    replace_all: bool,
}

/// The result of an edit.
#[derive(Debug, PartialEq)]
enum EditOutcome {
    To { text: String, places: usize },
    Already,
    Not(String),
}

#[async_trait]
impl Tool for EditFile {
    fn name(&self) -> ToolName {
        ToolName::EditFile
    }

    fn description(&self) -> &'static str {
        "Replaces text in a file. old_text must occur exactly once unless replace_all is set."
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
        ctx.on_files(move |tree| {
            let path = Worktree::file_path(&params.path)?;
            let Ok(before) = String::from_utf8(tree.read(&path, MAX_FILE)?) else {
                return Ok(ToolReply::failed(format!("`{path}` is not a text file")));
            };
            match edit(&before, &params, resumed) {
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

/// `resumed`: the same call was started before a crash and may have made the edit. Old text within
/// new text is then not replaced again, and old text may be absent.
fn edit(text: &str, params: &Params, resumed: bool) -> EditOutcome {
    let Params { old_text: old, new_text: new, .. } = params;
    if old.is_empty() {
        return EditOutcome::Not("old_text is empty; use write_file for a new file".into());
    }
    if old == new {
        return EditOutcome::Not("old_text and new_text are the same".into());
    }
    let places = text.matches(old.as_str()).count();
    match places {
        0 if resumed && text.contains(new.as_str()) => EditOutcome::Already,
        0 => EditOutcome::Not("old_text does not occur; read the file again".into()),
        _ if resumed && only_inside(text, old, new) => EditOutcome::Already,
        1 => EditOutcome::To { text: text.replacen(old.as_str(), new, 1), places },
        _ if params.replace_all => {
            EditOutcome::To { text: text.replace(old.as_str(), new), places }
        }
        _ => EditOutcome::Not(format!(
            "old_text occurs {places} times; include more of the text around it, or set replace_all"
        )),
    }
}

/// Whether `old` occurs only within occurrences of `new`.
fn only_inside(text: &str, old: &str, new: &str) -> bool {
    new.contains(old) && !text.split(new).any(|piece| piece.contains(old)) && text.contains(new)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::fixture::Fixture;
    use domain::event::EventBody;
    use proptest::prelude::*;
    use serde_json::json;

    fn params(old_text: &str, new_text: &str, replace_all: bool) -> Params {
        let (old_text, new_text) = (old_text.to_owned(), new_text.to_owned());
        Params { path: "a".into(), old_text, new_text, replace_all }
    }

    #[test]
    fn edit_replaces_the_exact_text() {
        let to = |text: &str, places| EditOutcome::To { text: text.into(), places };
        for (text, old, new, all, expected) in [
            ("a b c", "b", "x", false, to("a x c", 1)),
            ("b b", "b", "x", true, to("x x", 2)),
            ("a b", "b", "", false, to("a ", 1)),
        ] {
            assert_eq!(edit(text, &params(old, new, all), false), expected, "{text} {old}");
        }
        for (text, old, new, reason) in [
            ("b b", "b", "x", "occurs 2 times"),
            ("a", "b", "x", "does not occur"),
            ("a x c", "b", "x", "does not occur"),
            ("a", "b", "", "does not occur"),
            ("a", "", "x", "is empty"),
            ("a", "a", "a", "are the same"),
        ] {
            let EditOutcome::Not(said) = edit(text, &params(old, new, false), false) else {
                panic!("{old} was replaced")
            };
            assert!(said.contains(reason), "{said}");
        }
    }

    proptest! {
        #[test]
        fn edit_that_was_made_is_not_repeated(
            text in "[abc\n]{0,12}", old in "[abc]{1,3}", new in "[abcx]{0,4}", all: bool
        ) {
            let params = params(&old, &new, all);
            if let EditOutcome::To { text, .. } = edit(&text, &params, false)
                && (new.contains(&old) || !text.contains(&old))
                && !text.replace(&new, "\n").contains(&old)
            {
                prop_assert_eq!(edit(&text, &params, true), EditOutcome::Already);
            }
        }
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
