//! `/api/builds/{build}/follow-up`, `/api/builds/{build}/delivery/follow-up` and
//! `/api/reviews/{build}/follow-up`: starting a build that implements the changes requested of a
//! sealed build.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
};
use domain::{
    audit::AuditAction, event::life::Origin, ids::BuildId, review::ReviewDecision, state::Status,
};
use serde::Deserialize;
use serde_json::json;
use utoipa::ToSchema;

use super::{
    accounts::Person,
    api_error::{ApiError, ProblemDetails},
    app::{App, Shared},
    builds::record_start,
    check::Check,
    error_conversions::sentence,
    extract::Json,
    idempotency,
    owned::{Owned, ProjectBuild},
    review::FollowUp,
    reviewed::Reviewed,
};
use crate::{
    engine::{DEMO_REQUEST, EngineError},
    store::{
        self, Conn,
        audit_log::{self, NewEntry},
        builds,
        projects::{self, Project},
        reviews::{self, Review},
        users::{self, User},
    },
};

/// Comments that one follow-up implements.
const MAX_COMMENTS: usize = 200;

/// Starts a build that implements the changes requested of the user's own sealed build, from its
/// sealed head. Its starter cannot approve it.
#[utoipa::path(post, path = "/api/builds/{build}/follow-up", tag = "builds", params(
        ("build" = BuildId, Path, description = "The sealed build's id"),
        ("Idempotency-Key" = Option<String>, Header, description = "Repeated with the same key, \
            the request starts nothing twice"),
    ), responses(
        (status = 201, body = FollowUp),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn start_follow_up(
    State(app): State<Shared>,
    Owned { resource, by, .. }: Owned<ProjectBuild>,
    headers: HeaderMap,
) -> Result<(StatusCode, Json<FollowUp>), ApiError> {
    start(&app, &resource, &by.user, &headers, None).await
}

/// The comments that a follow-up implements.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CommentsToImplement {
    /// Ids of comments of the build's pull request.
    #[schema(min_items = 1, max_items = 200)]
    pub comments: Vec<String>,
}

/// Starts a build that implements comments of the pull request of the user's own sealed build, from
/// its sealed head, together with what a review requests.
#[utoipa::path(post, path = "/api/builds/{build}/delivery/follow-up", tag = "builds", params(
        ("build" = BuildId, Path, description = "The sealed build's id"),
        ("Idempotency-Key" = Option<String>, Header, description = "Repeated with the same key, \
            the request starts nothing twice"),
    ), request_body = CommentsToImplement, responses(
        (status = 201, body = FollowUp),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn start_follow_up_of_comments(
    State(app): State<Shared>,
    Owned { resource, by, .. }: Owned<ProjectBuild>,
    headers: HeaderMap,
    Json(CommentsToImplement { mut comments }): Json<CommentsToImplement>,
) -> Result<(StatusCode, Json<FollowUp>), ApiError> {
    comments.sort();
    comments.dedup();
    let mut check = Check::default();
    if comments.is_empty() || comments.len() > MAX_COMMENTS {
        check.reject("comments", format!("must have 1 to {MAX_COMMENTS} entries"));
    }
    check.done()?;
    start(&app, &resource, &by.user, &headers, Some(comments)).await
}

/// Starts a follow-up as the administrator who requested the changes. The build belongs to the
/// owner.
#[utoipa::path(post, path = "/api/reviews/{build}/follow-up", tag = "reviews", params(
        ("build" = BuildId, Path, description = "The sealed build's id"),
        ("Idempotency-Key" = Option<String>, Header, description = "Repeated with the same key, \
            the request starts nothing twice"),
    ), responses(
        (status = 201, body = FollowUp),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn start_requested_follow_up(
    State(app): State<Shared>,
    Reviewed { build, by }: Reviewed,
    headers: HeaderMap,
) -> Result<(StatusCode, Json<FollowUp>), ApiError> {
    let decisions = reviews::list(&mut app.db.read().await?, build.build.id).await?;
    let newest = requested(&decisions).ok_or(EngineError::NoChangesRequested)?;
    if !is_open_to(&by, newest, &build.project) {
        return Err(ApiError::forbidden(
            "Only the administrator who requested the changes or the project's owner can start the follow-up.",
        ));
    }
    start(&app, &build, &by, &headers, None).await
}

/// The follow-up of a build, unless there is none or it was cancelled.
pub async fn of(conn: &mut Conn, build: BuildId) -> store::Result<Option<FollowUp>> {
    match builds::follow_up_of(conn, build).await? {
        Some(build) => response(conn, build).await.map(Some),
        None => Ok(None),
    }
}

/// Whether this user may start a follow-up of a build that has none.
pub fn may_start(by: &User, decisions: &[Review], of: &ProjectBuild) -> bool {
    if of.project.origin == Origin::Demo {
        return recorded(of).is_some() && by.id == of.project.owner_id;
    }
    requested(decisions).is_some_and(|newest| is_open_to(by, newest, &of.project))
}

/// Why a build with these decisions cannot have a follow-up, for any user.
pub fn obstacle(decisions: &[Review], of: &ProjectBuild) -> Option<String> {
    let is_demo = of.project.origin == Origin::Demo && recorded(of).is_none();
    requested(decisions).filter(|_| is_demo)?;
    Some(sentence(&EngineError::Scripted))
}

/// What the follow-up of a build in the demo project changes, whatever is requested.
pub fn recorded(of: &ProjectBuild) -> Option<&'static str> {
    let is_first = of.project.origin == Origin::Demo && of.build.follows.is_none();
    (is_first && of.build.status == Status::Sealed).then_some(DEMO_REQUEST)
}

/// The newest decision, if it requests changes.
fn requested(decisions: &[Review]) -> Option<&Review> {
    decisions.first().filter(|newest| newest.decision == ReviewDecision::ChangesRequested)
}

fn is_open_to(by: &User, requested: &Review, project: &Project) -> bool {
    by.id == requested.reviewer_id || by.id == project.owner_id
}

/// `comments` are ids of comments of the pull request.
async fn start(
    app: &Shared,
    of: &ProjectBuild,
    by: &User,
    headers: &HeaderMap,
    comments: Option<Vec<String>>,
) -> Result<(StatusCode, Json<FollowUp>), ApiError> {
    let route = format!("follow-up of {}", of.build.id);
    let ProjectBuild { project, build } = of;
    let work = async {
        let id = match comments {
            Some(ids) => {
                app.engine.start_follow_up_of_comments(project, build, &ids, by.id).await?
            }
            None => app.engine.start_follow_up(project, build, by.id).await?,
        };
        note(app, of, by, id).await?;
        record_start(app, project, by, id).await?;
        Ok(id)
    };
    let id = idempotency::run_once(&app.db, by.id, route, headers, work).await?;
    let mut conn = app.db.read().await?;
    let build = builds::get(&mut conn, id).await?.ok_or_else(|| ApiError::not_found("build"))?;
    Ok((StatusCode::CREATED, Json(response(&mut conn, build).await?)))
}

async fn note(app: &App, of: &ProjectBuild, by: &User, id: BuildId) -> Result<(), ApiError> {
    let detail = json!({ "follow_up": id, "project": of.project.name });
    let subject = format!("build/{}", of.build.id);
    let action = AuditAction::FollowUpStarted;
    let mut tx = app.db.write().await?;
    audit_log::append(&mut tx, &NewEntry::by(by, store::now(), action, subject, detail)).await?;
    Ok(tx.commit().await?)
}

async fn response(conn: &mut Conn, build: builds::Build) -> store::Result<FollowUp> {
    let starter = users::get(conn, build.started_by).await?;
    let name = starter.map_or(String::new(), |starter| starter.name);
    let project = projects::get(conn, build.project_id).await?;
    Ok(FollowUp {
        build_id: build.id,
        number: build.number,
        title: build.title,
        project_id: build.project_id,
        project_slug: project.map_or_else(String::new, |project| project.slug),
        status: build.status,
        started_by: Person { id: build.started_by, name },
        created_at: build.created_at,
    })
}
