//! `forge_get_artifact`: returns an artifact of this build, or lists them.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{
    artifact_store::{keys, text},
    context::ToolContext,
    error::ToolError,
    input,
    records::Records,
    tool::{Effect, RecordsTool, Tool, ToolReply},
    tool_name::ToolName,
};
use crate::text;

pub struct ForgeGetArtifact;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// Default: a list of all.
    #[serde(default)]
    key: Option<String>,
    /// Bytes to skip.
    #[serde(default)]
    offset: Option<usize>,
}

#[async_trait]
impl Tool for ForgeGetArtifact {
    fn name(&self) -> ToolName {
        ToolName::ForgeGetArtifact
    }

    fn description(&self) -> &'static str {
        "Fetches a text stored by an agent of this build, such as the scout's full dossier, or lists the keys."
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
impl RecordsTool for ForgeGetArtifact {
    async fn call_on(&self, records: &Records<'_>, input: Value) -> Result<ToolReply, ToolError> {
        let params: Params = input::read(input)?;
        let Some(key) = params.key else {
            let keys = keys(records).await?.join("\n");
            return Ok(ToolReply::done(if keys.is_empty() {
                "(nothing is stored)"
            } else {
                &keys
            }));
        };
        let Some(text) = text(records, key.trim()).await? else {
            return Ok(ToolReply::failed("There is no artifact with this key, or it has expired."));
        };
        Ok(match text::page(&text, params.offset.unwrap_or(0)) {
            Some(page) => ToolReply::done(page),
            None => ToolReply::failed(text::no_such_page(&text)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        store::{self, artifacts},
        tools::fixture::Fixture,
    };
    use serde_json::json;

    #[tokio::test]
    async fn artifacts_and_dossiers_are_found_until_they_expire() {
        let fixture = Fixture::new().await;
        fixture.build_row().await;
        assert_eq!(fixture.ok(&ForgeGetArtifact, json!({})).await, "(nothing is stored)");
        let mut tx = fixture.ctx.db.write().await.unwrap();
        let (build, now) = (fixture.ctx.build_id, store::now());
        for (kind, key, expires_at) in [
            ("artifact", "a/b", None),
            ("artifact", "old", Some(now)),
            ("dossier", "phase-0", None),
            ("scratchpad", "private", None),
        ] {
            let place = artifacts::Place { build, kind, key };
            artifacts::put(&mut tx, place, key, now, expires_at).await.unwrap();
        }
        tx.commit().await.unwrap();
        let get = |key: &str| json!({ "key": key });
        assert_eq!(fixture.ok(&ForgeGetArtifact, json!({})).await, "a/b\ndossier/phase-0");
        assert_eq!(fixture.ok(&ForgeGetArtifact, get("a/b")).await, "a/b");
        assert_eq!(fixture.ok(&ForgeGetArtifact, get("dossier/phase-0")).await, "phase-0");
        for key in ["old", "private", "phase-0"] {
            let said = fixture.refused(&ForgeGetArtifact, get(key)).await;
            assert!(said.contains("no artifact with this key"), "{key}: {said}");
        }
    }
}
