//! Calls tools, and is the only place that checks whether a call is allowed.

use std::{
    collections::BTreeMap,
    sync::{Arc, LazyLock},
};

use domain::{
    event::{agents::Role, phases::Mode},
    permission::Permission,
};
use llm::ToolDefinition;
use serde_json::Value;

use super::{
    context::ToolContext,
    error::{Fatal, ToolError},
    permit,
    registry::{find, registry},
    roles, scope,
    tool::{Tool, ToolReply},
};

/// The definitions of a role's tools. They are the same in all modes, so that a conversation keeps
/// its prompt cache when the mode changes.
pub fn definitions(role: Role) -> Arc<[ToolDefinition]> {
    static DEFINITIONS: LazyLock<BTreeMap<Role, Arc<[ToolDefinition]>>> =
        LazyLock::new(|| Role::ALL.into_iter().map(|role| (role, define(role))).collect());
    DEFINITIONS[&role].clone()
}

fn define(role: Role) -> Arc<[ToolDefinition]> {
    let tools = registry().iter().filter(|tool| roles::has(role, tool.name()));
    tools
        .map(|tool| ToolDefinition {
            name: tool.name().to_string(),
            description: tool.description().to_owned(),
            input_schema: tool.schema().into(),
        })
        .collect()
}

/// Calls the tool `name`. A call that is not allowed gets a reply with the reason.
///
/// # Errors
/// Failures that end the run.
pub async fn call(ctx: &ToolContext, name: &str, input: Value) -> Result<ToolReply, Fatal> {
    let tool = match find(name) {
        Some(tool) => tool,
        None => return Ok(ToolReply::failed(unknown(ctx, name))),
    };
    if let Err(reason) = permitted(ctx.role, ctx.mode, tool) {
        return Ok(ToolReply::failed(reason));
    }
    match permit_and_call(ctx, tool, input).await {
        Err(ToolError::ForModel(reason)) => Ok(ToolReply::failed(reason)),
        Err(ToolError::Fatal(fatal)) => Err(fatal),
        Ok(reply) => Ok(reply),
    }
}

async fn permit_and_call(
    ctx: &ToolContext,
    tool: &dyn Tool,
    input: Value,
) -> Result<ToolReply, ToolError> {
    if let Some((permission, subject)) = tool.needs(ctx, &input) {
        let also = tool.also_changes(&input);
        if permission == Permission::Edit {
            for path in [Some(&subject), also.as_ref()].into_iter().flatten() {
                if let Some(reason) = scope::objection(ctx, path).await? {
                    return Ok(ToolReply::failed(reason));
                }
            }
        }
        if let Some(also) = also
            && let Some(reason) = permit::denial(ctx, (permission, also)).await?
        {
            return Ok(ToolReply::failed(reason));
        }
        return match permit::permit(ctx, (permission, subject)).await? {
            Ok(permitted) => tool.call(&permitted, input).await,
            Err(reply) => Ok(reply),
        };
    }
    tool.call(ctx, input).await
}

fn permitted(role: Role, mode: Mode, tool: &dyn Tool) -> Result<(), String> {
    let name = tool.name();
    if !roles::has(role, name) {
        return Err(format!("The {} does not have the tool `{name}`.", role.name()));
    }
    if !roles::allows(role, mode, name, tool.effect()) {
        return Err(format!(
            "`{name}` is not allowed while planning, when nothing may be changed or run. Write it \
             into the plan instead."
        ));
    }
    Ok(())
}

fn unknown(ctx: &ToolContext, name: &str) -> String {
    let name: String = name.chars().take(60).collect();
    let tools = definitions(ctx.role);
    let known: Vec<_> = tools.iter().map(|tool| tool.name.as_str()).collect();
    format!("There is no tool `{name}`. You have: {}.", known.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::{fixture::Fixture, tool::Done};
    use serde_json::json;

    async fn refusal(fixture: &Fixture, name: &str, input: Value) -> String {
        let reply = call(&fixture.ctx, name, input).await.unwrap();
        let ToolReply::Done(Done { ok: false, output, .. }) = reply else { panic!("{reply:?}") };
        output
    }

    #[tokio::test]
    async fn rejection_of_a_call_names_the_reason() {
        let mut fixture = Fixture::new().await;
        let write = || json!({"path": "a", "content": "a"});
        let unknown = refusal(&fixture, "rm", json!({})).await;
        assert!(unknown.contains("no tool `rm`") && unknown.contains("read_file"), "{unknown}");
        let unfit = refusal(&fixture, "write_file", json!({"path": "a"})).await;
        assert!(unfit.contains("`content`"), "{unfit}");
        fixture.ctx.mode = Mode::Plan;
        let planning = refusal(&fixture, "write_file", write()).await;
        assert!(planning.contains("while planning"), "{planning}");
        fixture.ctx.role = Role::Auditor;
        fixture.ctx.mode = Mode::Execute;
        let role = refusal(&fixture, "write_file", write()).await;
        assert!(role.contains("auditor does not have"), "{role}");
        assert_eq!(std::fs::read_dir(fixture.root()).unwrap().count(), 0);
    }

    #[tokio::test]
    async fn permitted_call_is_made() {
        let fixture = Fixture::new().await;
        let input = json!({"path": "a", "content": "a"});
        let reply = call(&fixture.ctx, "write_file", input).await.unwrap();
        assert!(matches!(reply, ToolReply::Done(Done { ok: true, .. })), "{reply:?}");
        assert_eq!(fixture.read("a"), "a");
    }

    #[tokio::test]
    async fn write_outside_the_scope_is_rejected() {
        let mut fixture = Fixture::new().await;
        let state = Arc::make_mut(&mut fixture.ctx.state);
        state.phases[0].outline.scope = vec!["src/**".into(), "*.md".into()];
        fixture.file("stray.js", "a");
        let edit = json!({"path": "stray.js", "old_text": "a", "new_text": "b"});
        let write = json!({"path": "src2/a.js", "content": "a"});
        fixture.file("src/a.js", "a");
        std::os::unix::fs::symlink("..", fixture.root().join("src/up")).unwrap();
        for (tool, input) in [
            ("edit_file", edit),
            ("write_file", write),
            ("write_file", json!({"path": "src/up/b.js", "content": "a"})),
            ("delete_file", json!({"path": "stray.js"})),
            ("move_file", json!({"from": "src/a.js", "to": "b.js"})),
            ("move_file", json!({"from": "stray.js", "to": "src/b.js"})),
        ] {
            let refused = refusal(&fixture, tool, input).await;
            assert!(refused.contains("outside") && refused.contains("src/**, *.md"), "{refused}");
            assert!(refused.contains("discard_files"), "how to undo a change: {refused}");
        }
        for path in ["src/deep/a.js", "README.md"] {
            let input = json!({"path": path, "content": "a"});
            let reply = call(&fixture.ctx, "write_file", input).await.unwrap();
            assert!(matches!(reply, ToolReply::Done(Done { ok: true, .. })), "{path}: {reply:?}");
        }
    }

    fn tokens(text: &str) -> usize {
        tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len()
    }

    #[test]
    fn tools_of_each_role_stay_within_the_token_limit() {
        for role in Role::ALL {
            let tools = definitions(role);
            let tokens: usize =
                tools.iter().map(|tool| tokens(&serde_json::to_string(tool).unwrap())).sum();
            assert!((1..=1_800).contains(&tokens), "{}: {tokens}", role.name());
        }
    }
}
