//! `/api/reviews/{build}/earlier`: the review of the preceding build, with the current positions of
//! the commented lines.

use std::collections::BTreeMap;

use axum::extract::State;
use domain::{ids::BuildId, review::DiffSide};
use git::{GitError, RepoPath, Sha};

use super::{
    api_error::{ApiError, ProblemDetails},
    app::Shared,
    branch_view::{self, BranchView},
    extract::Json,
    review::{Decision, EarlierComment, EarlierReview, ReviewComment},
    reviewed::Reviewed,
};
use crate::store::{builds, review_comments, reviews};

/// File, whether it is the old side, and line number of a comment.
type Position = (String, bool, u32);

/// Gets decisions and comments of the build that this one follows. A line that the follow-up
/// removed or changed has no number; its text is kept with the comment.
#[utoipa::path(get, path = "/api/reviews/{build}/earlier", tag = "reviews",
    params(("build" = BuildId, Path, description = "The id of a build that follows another")),
    responses(
        (status = 200, body = EarlierReview),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn get_earlier_review(
    State(app): State<Shared>,
    Reviewed { build, .. }: Reviewed,
) -> Result<Json<EarlierReview>, ApiError> {
    let missing = || ApiError::not_found("earlier build");
    let mut conn = app.db.read().await?;
    let id = build.build.follows.ok_or_else(missing)?;
    let earlier = builds::get(&mut conn, id).await?.ok_or_else(missing)?;
    let decisions = reviews::list(&mut conn, id).await?;
    let comments = review_comments::list(&mut conn, id).await?;
    drop(conn);
    let positions = comments.iter().map(position_of).collect();
    let now = branch_view::read(&app, &build, move |view| find(&view, &earlier, positions)).await?;
    let now = now.unwrap_or_default();
    let comments = comments.into_iter().map(|comment| EarlierComment {
        line_now: now.get(&position_of(&comment)).copied(),
        comment: ReviewComment::from(comment),
    });
    Ok(Json(EarlierReview {
        build_id: id,
        decisions: decisions.into_iter().map(Decision::from).collect(),
        comments: comments.collect(),
    }))
}

fn position_of(comment: &review_comments::ReviewComment) -> Position {
    (comment.path.clone(), comment.side == DiffSide::Old, comment.line)
}

/// The current number of each line that still exists.
fn find(
    view: &BranchView,
    earlier: &builds::Build,
    positions: Vec<Position>,
) -> Result<BTreeMap<Position, u32>, GitError> {
    let mut found = BTreeMap::new();
    for ((path, old), lines) in by_file(positions) {
        let side = if old { &earlier.baseline_sha } else { &earlier.head_sha };
        // A file with an invalid name cannot contain the line.
        let (Some(from), Ok(file)) = (side, path.parse::<RepoPath>()) else { continue };
        let from: Sha = from.parse()?;
        let now = git::find_lines(view.clone(), from, view.head(), &file, &lines)?;
        for (line, now) in lines.into_iter().zip(now) {
            found.extend(now.map(|now| ((path.clone(), old, line), now)));
        }
    }
    Ok(found)
}

fn by_file(positions: Vec<Position>) -> BTreeMap<(String, bool), Vec<u32>> {
    let mut files: BTreeMap<_, Vec<u32>> = BTreeMap::new();
    for (path, old, line) in positions {
        files.entry((path, old)).or_default().push(line);
    }
    files
}
