//! `/api/projects/{project}/compare`: two builds of a project side by side.

use std::sync::Arc;

use axum::extract::State;
use domain::{
    errors::ErrorRecord,
    ids::BuildId,
    requirement::RequirementId,
    seal::matrix::{self, MatrixRow},
    state::{BuildState, Status},
    verdict::Standing,
};
use git::{DiffTarget, FileDiff, GitError, RepoPath};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::{App, Shared},
    branch_view,
    build::{BuildSpent, BuildSummary, Reviews, spent},
    build_errors,
    diff::BuildDiff,
    extract::{Json, QueryParams},
    owned::{BuildRef, Owned, ProjectBuild, ProjectRef, ProjectResource},
};
use crate::store::{
    self, Conn, build_errors::BuildError, projects::Project, reviews, seals, work_items,
};

/// Errors in each list; the counts include those beyond.
const MAX_ERRORS: i64 = 200;

/// The numbers of two builds of the project.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct CompareQuery {
    from: u32,
    to: u32,
}

#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct CompareDiffQuery {
    /// One file with its lines, instead of the list of files.
    path: Option<String>,
    /// Treats lines that differ only in whitespace as unchanged. Applies to `path`.
    ignore_whitespace: Option<bool>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct BuildComparison {
    from: ComparedBuild,
    to: ComparedBuild,
    errors: ComparedErrors,
    /// In the order of the newer blueprint, then those that only the other build has; empty if neither
    /// has any with ids.
    requirements: Vec<ComparedRequirement>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct ComparedBuild {
    #[serde(flatten)]
    summary: BuildSummary,
    /// The newest commit, whose files are compared; null before the build has a branch.
    #[schema(required)]
    head_sha: Option<String>,
    /// Commits since the baseline.
    commit_count: u32,
    /// 0 to 100; null until it is sealed.
    #[schema(required)]
    score: Option<u8>,
    spent: BuildSpent,
    /// Replies of models.
    replies: u32,
    /// Distinct errors, including those that were fixed.
    error_count: u64,
}

/// Errors are the same if their fingerprints are equal.
#[derive(Debug, Serialize, ToSchema)]
pub struct ComparedErrors {
    /// Only in `to`; at most 200.
    new: Vec<ErrorRecord>,
    new_count: u64,
    /// Only in `from`; at most 200.
    gone: Vec<ErrorRecord>,
    gone_count: u64,
    /// In both, as in `to`; at most 200.
    same: Vec<ErrorRecord>,
    same_count: u64,
}

#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ComparedRequirement {
    #[schema(value_type = String, example = "R-7")]
    id: RequirementId,
    text: String,
    /// Null if the build does not have it.
    #[schema(required)]
    from: Option<Standing>,
    /// Null if the build does not have it.
    #[schema(required)]
    to: Option<Standing>,
}

/// Compares two builds of the project: verdicts, usage, errors and requirements. A build that is not
/// finished is compared as it is now.
#[utoipa::path(get, path = "/api/projects/{project}/compare", tag = "builds", params(
        ("project" = String, Path, description = "The project's id or slug"), CompareQuery,
    ), responses(
        (status = 200, body = BuildComparison),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn compare_builds(
    State(app): State<Shared>,
    Owned { resource: project, .. }: Owned<Project>,
    QueryParams(query): QueryParams<CompareQuery>,
) -> Result<Json<BuildComparison>, ApiError> {
    let (from, to) = find(&app, &project, &query).await?;
    let (old, new) =
        (app.journal.state(from.build.id).await?, app.journal.state(to.build.id).await?);
    let requirements = compare_requirements(&matrix::matrix(&old), &matrix::matrix(&new));
    let mut conn = app.db.read().await?;
    let reviews = reviews::progress(&mut conn, project.id, project.id, app.approval.required);
    let reviews = reviews.await?;
    let (old_id, new_id) = (from.build.id, to.build.id);
    let (old_count, same) = store::build_errors::count_compared(&mut conn, old_id, new_id).await?;
    let (new_count, _) = store::build_errors::count_compared(&mut conn, new_id, old_id).await?;
    let errors = ComparedErrors {
        new: errors(&mut conn, new_id, old_id, false).await?,
        new_count: new_count.saturating_sub(same),
        gone: errors(&mut conn, old_id, new_id, false).await?,
        gone_count: old_count.saturating_sub(same),
        same: errors(&mut conn, new_id, old_id, true).await?,
        same_count: same,
    };
    let from = compared(&mut conn, from, old, &reviews, old_count).await?;
    let to = compared(&mut conn, to, new, &reviews, new_count).await?;
    Ok(Json(BuildComparison { from, to, errors, requirements }))
}

/// Gets the changes from the newest commit of one build to that of another one. Before either has a
/// branch, there are none.
#[utoipa::path(get, path = "/api/projects/{project}/compare/diff", tag = "builds", params(
        ("project" = String, Path, description = "The project's id or slug"),
        CompareQuery, CompareDiffQuery,
    ), responses(
        (status = 200, description = "With `path` a FileDiff, else a DiffSummary",
            body = BuildDiff),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn get_comparison_diff(
    State(app): State<Shared>,
    Owned { resource: project, .. }: Owned<Project>,
    QueryParams(query): QueryParams<CompareQuery>,
    QueryParams(what): QueryParams<CompareDiffQuery>,
) -> Result<Json<BuildDiff>, ApiError> {
    let parsed = what.path.as_deref().map(str::parse::<RepoPath>).transpose();
    let path = parsed.map_err(|e| ApiError::invalid("path", e.to_string()))?;
    let (from, to) = find(&app, &project, &query).await?;
    let old = branch_view::read(&app, &from, |branch| Ok(branch.head())).await?;
    let Some(old) = old else {
        return match path {
            None => Ok(Json(BuildDiff::Files(git::ChangedFiles::default()))),
            Some(_) => Err(ApiError::not_found("file")),
        };
    };
    let Some(path) = path else {
        let files = branch_view::read(&app, &to, move |branch| {
            git::diff_files(branch.clone(), old, DiffTarget::Commit(branch.head()))
        });
        return Ok(Json(BuildDiff::Files(files.await?.unwrap_or_default())));
    };
    let ignores_whitespace = what.ignore_whitespace.unwrap_or_default();
    let diff = branch_view::read(&app, &to, move |branch| -> Result<FileDiff, GitError> {
        let head = DiffTarget::Commit(branch.head());
        if ignores_whitespace {
            git::diff_file_ignoring_whitespace(branch.clone(), old, head, &path)
        } else {
            git::diff_file(branch.clone(), old, head, &path)
        }
    });
    Ok(Json(BuildDiff::File(diff.await?.ok_or_else(|| ApiError::not_found("file"))?)))
}

/// Both builds, which are numbered in this project, so that no other one's can be named.
async fn find(
    app: &App,
    project: &Project,
    query: &CompareQuery,
) -> Result<(ProjectBuild, ProjectBuild), ApiError> {
    let CompareQuery { from, to } = *query;
    if from == to {
        return Err(ApiError::invalid("to", "choose two different builds"));
    }
    let mut conn = app.db.read().await?;
    let mut builds = Vec::with_capacity(2);
    for number in [from, to] {
        let named = BuildRef::Number(ProjectRef::Id(project.id), number);
        let build = ProjectBuild::find(&mut conn, named).await?;
        builds.push(build.ok_or_else(|| ApiError::not_found(ProjectBuild::NAME))?);
    }
    builds.try_into().map(|[from, to]: [_; 2]| (from, to)).map_err(|_| ApiError::not_found("build"))
}

async fn compared(
    conn: &mut Conn,
    of: ProjectBuild,
    state: Arc<BuildState>,
    reviews: &Reviews,
    error_count: u64,
) -> Result<ComparedBuild, ApiError> {
    let build = of.build;
    let seal = match build.status {
        Status::Sealed => seals::get(conn, build.id).await?,
        _ => None,
    };
    let item = work_items::get(conn, build.id).await?;
    Ok(ComparedBuild {
        head_sha: build.head_sha.clone(),
        commit_count: build.commit_count,
        score: seal.map(|seal| seal.score.clamp(0.0, 100.0) as u8),
        spent: spent(&state, item.is_some_and(|item| item.is_claimed()), store::now()),
        replies: state.usage.turns(),
        error_count,
        summary: BuildSummary::new(reviews, build),
    })
}

async fn errors(
    conn: &mut Conn,
    build: BuildId,
    other: BuildId,
    in_both: bool,
) -> store::Result<Vec<ErrorRecord>> {
    let rows: Vec<BuildError> =
        store::build_errors::compared(conn, build, other, in_both, MAX_ERRORS).await?;
    Ok(rows.into_iter().map(build_errors::show).collect())
}

fn compare_requirements(from: &[MatrixRow], to: &[MatrixRow]) -> Vec<ComparedRequirement> {
    let standing = |rows: &[MatrixRow], id: RequirementId| {
        rows.iter().find(|row| row.requirement.id == id).map(|row| row.standing)
    };
    let is_gone = |row: &&MatrixRow| standing(to, row.requirement.id).is_none();
    let all = to.iter().chain(from.iter().filter(is_gone));
    let show = |row: &MatrixRow| ComparedRequirement {
        id: row.requirement.id,
        text: row.requirement.text.clone(),
        from: standing(from, row.requirement.id),
        to: standing(to, row.requirement.id),
    };
    all.map(show).collect()
}

#[cfg(test)]
mod tests {
    use domain::requirements::{Priority, Requirement, Source};

    use super::*;

    fn row(id: &str, standing: Standing) -> MatrixRow {
        let requirement = Requirement {
            id: id.parse().unwrap(),
            priority: Priority::Must,
            source: Source::Stated,
            text: format!("the text of {id}"),
            line: 1,
            scenarios: Vec::new(),
        };
        let (reason, phases, criteria) = (String::new(), Vec::new(), Vec::new());
        MatrixRow { requirement, standing, reason, phases, criteria }
    }

    #[test]
    fn requirements_are_in_the_newer_order_then_those_that_are_gone() {
        let from = [row("R-1", Standing::Broken), row("R-2", Standing::Holds)];
        let to = [row("R-3", Standing::Open), row("R-1", Standing::Holds)];
        let compared = compare_requirements(&from, &to);
        let shown: Vec<_> =
            compared.iter().map(|one| (one.id.to_string(), one.from, one.to)).collect();
        let of = |id: &str, from, to| (id.to_owned(), from, to);
        assert_eq!(
            shown,
            [
                of("R-3", None, Some(Standing::Open)),
                of("R-1", Some(Standing::Broken), Some(Standing::Holds)),
                of("R-2", Some(Standing::Holds), None),
            ]
        );
    }
}
