//! Pull requests, as all forges describe them.

/// The name of the commit statuses that this crate sets.
pub const STATUS_CONTEXT: &str = "ForgeGuard";

/// A pull request to open, within one repository.
#[derive(Clone, Copy, Debug)]
pub struct NewPullRequest<'a> {
    pub title: &'a str,
    /// Markdown.
    pub body: &'a str,
    /// The branch with the changes.
    pub head: &'a str,
    /// The branch that they are meant for.
    pub base: &'a str,
    pub draft: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PullRequest {
    pub number: u64,
    /// The page for people; http or https.
    pub url: String,
    pub state: PullRequestState,
    pub draft: bool,
    /// The branch with the changes.
    pub head: String,
    pub head_sha: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PullRequestState {
    Open,
    Merged,
    /// Without being merged.
    Closed,
}

/// The numbers of checks of a commit, without the one that this crate sets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checks {
    pub passed: u32,
    pub failed: u32,
    pub pending: u32,
}

/// A comment of a review.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReviewComment {
    /// Unique among the comments of its pull request, and the same whenever it is read.
    pub id: String,
    pub author: String,
    /// None if it is about the pull request as a whole.
    pub path: Option<String>,
    /// In the new version; None if it is about the file, or about lines that were removed or have
    /// changed since.
    pub line: Option<u64>,
    pub body: String,
}

#[derive(Clone, Copy, Debug)]
pub struct CommitStatus<'a> {
    pub state: CommitState,
    /// At most 140 characters are sent.
    pub description: &'a str,
    pub target_url: &'a str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommitState {
    Pending,
    Success,
    Failure,
}

impl CommitStatus<'_> {
    /// What all forges accept.
    pub(crate) fn short_description(&self) -> String {
        self.description.chars().take(140).collect()
    }
}

impl Checks {
    /// Counts a check by the name of its result at any of the forges.
    pub(crate) fn count(&mut self, context: &str, result: &str) {
        let counter = match result {
            _ if context == STATUS_CONTEXT => return,
            "success" | "neutral" | "skipped" | "warning" => &mut self.passed,
            "failure" | "failed" | "error" | "canceled" | "cancelled" | "timed_out"
            | "action_required" | "startup_failure" => &mut self.failed,
            _ => &mut self.pending,
        };
        *counter += 1;
    }
}
