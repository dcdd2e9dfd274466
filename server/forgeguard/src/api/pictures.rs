//! `/api/builds/{build}/picture` and `/api/reviews/{build}/picture`: an image before or after a
//! change.

use axum::{
    extract::State,
    http::header,
    response::{IntoResponse, Response},
};
use domain::{ids::BuildId, review::DiffSide};
use git::{DiffTarget, GitError, RepoPath, Sha};
use serde::Deserialize;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::{App, Shared},
    branch_view,
    extract::QueryParams,
    owned::{Owned, ProjectBuild},
    reviewed::Reviewed,
};

const MAX_PICTURE_BYTES: usize = 16 * 1024 * 1024;
/// Formats that browsers render without running scripts. SVG is shown as text.
const FORMATS: [&str; 7] = ["png", "jpeg", "gif", "webp", "avif", "bmp", "x-icon"];

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PictureQuery {
    /// The path of the file on that side.
    path: String,
    /// Before or after the change.
    side: DiffSide,
    /// The change of one commit, instead of all changes since the baseline.
    commit: Option<String>,
}

/// Gets an image of the user's own build.
#[utoipa::path(get, path = "/api/builds/{build}/picture", tag = "builds",
    params(("build" = BuildId, Path, description = "The build's id"), PictureQuery), responses(
        (status = 200, description = "The image", body = Vec<u8>, content_type = "image/*"),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn get_build_picture(
    State(app): State<Shared>,
    Owned { resource: build, .. }: Owned<ProjectBuild>,
    QueryParams(query): QueryParams<PictureQuery>,
) -> Result<Response, ApiError> {
    show(&app, &build, query).await
}

/// Gets an image of a sealed build, for reviewers.
#[utoipa::path(get, path = "/api/reviews/{build}/picture", tag = "reviews",
    params(("build" = BuildId, Path, description = "The build's id"), PictureQuery), responses(
        (status = 200, description = "The image", body = Vec<u8>, content_type = "image/*"),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn get_review_picture(
    State(app): State<Shared>,
    Reviewed { build, .. }: Reviewed,
    QueryParams(query): QueryParams<PictureQuery>,
) -> Result<Response, ApiError> {
    show(&app, &build, query).await
}

async fn show(app: &App, build: &ProjectBuild, query: PictureQuery) -> Result<Response, ApiError> {
    let PictureQuery { path, side, commit } = query;
    let kind = kind_of(&path).ok_or_else(|| {
        ApiError::invalid("path", format!("must be an image: {}", FORMATS.join(", ")))
    })?;
    let commit = commit.as_deref().map(str::parse::<Sha>).transpose();
    let commit = commit.map_err(|error| ApiError::invalid("commit", error.to_string()))?;
    let path: RepoPath =
        path.parse().map_err(|error: GitError| ApiError::invalid("path", error.to_string()))?;
    let found = branch_view::read(app, build, move |branch| {
        let (before, after) = branch.sides(commit)?;
        let side = match side {
            DiffSide::Old => DiffTarget::Commit(before),
            DiffSide::New => after,
        };
        git::read_side(branch.clone(), side, &path, MAX_PICTURE_BYTES)
    });
    let content = found.await?.ok_or_else(|| ApiError::not_found("picture"))?;
    if content.truncated {
        let most = MAX_PICTURE_BYTES / (1024 * 1024);
        return Err(ApiError::invalid("path", format!("this image exceeds {most} MiB")));
    }
    // Prevents browsers from treating the file as anything but an image.
    let headers = [
        (header::CONTENT_TYPE, kind),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff".to_owned()),
        (header::CONTENT_SECURITY_POLICY, "default-src 'none'; sandbox".to_owned()),
        (header::CACHE_CONTROL, "private, no-cache".to_owned()),
    ];
    Ok((headers, content.bytes).into_response())
}

/// The media type of an image, by its file name.
fn kind_of(path: &str) -> Option<String> {
    let kind = mime_guess::from_path(path).first()?;
    let is_shown = kind.type_() == "image" && FORMATS.contains(&kind.subtype().as_str());
    is_shown.then(|| kind.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_with_scripts_are_not_images() {
        let kinds = ["a.PNG", "b/c.jpeg", "d.ico", "e.svg", "f.html", "g", "h.tiff"].map(kind_of);
        let some = |kind: &str| Some(kind.to_owned());
        let shown = [some("image/png"), some("image/jpeg"), some("image/x-icon"), None];
        assert_eq!(kinds[..4], shown);
        assert!(kinds[4..].iter().all(Option::is_none), "{kinds:?}");
    }
}
