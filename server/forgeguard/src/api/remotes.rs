//! Projects that follow a repository on another server: `/api/imports`, `/api/remote-tests` and
//! `/api/projects/{project}/remote`.

use axum::{extract::State, http::StatusCode};
use domain::{audit::AuditAction, event::life::Origin, remote::ForgeKind};
use serde_json::json;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::{App, Shared},
    auth::token,
    check::Check,
    extract::Json,
    identity::Identity,
    owned::{Owned, ProjectRole},
    projects::{self as shown, record},
    remote::{
        ConnectRemoteRequest, Fetch, ImportRequest, NewHookSecret, ProjectRemote, Remote,
        RemoteTest, TestRemoteRequest, UpdateRemoteRequest, parse_url,
    },
};
use crate::{
    engine::{ProjectSettings, remotes::NewRemote},
    secret::Secret,
    store::{
        self,
        audit_log::{self, NewEntry},
        fetches,
        projects::{NewProject, Project},
        remotes,
    },
};

/// Creates a project from a repository on another server, and begins to import it.
#[utoipa::path(post, path = "/api/imports", tag = "projects",
    request_body = ImportRequest, responses(
        (status = 201, body = shown::Project),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn import_project(
    State(app): State<Shared>,
    Identity { user, .. }: Identity,
    Json(request): Json<ImportRequest>,
) -> Result<(StatusCode, Json<shown::Project>), ApiError> {
    let mut check = Check::new();
    let url = parse_url(&mut check, &request.url)?;
    let name = request.name.filter(|name| !name.trim().is_empty());
    let name = check.line("name", &name.unwrap_or_else(|| url.repository_name()), 120);
    let description = check.text("description", &request.description, 0, 2_000);
    check.done()?;
    if let Some(id) = request.credential {
        app.engine.usable_credential(id, user.id, None).await?;
    }
    let settings = ProjectSettings {
        clarification_timeout_s: app.clarification_timeout_s,
        ..ProjectSettings::default()
    };
    let project = NewProject {
        id: store::new_id(),
        owner_id: user.id,
        name,
        description,
        origin: Origin::Questionnaire,
        default_branch: "main".to_owned(),
        settings: settings.text(),
        created_at: store::now(),
    };
    let forge = request.forge.unwrap_or_else(|| ForgeKind::of_host(&url.host()));
    let remote = NewRemote { url: url.clone(), forge, credential: request.credential };
    let project = app.engine.connect(&project, remote).await?;
    let detail = json!({ "project": project.name, "url": url.to_string() });
    let mut tx = app.db.write().await?;
    record(&mut tx, &user, AuditAction::RemoteConnected, &project, detail).await?;
    tx.commit().await?;
    Ok((
        StatusCode::CREATED,
        Json(shown::Project::own(project, &user, shown::ProjectBuilds::default())),
    ))
}

/// Tests whether a repository on another server can be read.
#[utoipa::path(post, path = "/api/remote-tests", tag = "projects",
    request_body = TestRemoteRequest, responses(
        (status = 200, body = RemoteTest),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn test_remote(
    State(app): State<Shared>,
    Identity { user, .. }: Identity,
    Json(request): Json<TestRemoteRequest>,
) -> Result<Json<RemoteTest>, ApiError> {
    let mut check = Check::new();
    let url = parse_url(&mut check, &request.url)?;
    check.done()?;
    let credential = match request.credential {
        Some(id) => Some(app.engine.usable_credential(id, user.id, None).await?),
        None => None,
    };
    let tested = app.engine.test_remote(&url, credential.as_ref()).await;
    let detail = json!({ "url": url.to_string(), "succeeded": tested.is_ok() });
    let subject = format!("host/{}", url.authority());
    let mut tx = app.db.write().await?;
    let entry = NewEntry::by(&user, store::now(), AuditAction::RemoteTested, subject, detail);
    audit_log::append(&mut tx, &entry).await?;
    tx.commit().await?;
    Ok(Json(tested.into()))
}

/// Gets the remote repository of a project, with its current or last fetch.
#[utoipa::path(get, path = "/api/projects/{project}/remote", tag = "projects",
    params(("project" = String, Path, description = "The project's id or slug")), responses(
        (status = 200, body = ProjectRemote),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn get_remote(
    State(app): State<Shared>,
    Owned { resource: project, role, .. }: Owned<Project>,
) -> Result<Json<ProjectRemote>, ApiError> {
    let accepts_history = app.engine.accepts_history(project.id).await?;
    Ok(Json(ProjectRemote { remote: shown_remote(&app, &project, role).await?, accepts_history }))
}

/// Connects an existing project to a repository on another server, and begins to import it. The
/// first commit of a project without pushes and builds is replaced by the repository's history; the
/// commits of any other project have to be part of it.
#[utoipa::path(post, path = "/api/projects/{project}/remote", tag = "projects",
    params(("project" = String, Path, description = "The project's id or slug")),
    request_body = ConnectRemoteRequest, responses(
        (status = 201, body = Remote),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn connect_remote(
    State(app): State<Shared>,
    Owned { resource: project, role, by }: Owned<Project>,
    Json(request): Json<ConnectRemoteRequest>,
) -> Result<(StatusCode, Json<Remote>), ApiError> {
    let mut check = Check::new();
    let url = parse_url(&mut check, &request.url)?;
    check.done()?;
    if let Some(id) = request.credential {
        app.engine.usable_credential(id, project.owner_id, Some(project.id)).await?;
    }
    let forge = request.forge.unwrap_or_else(|| ForgeKind::of_host(&url.host()));
    let remote = NewRemote { url: url.clone(), forge, credential: request.credential };
    app.engine.connect_existing(&project, remote, by.user.id).await?;
    let detail = json!({ "project": project.name, "url": url.to_string() });
    let mut tx = app.db.write().await?;
    record(&mut tx, &by.user, AuditAction::RemoteConnected, &project, detail).await?;
    tx.commit().await?;
    let shown = shown_remote(&app, &project, role).await?;
    Ok((StatusCode::CREATED, Json(shown.ok_or_else(no_remote)?)))
}

/// Changes the credential and the kind of server.
#[utoipa::path(put, path = "/api/projects/{project}/remote", tag = "projects",
    params(("project" = String, Path, description = "The project's id or slug")),
    request_body = UpdateRemoteRequest, responses(
        (status = 200, body = Remote),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn update_remote(
    State(app): State<Shared>,
    Owned { resource: project, role, by }: Owned<Project>,
    Json(UpdateRemoteRequest { forge, credential }): Json<UpdateRemoteRequest>,
) -> Result<Json<Remote>, ApiError> {
    find(&app, &project).await?;
    if let Some(id) = credential {
        app.engine.usable_credential(id, project.owner_id, Some(project.id)).await?;
    }
    let mut tx = app.db.write().await?;
    remotes::update(&mut tx, project.id, forge, credential).await?;
    let detail = json!({ "project": project.name, "forge": forge, "credential": credential });
    record(&mut tx, &by.user, AuditAction::RemoteChanged, &project, detail).await?;
    tx.commit().await?;
    let shown = shown_remote(&app, &project, role).await?;
    Ok(Json(shown.ok_or_else(no_remote)?))
}

/// Disconnects a project from its remote repository. What was fetched is kept.
#[utoipa::path(delete, path = "/api/projects/{project}/remote", tag = "projects",
    params(("project" = String, Path, description = "The project's id or slug")), responses(
        (status = 204),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn disconnect_remote(
    State(app): State<Shared>,
    Owned { resource: project, by, .. }: Owned<Project>,
) -> Result<StatusCode, ApiError> {
    let remote = find(&app, &project).await?;
    let mut tx = app.db.write().await?;
    remotes::remove(&mut tx, project.id).await?;
    let detail = json!({ "project": project.name, "url": remote.url });
    record(&mut tx, &by.user, AuditAction::RemoteDisconnected, &project, detail).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Fetches the remote repository of a project, in the background.
#[utoipa::path(post, path = "/api/projects/{project}/remote/fetch", tag = "projects",
    params(("project" = String, Path, description = "The project's id or slug")), responses(
        (status = 202, body = Fetch),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn fetch_remote(
    State(app): State<Shared>,
    Owned { resource: project, .. }: Owned<Project>,
) -> Result<(StatusCode, Json<Fetch>), ApiError> {
    let fetch = app.engine.request_fetch(project.id).await?;
    let fetch = Fetch::try_from(fetch).map_err(ApiError::internal)?;
    Ok((StatusCode::ACCEPTED, Json(fetch)))
}

/// Cancels the current fetch. Does nothing if it has ended.
#[utoipa::path(delete, path = "/api/projects/{project}/remote/fetch", tag = "projects",
    params(("project" = String, Path, description = "The project's id or slug")), responses(
        (status = 202),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn cancel_fetch(
    State(app): State<Shared>,
    Owned { resource: project, .. }: Owned<Project>,
) -> Result<StatusCode, ApiError> {
    app.engine.cancel_fetch(project.id).await?;
    Ok(StatusCode::ACCEPTED)
}

/// Replaces the secret with which the server signs its webhooks. It is shown only once.
#[utoipa::path(post, path = "/api/projects/{project}/remote/hook-secret", tag = "projects",
    params(("project" = String, Path, description = "The project's id or slug")), responses(
        (status = 201, body = NewHookSecret),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn create_hook_secret(
    State(app): State<Shared>,
    Owned { resource: project, by, .. }: Owned<Project>,
) -> Result<(StatusCode, Json<NewHookSecret>), ApiError> {
    find(&app, &project).await?;
    let secret = token::opaque();
    let sealed = app.engine.seal_hook_secret(project.id, Secret::new(secret.clone())).await?;
    let mut tx = app.db.write().await?;
    remotes::set_hook_secret(&mut tx, project.id, Some(&sealed)).await?;
    let detail = json!({ "project": project.name, "webhook_secret": "replaced" });
    record(&mut tx, &by.user, AuditAction::RemoteChanged, &project, detail).await?;
    tx.commit().await?;
    let path = format!("/api/hooks/{}", project.id);
    Ok((StatusCode::CREATED, Json(NewHookSecret { path, secret })))
}

async fn find(app: &App, project: &Project) -> Result<remotes::Remote, ApiError> {
    let remote = remotes::get(&mut app.db.read().await?, project.id).await?;
    remote.ok_or_else(no_remote)
}

fn no_remote() -> ApiError {
    ApiError::not_found("remote repository")
}

async fn shown_remote(
    app: &App,
    project: &Project,
    role: ProjectRole,
) -> Result<Option<Remote>, ApiError> {
    let mut conn = app.db.read().await?;
    // In this order: the remote has the result of a fetch that has ended.
    let fetch = fetches::of_project(&mut conn, project.id).await?;
    let row = remotes::get(&mut conn, project.id).await?;
    let shown = row.map(|row| Remote::new(row, fetch, role == ProjectRole::Owner));
    shown.transpose().map_err(ApiError::internal)
}
