//! `forge_scratchpad`: notes shared by the agents of a build.

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
use crate::store::{self, artifacts};
use crate::text;

/// The kind under which notes are stored.
pub const SCRATCHPAD: &str = "scratchpad";
/// Size limit of a key, in characters.
const MAX_KEY: usize = 100;
/// Size limit of a note, in bytes.
const MAX_NOTE: usize = 32 * 1024;
/// Notes per build.
const MAX_NOTES: usize = 200;

pub struct ForgeScratchpad;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    operation: Operation,
    /// Not for list.
    #[serde(default)]
    key: Option<String>,
    /// For write and append.
    #[serde(default)]
    value: Option<String>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema, PartialEq)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum Operation {
    Read,
    Write,
    Append,
    List,
}

#[async_trait]
impl Tool for ForgeScratchpad {
    fn name(&self) -> ToolName {
        ToolName::ForgeScratchpad
    }

    fn description(&self) -> &'static str {
        "Notes for later phases: decisions, known problems."
    }

    fn effect(&self) -> Effect {
        Effect::Write
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
impl RecordsTool for ForgeScratchpad {
    async fn call_on(&self, records: &Records<'_>, input: Value) -> Result<ToolReply, ToolError> {
        let params: Params = input::read(input)?;
        if params.operation == Operation::List {
            return list(records).await;
        }
        let key = params.key.as_deref().map(str::trim).filter(|key| !key.is_empty());
        let key = key.ok_or_else(|| ToolError::for_model("`key` is missing."))?;
        if key.chars().count() > MAX_KEY || key.chars().any(char::is_control) {
            let reason = format!("`key` can have at most {MAX_KEY} characters on one line.");
            return Err(ToolError::for_model(reason));
        }
        if params.operation == Operation::Read {
            return read(records, key).await;
        }
        let value = params.value.ok_or_else(|| ToolError::for_model("`value` is missing."))?;
        write(records, key, &value, params.operation == Operation::Append).await
    }
}

async fn list(records: &Records<'_>) -> Result<ToolReply, ToolError> {
    let keys = keys(records).await?;
    Ok(ToolReply::done(if keys.is_empty() { "(no notes)".into() } else { keys.join("\n") }))
}

async fn keys(records: &Records<'_>) -> Result<Vec<String>, ToolError> {
    let mut conn = records.db.read().await?;
    let (build, limit) = (records.build()?.id, MAX_NOTES as i64);
    Ok(artifacts::keys(&mut conn, build, SCRATCHPAD, None, store::now(), limit).await?)
}

async fn note(records: &Records<'_>, key: &str) -> Result<Option<String>, ToolError> {
    let mut conn = records.db.read().await?;
    let place = artifacts::Place { build: records.build()?.id, kind: SCRATCHPAD, key };
    let found = artifacts::get(&mut conn, place, store::now()).await?;
    Ok(found.map(|artifact| artifact.content))
}

async fn read(records: &Records<'_>, key: &str) -> Result<ToolReply, ToolError> {
    Ok(match note(records, key).await? {
        Some(text) => ToolReply::done(text::ends(&text, text::TOOL_OUTPUT_CAP)),
        None => ToolReply::failed(format!("There is no note `{key}`.")),
    })
}

async fn write(
    records: &Records<'_>,
    key: &str,
    value: &str,
    append: bool,
) -> Result<ToolReply, ToolError> {
    let before = note(records, key).await?;
    if before.is_none() && keys(records).await?.len() >= MAX_NOTES {
        return Ok(ToolReply::failed(format!("There are {MAX_NOTES} notes already.")));
    }
    let before = before.unwrap_or_default();
    // Appended before a crash; the result was lost.
    let resumed = records.agent.is_some_and(|agent| agent.resumed);
    let done = append && resumed && before.ends_with(value);
    let text = match (append && !before.is_empty(), done) {
        (_, true) => before,
        (true, false) => format!("{before}\n{value}"),
        (false, false) => value.to_owned(),
    };
    if text.len() > MAX_NOTE {
        return Ok(ToolReply::failed(format!("A note can have at most {MAX_NOTE} bytes.")));
    }
    let place = artifacts::Place { build: records.build()?.id, kind: SCRATCHPAD, key };
    let mut tx = records.db.write().await?;
    artifacts::put(&mut tx, place, &text, store::now(), None).await?;
    tx.commit().await?;
    Ok(ToolReply::done(format!("`{key}` is stored.")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::fixture::Fixture;
    use serde_json::json;

    #[tokio::test]
    async fn keeps_notes() {
        let mut fixture = Fixture::new().await;
        fixture.build_row().await;
        assert_eq!(fixture.ok(&ForgeScratchpad, json!({"operation": "list"})).await, "(no notes)");
        let write = json!({"operation": "write", "key": "plan", "value": "one"});
        fixture.ok(&ForgeScratchpad, write).await;
        let append = json!({"operation": "append", "key": "plan", "value": "two"});
        fixture.ok(&ForgeScratchpad, append.clone()).await;
        let read = || json!({"operation": "read", "key": "plan"});
        assert_eq!(fixture.ok(&ForgeScratchpad, read()).await, "one\ntwo");
        fixture.ctx.resumed = true;
        fixture.ok(&ForgeScratchpad, append).await;
        assert_eq!(fixture.ok(&ForgeScratchpad, read()).await, "one\ntwo");
        assert_eq!(fixture.ok(&ForgeScratchpad, json!({"operation": "list"})).await, "plan");
    }

    #[tokio::test]
    async fn says_what_does_not_fit() {
        let fixture = Fixture::new().await;
        let long = "x".repeat(MAX_NOTE + 1);
        for (input, expected) in [
            (json!({"operation": "burn"}), "`operation`"),
            (json!({"operation": "read"}), "`key`"),
            (json!({"operation": "read", "key": "a\nb"}), "`key`"),
            (json!({"operation": "write", "key": "a"}), "`value`"),
            (json!({"operation": "write", "key": "a", "value": long}), "at most"),
            (json!({"operation": "read", "key": "a"}), "no note"),
        ] {
            let said = fixture.refused(&ForgeScratchpad, input.clone()).await;
            assert!(said.contains(expected), "{said}");
        }
    }
}
