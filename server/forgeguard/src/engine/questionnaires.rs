//! The questionnaire of a project as it stands.

use domain::{
    ids::ProjectId,
    questionnaire::{Answers, Questionnaire, Size},
};

use super::error::EngineError;
use crate::store::{Conn, questionnaires};

/// What is asked and what was answered, with its version: 0 while nothing was ever answered.
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
