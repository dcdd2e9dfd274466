//! `/api/builds/{build}/picture` and `/api/reviews/{build}/picture`: a picture before or after a
//! change.

mod query;

use axum::{
    extract::State,
    http::header,
    response::{IntoResponse, Response},
};
use domain::{ids::BuildId, review::DiffSide};
use git::{DiffTarget, GitError, RepoPath, Sha};

use super::{
    app::{App, Shared},
    branch_view,
    extract::Search,
    owned::{Owned, ProjectBuild},
    problem::{Problem, ProblemBody},
    reviewed::Reviewed,
};
pub use query::PictureQuery;

/// A larger picture is looked at in a clone.
const MOST: usize = 16 * 1024 * 1024;
/// What browsers draw and nothing runs in. SVG is text, and its lines are compared.
const KINDS: [&str; 7] = ["png", "jpeg", "gif", "webp", "avif", "bmp", "x-icon"];

/// A picture of one's own build.
#[utoipa::path(get, path = "/api/builds/{build}/picture", tag = "builds",
    params(("build" = BuildId, Path, description = "The build's id"), PictureQuery), responses(
        (status = 200, description = "The picture", body = Vec<u8>, content_type = "image/*"),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn get_build_picture(
    State(app): State<Shared>,
    Owned { thing: build, .. }: Owned<ProjectBuild>,
    Search(query): Search<PictureQuery>,
) -> Result<Response, Problem> {
    show(&app, &build, query).await
}

/// The same of a sealed build, whoever owns it.
#[utoipa::path(get, path = "/api/reviews/{build}/picture", tag = "reviews",
    params(("build" = BuildId, Path, description = "The build's id"), PictureQuery), responses(
        (status = 200, description = "The picture", body = Vec<u8>, content_type = "image/*"),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn get_review_picture(
    State(app): State<Shared>,
    Reviewed { build, .. }: Reviewed,
    Search(query): Search<PictureQuery>,
) -> Result<Response, Problem> {
    show(&app, &build, query).await
}

async fn show(app: &App, build: &ProjectBuild, query: PictureQuery) -> Result<Response, Problem> {
    let PictureQuery { path, side, commit } = query;
    let kind = kind_of(&path).ok_or_else(|| {
        Problem::invalid("path", format!("only pictures are shown: {}", KINDS.join(", ")))
    })?;
    let commit = commit.as_deref().map(str::parse::<Sha>).transpose();
    let commit = commit.map_err(|error| Problem::invalid("commit", error.to_string()))?;
    let path: RepoPath =
        path.parse().map_err(|error: GitError| Problem::invalid("path", error.to_string()))?;
    let found = branch_view::look(app, build, move |branch| {
        let (before, after) = branch.sides(commit)?;
        let side = match side {
            DiffSide::Old => DiffTarget::Commit(before),
            DiffSide::New => after,
        };
        git::read_side(branch.clone(), side, &path, MOST)
    });
    let content = found.await?.ok_or_else(|| Problem::not_found("picture"))?;
    if content.truncated {
        let most = MOST / (1024 * 1024);
        return Err(Problem::invalid("path", format!("this picture has more than {most} MiB")));
    }
    // Whatever it really is, a browser takes it for a picture or for nothing.
    let headers = [
        (header::CONTENT_TYPE, kind),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff".to_owned()),
        (header::CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox".to_owned()),
        (header::CACHE_CONTROL, "private, no-cache".to_owned()),
    ];
    Ok((headers, content.bytes).into_response())
}

/// The media type of a picture by its name.
fn kind_of(path: &str) -> Option<String> {
    let kind = mime_guess::from_path(path).first()?;
    let is_shown = kind.type_() == "image" && KINDS.contains(&kind.subtype().as_str());
    is_shown.then(|| kind.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_cannot_run_is_a_picture() {
        let kinds = ["a.PNG", "b/c.jpeg", "d.ico", "e.svg", "f.html", "g", "h.tiff"].map(kind_of);
        let some = |kind: &str| Some(kind.to_owned());
        let shown = [some("image/png"), some("image/jpeg"), some("image/x-icon"), None];
        assert_eq!(kinds[..4], shown);
        assert!(kinds[4..].iter().all(Option::is_none), "{kinds:?}");
    }
}
