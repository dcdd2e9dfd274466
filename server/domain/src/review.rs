//! Decisions about sealed builds, and who may make them.

use std::collections::BTreeSet;

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::ids::UserId;

/// A decision about a sealed build. The newest one counts; decisions are never edited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReviewDecision {
    Approved,
    ChangesRequested,
}

/// Where the review of a sealed build stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReviewProgress {
    /// Without a decision, or with fewer approvals than required.
    Waiting,
    ChangesRequested,
    Approved,
}

/// The file of a diff that contains a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum DiffSide {
    /// The file at the baseline.
    Old,
    /// The sealed file.
    New,
}

/// The properties of an account that determine whether it may approve.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    pub id: UserId,
    pub name: String,
    /// Compared with the authors of commits, ignoring case.
    pub email: String,
}

/// An account gave another one its rights, or a link to set its password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The account that gave them.
    pub by: Account,
    pub at: DateTime<Utc>,
}

/// The contributors to a build and to the builds that it follows up on.
#[derive(Clone, Debug, Default)]
pub struct Contributors {
    /// The account that started the build.
    pub starter: Option<UserId>,
    /// The accounts that started the builds before it.
    pub earlier_starters: BTreeSet<UserId>,
    /// The owner of the project, who alone can push to it.
    pub owner: Option<UserId>,
    /// The accounts that owned the project before.
    pub earlier_owners: BTreeSet<UserId>,
    /// Addresses of the authors of commits on the branch, in lower case.
    pub author_emails: BTreeSet<String>,
}

/// Why an account cannot approve a build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ApprovalObstacle {
    StartedBuild,
    /// It started a build that this one follows up on.
    StartedEarlierBuild,
    OwnsProject,
    /// It owned the project before.
    OwnedProject,
    AuthoredCommits,
    /// A contributor recently gave it its rights or its password link.
    GrantedByContributor {
        by: String,
        /// It may approve from then on.
        until: DateTime<Utc>,
    },
    /// Its approval already counts.
    AlreadyApproved,
}

impl ReviewProgress {
    /// From the newest decision, and the number of approvals since changes were last requested.
    pub fn new(newest: Option<ReviewDecision>, approvals: u64, required: u32) -> Self {
        match newest {
            Some(ReviewDecision::ChangesRequested) => Self::ChangesRequested,
            Some(ReviewDecision::Approved) if approvals >= u64::from(required) => Self::Approved,
            Some(ReviewDecision::Approved) | None => Self::Waiting,
        }
    }
}

impl ReviewDecision {
    /// The decision as part of a sentence: "Ada has …".
    pub fn words(self) -> &'static str {
        match self {
            Self::Approved => "approved this build",
            Self::ChangesRequested => "requested changes",
        }
    }
}

impl Contributors {
    /// The obstacle, if the account contributed to the build.
    fn obstacle(&self, account: &Account) -> Option<ApprovalObstacle> {
        if self.starter == Some(account.id) {
            Some(ApprovalObstacle::StartedBuild)
        } else if self.earlier_starters.contains(&account.id) {
            Some(ApprovalObstacle::StartedEarlierBuild)
        } else if self.owner == Some(account.id) {
            Some(ApprovalObstacle::OwnsProject)
        } else if self.earlier_owners.contains(&account.id) {
            Some(ApprovalObstacle::OwnedProject)
        } else if self.author_emails.contains(&account.email.to_lowercase()) {
            Some(ApprovalObstacle::AuthoredCommits)
        } else {
            None
        }
    }
}

impl ApprovalObstacle {
    /// The reason, addressed to the account itself.
    pub fn explanation(&self) -> String {
        let rest = "You can request changes.";
        match self {
            Self::StartedBuild => {
                format!("You started this build, so someone else has to approve it. {rest}")
            }
            Self::StartedEarlierBuild => format!(
                "You started a build that this one follows, so someone else has to approve it. \
                 {rest}"
            ),
            Self::OwnsProject => {
                format!("You own this project, so someone else has to approve its builds. {rest}")
            }
            Self::OwnedProject => format!(
                "You owned this project before, so someone else has to approve its builds. {rest}"
            ),
            Self::AuthoredCommits => format!(
                "This build contains commits of yours, so someone else has to approve it. {rest}"
            ),
            Self::GrantedByContributor { by, until } => format!(
                "{by} contributed to this build and gave you access recently, so you can approve \
                 it from {} UTC. {rest}",
                until.format("%Y-%m-%d %H:%M")
            ),
            Self::AlreadyApproved => format!("You approved this build already. {rest}"),
        }
    }
}

/// Why `reviewer` cannot approve a build; `None` if they can. `grants` is the chain of accounts that
/// gave `reviewer` access, nearest first; only those more recent than `cooldown` count.
pub fn approval_obstacle(
    reviewer: &Account,
    contributors: &Contributors,
    grants: &[Grant],
    now: DateTime<Utc>,
    cooldown: TimeDelta,
) -> Option<ApprovalObstacle> {
    contributors.obstacle(reviewer).or_else(|| {
        // An account that was appointed by a contributor could appoint the next one.
        let recent = grants.iter().take_while(|grant| grant.at + cooldown > now);
        let mut by_contributors = recent.filter(|grant| contributors.obstacle(&grant.by).is_some());
        by_contributors.next().map(|grant| ApprovalObstacle::GrantedByContributor {
            by: grant.by.name.clone(),
            until: grant.at + cooldown,
        })
    })
}

/// The reviewers whose approvals count: those since changes were last requested. `decisions` are
/// newest first.
pub fn approvers(
    decisions: impl IntoIterator<Item = (UserId, ReviewDecision)>,
) -> BTreeSet<UserId> {
    let approvals =
        decisions.into_iter().take_while(|(_, decision)| *decision == ReviewDecision::Approved);
    approvals.map(|(reviewer, _)| reviewer).collect()
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::ids::Id;

    const COOLDOWN: TimeDelta = TimeDelta::hours(24);

    fn id(n: u128) -> UserId {
        UserId::from_uuid(Uuid::from_u128(n))
    }

    fn account(n: u128) -> Account {
        Account { id: id(n), name: format!("User {n}"), email: format!("User{n}@example.org") }
    }

    fn contributors() -> Contributors {
        Contributors {
            starter: Some(id(1)),
            earlier_starters: BTreeSet::from([id(2)]),
            owner: Some(id(3)),
            earlier_owners: BTreeSet::from([id(7)]),
            author_emails: BTreeSet::from(["user4@example.org".to_owned()]),
        }
    }

    fn obstacle(reviewer: u128, grants: &[Grant]) -> Option<ApprovalObstacle> {
        let now = DateTime::UNIX_EPOCH + TimeDelta::days(10);
        approval_obstacle(&account(reviewer), &contributors(), grants, now, COOLDOWN)
    }

    fn grant(by: u128, hours_ago: i64) -> Grant {
        let at = DateTime::UNIX_EPOCH + TimeDelta::days(10) - TimeDelta::hours(hours_ago);
        Grant { by: account(by), at }
    }

    #[test]
    fn review_waits_until_there_are_enough_approvals() {
        use ReviewDecision::{Approved, ChangesRequested};
        for (newest, approvals, required, expected) in [
            (None, 0, 1, ReviewProgress::Waiting),
            (Some(Approved), 1, 1, ReviewProgress::Approved),
            (Some(Approved), 1, 2, ReviewProgress::Waiting),
            (Some(Approved), 2, 2, ReviewProgress::Approved),
            (Some(ChangesRequested), 0, 1, ReviewProgress::ChangesRequested),
        ] {
            assert_eq!(ReviewProgress::new(newest, approvals, required), expected, "{newest:?}");
        }
    }

    #[test]
    fn contributor_cannot_approve() {
        assert_eq!(obstacle(1, &[]), Some(ApprovalObstacle::StartedBuild));
        assert_eq!(obstacle(2, &[]), Some(ApprovalObstacle::StartedEarlierBuild));
        assert_eq!(obstacle(3, &[]), Some(ApprovalObstacle::OwnsProject));
        assert_eq!(obstacle(4, &[]), Some(ApprovalObstacle::AuthoredCommits));
        assert_eq!(obstacle(7, &[]), Some(ApprovalObstacle::OwnedProject));
        assert_eq!(obstacle(5, &[]), None);
    }

    #[test]
    fn account_granted_by_contributor_cannot_approve_until_cooldown_is_over() {
        for contributor in [1, 2, 3, 4, 7] {
            let found = obstacle(5, &[grant(contributor, 23)]);
            let until = grant(contributor, 23).at + COOLDOWN;
            let by = format!("User {contributor}");
            assert_eq!(found, Some(ApprovalObstacle::GrantedByContributor { by, until }));
            assert_eq!(obstacle(5, &[grant(contributor, 24)]), None);
        }
        assert_eq!(obstacle(5, &[grant(6, 1)]), None);
    }

    #[test]
    fn account_granted_through_another_account_cannot_approve_either() {
        assert!(obstacle(5, &[grant(6, 1), grant(1, 2)]).is_some());
        assert_eq!(obstacle(5, &[grant(6, 30), grant(1, 2)]), None);
    }

    #[test]
    fn approvals_count_once_per_reviewer_and_since_the_last_request_for_changes() {
        use ReviewDecision::{Approved, ChangesRequested};
        let count = |decisions: &[(u128, ReviewDecision)]| {
            approvers(decisions.iter().map(|(who, what)| (id(*who), *what))).len()
        };
        assert_eq!(count(&[]), 0);
        assert_eq!(count(&[(1, Approved), (1, Approved)]), 1);
        assert_eq!(count(&[(2, Approved), (1, Approved)]), 2);
        assert_eq!(count(&[(2, Approved), (1, ChangesRequested), (3, Approved)]), 1);
        assert_eq!(count(&[(1, ChangesRequested), (3, Approved)]), 0);
    }
}
