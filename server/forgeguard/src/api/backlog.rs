//! `/api/projects/{project}/backlog` and `/api/backlog`: what is to be built, in which order.

use axum::{extract::State, http::StatusCode};
use domain::{
    backlog::{ItemState, MAX_ITEMS},
    event::life::Origin,
    ids::{BacklogItemId, ProjectId},
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::{App, Shared},
    backlog_item::{BacklogItem, views},
    backlog_request::{AddBacklogItemRequest, BacklogItemRequest, CheckedItem, check_dependencies},
    extract::{Json, PathParams},
    identity::Identity,
    owned::Owned,
};
use crate::{
    engine::EngineError,
    store::{
        self, Conn,
        backlog_items::{self, NewItem},
        backlogs,
        projects::Project,
    },
};

/// On the board across projects.
const MAX_BOARD_ITEMS: usize = 1_000;

#[derive(Debug, Deserialize)]
pub struct ItemParams {
    item: BacklogItemId,
}

/// The backlog of a project, in its order.
#[derive(Debug, Serialize, ToSchema)]
pub struct Backlog {
    items: Vec<BacklogItem>,
}

/// The items of all projects that the user may view: by project, in their order.
#[derive(Debug, Serialize, ToSchema)]
pub struct BacklogBoard {
    /// At most 1,000.
    items: Vec<BacklogItem>,
    /// Whether there are more.
    is_truncated: bool,
}

/// An item with its spec.
#[derive(Debug, Serialize, ToSchema)]
pub struct BacklogItemDetail {
    #[serde(flatten)]
    item: BacklogItem,
    #[schema(required)]
    spec: Option<String>,
}

#[derive(Debug, Deserialize, ToSchema)]
pub struct MoveBacklogItemRequest {
    /// The item before which it is inserted; null for the end.
    #[serde(default)]
    before: Option<BacklogItemId>,
}

/// The items whose start was requested.
#[derive(Debug, Serialize, ToSchema)]
pub struct StartedItems {
    count: usize,
}

/// Lists the backlog of a project.
#[utoipa::path(get, path = "/api/projects/{project}/backlog", tag = "backlog",
    params(("project" = String, Path, description = "The project's id or slug")), responses(
        (status = 200, body = Backlog),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn list_backlog(
    State(app): State<Shared>,
    Owned { resource: project, .. }: Owned<Project>,
) -> Result<Json<Backlog>, ApiError> {
    let mut conn = app.db.read().await?;
    Ok(Json(Backlog { items: list(&app, &mut conn, project.id).await? }))
}

/// Lists the backlogs of all projects that the user may view.
#[utoipa::path(get, path = "/api/backlog", tag = "backlog", responses(
        (status = 200, body = BacklogBoard),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn list_all_backlogs(
    State(app): State<Shared>,
    by: Identity,
) -> Result<Json<BacklogBoard>, ApiError> {
    let mut conn = app.db.read().await?;
    let limit = MAX_BOARD_ITEMS as i64 + 1;
    let mut rows = backlog_items::list_all(&mut conn, by.user.id, limit).await?;
    let is_truncated = rows.len() > MAX_BOARD_ITEMS;
    rows.truncate(MAX_BOARD_ITEMS);
    let edges = backlog_items::all_dependencies(&mut conn, by.user.id).await?;
    drop(conn);
    Ok(Json(BacklogBoard { items: views(rows, &edges, app.approval.required)?, is_truncated }))
}

/// Adds an item at the end of the backlog. It starts only when this is requested.
#[utoipa::path(post, path = "/api/projects/{project}/backlog", tag = "backlog",
    params(("project" = String, Path, description = "The project's id or slug")),
    request_body = AddBacklogItemRequest, responses(
        (status = 200, description = "There is an item with this external id", body = BacklogItem),
        (status = 201, body = BacklogItem),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn add_backlog_item(
    State(app): State<Shared>,
    owned: Owned<Project>,
    Json(request): Json<AddBacklogItemRequest>,
) -> Result<(StatusCode, Json<BacklogItem>), ApiError> {
    let (is_new, item) = add(&app, &owned, request).await?;
    Ok((if is_new { StatusCode::CREATED } else { StatusCode::OK }, Json(item)))
}

/// Adds an item, unless there is one with its external id. Returns whether it is new.
pub async fn add(
    app: &App,
    Owned { resource: project, by, .. }: &Owned<Project>,
    request: AddBacklogItemRequest,
) -> Result<(bool, BacklogItem), ApiError> {
    if project.origin == Origin::Demo {
        return Err(EngineError::Scripted.into());
    }
    let (CheckedItem { content, depends_on }, external_id) = request.checked().await?;
    let (id, now) = (store::new_id(), store::now());
    let mut tx = app.db.write().await?;
    let count = backlogs::lock(&mut tx, project.id, now).await?;
    if let Some(external_id) = &external_id
        && let Some(row) = backlog_items::by_external_id(&mut tx, project.id, external_id).await?
    {
        return Ok((false, find(app, &mut tx, project.id, row.id).await?));
    }
    let items = list(app, &mut tx, project.id).await?;
    if items.len() >= MAX_ITEMS {
        let why = format!("A project has at most {MAX_ITEMS} items; delete some that are done.");
        return Err(ApiError::conflict(why));
    }
    check_dependencies(None, &depends_on, &items)?;
    let new = NewItem {
        id,
        project_id: project.id,
        number: count + 1,
        content: &content,
        external_id: external_id.as_deref(),
        created_by: by.user.id,
        created_at: now,
    };
    backlog_items::insert(&mut tx, &new).await?;
    backlogs::set_item_count(&mut tx, project.id, count + 1).await?;
    backlog_items::set_dependencies(&mut tx, id, &depends_on).await?;
    let item = find(app, &mut tx, project.id, id).await?;
    tx.commit().await?;
    Ok((true, item))
}

/// Gets an item with its spec.
#[utoipa::path(get, path = "/api/projects/{project}/backlog/{item}", tag = "backlog", params(
        ("project" = String, Path, description = "The project's id or slug"),
        ("item" = BacklogItemId, Path, description = "The item's id"),
    ), responses(
        (status = 200, body = BacklogItemDetail),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn get_backlog_item(
    State(app): State<Shared>,
    Owned { resource: project, .. }: Owned<Project>,
    PathParams(ItemParams { item }): PathParams<ItemParams>,
) -> Result<Json<BacklogItemDetail>, ApiError> {
    let mut conn = app.db.read().await?;
    let item = find(&app, &mut conn, project.id, item).await?;
    let spec = backlog_items::spec(&mut conn, item.id).await?;
    Ok(Json(BacklogItemDetail { item, spec }))
}

/// Changes an item that is not built yet.
#[utoipa::path(put, path = "/api/projects/{project}/backlog/{item}", tag = "backlog", params(
        ("project" = String, Path, description = "The project's id or slug"),
        ("item" = BacklogItemId, Path, description = "The item's id"),
    ), request_body = BacklogItemRequest, responses(
        (status = 200, body = BacklogItem),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn update_backlog_item(
    State(app): State<Shared>,
    Owned { resource: project, .. }: Owned<Project>,
    PathParams(ItemParams { item: id }): PathParams<ItemParams>,
    Json(request): Json<BacklogItemRequest>,
) -> Result<Json<BacklogItem>, ApiError> {
    let CheckedItem { content, depends_on } = request.checked().await?;
    let now = store::now();
    let mut tx = app.db.write().await?;
    backlogs::lock(&mut tx, project.id, now).await?;
    let items = list(&app, &mut tx, project.id).await?;
    let item = items.iter().find(|item| item.id == id);
    let item = item.ok_or_else(|| ApiError::not_found("item"))?;
    if !item.is_startable && !item.start_requested {
        return Err(ApiError::conflict("This item is being built, or was. Add another one."));
    }
    check_dependencies(Some(id), &depends_on, &items)?;
    backlog_items::update(&mut tx, id, &content, now).await?;
    backlog_items::set_dependencies(&mut tx, id, &depends_on).await?;
    backlogs::wake(&mut tx, project.id, now).await?;
    let item = find(&app, &mut tx, project.id, id).await?;
    tx.commit().await?;
    app.engine.wake_backlog_worker();
    Ok(Json(item))
}

/// Deletes an item that is not being built. Its builds are kept.
#[utoipa::path(delete, path = "/api/projects/{project}/backlog/{item}", tag = "backlog", params(
        ("project" = String, Path, description = "The project's id or slug"),
        ("item" = BacklogItemId, Path, description = "The item's id"),
    ), responses(
        (status = 204),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn delete_backlog_item(
    State(app): State<Shared>,
    Owned { resource: project, .. }: Owned<Project>,
    PathParams(ItemParams { item }): PathParams<ItemParams>,
) -> Result<StatusCode, ApiError> {
    let now = store::now();
    let mut tx = app.db.write().await?;
    backlogs::lock(&mut tx, project.id, now).await?;
    find(&app, &mut tx, project.id, item).await?;
    if !backlog_items::remove(&mut tx, item).await? {
        return Err(ApiError::conflict("This item is being built. Cancel its build first."));
    }
    backlogs::wake(&mut tx, project.id, now).await?;
    tx.commit().await?;
    app.engine.wake_backlog_worker();
    Ok(StatusCode::NO_CONTENT)
}

/// Moves an item to another place in the order, in which items start.
#[utoipa::path(post, path = "/api/projects/{project}/backlog/{item}/move", tag = "backlog", params(
        ("project" = String, Path, description = "The project's id or slug"),
        ("item" = BacklogItemId, Path, description = "The item's id"),
    ), request_body = MoveBacklogItemRequest, responses(
        (status = 200, body = Backlog),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn move_backlog_item(
    State(app): State<Shared>,
    Owned { resource: project, .. }: Owned<Project>,
    PathParams(ItemParams { item }): PathParams<ItemParams>,
    Json(MoveBacklogItemRequest { before }): Json<MoveBacklogItemRequest>,
) -> Result<Json<Backlog>, ApiError> {
    let mut tx = app.db.write().await?;
    backlogs::lock(&mut tx, project.id, store::now()).await?;
    find(&app, &mut tx, project.id, item).await?;
    let items = list(&app, &mut tx, project.id).await?;
    let mut ids: Vec<BacklogItemId> = items.iter().map(|it| it.id).collect();
    if before != Some(item) {
        ids.retain(|id| *id != item);
        let at = match before {
            None => ids.len(),
            Some(before) => ids
                .iter()
                .position(|id| *id == before)
                .ok_or_else(|| ApiError::invalid("before", "choose an item of the same project"))?,
        };
        ids.insert(at, item);
        backlog_items::set_order(&mut tx, &ids).await?;
    }
    let items = list(&app, &mut tx, project.id).await?;
    tx.commit().await?;
    Ok(Json(Backlog { items }))
}

/// Requests the start of an item: its build is queued when the items that it depends on are built, those
/// that may change the same files are not under way, and the project may have another build.
#[utoipa::path(post, path = "/api/projects/{project}/backlog/{item}/start", tag = "backlog", params(
        ("project" = String, Path, description = "The project's id or slug"),
        ("item" = BacklogItemId, Path, description = "The item's id"),
    ), responses(
        (status = 202, body = BacklogItem),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn start_backlog_item(
    State(app): State<Shared>,
    Owned { resource: project, by, .. }: Owned<Project>,
    PathParams(ItemParams { item: id }): PathParams<ItemParams>,
) -> Result<(StatusCode, Json<BacklogItem>), ApiError> {
    let now = store::now();
    let mut tx = app.db.write().await?;
    backlogs::lock(&mut tx, project.id, now).await?;
    if !find(&app, &mut tx, project.id, id).await?.is_startable {
        return Err(ApiError::conflict("This item is started already."));
    }
    backlog_items::request_start(&mut tx, id, Some(by.user.id)).await?;
    backlogs::wake(&mut tx, project.id, now).await?;
    let item = find(&app, &mut tx, project.id, id).await?;
    tx.commit().await?;
    app.engine.wake_backlog_worker();
    Ok((StatusCode::ACCEPTED, Json(item)))
}

/// Withdraws the request to start an item, if its build is not queued yet.
#[utoipa::path(delete, path = "/api/projects/{project}/backlog/{item}/start", tag = "backlog", params(
        ("project" = String, Path, description = "The project's id or slug"),
        ("item" = BacklogItemId, Path, description = "The item's id"),
    ), responses(
        (status = 200, body = BacklogItem),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn withdraw_backlog_start(
    State(app): State<Shared>,
    Owned { resource: project, .. }: Owned<Project>,
    PathParams(ItemParams { item: id }): PathParams<ItemParams>,
) -> Result<Json<BacklogItem>, ApiError> {
    let mut tx = app.db.write().await?;
    backlogs::lock(&mut tx, project.id, store::now()).await?;
    find(&app, &mut tx, project.id, id).await?;
    backlog_items::request_start(&mut tx, id, None).await?;
    let item = find(&app, &mut tx, project.id, id).await?;
    tx.commit().await?;
    Ok(Json(item))
}

/// Requests the start of all items that have no build: they start one after the other, by dependency
/// and in their order.
#[utoipa::path(post, path = "/api/projects/{project}/backlog/start", tag = "backlog",
    params(("project" = String, Path, description = "The project's id or slug")), responses(
        (status = 202, body = StartedItems),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn start_backlog(
    State(app): State<Shared>,
    Owned { resource: project, by, .. }: Owned<Project>,
) -> Result<(StatusCode, Json<StartedItems>), ApiError> {
    let now = store::now();
    let mut tx = app.db.write().await?;
    backlogs::lock(&mut tx, project.id, now).await?;
    let items = list(&app, &mut tx, project.id).await?;
    let items = items.iter().filter(|it| it.state == ItemState::Queued && it.is_startable);
    let ids: Vec<BacklogItemId> = items.map(|item| item.id).collect();
    for id in &ids {
        backlog_items::request_start(&mut tx, *id, Some(by.user.id)).await?;
    }
    backlogs::wake(&mut tx, project.id, now).await?;
    tx.commit().await?;
    app.engine.wake_backlog_worker();
    Ok((StatusCode::ACCEPTED, Json(StartedItems { count: ids.len() })))
}

/// The items of a project.
pub async fn list(
    app: &App,
    conn: &mut Conn,
    project: ProjectId,
) -> Result<Vec<BacklogItem>, ApiError> {
    let rows = backlog_items::list(conn, project).await?;
    let edges = backlog_items::dependencies(conn, project).await?;
    views(rows, &edges, app.approval.required)
}

async fn find(
    app: &App,
    conn: &mut Conn,
    project: ProjectId,
    id: BacklogItemId,
) -> Result<BacklogItem, ApiError> {
    let items = list(app, conn, project).await?;
    items.into_iter().find(|item| item.id == id).ok_or_else(|| ApiError::not_found("item"))
}
