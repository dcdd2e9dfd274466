//! `/api/builds/{build}/follow-up` and `/api/reviews/{build}/follow-up`: starting a build that
//! carries out what was requested of a sealed one.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
};
use domain::{audit::AuditAction, event::life::Origin, ids::BuildId, review::ReviewDecision};
use serde_json::json;

use super::{
    app::{App, Shared},
    extract::Json,
    idempotency::{self, Claim},
    owned::{Owned, ProjectBuild},
    person::Person,
    problem::{Problem, ProblemBody},
    review::FollowUp,
    reviewed::Reviewed,
};
use crate::{
    engine::EngineError,
    store::{
        self, Conn,
        audit_log::{self, NewEntry},
        builds,
        projects::Project,
        reviews::{self, Review},
        users::{self, User},
    },
};

/// Starts a build that carries out what an administrator requested of one's own sealed build. It
/// begins from the sealed head, and whoever starts it cannot approve it.
#[utoipa::path(post, path = "/api/builds/{build}/follow-up", tag = "builds", params(
        ("build" = BuildId, Path, description = "The sealed build's id"),
        ("Idempotency-Key" = Option<String>, Header, description = "Repeated with the same key, \
            the request starts nothing twice"),
    ), responses(
        (status = 201, body = FollowUp),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn start_follow_up(
    State(app): State<Shared>,
    Owned { thing, by, .. }: Owned<ProjectBuild>,
    headers: HeaderMap,
) -> Result<(StatusCode, Json<FollowUp>), Problem> {
    start(&app, &thing, &by.user, &headers).await
}

/// The same for the administrator who requested the changes. The new build is the owner's to watch.
#[utoipa::path(post, path = "/api/reviews/{build}/follow-up", tag = "reviews", params(
        ("build" = BuildId, Path, description = "The sealed build's id"),
        ("Idempotency-Key" = Option<String>, Header, description = "Repeated with the same key, \
            the request starts nothing twice"),
    ), responses(
        (status = 201, body = FollowUp),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn start_requested_follow_up(
    State(app): State<Shared>,
    Reviewed { build, by }: Reviewed,
    headers: HeaderMap,
) -> Result<(StatusCode, Json<FollowUp>), Problem> {
    let decisions = reviews::list(&mut app.db.read().await?, build.build.id).await?;
    let newest = requested(&decisions).ok_or(EngineError::NoChangesRequested)?;
    if !is_open_to(&by, newest, &build.project) {
        return Err(Problem::forbidden(
            "Somebody else requested these changes. They or the project's owner start the follow-up.",
        ));
    }
    start(&app, &build, &by, &headers).await
}

/// The follow-up of a build, if one was started and not abandoned.
pub async fn of(conn: &mut Conn, build: BuildId) -> store::Result<Option<FollowUp>> {
    match builds::follow_up_of(conn, build).await? {
        Some(build) => shown(conn, build).await.map(Some),
        None => Ok(None),
    }
}

/// Whether this person may start a follow-up of a build of which none is known.
pub fn may_start(by: &User, decisions: &[Review], project: &Project) -> bool {
    let newest = requested(decisions);
    project.origin != Origin::Demo && newest.is_some_and(|newest| is_open_to(by, newest, project))
}

/// The newest decision, where it requests changes.
fn requested(decisions: &[Review]) -> Option<&Review> {
    decisions.first().filter(|newest| newest.decision == ReviewDecision::ChangesRequested)
}

fn is_open_to(by: &User, requested: &Review, project: &Project) -> bool {
    by.id == requested.reviewer_id || by.id == project.owner_id
}

async fn start(
    app: &App,
    of: &ProjectBuild,
    by: &User,
    headers: &HeaderMap,
) -> Result<(StatusCode, Json<FollowUp>), Problem> {
    let route = format!("follow-up of {}", of.build.id);
    let id = match idempotency::claim(&app.db, by.id, route, headers).await? {
        Claim::Repeated(id) => id.parse().map_err(Problem::internal)?,
        Claim::First(first) => {
            let started = app.engine.start_follow_up(&of.project, &of.build, by.id).await;
            first.settle(&app.db, started.as_ref().ok().map(BuildId::to_string)).await?;
            let id = started?;
            note(app, of, by, id).await?;
            id
        }
    };
    let mut conn = app.db.read().await?;
    let build = builds::get(&mut conn, id).await?.ok_or_else(|| Problem::not_found("build"))?;
    Ok((StatusCode::CREATED, Json(shown(&mut conn, build).await?)))
}

async fn note(app: &App, of: &ProjectBuild, by: &User, id: BuildId) -> Result<(), Problem> {
    let detail = json!({ "follow_up": id, "project": of.project.name });
    let subject = format!("build/{}", of.build.id);
    let action = AuditAction::FollowUpStarted;
    let mut tx = app.db.write().await?;
    audit_log::append(&mut tx, &NewEntry::by(by, store::now(), action, subject, detail)).await?;
    Ok(tx.commit().await?)
}

async fn shown(conn: &mut Conn, build: builds::Build) -> store::Result<FollowUp> {
    let starter = users::get(conn, build.started_by).await?;
    let name = starter.map_or(String::new(), |starter| starter.name);
    Ok(FollowUp {
        build_id: build.id,
        project_id: build.project_id,
        status: build.status,
        started_by: Person { id: build.started_by, name },
        created_at: build.created_at,
    })
}
