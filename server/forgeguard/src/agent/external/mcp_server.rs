//! The MCP server of a run, which the gateway serves to an external agent.

use axum::Router;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
        ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
        Tool as Definition, ToolAnnotations,
    },
    service::RequestContext,
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
    },
};
use serde_json::Value;

use super::run_records::RunRecords;
use crate::tools::{Effect, Tool, ToolError};

/// Where the gateway serves it.
pub const PATH: &str = "/mcp";
const MAX_BODY_BYTES: usize = 1 << 20;

/// Serves the tools of a run at [`PATH`], without sessions.
pub fn router(records: RunRecords) -> Router {
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(MAX_BODY_BYTES);
    let factory = move || Ok(McpServer(records.clone()));
    let service =
        StreamableHttpService::new(factory, NeverSessionManager::default().into(), config);
    Router::new().route_service(PATH, service)
}

struct McpServer(RunRecords);

fn definition(tool: &dyn Tool) -> Definition {
    let reads = tool.effect() == Effect::Read;
    let hints = ToolAnnotations::new().read_only(reads).destructive(!reads).open_world(false);
    let schema = match tool.schema() {
        Value::Object(schema) => schema,
        _ => serde_json::Map::new(),
    };
    Definition::new(tool.name().as_str(), tool.description(), schema).with_annotations(hints)
}

impl ServerHandler for McpServer {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("forgeguard", env!("CARGO_PKG_VERSION")))
            .with_instructions(
                "Contracts and notes of the build that you work on, and questions to its user.",
            )
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.0.tools().map(definition);
        Ok(ListToolsResult::with_all_items(tools.collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let input = Value::Object(request.arguments.unwrap_or_default());
        let (ok, output) = match self.0.call(&request.name, input).await {
            Ok(done) => (done.ok, done.output),
            Err(ToolError::ForModel(reason)) => (false, reason),
            Err(ToolError::Fatal(error)) => {
                tracing::warn!(%error, "a call of an external agent failed");
                return Err(ErrorData::internal_error("the call failed; try again later", None));
            }
        };
        let content = vec![ContentBlock::text(output)];
        let result =
            if ok { CallToolResult::success(content) } else { CallToolResult::error(content) };
        Ok(result.into())
    }
}
