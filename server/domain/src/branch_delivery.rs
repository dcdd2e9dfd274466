//! The delivery of a sealed build: its branch at the project's remote, and a pull request.

use chrono::TimeDelta;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{validation::ValidationError, verdict::Verdict};

/// Labels, and reviewers, of a pull request.
const MAX_NAMES: usize = 10;
const MAX_NAME_LENGTH: usize = 50;

/// The progress or result of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DeliveryState {
    /// It will be tried, or tried again.
    Waiting,
    /// The branch is being pushed.
    Pushing,
    /// The branch is at the remote; the pull request is being opened.
    Opening,
    /// The pull request exists.
    Delivered,
    /// The branch is at the remote, but has no pull request.
    NoPr,
    /// The branch is not at the remote.
    Failed,
    /// The project has no remote any more.
    NoRemote,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum PullRequestState {
    Open,
    Merged,
    /// Without being merged.
    Closed,
}

/// A comment of a review of a pull request, as its forge returned it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PullRequestComment {
    /// Unique among the comments of the pull request.
    pub id: String,
    /// The author's name at the forge.
    pub author: String,
    /// None if it is about the pull request as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// In the new version, from 1. None if it is about the file, or about lines that were removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    pub text: String,
}

/// When a sealed build is delivered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DeliverWhen {
    /// As soon as it is sealed.
    AtSeal,
    /// When a user requests it.
    #[default]
    OnRequest,
    Never,
}

/// How sealed builds of a project are delivered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct DeliverySettings {
    pub when: DeliverWhen,
    /// Whether the pull request of a build that is not certified is a draft.
    pub draft_unless_certified: bool,
    /// Names of labels at the forge.
    pub labels: Vec<String>,
    /// Names of users at the forge.
    pub reviewers: Vec<String>,
}

impl Default for DeliverySettings {
    fn default() -> Self {
        Self {
            when: DeliverWhen::default(),
            draft_unless_certified: true,
            labels: Vec::new(),
            reviewers: Vec::new(),
        }
    }
}

impl DeliverySettings {
    pub fn validate(&self) -> Result<(), ValidationError> {
        let is_name = |name: &String| {
            !name.trim().is_empty()
                && name.chars().count() <= MAX_NAME_LENGTH
                && !name.contains(|c: char| c.is_control() || c == ',')
        };
        for (field, names) in [("labels", &self.labels), ("reviewers", &self.reviewers)] {
            let field = format!("delivery.{field}");
            if names.len() > MAX_NAMES {
                return Err(ValidationError::new(field, "at most 10 can be given"));
            }
            if !names.iter().all(is_name) {
                let reason = "each name has 1 to 50 characters and no comma";
                return Err(ValidationError::new(field, reason));
            }
        }
        let is_user = |name: &String| !name.contains(char::is_whitespace) && !name.starts_with('@');
        if !self.reviewers.iter().all(is_user) {
            let reason = "enter user names as in the forge's URLs, without spaces and without @";
            return Err(ValidationError::new("delivery.reviewers", reason));
        }
        Ok(())
    }

    pub fn is_draft(&self, verdict: Verdict) -> bool {
        self.draft_unless_certified && verdict != Verdict::Certified
    }
}

/// How long after it was last read an open pull request is read again, by the time since it was
/// opened. None after 30 days.
pub fn next_look(since_opened: TimeDelta) -> Option<TimeDelta> {
    const STEPS: [(TimeDelta, TimeDelta); 3] = [
        (TimeDelta::hours(1), TimeDelta::minutes(1)),
        (TimeDelta::days(1), TimeDelta::minutes(10)),
        (TimeDelta::days(30), TimeDelta::hours(1)),
    ];
    STEPS.iter().find(|(until, _)| since_opened < *until).map(|(_, interval)| *interval)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pull_request_is_read_less_often_with_time_and_not_forever() {
        let look = |since| next_look(since);
        assert_eq!(look(TimeDelta::zero()), Some(TimeDelta::minutes(1)));
        assert_eq!(look(TimeDelta::hours(1)), Some(TimeDelta::minutes(10)));
        assert_eq!(look(TimeDelta::days(29)), Some(TimeDelta::hours(1)));
        assert_eq!(look(TimeDelta::days(30)), None);
    }

    #[test]
    fn names_that_no_forge_has_are_rejected() {
        let with = |labels: &[&str], reviewers: &[&str]| {
            let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
            let (labels, reviewers) = (list(labels), list(reviewers));
            let settings = DeliverySettings { labels, reviewers, ..DeliverySettings::default() };
            settings.validate().map_err(|invalid| invalid.field)
        };
        assert_eq!(with(&["needs review", "forge"], &["alex"]), Ok(()));
        assert_eq!(with(&["a,b"], &[]), Err("delivery.labels".to_owned()));
        assert_eq!(with(&["a"; 11], &[]), Err("delivery.labels".to_owned()));
        assert_eq!(with(&[], &["@alex"]), Err("delivery.reviewers".to_owned()));
        assert_eq!(with(&[], &[" "]), Err("delivery.reviewers".to_owned()));
    }

    #[test]
    fn only_certified_builds_are_ready_for_review() {
        let settings = DeliverySettings::default();
        assert!(!settings.is_draft(Verdict::Certified) && settings.is_draft(Verdict::Conditional));
        let always = DeliverySettings { draft_unless_certified: false, ..settings };
        assert!(!always.is_draft(Verdict::Flagged));
    }
}
