//! The MCP server of one session, or of one request in the revisions without sessions.

use std::sync::{Arc, OnceLock};

use axum::http::request::Parts;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock,
        GetPromptRequestParams, GetPromptResponse, Implementation, InitializeRequestParams,
        InitializeResult, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
        ListToolsResult, PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams,
        ReadResourceResponse, ServerCapabilities, ServerConfig, SubscriptionFilter,
    },
    service::{RequestContext, SubscriptionContext},
};
use serde_json::{Value, json};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::{
    call::{Call, Rejection, SessionTarget, Target},
    catalog::{find, tools_of},
    client_tool::{ClientReply, definition},
    last_calls::LastCalls,
    list_changes::ListMonitor,
    notifications::{notify_session, serve_subscription},
    project_tools::SET_SESSION,
    prompts, resources,
};
use crate::api::{app::Shared, identity::Identity, key_grant::lacks_scope};

const INSTRUCTIONS: &str = "ForgeGuard builds software under governance: contracts say what is built, \
    builds work phase by phase on a branch of their own, and a seal says which requirement is proven. \
    Start with forge_list_projects. Then name project_id and build_id in each call, or set them once \
    with forge_set_session if your client has sessions. Follow a build with forge_watch_build.";

pub struct McpServer {
    app: Shared,
    calls: Arc<LastCalls>,
    lists: Arc<ListMonitor>,
    target: SessionTarget,
    /// Ends the notifications of the session.
    notifying: OnceLock<DropGuard>,
}

impl McpServer {
    pub fn new(app: Shared, calls: Arc<LastCalls>, lists: Arc<ListMonitor>) -> Self {
        let (target, notifying) = (SessionTarget::default(), OnceLock::new());
        Self { app, calls, lists, target, notifying }
    }

    fn record(&self, by: &Identity, name: &str) {
        if let Some(key) = by.key() {
            self.calls.record(key.id, name);
        }
    }
}

/// The user of a request, whom the endpoint has identified.
fn caller(context: &RequestContext<RoleServer>) -> Result<Identity, ErrorData> {
    let parts = context.extensions.get::<Parts>();
    let identity = parts.and_then(|parts| parts.extensions.get::<Identity>()).cloned();
    identity.ok_or_else(|| ErrorData::internal_error("the request has no user", None))
}

/// Since this revision there are no sessions whose project could be set.
fn has_session(context: &RequestContext<RoleServer>) -> bool {
    let version = context.protocol_version();
    version.is_none_or(|version| version.as_str() < ProtocolVersion::NO_INITIALIZE.as_str())
}

fn internal(Rejection(reason): Rejection) -> ErrorData {
    ErrorData::internal_error(reason, None)
}

fn invalid(Rejection(reason): Rejection) -> ErrorData {
    ErrorData::invalid_params(reason, None)
}

/// These lists have one page.
fn reject_cursor(request: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
    match request.and_then(|request| request.cursor) {
        Some(_) => Err(invalid(Rejection("This list has no further page.".into()))),
        None => Ok(()),
    }
}

fn shown(reply: Result<ClientReply, Rejection>) -> CallToolResult {
    match reply {
        Ok(ClientReply { text, data }) => {
            let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
            result.structured_content = Some(data);
            result
        }
        Err(Rejection(reason)) => CallToolResult::error(vec![ContentBlock::text(reason)]),
    }
}

impl ServerHandler for McpServer {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_prompts()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_tools()
            .enable_tool_list_changed()
            .build();
        let version = env!("CARGO_PKG_VERSION");
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("forgeguard", version).with_title("ForgeGuard"))
            .with_instructions(INSTRUCTIONS)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let by = caller(&context)?;
        self.record(&by, "initialize");
        context.peer.set_peer_info(request.clone());
        // From before the response, so that the client misses no later change.
        let watch = self.lists.watch(&by).await.map_err(internal)?;
        let ended = CancellationToken::new();
        if self.notifying.set(ended.clone().drop_guard()).is_ok() {
            tokio::spawn(notify_session(watch, context.peer, ended));
        }
        self.negotiate_initialize(&request)
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        reject_cursor(request)?;
        let by = caller(&context)?;
        self.record(&by, "tools/list");
        let has_session = has_session(&context);
        let listed =
            tools_of(&by).filter(|tool| has_session || tool.properties().name != SET_SESSION);
        let tools = listed.map(definition).collect();
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let by = caller(&context)?;
        let Some(tool) = find(&request.name) else {
            let name: String = request.name.chars().take(60).collect();
            return Err(invalid(Rejection(format!("There is no tool `{name}`."))));
        };
        let properties = tool.properties();
        self.record(&by, properties.name);
        if !by.permits(properties.scope) {
            return Ok(shown(Err(lacks_scope(properties.scope).into())).into());
        }
        if properties.name == SET_SESSION && !has_session(&context) {
            let why =
                "This revision of MCP has no sessions. Name project_id and build_id in each call.";
            return Ok(shown(Err(Rejection(why.into()))).into());
        }
        let mut arguments = request.arguments.unwrap_or_default();
        let target = match Target::take(&mut arguments) {
            Ok(target) => target,
            Err(rejection) => return Ok(shown(Err(rejection)).into()),
        };
        let (app, session) = (self.app.clone(), self.target.clone());
        let call = Call { app, by, target, session, request: context };
        Ok(shown(tool.call(&call, Value::Object(arguments)).await).into())
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        resources::list(&self.app, &caller(&context)?, cursor).await.map_err(invalid)
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        reject_cursor(request)?;
        Ok(resources::templates())
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let by = caller(&context)?;
        self.record(&by, "resources/read");
        let found = resources::read(&self.app, &by, &request.uri).await.map_err(invalid)?;
        let missing = "This resource does not exist, or you do not have access to it.";
        found.map(Into::into).ok_or_else(|| {
            ErrorData::resource_not_found(missing, Some(json!({ "uri": request.uri })))
        })
    }

    fn accepted_subscription_filter(&self, _: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let lists = SubscriptionFilter::builder().tools_list_changed().resources_list_changed();
        Some(lists.build())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let by = caller(context.request_context())?;
        self.record(&by, "subscriptions/listen");
        let watch = self.lists.watch(&by).await.map_err(internal)?;
        serve_subscription(watch, &context, by.watch(&self.app)).await;
        Ok(())
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        reject_cursor(request)?;
        Ok(prompts::list(&caller(&context)?))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let by = caller(&context)?;
        let found = prompts::get(&by, &request.name, request.arguments).map_err(invalid)?;
        let missing = || invalid(Rejection("There is no such prompt.".into()));
        found.map(Into::into).ok_or_else(missing)
    }
}
