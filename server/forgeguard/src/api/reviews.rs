//! `/api/reviews`: sealed builds of everybody, for administrators to review; and
//! `/api/builds/{build}/reviews`: what they said, for the build's owner.

mod query;

use axum::{extract::State, response::Response};
use domain::{ids::BuildId, review::ReviewDecision};

use super::{
    app::Shared,
    build::Seal,
    diff::{self, DiffQuery, DiffSummary},
    extract::{Json, Search},
    follow_ups,
    identity::Admin,
    list::Page,
    owned::{Owned, ProjectBuild},
    problem::{Problem, ProblemBody},
    review::{BuildReviews, Review, ReviewQueue, ReviewSummary},
    reviewed::Reviewed,
    verify::Verification,
};
pub use query::{ReviewQuery, ReviewState};

use crate::store::{self, Conn, review_comments, reviews, seals, users::User};

/// The sealed builds of all users, newest build first.
#[utoipa::path(get, path = "/api/reviews", tag = "reviews", params(Page, ReviewQuery),
    responses(
        (status = 200, body = ReviewQueue),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn list_reviews(
    State(app): State<Shared>,
    _: Admin,
    Search(page): Search<Page>,
    Search(query): Search<ReviewQuery>,
) -> Result<Json<ReviewQueue>, Problem> {
    let decided = match query.state.unwrap_or_default() {
        ReviewState::Open => Some(false),
        ReviewState::Decided => Some(true),
        ReviewState::All => None,
    };
    let mut conn = app.db.read().await?;
    let rows = reviews::queue(&mut conn, decided, page.after()?, page.rows()?).await?;
    let open_count = reviews::count_open(&mut conn).await?;
    let list = page.list(rows, |row| row.build_id.to_string(), ReviewSummary::from)?;
    Ok(Json(ReviewQueue { items: list.items, next: list.next, open_count }))
}

/// One sealed build with its evidence, and what was decided and said about it.
#[utoipa::path(get, path = "/api/reviews/{build}", tag = "reviews",
    params(("build" = BuildId, Path, description = "The build's id")), responses(
        (status = 200, body = Review),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn get_review(
    State(app): State<Shared>,
    Reviewed { build, by }: Reviewed,
) -> Result<Json<Review>, Problem> {
    let (of, build) = (&build, build.build.clone());
    let missing = || Problem::not_found("sealed build");
    let mut conn = app.db.read().await?;
    let summary = reviews::queued(&mut conn, build.id).await?.ok_or_else(missing)?;
    let seal = seals::get(&mut conn, build.id).await?.ok_or_else(missing)?;
    let said = said(&mut conn, of, &by).await?;
    Ok(Json(Review {
        summary: summary.into(),
        may_approve: ReviewDecision::Approved.is_open_to(by.id, build.started_by),
        baseline_sha: build.baseline_sha,
        head_sha: build.head_sha,
        commit_count: build.commit_count,
        seal: Seal::try_from(seal).map_err(Problem::internal)?,
        said,
    }))
}

/// What a sealed build changed since its baseline, as its owner sees it.
#[utoipa::path(get, path = "/api/reviews/{build}/diff", tag = "reviews",
    params(("build" = BuildId, Path, description = "The build's id"), DiffQuery), responses(
        (status = 200, description = "With `path` a FileDiff, else a DiffSummary",
            content((DiffSummary = "application/json"), (git::FileDiff = "application/json"))),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn get_review_diff(
    State(app): State<Shared>,
    Reviewed { build, .. }: Reviewed,
    Search(query): Search<DiffQuery>,
) -> Result<Response, Problem> {
    diff::show(&app, &build, query).await
}

/// Checks a sealed build's journal, seal and branch against each other.
#[utoipa::path(get, path = "/api/reviews/{build}/verify", tag = "reviews",
    params(("build" = BuildId, Path, description = "The build's id")), responses(
        (status = 200, body = Verification),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn verify_review(
    State(app): State<Shared>,
    Reviewed { build, .. }: Reviewed,
) -> Result<Json<Verification>, Problem> {
    Ok(Json(app.engine.verify(build.build.id).await?.into()))
}

/// What administrators decided and said about one's own build.
#[utoipa::path(get, path = "/api/builds/{build}/reviews", tag = "reviews",
    params(("build" = BuildId, Path, description = "The build's id")), responses(
        (status = 200, body = BuildReviews),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn list_build_reviews(
    State(app): State<Shared>,
    Owned { thing, by, .. }: Owned<ProjectBuild>,
) -> Result<Json<BuildReviews>, Problem> {
    Ok(Json(said(&mut app.db.read().await?, &thing, &by.user).await?))
}

async fn said(conn: &mut Conn, of: &ProjectBuild, by: &User) -> store::Result<BuildReviews> {
    let decisions = reviews::list(conn, of.build.id).await?;
    let follow_up = follow_ups::of(conn, of.build.id).await?;
    Ok(BuildReviews {
        may_follow_up: follow_up.is_none() && follow_ups::may_start(by, &decisions, &of.project),
        decisions: all(decisions),
        comments: all(review_comments::list(conn, of.build.id).await?),
        follows: of.build.follows,
        follow_up,
    })
}

fn all<T, U: From<T>>(rows: Vec<T>) -> Vec<U> {
    rows.into_iter().map(U::from).collect()
}
