//! `forge_load_skill`: returns the instructions of a skill.

use async_trait::async_trait;
use domain::permission::Permission;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{
    context::ToolContext,
    error::ToolError,
    input,
    skills::{place, skills},
    tool::{Effect, Tool, ToolReply},
    tool_name::ToolName,
};

pub struct ForgeLoadSkill;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    name: String,
}

#[async_trait]
impl Tool for ForgeLoadSkill {
    fn name(&self) -> ToolName {
        ToolName::ForgeLoadSkill
    }

    fn description(&self) -> &'static str {
        "Loads a skill by its name."
    }

    fn effect(&self) -> Effect {
        Effect::Read
    }

    fn schema(&self) -> Value {
        input::schema::<Params>()
    }

    fn needs(&self, _: &ToolContext, input: &Value) -> Option<(Permission, String)> {
        let params: Params = input::read(input.clone()).ok()?;
        Some((Permission::Read, place(params.name.trim())?.to_string()))
    }

    async fn call(&self, ctx: &ToolContext, input: Value) -> Result<ToolReply, ToolError> {
        let params: Params = input::read(input)?;
        ctx.on_files(move |tree| {
            let skills = skills(tree);
            let name = params.name.trim();
            // Skills are smaller than the size limit of results.
            if let Some(skill) = skills.iter().find(|skill| skill.name == name) {
                return Ok(ToolReply::done(skill.body.clone()));
            }
            let list = skills.iter().map(|skill| format!("{}: {}", skill.name, skill.description));
            let list = list.collect::<Vec<_>>().join("\n");
            Ok(ToolReply::failed(format!("There is no such skill. Available skills:\n{list}")))
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::fixture::Fixture;
    use serde_json::json;

    #[tokio::test]
    async fn skill_of_the_project_needs_the_read_permission() {
        let fixture = Fixture::new().await;
        let wish = ForgeLoadSkill.needs(&fixture.ctx, &json!({"name": "deploy"}));
        assert_eq!(wish, Some((Permission::Read, ".forge/skills/deploy/SKILL.md".to_owned())));
        assert_eq!(ForgeLoadSkill.needs(&fixture.ctx, &json!({"name": "../x"})), None);
    }

    #[tokio::test]
    async fn loads_ours_and_the_project_s() {
        let fixture = Fixture::new().await;
        let own = "---\nname: deploy\ndescription: When it goes out.\n---\nRun it.\n";
        fixture.file(".forge/skills/deploy/SKILL.md", own);
        assert_eq!(fixture.ok(&ForgeLoadSkill, json!({"name": "deploy"})).await, "Run it.");
        let ours = fixture.ok(&ForgeLoadSkill, json!({"name": "trace-a-failure"})).await;
        assert!(ours.starts_with("# Trace a failure"), "{ours}");
        let list = fixture.refused(&ForgeLoadSkill, json!({"name": "../deploy"})).await;
        assert!(list.contains("\ndeploy: When it goes out."), "{list}");
    }
}
