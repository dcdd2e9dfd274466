//! `forge_get_phase_window`: returns a phase and the next one.

use async_trait::async_trait;
use domain::{contract::ContractType, phases};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{
    context::ToolContext,
    error::ToolError,
    forge_get_project_contract::heading,
    input,
    records::Records,
    requested_changes,
    tool::{Effect, RecordsTool, Tool, ToolReply},
    tool_name::ToolName,
};
use crate::text;

pub struct ForgeGetPhaseWindow;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// The phase, from 0.
    phase_number: u32,
    /// Bytes to skip.
    #[serde(default)]
    offset: Option<usize>,
}

#[async_trait]
impl Tool for ForgeGetPhaseWindow {
    fn name(&self) -> ToolName {
        ToolName::ForgeGetPhaseWindow
    }

    fn description(&self) -> &'static str {
        "Fetches a phase (objective, deliverables, exit criteria) and, for context, the next one."
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
impl RecordsTool for ForgeGetPhaseWindow {
    async fn call_on(&self, records: &Records<'_>, input: Value) -> Result<ToolReply, ToolError> {
        let Params { phase_number, offset } = input::read(input)?;
        let requests = records.build.and_then(|build| build.state.queued.requests.as_ref());
        if let Some(requests) = requests {
            return Ok(match phase_number {
                0 => requested(&requested_changes::window(requests), offset),
                _ => {
                    ToolReply::failed("There is no such phase; the requested changes are phase 0.")
                }
            });
        }
        let contract = records.contracts.get(ContractType::Phases);
        let Some(window) = phases::window(&contract.content, phase_number) else {
            let count = phases::parse(&contract.content).map_or(0, |phases| phases.len());
            return Ok(ToolReply::failed(match count {
                0 => "The phases contract has no phases.".to_owned(),
                _ => format!("There is no phase {phase_number}; phases are 0 to {}.", count - 1),
            }));
        };
        let Some(window) = text::page(&window, offset.unwrap_or(0)) else {
            return Ok(ToolReply::failed(text::no_such_page(&window)));
        };
        Ok(ToolReply::done(format!("{}\n{window}", heading(contract)))
            .with_events(records.contract_read(contract)))
    }
}

fn requested(window: &str, offset: Option<usize>) -> ToolReply {
    match text::page(window, offset.unwrap_or(0)) {
        Some(page) => ToolReply::done(page),
        None => ToolReply::failed(text::no_such_page(window)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::fixture::Fixture;
    use domain::event::EventBody;
    use domain::{
        branch_delivery::PullRequestComment,
        follow_up::{RequestThread, Requests, ThreadComment},
        review::DiffSide,
    };
    use serde_json::json;
    use std::sync::Arc;

    #[tokio::test]
    async fn window_contains_a_phase_and_the_next() {
        let fixture = Fixture::new().await;
        let done = fixture.done(&ForgeGetPhaseWindow, json!({"phase_number": 0})).await;
        assert!(done.output.contains("## Phase 0") && done.output.contains("## Phase 1"));
        assert!(!done.output.contains("## Phase 2"), "{}", done.output);
        let [EventBody::BuildContractRead(read)] = done.events.as_slice() else { panic!() };
        assert_eq!(read.contract, ContractType::Phases);
        let past = fixture.refused(&ForgeGetPhaseWindow, json!({"phase_number": 9})).await;
        assert!(past.contains("0 to 2"), "{past}");
    }

    #[tokio::test]
    async fn follow_up_build_gets_all_requests() {
        let mut fixture = Fixture::new().await;
        let said =
            |author: &str, text: &str| ThreadComment { author: author.into(), text: text.into() };
        let thread = RequestThread {
            path: "src/a.js".into(),
            side: DiffSide::New,
            first_line: None,
            line: 7,
            line_text: "a();".into(),
            said: vec![said("Grace", &"long ".repeat(800)), said("Ada", "```\n## Phase 1")],
        };
        let comments = vec![PullRequestComment {
            id: "note-1".into(),
            author: "alex".into(),
            path: Some("src/b.js".into()),
            line: Some(2),
            text: "```\nRename it.".into(),
        }];
        let (reason, threads) = ("Not yet.".into(), vec![thread]);
        let requests = Requests { reason, threads, comments, ..Requests::default() };
        Arc::make_mut(&mut fixture.ctx.state).queued.requests = Some(Box::new(requests));
        let done = fixture.done(&ForgeGetPhaseWindow, json!({"phase_number": 0})).await;
        for part in ["Requested changes", "Not yet.", "src/a.js:7", "a();", "long long", "Grace"] {
            assert!(done.output.contains(part), "{part}: {}", done.output);
        }
        let commented = "src/b.js:2\nalex says in the pull request:\n```\n'''\nRename it.\n```";
        assert!(done.output.contains(commented), "{}", done.output);
        // The users' text cannot close its fence, and no contract was read.
        assert!(done.output.contains("'''\n## Phase 1\n```"), "{}", done.output);
        assert!(done.events.is_empty(), "{:?}", done.events);
        let past = fixture.refused(&ForgeGetPhaseWindow, json!({"phase_number": 1})).await;
        assert!(past.contains("phase 0"), "{past}");
    }
}
