//! `/api/projects/{project}/webhooks` for owners, and `/api/settings/webhooks` for administrators.

use axum::{extract::State, http::StatusCode};
use domain::{
    audit::AuditAction,
    ids::{DeliveryId, ProjectId, WebhookId},
};
use serde::Deserialize;
use serde_json::json;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::{App, Shared},
    extract::{Json, PathParams, QueryParams},
    identity::{Admin, SignedInAdmin},
    list::{List, Page},
    owned::{Owned, ProjectRole},
    webhook::{AddWebhookRequest, NewWebhook, UpdateWebhookRequest, Webhook, WebhookDelivery},
};
use crate::{
    engine::webhooks::{self as engine_webhooks, kinds_text},
    store::{
        self, Conn,
        audit_log::{self, NewEntry},
        deliveries,
        projects::Project,
        users::User,
        webhooks,
    },
};

/// Of a project, or of the installation.
const MAX_WEBHOOKS: usize = 10;

#[derive(Debug, Deserialize)]
pub struct WebhookPath {
    webhook: WebhookId,
}

#[derive(Debug, Deserialize)]
pub struct DeliveryPath {
    webhook: WebhookId,
    delivery: DeliveryId,
}

/// Lists the webhooks of a project, for its owner.
#[utoipa::path(get, path = "/api/projects/{project}/webhooks", tag = "projects",
    params(("project" = String, Path, description = "The project's id or slug")), responses(
        (status = 200, body = List<Webhook>),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn list_webhooks(
    State(app): State<Shared>,
    owned: Owned<Project>,
) -> Result<Json<List<Webhook>>, ApiError> {
    list(&app, Some(own(&owned)?)).await
}

/// Adds a webhook to a project. Its secret is shown only once.
#[utoipa::path(post, path = "/api/projects/{project}/webhooks", tag = "projects",
    params(("project" = String, Path, description = "The project's id or slug")),
    request_body = AddWebhookRequest, responses(
        (status = 201, body = NewWebhook),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn add_webhook(
    State(app): State<Shared>,
    owned: Owned<Project>,
    Json(request): Json<AddWebhookRequest>,
) -> Result<(StatusCode, Json<NewWebhook>), ApiError> {
    add(&app, Some(own(&owned)?), &owned.by.user, request).await
}

/// Changes the kinds of a webhook of a project, and enables it.
#[utoipa::path(patch, path = "/api/projects/{project}/webhooks/{webhook}", tag = "projects",
    params(
        ("project" = String, Path, description = "The project's id or slug"),
        ("webhook" = WebhookId, Path, description = "The webhook's id"),
    ), request_body = UpdateWebhookRequest, responses(
        (status = 200, body = Webhook),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn update_webhook(
    State(app): State<Shared>,
    owned: Owned<Project>,
    PathParams(path): PathParams<WebhookPath>,
    Json(request): Json<UpdateWebhookRequest>,
) -> Result<Json<Webhook>, ApiError> {
    update(&app, Some(own(&owned)?), &owned.by.user, path.webhook, request).await
}

/// Removes a webhook of a project.
#[utoipa::path(delete, path = "/api/projects/{project}/webhooks/{webhook}", tag = "projects",
    params(
        ("project" = String, Path, description = "The project's id or slug"),
        ("webhook" = WebhookId, Path, description = "The webhook's id"),
    ), responses(
        (status = 204),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn remove_webhook(
    State(app): State<Shared>,
    owned: Owned<Project>,
    PathParams(path): PathParams<WebhookPath>,
) -> Result<StatusCode, ApiError> {
    remove(&app, Some(own(&owned)?), &owned.by.user, path.webhook).await
}

/// Lists what was sent to a webhook of a project in the last 30 days, newest first.
#[utoipa::path(get, path = "/api/projects/{project}/webhooks/{webhook}/deliveries",
    tag = "projects", params(
        ("project" = String, Path, description = "The project's id or slug"),
        ("webhook" = WebhookId, Path, description = "The webhook's id"), Page,
    ), responses(
        (status = 200, body = List<WebhookDelivery>),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn list_webhook_deliveries(
    State(app): State<Shared>,
    owned: Owned<Project>,
    PathParams(path): PathParams<WebhookPath>,
    QueryParams(page): QueryParams<Page>,
) -> Result<Json<List<WebhookDelivery>>, ApiError> {
    list_deliveries(&app, Some(own(&owned)?), path.webhook, page).await
}

/// Sends a failed delivery of a project's webhook again.
#[utoipa::path(post, path = "/api/projects/{project}/webhooks/{webhook}/deliveries/{delivery}/send",
    tag = "projects", params(
        ("project" = String, Path, description = "The project's id or slug"),
        ("webhook" = WebhookId, Path, description = "The webhook's id"),
        ("delivery" = DeliveryId, Path, description = "The delivery's id"),
    ), responses(
        (status = 202),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn send_webhook_delivery(
    State(app): State<Shared>,
    owned: Owned<Project>,
    PathParams(path): PathParams<DeliveryPath>,
) -> Result<StatusCode, ApiError> {
    send_again(&app, Some(own(&owned)?), path).await
}

/// Lists the webhooks of the installation, which are called for all projects.
#[utoipa::path(get, path = "/api/settings/webhooks", tag = "settings", responses(
    (status = 200, body = List<Webhook>),
    (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
))]
pub async fn list_installation_webhooks(
    State(app): State<Shared>,
    _: Admin,
) -> Result<Json<List<Webhook>>, ApiError> {
    list(&app, None).await
}

/// Adds a webhook for all projects. Its secret is shown only once.
#[utoipa::path(post, path = "/api/settings/webhooks", tag = "settings",
    request_body = AddWebhookRequest, responses(
        (status = 201, body = NewWebhook),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn add_installation_webhook(
    State(app): State<Shared>,
    SignedInAdmin(admin): SignedInAdmin,
    Json(request): Json<AddWebhookRequest>,
) -> Result<(StatusCode, Json<NewWebhook>), ApiError> {
    add(&app, None, &admin, request).await
}

/// Changes the kinds of a webhook of the installation, and enables it.
#[utoipa::path(patch, path = "/api/settings/webhooks/{webhook}", tag = "settings",
    params(("webhook" = WebhookId, Path, description = "The webhook's id")),
    request_body = UpdateWebhookRequest, responses(
        (status = 200, body = Webhook),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn update_installation_webhook(
    State(app): State<Shared>,
    SignedInAdmin(admin): SignedInAdmin,
    PathParams(path): PathParams<WebhookPath>,
    Json(request): Json<UpdateWebhookRequest>,
) -> Result<Json<Webhook>, ApiError> {
    update(&app, None, &admin, path.webhook, request).await
}

/// Removes a webhook of the installation.
#[utoipa::path(delete, path = "/api/settings/webhooks/{webhook}", tag = "settings",
    params(("webhook" = WebhookId, Path, description = "The webhook's id")), responses(
        (status = 204),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn remove_installation_webhook(
    State(app): State<Shared>,
    SignedInAdmin(admin): SignedInAdmin,
    PathParams(path): PathParams<WebhookPath>,
) -> Result<StatusCode, ApiError> {
    remove(&app, None, &admin, path.webhook).await
}

/// Lists what was sent to a webhook of the installation in the last 30 days, newest first.
#[utoipa::path(get, path = "/api/settings/webhooks/{webhook}/deliveries", tag = "settings",
    params(("webhook" = WebhookId, Path, description = "The webhook's id"), Page), responses(
        (status = 200, body = List<WebhookDelivery>),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn list_installation_webhook_deliveries(
    State(app): State<Shared>,
    _: Admin,
    PathParams(path): PathParams<WebhookPath>,
    QueryParams(page): QueryParams<Page>,
) -> Result<Json<List<WebhookDelivery>>, ApiError> {
    list_deliveries(&app, None, path.webhook, page).await
}

/// Sends a failed delivery of an installation's webhook again.
#[utoipa::path(post, path = "/api/settings/webhooks/{webhook}/deliveries/{delivery}/send",
    tag = "settings", params(
        ("webhook" = WebhookId, Path, description = "The webhook's id"),
        ("delivery" = DeliveryId, Path, description = "The delivery's id"),
    ), responses(
        (status = 202),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn send_installation_webhook_delivery(
    State(app): State<Shared>,
    _: SignedInAdmin,
    PathParams(path): PathParams<DeliveryPath>,
) -> Result<StatusCode, ApiError> {
    send_again(&app, None, path).await
}

/// The project, for its owner: a URL may contain a secret.
fn own(Owned { resource, role, .. }: &Owned<Project>) -> Result<&Project, ApiError> {
    match role {
        ProjectRole::Owner => Ok(resource),
        ProjectRole::Viewer => {
            Err(ApiError::forbidden("Only the owner of this project can see its webhooks."))
        }
    }
}

async fn list(app: &App, project: Option<&Project>) -> Result<Json<List<Webhook>>, ApiError> {
    let rows = webhooks::list(&mut app.db.read().await?, id_of(project)).await?;
    let items = rows.into_iter().map(Webhook::try_from).collect::<Result<_, _>>();
    Ok(Json(List::unpaginated(items.map_err(ApiError::internal)?)))
}

async fn add(
    app: &App,
    project: Option<&Project>,
    by: &User,
    request: AddWebhookRequest,
) -> Result<(StatusCode, Json<NewWebhook>), ApiError> {
    let AddWebhookRequest { url, kinds } = request.checked()?;
    if let Some(problem) = app.engine.webhook_url_problem(&url).await {
        return Err(ApiError::invalid("url", problem));
    }
    let new =
        engine_webhooks::NewWebhook { project_id: id_of(project), url, kinds, created_by: by.id };
    let (row, secret) = app.engine.new_webhook(new).await?;
    let mut tx = app.db.write().await?;
    if webhooks::list(&mut tx, row.project_id).await?.len() >= MAX_WEBHOOKS {
        return Err(ApiError::conflict(format!("There are {MAX_WEBHOOKS} webhooks already.")));
    }
    webhooks::insert(&mut tx, &row).await?;
    record(&mut tx, by, AuditAction::WebhookAdded, project, &row).await?;
    tx.commit().await?;
    let webhook = Webhook::try_from(row).map_err(ApiError::internal)?;
    Ok((StatusCode::CREATED, Json(NewWebhook { webhook, secret: secret.expose().clone() })))
}

async fn update(
    app: &App,
    project: Option<&Project>,
    by: &User,
    id: WebhookId,
    request: UpdateWebhookRequest,
) -> Result<Json<Webhook>, ApiError> {
    let kinds = request.checked()?;
    let mut tx = app.db.write().await?;
    find(&mut tx, project, id).await?;
    webhooks::update(&mut tx, id, &kinds_text(&kinds)).await?;
    let row = find(&mut tx, project, id).await?;
    record(&mut tx, by, AuditAction::WebhookChanged, project, &row).await?;
    tx.commit().await?;
    Webhook::try_from(row).map(Json).map_err(ApiError::internal)
}

async fn remove(
    app: &App,
    project: Option<&Project>,
    by: &User,
    id: WebhookId,
) -> Result<StatusCode, ApiError> {
    let mut tx = app.db.write().await?;
    let row = find(&mut tx, project, id).await?;
    webhooks::remove(&mut tx, id).await?;
    record(&mut tx, by, AuditAction::WebhookRemoved, project, &row).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

async fn list_deliveries(
    app: &App,
    project: Option<&Project>,
    id: WebhookId,
    page: Page,
) -> Result<Json<List<WebhookDelivery>>, ApiError> {
    let mut conn = app.db.read().await?;
    find(&mut conn, project, id).await?;
    let rows = deliveries::list(&mut conn, id, page.after()?, page.rows()?).await?;
    Ok(Json(page.list(rows, |row| row.id.to_string(), WebhookDelivery::from)?))
}

async fn send_again(
    app: &App,
    project: Option<&Project>,
    DeliveryPath { webhook, delivery }: DeliveryPath,
) -> Result<StatusCode, ApiError> {
    let mut tx = app.db.write().await?;
    if find(&mut tx, project, webhook).await?.disabled_at.is_some() {
        return Err(ApiError::conflict("This webhook is disabled. Enable it first."));
    }
    if !deliveries::send_again(&mut tx, webhook, delivery, store::now()).await? {
        return Err(ApiError::not_found("failed delivery"));
    }
    tx.commit().await?;
    Ok(StatusCode::ACCEPTED)
}

/// The webhook, if it is one of the project, or of the installation.
async fn find(
    conn: &mut Conn,
    project: Option<&Project>,
    id: WebhookId,
) -> Result<webhooks::Webhook, ApiError> {
    let found = webhooks::get(conn, id).await?;
    let found = found.filter(|webhook| webhook.project_id == id_of(project));
    found.ok_or_else(|| ApiError::not_found("webhook"))
}

fn id_of(project: Option<&Project>) -> Option<ProjectId> {
    project.map(|project| project.id)
}

/// Without the URL's path, which may be a secret.
async fn record(
    conn: &mut Conn,
    by: &User,
    action: AuditAction,
    project: Option<&Project>,
    webhook: &webhooks::Webhook,
) -> Result<(), ApiError> {
    let url = reqwest::Url::parse(&webhook.url).ok();
    let detail = json!({
        "project": project.map(|project| &project.name),
        "host": url.as_ref().and_then(|url| url.host_str()),
        "webhook": webhook.id,
    });
    let subject = match project {
        Some(project) => format!("project/{}", project.id),
        None => "installation".to_owned(),
    };
    let entry = NewEntry::by(by, store::now(), action, subject, detail);
    Ok(audit_log::append(conn, &entry).await?)
}
