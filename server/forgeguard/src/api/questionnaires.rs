//! `/api/projects/{project}/questionnaire`: questions about a project, and the answers.

use axum::extract::State;
use chrono::{DateTime, Utc};
use domain::questionnaire::{Answers, Progress, Section, Size};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    api_error::{ApiError, ProblemDetails},
    app::Shared,
    check::Check,
    extract::Json,
    owned::Owned,
};
use crate::store::{self, projects::Project, questionnaires};

#[derive(Debug, Serialize, ToSchema)]
pub struct Questionnaire {
    /// How many questions are asked.
    size: Size,
    /// In the order in which they are asked.
    sections: Vec<Section>,
    answers: Answers,
    /// How many of the questions are answered.
    progress: Progress,
    /// Incremented by each change; 0 if nothing was ever answered.
    version: u32,
    /// Null if nothing was ever answered.
    #[schema(required)]
    updated_at: Option<DateTime<Utc>>,
}

#[derive(Debug, Deserialize, ToSchema)]
pub struct UpdateQuestionnaireRequest {
    /// How many questions are asked.
    size: Size,
    /// All answers, including those that are not asked for at this size.
    answers: Answers,
    /// The version that was edited.
    version: u32,
}

impl Questionnaire {
    fn new(size: Size, answers: Answers, version: u32, updated_at: Option<DateTime<Utc>>) -> Self {
        let (sections, progress) = (size.sections().collect(), answers.progress(size));
        Self { size, sections, answers, progress, version, updated_at }
    }

    fn read(row: questionnaires::Questionnaire) -> Result<Self, ApiError> {
        let answers = serde_json::from_str(&row.answers).map_err(ApiError::internal)?;
        Ok(Self::new(row.size, answers, row.version, Some(row.updated_at)))
    }
}

/// Gets the questions and answers of a project.
#[utoipa::path(get, path = "/api/projects/{project}/questionnaire", tag = "projects",
    params(("project" = String, Path, description = "The project's id or slug")), responses(
        (status = 200, body = Questionnaire),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn get_questionnaire(
    State(app): State<Shared>,
    Owned { resource: project, .. }: Owned<Project>,
) -> Result<Json<Questionnaire>, ApiError> {
    let row = questionnaires::get(&mut app.db.read().await?, project.id).await?;
    let nothing = || Questionnaire::new(Size::Full, Answers::default(), 0, None);
    row.map_or_else(|| Ok(nothing()), Questionnaire::read).map(Json)
}

/// Replaces the answers, unless they were changed since they were read. Answers may be missing:
/// `progress` lists them.
#[utoipa::path(put, path = "/api/projects/{project}/questionnaire", tag = "projects",
    params(("project" = String, Path, description = "The project's id or slug")),
    request_body = UpdateQuestionnaireRequest, responses(
        (status = 200, body = Questionnaire),
        (status = "4XX", body = ProblemDetails, content_type = "application/problem+json"),
    ))]
pub async fn update_questionnaire(
    State(app): State<Shared>,
    Owned { resource: project, .. }: Owned<Project>,
    Json(request): Json<UpdateQuestionnaireRequest>,
) -> Result<Json<Questionnaire>, ApiError> {
    let UpdateQuestionnaireRequest { size, answers, version } = request;
    let mut check = Check::new();
    for error in answers.validate() {
        check.reject(error.field, error.reason);
    }
    check.done()?;
    let text = serde_json::to_string(&answers).map_err(ApiError::internal)?;
    let mut tx = app.db.write().await?;
    let written =
        questionnaires::put(&mut tx, project.id, size, &text, version, store::now()).await?;
    let written = written.ok_or_else(|| {
        ApiError::conflict("These answers were changed since you read them. Load them again.")
    })?;
    tx.commit().await?;
    Questionnaire::read(written).map(Json)
}
