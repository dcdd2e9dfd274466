//! `/api/reviews`: sealed builds of all users, for review by administrators; and
//! `/api/builds/{build}/reviews`: the reviews of a build, for its owner.

use axum::extract::State;
use domain::ids::BuildId;
use serde::Deserialize;
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::{App, Shared},
    approvals,
    build::Seal,
    diff::{self, BuildDiff, DiffQuery},
    extract::{Json, QueryParams},
    follow_ups,
    identity::Admin,
    list::Page,
    owned::{Owned, ProjectBuild},
    review::{BuildReviews, Review, ReviewQueue, ReviewSummary},
    reviewed::Reviewed,
    verify::Verification,
};
use crate::store::{self, Conn, builds, review_comments, reviews, seals, users::User};

#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ReviewState {
    /// Without a decision.
    Open,
    /// With a decision.
    Decided,
    #[default]
    All,
}

/// Which part of the queue to list.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ReviewQuery {
    /// Default: `all`.
    #[param(inline)]
    state: Option<ReviewState>,
}

/// Lists the sealed builds of all users, newest build first.
#[utoipa::path(get, path = "/api/reviews", tag = "reviews", params(Page, ReviewQuery),
    responses(
        (status = 200, body = ReviewQueue),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn list_reviews(
    State(app): State<Shared>,
    _: Admin,
    QueryParams(page): QueryParams<Page>,
    QueryParams(query): QueryParams<ReviewQuery>,
) -> Result<Json<ReviewQueue>, ApiError> {
    let decided = match query.state.unwrap_or_default() {
        ReviewState::Open => Some(false),
        ReviewState::Decided => Some(true),
        ReviewState::All => None,
    };
    let required = app.approval.required;
    let mut conn = app.db.read().await?;
    let rows = reviews::queue(&mut conn, decided, required, page.after()?, page.rows()?).await?;
    let open_count = reviews::count_open(&mut conn, required).await?;
    let summary = |row| ReviewSummary::new(row, required);
    let list = page.list(rows, |row| row.build_id.to_string(), summary)?;
    Ok(Json(ReviewQueue { items: list.items, next: list.next, open_count }))
}

/// Gets a sealed build with its evidence, decisions and comments.
#[utoipa::path(get, path = "/api/reviews/{build}", tag = "reviews",
    params(("build" = BuildId, Path, description = "The build's id")), responses(
        (status = 200, body = Review),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn get_review(
    State(app): State<Shared>,
    Reviewed { build, by }: Reviewed,
) -> Result<Json<Review>, ApiError> {
    let (of, build) = (&build, build.build.clone());
    let missing = || ApiError::not_found("sealed build");
    let mut conn = app.db.read().await?;
    let summary = reviews::queued(&mut conn, build.id).await?.ok_or_else(missing)?;
    let seal = seals::get(&mut conn, build.id).await?.ok_or_else(missing)?;
    let decisions = reviews::list(&mut conn, build.id).await?;
    let reviews = build_reviews(&app, &mut conn, of, &by).await?;
    drop(conn);
    let obstacle = approvals::obstacle(&app, of, &decisions, &by).await?;
    Ok(Json(Review {
        summary: ReviewSummary::new(summary, app.approval.required),
        may_approve: obstacle.is_none(),
        approval_obstacle: obstacle.map(|obstacle| obstacle.explanation()),
        baseline_sha: build.baseline_sha,
        head_sha: build.head_sha,
        commit_count: build.commit_count,
        seal: Seal::try_from(seal).map_err(ApiError::internal)?,
        reviews,
    }))
}

/// Gets the changes of a sealed build since its baseline.
#[utoipa::path(get, path = "/api/reviews/{build}/diff", tag = "reviews",
    params(("build" = BuildId, Path, description = "The build's id"), DiffQuery), responses(
        (status = 200, description = "With `path` a FileDiff, else a DiffSummary", body = BuildDiff),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn get_review_diff(
    State(app): State<Shared>,
    Reviewed { build, .. }: Reviewed,
    QueryParams(query): QueryParams<DiffQuery>,
) -> Result<Json<BuildDiff>, ApiError> {
    diff::show(&app, &build, query).await
}

/// Verifies a sealed build's journal, seal and branch.
#[utoipa::path(get, path = "/api/reviews/{build}/verify", tag = "reviews",
    params(("build" = BuildId, Path, description = "The build's id")), responses(
        (status = 200, body = Verification),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn verify_review(
    State(app): State<Shared>,
    Reviewed { build, .. }: Reviewed,
) -> Result<Json<Verification>, ApiError> {
    Ok(Json(app.engine.verifier().build(build.build.id).await?.into()))
}

/// Lists decisions and comments on the user's own build.
#[utoipa::path(get, path = "/api/builds/{build}/reviews", tag = "reviews",
    params(("build" = BuildId, Path, description = "The build's id")), responses(
        (status = 200, body = BuildReviews),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn list_build_reviews(
    State(app): State<Shared>,
    Owned { resource, by, .. }: Owned<ProjectBuild>,
) -> Result<Json<BuildReviews>, ApiError> {
    Ok(Json(build_reviews(&app, &mut app.db.read().await?, &resource, &by.user).await?))
}

pub async fn build_reviews(
    app: &App,
    conn: &mut Conn,
    of: &ProjectBuild,
    by: &User,
) -> store::Result<BuildReviews> {
    let decisions = reviews::list(conn, of.build.id).await?;
    let follow_up = follow_ups::of(conn, of.build.id).await?;
    let followed = match of.build.follows {
        Some(id) => builds::get(conn, id).await?,
        None => None,
    };
    Ok(BuildReviews {
        follow_up_obstacle: follow_ups::obstacle(&decisions, of),
        may_follow_up: follow_up.is_none() && follow_ups::may_start(by, &decisions, of),
        recorded_request: follow_ups::recorded(of),
        approvals: approvals::count(&decisions),
        required_approvals: app.approval.required,
        decisions: all(decisions),
        comments: all(review_comments::list(conn, of.build.id).await?),
        follows: of.build.follows,
        follows_number: followed.map(|build| build.number),
        follow_up,
    })
}

fn all<T, U: From<T>>(rows: Vec<T>) -> Vec<U> {
    rows.into_iter().map(U::from).collect()
}
