//! A project's current questionnaire.

use domain::{
    ids::ProjectId,
    questionnaire::{Answers, Questionnaire, Size},
};

use super::error::EngineError;
use crate::store::{Conn, questionnaires};

/// The questionnaire and its version; 0 if nothing was answered yet.
pub(super) async fn read(
    conn: &mut Conn,
    project: ProjectId,
) -> Result<(Questionnaire, u32), EngineError> {
    let Some(row) = questionnaires::get(conn, project).await? else {
        return Ok((Questionnaire { size: Size::Full, answers: Answers::default() }, 0));
    };
    let answers = serde_json::from_str(&row.answers).map_err(EngineError::Answers)?;
    Ok((Questionnaire { size: row.size, answers }, row.version))
}
