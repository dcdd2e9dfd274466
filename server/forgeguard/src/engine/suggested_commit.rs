//! The commit of the suggestions that the owner accepted, with which a follow-up starts.

use std::collections::BTreeMap;

use domain::{
    follow_up::AcceptedSuggestion,
    state::BuildState,
    suggestion::{LineEdit, apply_suggestions},
};
use git::{RepoPath, Sha, UserCommit, WorkingClone};

use super::{driver::Driver, error::EngineError};
use crate::store::{self, users};

/// Larger files cannot be edited by suggestions.
pub const MAX_SUGGESTION_FILE_BYTES: usize = 4 * 1024 * 1024;

impl Driver {
    /// The commit of the accepted suggestions, if there are any.
    pub(super) async fn suggested_commit(
        &self,
        state: &BuildState,
        baseline: Sha,
    ) -> Result<Option<UserCommit>, EngineError> {
        let suggestions = state.queued.requests.as_ref().map(|requests| &requests.suggestions);
        let suggestions = suggestions.cloned().unwrap_or_default();
        let Some(first) = suggestions.first() else { return Ok(None) };
        let author = users::get(&mut self.engine.db().read().await?, first.accepted_by).await?;
        let author = author.ok_or(EngineError::NotFound("user who accepted the suggestions"))?;
        let clone = self.clone_of_project().await?;
        let message = message(&suggestions);
        let files =
            self.engine.blocking(move || edited_files(&clone, baseline, &suggestions)).await?;
        Ok(Some(UserCommit {
            author_name: author.name,
            author_email: author.email,
            message,
            at: store::now().timestamp(),
            files,
        }))
    }
}

fn edited_files(
    clone: &WorkingClone,
    baseline: Sha,
    suggestions: &[AcceptedSuggestion],
) -> Result<Vec<(RepoPath, Vec<u8>)>, EngineError> {
    let mut by_file: BTreeMap<&str, Vec<LineEdit<'_>>> = BTreeMap::new();
    for AcceptedSuggestion { path, first_line, line, text, .. } in suggestions {
        let edit = LineEdit { first_line: first_line.unwrap_or(*line), last_line: *line, text };
        by_file.entry(path).or_default().push(edit);
    }
    let edited = by_file.into_iter().map(|(path, edits)| {
        let path: RepoPath = path.parse()?;
        let content = clone.read_file(baseline, &path, MAX_SUGGESTION_FILE_BYTES)?;
        let text = String::from_utf8(content.bytes).ok().filter(|_| !content.truncated);
        let edited = text.and_then(|text| apply_suggestions(&text, &edits));
        let edited = edited.ok_or(EngineError::NotFound("line of a suggestion"))?;
        Ok((path, edited.into_bytes()))
    });
    edited.collect()
}

/// Names the reviewers without trailers: a suggestion does not make them contributors, because the
/// owner has accepted it.
fn message(suggestions: &[AcceptedSuggestion]) -> String {
    let what = if suggestions.len() == 1 { "a suggestion" } else { "suggestions" };
    let lines = suggestions.iter().map(|suggestion| {
        format!("- {}, suggested by {}\n", suggestion.place(), suggestion.suggested_by)
    });
    format!("Apply {what} from the review\n\n{}", lines.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn message_names_the_lines_and_who_suggested_it() {
        let suggestion = |first_line, line| AcceptedSuggestion {
            path: "src/a.js".into(),
            first_line,
            line,
            text: "a();".into(),
            suggested_by: "Grace".into(),
            accepted_by: store::new_id(),
        };
        assert_eq!(
            message(&[suggestion(None, 1), suggestion(Some(3), 5)]),
            "Apply suggestions from the review\n\n- src/a.js:1, suggested by Grace\n\
             - src/a.js:3-5, suggested by Grace\n"
        );
    }
}
