//! `forge_read_notepad`: returns the user's notes on the project.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{
    context::ToolContext,
    error::ToolError,
    input,
    records::Records,
    tool::{Effect, RecordsTool, Tool, ToolReply},
    tool_name::ToolName,
};
use crate::store::notes;
use crate::text;

pub struct ForgeReadNotepad;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// Bytes to skip.
    #[serde(default)]
    offset: Option<usize>,
}

#[async_trait]
impl Tool for ForgeReadNotepad {
    fn name(&self) -> ToolName {
        ToolName::ForgeReadNotepad
    }

    fn description(&self) -> &'static str {
        "Returns the user's current notes on this project."
    }

    fn effect(&self) -> Effect {
        Effect::Read
    }

    fn schema(&self) -> Value {
        input::schema::<Params>()
    }

    fn for_clients(&self) -> Option<&dyn RecordsTool> {
        Some(self)
    }

    async fn call(&self, ctx: &ToolContext, input: Value) -> Result<ToolReply, ToolError> {
        self.call_on(&ctx.records(), input).await
    }
}

#[async_trait]
impl RecordsTool for ForgeReadNotepad {
    async fn call_on(&self, records: &Records<'_>, input: Value) -> Result<ToolReply, ToolError> {
        let params: Params = input::read(input)?;
        let mut conn = records.db.read().await?;
        let note = notes::of_owner(&mut conn, records.project_id).await?;
        let text = note.map_or(String::new(), |note| note.content);
        if text.trim().is_empty() {
            return Ok(ToolReply::done("(the notepad is empty)"));
        }
        Ok(match text::page(&text, params.offset.unwrap_or(0)) {
            Some(page) => ToolReply::done(page),
            None => ToolReply::failed(text::no_such_page(&text)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{store, tools::fixture::Fixture};
    use serde_json::json;

    #[tokio::test]
    async fn reads_the_notes_of_the_projects_owner() {
        let fixture = Fixture::new().await;
        fixture.build_row().await;
        let empty = fixture.ok(&ForgeReadNotepad, json!({})).await;
        assert_eq!(empty, "(the notepad is empty)");
        let (db, owner) = (&fixture.ctx.db, fixture.ctx.state.queued.started_by);
        let mut tx = db.write().await.unwrap();
        let project = fixture.ctx.project_id;
        notes::put(&mut tx, project, owner, "Short names.", 0, store::now()).await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(fixture.ok(&ForgeReadNotepad, json!({})).await, "Short names.");
        let past = fixture.refused(&ForgeReadNotepad, json!({"offset": 12})).await;
        assert!(past.contains("12 bytes"), "{past}");
    }
}
