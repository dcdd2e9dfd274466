//! What users are notified of: in the inbox, in the browser, by email and by webhooks.

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{event::questions::ClarificationKind, review::ReviewDecision};

/// The kind of a notification, as chosen in the settings.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum NotificationKind {
    /// A build asks a question.
    Question,
    /// A build asks for the approval of a plan.
    Plan,
    /// A build cannot continue without help.
    Blocked,
    /// A sealed build is waiting for a review, or was reviewed.
    Review,
}

/// The state of a delivery to a webhook or by email.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum DeliveryStatus {
    /// It will be tried, or tried again.
    Waiting,
    Delivered,
    /// All attempts failed.
    Failed,
}

/// Seconds before each further attempt; the length of the list is the number of retries.
const RETRY_WAITS_S: [i64; 7] = [5, 30, 300, 1_800, 7_200, 18_000, 36_000];
/// A webhook that has only failed for this long is disabled.
const MAX_FAILING_TIME: TimeDelta = TimeDelta::days(5);

/// How long to wait after so many failed attempts; none if there are no more.
pub fn retry_wait(attempts: u32) -> Option<TimeDelta> {
    let index = usize::try_from(attempts).ok()?.checked_sub(1)?;
    RETRY_WAITS_S.get(index).copied().map(TimeDelta::seconds)
}

/// Whether a webhook that has only failed since then is disabled.
pub fn is_to_be_disabled(failing_since: DateTime<Utc>, now: DateTime<Utc>) -> bool {
    now - failing_since >= MAX_FAILING_TIME
}

impl NotificationKind {
    pub const ALL: [Self; 4] = [Self::Question, Self::Plan, Self::Blocked, Self::Review];

    /// The kind of the notification about a question.
    pub fn of_question(kind: ClarificationKind) -> Self {
        match kind {
            ClarificationKind::Plan => Self::Plan,
            ClarificationKind::Question
            | ClarificationKind::Permission
            | ClarificationKind::Assumption
            | ClarificationKind::Work
            | ClarificationKind::Confirmation => Self::Question,
        }
    }

    /// One line about a build with this name in this project. `decision` is that of a review; none
    /// if the build is waiting for it.
    pub fn headline(self, project: &str, build: &str, decision: Option<ReviewDecision>) -> String {
        match (self, decision) {
            (Self::Question, _) => format!("{project} {build} has a question"),
            (Self::Plan, _) => format!("{project} {build} has a plan to approve"),
            (Self::Blocked, _) => format!("{project} {build} is blocked"),
            (Self::Review, None) => format!("{project} {build} is waiting for a review"),
            (Self::Review, Some(ReviewDecision::Approved)) => {
                format!("{project} {build} was approved")
            }
            (Self::Review, Some(ReviewDecision::ChangesRequested)) => {
                format!("Changes were requested to {project} {build}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_questions_about_plans_are_plans() {
        use ClarificationKind::{Assumption, Confirmation, Permission, Plan, Question, Work};
        for kind in [Question, Permission, Assumption, Work, Confirmation] {
            assert_eq!(NotificationKind::of_question(kind), NotificationKind::Question);
        }
        assert_eq!(NotificationKind::of_question(Plan), NotificationKind::Plan);
    }

    #[test]
    fn retries_are_bounded_and_further_apart_each_time() {
        let waits: Vec<_> = (1..20).map_while(retry_wait).collect();
        assert_eq!(waits.len(), 7);
        assert!(waits.is_sorted() && waits[0] == TimeDelta::seconds(5), "{waits:?}");
        assert_eq!((retry_wait(0), retry_wait(8)), (None, None));
    }

    #[test]
    fn webhook_is_disabled_after_failing_for_five_days() {
        let since = DateTime::UNIX_EPOCH;
        assert!(!is_to_be_disabled(since, since + TimeDelta::days(5) - TimeDelta::seconds(1)));
        assert!(is_to_be_disabled(since, since + TimeDelta::days(5)));
    }

    #[test]
    fn headline_of_a_review_names_its_decision() {
        let headline = |decision| NotificationKind::Review.headline("Shelf", "#3", decision);
        assert_eq!(headline(None), "Shelf #3 is waiting for a review");
        assert_eq!(headline(Some(ReviewDecision::Approved)), "Shelf #3 was approved");
        let returned = headline(Some(ReviewDecision::ChangesRequested));
        assert_eq!(returned, "Changes were requested to Shelf #3");
    }
}
