//! Issues at the forges of projects, as specs.

use domain::validation::ValidationError;
use forge::{ForgeError, Issue};

use super::{error::EngineError, forge_access::ForgeAccessError, handle::Engine};
use crate::store::{projects::Project, remotes};

/// The text of a spec that an issue contains.
#[derive(Clone, Debug)]
pub struct IssueText {
    /// The page of the issue.
    pub url: String,
    pub text: String,
}

impl Engine {
    /// Reads an issue at the project's remote. `reference` is its number, or the address of its page.
    pub async fn read_issue(
        &self,
        project: &Project,
        reference: &str,
    ) -> Result<IssueText, EngineError> {
        let invalid =
            |reason: String| EngineError::InvalidRemote(ValidationError::new("issue", reason));
        let remote = remotes::get(&mut self.db().read().await?, project.id).await?;
        let remote = remote.ok_or_else(|| {
            invalid("this project has no remote repository; connect one in its settings".to_owned())
        })?;
        let number = number(reference, &remote.url).ok_or_else(|| {
            invalid("give the number of an issue of this project's remote, such as 12".to_owned())
        })?;
        let forge = self.forge(project, &remote).await;
        let forge = forge.map_err(|error: ForgeAccessError| invalid(error.to_string()))?;
        match forge.issue(number).await {
            Ok(issue) => Ok(text_of(issue)),
            Err(ForgeError::NotFound(_)) => Err(invalid(format!(
                "the remote has no issue {number}, or the credential's token cannot see it"
            ))),
            Err(error) => Err(invalid(error.to_string())),
        }
    }
}

/// The number in `12`, `#12`, or an address below that of the repository.
fn number(reference: &str, repository: &str) -> Option<u64> {
    let reference = reference.trim();
    if let Ok(number) = reference.trim_start_matches('#').parse() {
        return Some(number);
    }
    let rest = reference.strip_prefix(repository.trim_end_matches('/').trim_end_matches(".git"))?;
    let path = rest.split(['?', '#']).next()?.trim_end_matches('/');
    path.trim_start_matches("/-").strip_prefix("/issues/")?.parse().ok()
}

fn text_of(Issue { url, title, body }: Issue) -> IssueText {
    let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
    let body = body.replace("\r\n", "\n");
    IssueText { text: format!("# {title}\n\nFrom <{url}>\n\n{}\n", body.trim()), url }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn issue_is_named_by_number_or_address() {
        let repository = "https://forge.example/me/shelf.git";
        for (reference, expected) in [
            ("12", Some(12)),
            (" #12 ", Some(12)),
            ("https://forge.example/me/shelf/issues/12", Some(12)),
            ("https://forge.example/me/shelf/-/issues/12/?a=b#note_3", Some(12)),
            ("https://forge.example/me/other/issues/12", None),
            ("https://forge.example/me/shelf-2/issues/12", None),
            ("https://forge.example/me/shelf/pulls/12", None),
            ("-1", None),
            ("", None),
        ] {
            assert_eq!(number(reference, repository), expected, "{reference}");
        }
    }
}
