//! A build that implements requested changes: those of reviewers, here or at a forge, or an item of
//! the backlog.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    branch_delivery::PullRequestComment,
    criterion::ExitCriterion,
    ids::{BuildId, UserId},
    phases::PhaseOutline,
    review::DiffSide,
};

/// Longer comments are truncated in a deliverable.
const MAX_COMMENT_CHARS: usize = 160;

/// The sealed build that another one follows up on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Follows {
    pub build_id: BuildId,
    /// Its last commit, from which the branch starts.
    pub head_sha: String,
}

/// The requested changes, as of the start of the build.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Requests {
    /// The reviewer's reason for requesting changes, or the description of the item.
    pub reason: String,
    /// The item of the backlog; absent in a follow-up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<RequestedItem>,
    /// The open threads, in the order in which they were started.
    pub threads: Vec<RequestThread>,
    /// The comments of the pull request that the owner selected.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub comments: Vec<PullRequestComment>,
    /// Suggested edits that the owner accepted. They are committed before the work starts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suggestions: Vec<AcceptedSuggestion>,
}

/// An item of the backlog without a spec.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RequestedItem {
    pub title: String,
    /// Globs of paths that the build may change; empty means any.
    pub scope: Vec<String>,
}

/// A suggested edit of lines of the sealed head.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AcceptedSuggestion {
    pub path: String,
    /// The first of several lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_line: Option<u32>,
    /// The only or last line, from 1.
    pub line: u32,
    /// Replaces the lines; empty if they are removed.
    pub text: String,
    /// The name of the user who suggested it.
    pub suggested_by: String,
    /// The author of the commit.
    pub accepted_by: UserId,
}

/// A comment on lines, with its replies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RequestThread {
    /// The file, as named by the diff.
    pub path: String,
    /// The file of the diff that contains the lines.
    pub side: DiffSide,
    /// The first of several lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_line: Option<u32>,
    /// The only or last line, from 1.
    pub line: u32,
    pub line_text: String,
    /// The comment and its replies, oldest first.
    pub said: Vec<ThreadComment>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = RequestSaid)]
pub struct ThreadComment {
    /// The author's name.
    pub author: String,
    pub text: String,
}

impl Requests {
    /// The only phase of the build that implements them.
    pub fn phase(&self) -> PhaseOutline {
        if let Some(item) = &self.item {
            return item.phase();
        }
        let threads = self.threads.iter().map(|thread| (thread.place(), thread.in_short()));
        let comments = self.comments.iter().map(|comment| (comment.place(), comment.in_short()));
        let (places, mut deliverables): (Vec<_>, Vec<_>) = threads.chain(comments).unzip();
        if deliverables.is_empty() {
            deliverables.push(in_short(&self.reason));
        }
        let reason = "what the reviewer asks for as a whole is done".to_owned();
        let done = places.into_iter().map(|place| format!("what is requested at {place} is done"));
        PhaseOutline {
            number: 0,
            title: "Requested changes".to_owned(),
            scope: Vec::new(),
            deliverables,
            covers: Vec::new(),
            exit_criteria: std::iter::once(reason)
                .chain(done)
                .map(ExitCriterion::reviewed)
                .collect(),
        }
    }
}

impl PullRequestComment {
    /// Path and line, or whose comment it is.
    pub fn place(&self) -> String {
        match (&self.path, self.line) {
            (Some(path), Some(line)) => format!("{}:{line}", one_line(path)),
            (Some(path), None) => one_line(path),
            _ => format!("the pull request by {}", one_line(&self.author)),
        }
    }

    /// The place and the beginning of the comment.
    fn in_short(&self) -> String {
        format!("{}: {}", self.place(), in_short(&self.text))
    }
}

impl RequestedItem {
    fn phase(&self) -> PhaseOutline {
        PhaseOutline {
            number: 0,
            title: self.title.clone(),
            scope: self.scope.clone(),
            deliverables: vec![self.title.clone()],
            covers: Vec::new(),
            exit_criteria: vec![ExitCriterion::reviewed(
                "what the item of the backlog asks for is done".to_owned(),
            )],
        }
    }
}

impl RequestThread {
    /// Path and lines.
    pub fn place(&self) -> String {
        let gone = match (self.side, self.first_line) {
            (DiffSide::New, _) => "",
            (DiffSide::Old, None) => " (a removed line)",
            (DiffSide::Old, Some(_)) => " (removed lines)",
        };
        format!("{}{gone}", place(&self.path, self.first_line, self.line))
    }

    /// The place and the beginning of the comment.
    fn in_short(&self) -> String {
        let said = self.said.first().map_or(String::new(), |said| in_short(&said.text));
        format!("{}: {said}", self.place())
    }
}

impl AcceptedSuggestion {
    /// Path and lines.
    pub fn place(&self) -> String {
        place(&self.path, self.first_line, self.line)
    }
}

fn place(path: &str, first_line: Option<u32>, line: u32) -> String {
    let first = first_line.map_or(String::new(), |first| format!("{first}-"));
    format!("{}:{first}{line}", one_line(path))
}

fn in_short(text: &str) -> String {
    let line = one_line(text);
    match line.char_indices().nth(MAX_COMMENT_CHARS) {
        Some((end, _)) => format!("{} …", &line[..end]),
        None => line,
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thread(side: DiffSide, text: &str) -> RequestThread {
        let said = vec![ThreadComment { author: "Grace".into(), text: text.into() }];
        let (path, line_text) = ("src/a.js".into(), "a();".into());
        RequestThread { path, side, first_line: None, line: 3, line_text, said }
    }

    fn requests(reason: &str, threads: Vec<RequestThread>) -> Requests {
        Requests { reason: reason.into(), threads, ..Requests::default() }
    }

    #[test]
    fn every_open_thread_is_a_deliverable_and_a_criterion() {
        let long = format!("Too\n\nlong {}", "x".repeat(300));
        let lines = |side| RequestThread { first_line: Some(2), ..thread(side, "Both?") };
        let threads = vec![
            thread(DiffSide::New, &long),
            thread(DiffSide::Old, "Why?"),
            lines(DiffSide::New),
            lines(DiffSide::Old),
        ];
        let phase = requests("Not yet.", threads).phase();
        assert_eq!((phase.number, phase.title.as_str()), (0, "Requested changes"));
        assert!(phase.scope.is_empty());
        let [first, second, third, fourth] = phase.deliverables.as_slice() else {
            panic!("{phase:?}")
        };
        assert!(first.starts_with("src/a.js:3: Too long xxx") && first.ends_with("x …"), "{first}");
        assert_eq!(second, "src/a.js:3 (a removed line): Why?");
        assert_eq!(third, "src/a.js:2-3: Both?");
        assert_eq!(fourth, "src/a.js:2-3 (removed lines): Both?");
        assert_eq!(phase.exit_criteria.len(), 5);
        assert!(phase.exit_criteria[1].text.contains("src/a.js:3"), "{phase:?}");
    }

    #[test]
    fn comments_of_the_pull_request_are_deliverables_and_criteria() {
        let comment = |path: Option<&str>, line, text: &str| PullRequestComment {
            id: "1".into(),
            author: "alex".into(),
            path: path.map(str::to_owned),
            line,
            text: text.into(),
        };
        let comments = vec![
            comment(Some("src/a.js"), Some(4), "Why\nnot?"),
            comment(Some("src/b.js"), None, "Split it."),
            comment(None, None, "Add a test."),
        ];
        let requests = Requests { comments, ..requests("See the pull request.", Vec::new()) };
        let phase = requests.phase();
        let expected = [
            "src/a.js:4: Why not?",
            "src/b.js: Split it.",
            "the pull request by alex: Add a test.",
        ];
        assert_eq!(phase.deliverables, expected);
        assert_eq!(phase.exit_criteria.len(), 4);
        assert!(phase.exit_criteria[3].text.contains("the pull request by alex"), "{phase:?}");
    }

    #[test]
    fn requests_without_comments_are_serialized_as_before_there_were_comments() {
        let json = serde_json::to_value(requests("Not yet.", Vec::new())).unwrap();
        assert_eq!(json, serde_json::json!({ "reason": "Not yet.", "threads": [] }));
    }

    #[test]
    fn item_of_the_backlog_is_a_phase_with_its_title_and_scope() {
        let item = RequestedItem { title: "Due dates".into(), scope: vec!["src/**".into()] };
        let requests = Requests { item: Some(item), ..requests("Show them.", Vec::new()) };
        let phase = requests.phase();
        assert_eq!((phase.title.as_str(), phase.scope), ("Due dates", vec!["src/**".to_owned()]));
        assert_eq!((phase.deliverables.len(), phase.exit_criteria.len()), (1, 1));
    }

    #[test]
    fn reason_is_the_deliverable_if_there_is_no_thread() {
        let requests = requests("Use\nshort names.", Vec::new());
        let phase = requests.phase();
        assert_eq!(phase.deliverables, ["Use short names."]);
        assert_eq!(phase.exit_criteria.len(), 1);
    }
}
