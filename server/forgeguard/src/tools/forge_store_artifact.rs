//! `forge_store_artifact`: stores a text for other agents of this build, for a limited time.

use async_trait::async_trait;
use chrono::Duration;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{
    artifact_store::{MAX_ARTIFACTS, dossier, keys, put},
    context::ToolContext,
    error::ToolError,
    input,
    records::Records,
    tool::{Effect, RecordsTool, Tool, ToolReply},
    tool_name::ToolName,
};

/// Size limit of a key, in characters.
const MAX_KEY: usize = 100;
/// Size limit of a text, in bytes.
const MAX_TEXT: usize = 256 * 1024;
/// Hours until a text expires.
const DEFAULT_HOURS: u32 = 24;
const MAX_HOURS: u32 = 30 * 24;

pub struct ForgeStoreArtifact;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// Its name; an existing artifact is replaced.
    key: String,
    content: String,
    /// Hours until it expires. Default: 24.
    #[serde(default)]
    ttl_hours: Option<u32>,
}

#[async_trait]
impl Tool for ForgeStoreArtifact {
    fn name(&self) -> ToolName {
        ToolName::ForgeStoreArtifact
    }

    fn description(&self) -> &'static str {
        "Stores a long text for other agents of this build, for a limited time. Short notes belong on the scratchpad."
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
impl RecordsTool for ForgeStoreArtifact {
    async fn call_on(&self, records: &Records<'_>, input: Value) -> Result<ToolReply, ToolError> {
        let params: Params = input::read(input)?;
        let key = params.key.trim();
        check_key(key).map_err(ToolError::for_model)?;
        let hours = params.ttl_hours.unwrap_or(DEFAULT_HOURS);
        if !(1..=MAX_HOURS).contains(&hours) {
            return Ok(ToolReply::failed(format!("`ttl_hours` can be 1 to {MAX_HOURS}.")));
        }
        if params.content.len() > MAX_TEXT {
            return Ok(ToolReply::failed(format!("A text can have up to {MAX_TEXT} bytes.")));
        }
        let others = keys(records).await?.into_iter().filter(|other| other != key);
        if others.filter(|other| dossier(other).is_none()).count() >= MAX_ARTIFACTS {
            return Ok(ToolReply::failed(format!("There are {MAX_ARTIFACTS} artifacts already.")));
        }
        put(records, key, &params.content, Duration::hours(i64::from(hours))).await?;
        Ok(ToolReply::done(format!("`{key}` is stored for {hours} h.")))
    }
}

fn check_key(key: &str) -> Result<(), String> {
    if key.is_empty() || key.chars().count() > MAX_KEY || key.chars().any(char::is_control) {
        return Err(format!("`key` can have 1 to {MAX_KEY} characters on one line."));
    }
    if dossier(key).is_some() {
        return Err("`key`: only scouts store dossiers.".to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        store::{self, artifacts},
        tools::{artifact_store::KIND, fixture::Fixture},
    };
    use serde_json::json;

    #[tokio::test]
    async fn artifact_is_stored_until_it_expires() {
        let fixture = Fixture::new().await;
        fixture.build_row().await;
        let store = |content| json!({"key": "plan", "content": content, "ttl_hours": 2});
        let said = fixture.ok(&ForgeStoreArtifact, store("one")).await;
        assert_eq!(said, "`plan` is stored for 2 h.");
        fixture.ok(&ForgeStoreArtifact, store("two")).await;
        let mut conn = fixture.ctx.db.read().await.unwrap();
        let place = artifacts::Place { build: fixture.ctx.build_id, kind: KIND, key: "plan" };
        let kept = artifacts::get(&mut conn, place, store::now()).await.unwrap().unwrap();
        assert_eq!(kept.content, "two");
        let left = kept.expires_at.unwrap() - kept.updated_at;
        assert_eq!(left, Duration::hours(2));
    }

    #[tokio::test]
    async fn expired_artifacts_are_deleted() {
        let fixture = Fixture::new().await;
        fixture.build_row().await;
        let place = artifacts::Place { build: fixture.ctx.build_id, kind: KIND, key: "old" };
        let mut tx = fixture.ctx.db.write().await.unwrap();
        artifacts::put(&mut tx, place, "x", store::now(), Some(store::now())).await.unwrap();
        tx.commit().await.unwrap();
        fixture.ok(&ForgeStoreArtifact, json!({"key": "new", "content": ""})).await;
        let mut tx = fixture.ctx.db.write().await.unwrap();
        assert_eq!(artifacts::remove_expired(&mut tx, store::now()).await.unwrap(), 0);
    }

    #[tokio::test]
    async fn invalid_artifact_is_rejected_with_its_reason() {
        let fixture = Fixture::new().await;
        fixture.build_row().await;
        let input = |key: &str, content: &str, hours: u32| json!({"key": key, "content": content, "ttl_hours": hours});
        let long = "x".repeat(MAX_TEXT + 1);
        for (input, expected) in [
            (input(" ", "", 1), "`key`"),
            (input("a\nb", "", 1), "`key`"),
            (input("dossier/phase-0", "", 1), "only scouts"),
            (input("a", "", 0), "`ttl_hours`"),
            (input("a", "", 721), "`ttl_hours`"),
            (input("a", &long, 1), "up to"),
        ] {
            let said = fixture.refused(&ForgeStoreArtifact, input).await;
            assert!(said.contains(expected), "{said}");
        }
        for n in 0..MAX_ARTIFACTS {
            fixture.ok(&ForgeStoreArtifact, input(&n.to_string(), "x", 1)).await;
        }
        let full = fixture.refused(&ForgeStoreArtifact, input("one more", "x", 1)).await;
        assert!(full.contains("already"), "{full}");
        fixture.ok(&ForgeStoreArtifact, input("7", "y", 1)).await;
    }
}
