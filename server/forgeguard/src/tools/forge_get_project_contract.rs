//! `forge_get_project_contract`: one of the nine contracts, pulled when it is needed.

use async_trait::async_trait;
use domain::{
    contract::{ContractSource, ContractType},
    event::agents::ContractRead,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::{
    context::ToolContext,
    contract_set::ContractText,
    cut::{TOOL_OUTPUT_CAP, head},
    error::ToolError,
    input,
    tool::{Effect, Tool, ToolReply},
};

/// The tool.
pub struct ForgeGetProjectContract;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Params {
    /// manifesto, blueprint, stack, schema, physics, boundaries, ui or builder_directive.
    contract_type: String,
    /// Bytes to skip, to read on in a long contract.
    #[serde(default)]
    offset: Option<usize>,
}

#[async_trait]
impl Tool for ForgeGetProjectContract {
    fn name(&self) -> &'static str {
        "forge_get_project_contract"
    }

    fn description(&self) -> &'static str {
        "Fetches one contract of the project, with its version and source. For phases use forge_get_phase_window."
    }

    fn effect(&self) -> Effect {
        Effect::Read
    }

    fn schema(&self) -> Value {
        input::schema::<Params>()
    }

    async fn call(&self, ctx: &ToolContext, input: Value) -> Result<ToolReply, ToolError> {
        let params: Params = input::read(input)?;
        let kind: ContractType = params
            .contract_type
            .parse()
            .map_err(|unknown| ToolError::for_model(format!("`contract_type`: {unknown}")))?;
        if kind == ContractType::Phases {
            return Ok(ToolReply::failed(format!(
                "The phases contract is too long to read whole. Call forge_get_phase_window with \
                 phase_number {} for this phase and the next.",
                ctx.phase
            )));
        }
        let text = ctx.contracts.get(kind);
        let Some(page) = page(text, params.offset.unwrap_or(0)) else {
            let length = text.content.len();
            return Ok(ToolReply::failed(format!("`offset`: the contract has {length} bytes")));
        };
        Ok(ToolReply::done(page).with_events([contract_read(ctx, text).into()]))
    }
}

/// What the journal is told when this call has read `text`.
pub(super) fn contract_read(ctx: &ToolContext, text: &ContractText) -> ContractRead {
    let ContractText { kind: contract, version, source, .. } = *text;
    ContractRead { run_id: ctx.run_id, role: ctx.role, contract, version, source }
}

/// What stands over a contract: which, how new, from where.
pub(super) fn heading(text: &ContractText) -> String {
    let kind = text.kind;
    match text.source {
        ContractSource::Snapshot => {
            format!("[{kind}, version {}, pinned by this build]", text.version)
        }
        ContractSource::Project => format!("[{kind}, version {}]", text.version),
        ContractSource::Template => format!(
            "[{kind}: this project has none. What follows is an example of another product that \
             shows the form. It asks nothing of this project.]"
        ),
    }
}

fn page(text: &ContractText, offset: usize) -> Option<String> {
    let content = &text.content;
    if offset > content.len() || (offset == content.len() && offset > 0) {
        return None;
    }
    let offset = content.floor_char_boundary(offset);
    let shown = head(&content[offset..], TOOL_OUTPUT_CAP);
    let next = offset + shown.len();
    let more = match next < content.len() {
        true => format!("\n[cut; go on with offset {next}]"),
        false => String::new(),
    };
    Some(format!("{}\n{shown}{more}", heading(text)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::trial::Trial;
    use domain::event::EventBody;
    use serde_json::json;

    #[tokio::test]
    async fn fetches_a_contract_and_records_who_read_it() {
        let trial = Trial::new().await;
        let done = trial.done(&ForgeGetProjectContract, json!({"contract_type": "stack"})).await;
        assert_eq!(done.output, "[stack, version 3, pinned by this build]\nthe stack contract");
        let [EventBody::BuildContractRead(read)] = done.events.as_slice() else { panic!() };
        assert_eq!((read.contract, read.version), (ContractType::Stack, 3));
        assert_eq!((read.role, read.source), (trial.ctx.role, ContractSource::Snapshot));
    }

    #[tokio::test]
    async fn phases_are_read_by_the_window() {
        let trial = Trial::new().await;
        let said =
            trial.refused(&ForgeGetProjectContract, json!({"contract_type": "phases"})).await;
        assert!(said.contains("forge_get_phase_window"), "{said}");
    }

    #[tokio::test]
    async fn an_unknown_type_is_answered_with_the_nine() {
        let trial = Trial::new().await;
        let said = trial.refused(&ForgeGetProjectContract, json!({"contract_type": "law"})).await;
        assert!(said.contains("builder_directive"), "{said}");
    }

    #[test]
    fn long_contracts_have_pages_that_join_without_a_gap() {
        let text = ContractText {
            kind: ContractType::Ui,
            version: 1,
            source: ContractSource::Project,
            content: "äöü ".repeat(30_000),
            updated_at: None,
        };
        let (mut offset, mut whole) = (0, String::new());
        while let Some(page) = page(&text, offset) {
            let body = page.split_once('\n').unwrap().1;
            let body = body.split("\n[cut;").next().unwrap();
            whole.push_str(body);
            offset += body.len();
        }
        assert_eq!(whole, text.content);
    }

    #[test]
    fn a_template_is_marked_as_one() {
        let text = ContractText {
            kind: ContractType::Ui,
            version: 0,
            source: ContractSource::Template,
            content: "x".into(),
            updated_at: None,
        };
        assert!(heading(&text).contains("asks nothing"));
    }
}
