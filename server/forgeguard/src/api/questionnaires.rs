//! `/api/projects/{project}/questionnaire`: what is asked about a project, and the answers.

use axum::extract::State;
use chrono::{DateTime, Utc};
use domain::{
    ids::ProjectId,
    questionnaire::{Answers, Progress, Section, Size},
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    app::Shared,
    check::Check,
    extract::Json,
    owned::Owned,
    problem::{Problem, ProblemBody},
};
use crate::store::{self, projects::Project, questionnaires};

/// The questions of a project with its answers.
#[derive(Debug, Serialize, ToSchema)]
pub struct Questionnaire {
    /// How much is asked.
    size: Size,
    /// The questions, in the order in which they are asked.
    sections: Vec<Section>,
    /// What was answered.
    answers: Answers,
    /// How far that goes.
    progress: Progress,
    /// Grows with each change; 0 while nothing was ever answered.
    version: u32,
    /// When it last changed; null while nothing was ever answered.
    #[schema(required)]
    updated_at: Option<DateTime<Utc>>,
}

/// The answers as they are to be.
#[derive(Debug, Deserialize, ToSchema)]
pub struct UpdateQuestionnaireRequest {
    /// How much is asked.
    size: Size,
    /// All answers; those that the size does not ask for are kept too.
    answers: Answers,
    /// The version that the writer saw.
    version: u32,
}

impl Questionnaire {
    fn new(size: Size, answers: Answers, version: u32, updated_at: Option<DateTime<Utc>>) -> Self {
        let (sections, progress) = (size.sections().collect(), answers.progress(size));
        Self { size, sections, answers, progress, version, updated_at }
    }

    fn read(row: questionnaires::Questionnaire) -> Result<Self, Problem> {
        let answers = serde_json::from_str(&row.answers).map_err(Problem::internal)?;
        Ok(Self::new(row.size, answers, row.version, Some(row.updated_at)))
    }
}

/// The questions, and what was answered so far.
#[utoipa::path(get, path = "/api/projects/{project}/questionnaire", tag = "projects",
    params(("project" = ProjectId, Path, description = "The project's id")), responses(
        (status = 200, body = Questionnaire),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn get_questionnaire(
    State(app): State<Shared>,
    Owned { thing: project, .. }: Owned<Project>,
) -> Result<Json<Questionnaire>, Problem> {
    let row = questionnaires::get(&mut app.db.read().await?, project.id).await?;
    let nothing = || Questionnaire::new(Size::Full, Answers::default(), 0, None);
    row.map_or_else(|| Ok(nothing()), Questionnaire::read).map(Json)
}

/// Writes the answers, unless they have changed since the writer saw them. Answers may be missing:
/// the progress says which.
#[utoipa::path(put, path = "/api/projects/{project}/questionnaire", tag = "projects",
    params(("project" = ProjectId, Path, description = "The project's id")),
    request_body = UpdateQuestionnaireRequest, responses(
        (status = 200, body = Questionnaire),
        (status = "4XX", body = ProblemBody, content_type = "application/problem+json"),
    ))]
pub async fn update_questionnaire(
    State(app): State<Shared>,
    Owned { thing: project, .. }: Owned<Project>,
    Json(request): Json<UpdateQuestionnaireRequest>,
) -> Result<Json<Questionnaire>, Problem> {
    let UpdateQuestionnaireRequest { size, answers, version } = request;
    let mut check = Check::new();
    for misfit in answers.misfits() {
        check.refuse(misfit.place.to_string(), misfit.reason);
    }
    check.done()?;
    let text = serde_json::to_string(&answers).map_err(Problem::internal)?;
    let mut tx = app.db.write().await?;
    let written =
        questionnaires::put(&mut tx, project.id, size, &text, version, store::now()).await?;
    let written = written.ok_or_else(|| {
        Problem::conflict("Somebody else has changed these answers since you read them.")
    })?;
    tx.commit().await?;
    Questionnaire::read(written).map(Json)
}
