//! `/api/reviews/{build}/earlier`: what was said about the build before, where its lines are now.

use std::collections::BTreeMap;

use axum::extract::State;
use domain::{ids::BuildId, review::DiffSide};
use git::{GitError, RepoPath, Sha};

use super::{
    app::Shared,
    branch_view::{self, BranchView},
    extract::Json,
    problem::{Problem, ProblemBody},
    review::{Decision, EarlierComment, EarlierReview, ReviewComment},
    reviewed::Reviewed,
};
use crate::store::{builds, review_comments, reviews};

/// A line as a comment names it.
type Place = (String, bool, u32);

/// What was decided and said about the build that this one follows. A line that the follow-up
/// removed or wrote anew has no number now; its text stays with the comment.
#[utoipa::path(get, path = "/api/reviews/{build}/earlier", tag = "reviews",
    params(("build" = BuildId, Path, description = "The id of a build that follows another")),
    responses(
        (status = 200, body = EarlierReview),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn get_earlier_review(
    State(app): State<Shared>,
    Reviewed { build, .. }: Reviewed,
) -> Result<Json<EarlierReview>, Problem> {
    let missing = || Problem::not_found("earlier build");
    let mut conn = app.db.read().await?;
    let id = build.build.follows.ok_or_else(missing)?;
    let earlier = builds::get(&mut conn, id).await?.ok_or_else(missing)?;
    let decisions = reviews::list(&mut conn, id).await?;
    let comments = review_comments::list(&mut conn, id).await?;
    drop(conn);
    let places = comments.iter().map(place_of).collect();
    let now = branch_view::look(&app, &build, move |view| find(&view, &earlier, places)).await?;
    let now = now.unwrap_or_default();
    let comments = comments.into_iter().map(|comment| EarlierComment {
        line_now: now.get(&place_of(&comment)).copied(),
        comment: ReviewComment::from(comment),
    });
    Ok(Json(EarlierReview {
        build_id: id,
        decisions: decisions.into_iter().map(Decision::from).collect(),
        comments: comments.collect(),
    }))
}

fn place_of(comment: &review_comments::ReviewComment) -> Place {
    (comment.path.clone(), comment.side == DiffSide::Old, comment.line)
}

/// Where each line that is still there is now.
fn find(
    view: &BranchView,
    earlier: &builds::Build,
    places: Vec<Place>,
) -> Result<BTreeMap<Place, u32>, GitError> {
    let mut found = BTreeMap::new();
    for ((path, old), lines) in by_file(places) {
        let side = if old { &earlier.baseline_sha } else { &earlier.head_sha };
        // A line whose file has a name that is none is nowhere.
        let (Some(from), Ok(file)) = (side, path.parse::<RepoPath>()) else { continue };
        let from: Sha = from.parse()?;
        let now = git::find_lines(view.clone(), from, view.head(), &file, &lines)?;
        for (line, now) in lines.into_iter().zip(now) {
            found.extend(now.map(|now| ((path.clone(), old, line), now)));
        }
    }
    Ok(found)
}

fn by_file(places: Vec<Place>) -> BTreeMap<(String, bool), Vec<u32>> {
    let mut files: BTreeMap<_, Vec<u32>> = BTreeMap::new();
    for (path, old, line) in places {
        files.entry((path, old)).or_default().push(line);
    }
    files
}
