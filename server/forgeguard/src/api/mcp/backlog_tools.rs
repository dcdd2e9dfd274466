//! Tools with which other programs add items to a backlog and read what became of them. Only
//! ForgeGuard starts items.

use domain::key_scope::KeyScope;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    call::{Call, Intent, Rejection},
    client_tool::{
        About, ClientEffect, ClientReply, ClientTool, Properties, Replying, client_tool,
    },
    project_tools::body,
};
use crate::{
    api::{backlog, backlog_item::BacklogItem, extract::Json},
    tools::input,
};

pub fn backlog_tools() -> Vec<Box<dyn ClientTool>> {
    vec![Box::new(ListBacklog), Box::new(AddBacklogItem)]
}

client_tool!(ListBacklog, ListBacklogParams => ItemList, "forge_list_backlog", "List the backlog", Read,
    Read, Project, "Lists the items of the project's backlog in their order, with the verdicts of their \
    builds.", list_backlog);
client_tool!(AddBacklogItem, AddItemParams => ItemRow, "forge_add_backlog_item", "Add a backlog item",
    Build, Add, Project, "Adds an item to the project's backlog. It starts when a user requests that. \
    With an external_id that an item has, that item is returned unchanged.", add_item);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListBacklogParams {
    /// Only the item with this id of another program.
    #[serde(default)]
    external_id: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct ItemList {
    items: Vec<ItemRow>,
}

#[derive(Serialize, JsonSchema)]
struct ItemRow {
    item_id: String,
    number: u32,
    title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    external_id: Option<String>,
    /// queued, running, needs_you, in_review or done.
    state: Value,
    attempts: u32,
    /// Ids of the items that must be built first.
    blocked_by: Vec<String>,
    /// Of its newest build; absent before the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    build_id: Option<String>,
    /// CERTIFIED, CONDITIONAL or FLAGGED; absent until the build is sealed.
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<&'static str>,
    /// Absent before it exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<String>,
}

impl From<BacklogItem> for ItemRow {
    fn from(item: BacklogItem) -> Self {
        let (build_id, verdict, branch) = item.build.map_or((None, None, None), |build| {
            (Some(build.id.to_string()), build.verdict.map(|it| it.name()), build.branch)
        });
        Self {
            item_id: item.id.to_string(),
            number: item.number,
            title: item.title,
            external_id: item.external_id,
            state: json!(item.state),
            attempts: item.attempts,
            blocked_by: item.blocked_by.iter().map(ToString::to_string).collect(),
            build_id,
            verdict,
            branch,
        }
    }
}

async fn list_backlog(call: &Call, params: ListBacklogParams) -> Result<ItemList, Rejection> {
    let project = call.project(Intent::Read).await?.resource;
    let mut conn = call.app.db.read().await?;
    let items = backlog::list(&call.app, &mut conn, project.id).await?;
    let is_wanted =
        |item: &BacklogItem| params.external_id.is_none() || item.external_id == params.external_id;
    Ok(ItemList { items: items.into_iter().filter(is_wanted).map(ItemRow::from).collect() })
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AddItemParams {
    /// One line; the title of the spec if omitted.
    #[serde(default)]
    title: Option<String>,
    /// What to change, as Markdown.
    #[serde(default)]
    description: Option<String>,
    /// A spec with requirements and pass criteria, instead of the description.
    #[serde(default)]
    spec: Option<String>,
    /// Globs of paths that the build may change. Default: any.
    #[serde(default)]
    scope: Vec<String>,
    /// Ids of items that must be built first.
    #[serde(default)]
    depends_on: Vec<String>,
    /// Your id of the item. A second call with it adds nothing.
    #[serde(default)]
    external_id: Option<String>,
}

async fn add_item(call: &Call, params: AddItemParams) -> Result<ItemRow, Rejection> {
    let Json(request) = body(json!({
        "title": params.title,
        "description": params.description.unwrap_or_default(),
        "spec": params.spec,
        "scope": params.scope,
        "depends_on": params.depends_on,
        "external_id": params.external_id,
    }))?;
    let project = call.project(Intent::Change).await?;
    let (_, item) = backlog::add(&call.app, &project, request).await?;
    Ok(item.into())
}
