//! `/api/builds/{build}/run-instructions`: how to run what a build made.

use axum::extract::State;
use domain::{ids::BuildId, run_instructions::run_instructions};
use git::{GitError, RepoPath};
use serde::Serialize;
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::Shared,
    branch_view::{self, BranchView},
    extract::Json,
    owned::{Owned, ProjectBuild},
};

/// Usual names, the first one that exists counts.
const READMES: [&str; 5] = ["README.md", "readme.md", "Readme.md", "README.markdown", "README"];
const MAX_README_BYTES: usize = 256 * 1024;

/// What the README at the branch's newest recorded commit says about running the project.
#[derive(Debug, Serialize, ToSchema)]
pub struct RunInstructions {
    /// The README's path; null if there is none.
    #[schema(required)]
    path: Option<String>,
    /// An excerpt as Markdown; null if the README does not say how to run the project.
    #[schema(required)]
    text: Option<String>,
}

/// Gets the part of the README about installing, starting and using what was built.
#[utoipa::path(get, path = "/api/builds/{build}/run-instructions", tag = "builds",
    params(("build" = BuildId, Path, description = "The build's id")), responses(
        (status = 200, body = RunInstructions),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn get_run_instructions(
    State(app): State<Shared>,
    Owned { resource: build, .. }: Owned<ProjectBuild>,
) -> Result<Json<RunInstructions>, ApiError> {
    let found = branch_view::read(&app, &build, |branch| readme(&branch)).await?.flatten();
    let (path, text) = found.unzip();
    Ok(Json(RunInstructions { path, text: text.as_deref().and_then(run_instructions) }))
}

/// The path and text of the README.
fn readme(branch: &BranchView) -> Result<Option<(String, String)>, GitError> {
    for name in READMES {
        let path: RepoPath = name.parse()?;
        match branch.clone().read_file(branch.head(), &path, MAX_README_BYTES) {
            Ok(file) => {
                let text = String::from_utf8_lossy(&file.bytes).into_owned();
                return Ok(Some((name.to_owned(), text)));
            }
            Err(GitError::NoSuchFile(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}
