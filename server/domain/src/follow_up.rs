//! A build that carries out what a reviewer requested of the build before it.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{ids::BuildId, phases::PhaseOutline, review::DiffSide};

/// Letters that a deliverable keeps of what was said.
const SAID_KEPT: usize = 160;

/// The build that another one goes on from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Follows {
    /// The sealed build.
    pub build_id: BuildId,
    /// Its last commit, from which the branch begins.
    pub head_sha: String,
}

/// What a reviewer requested, as it was when the build was asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Requests {
    /// Why changes were requested, in the reviewer's words.
    pub reason: String,
    /// The threads that were open, in the order they were begun.
    pub threads: Vec<RequestThread>,
}

/// A comment on a line, with its answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RequestThread {
    /// The file, as the diff named it.
    pub path: String,
    /// Which of the diff's two files the line stands in.
    pub side: DiffSide,
    /// The line's number there, from 1.
    pub line: u32,
    /// The line itself.
    pub line_text: String,
    /// What was said about it, oldest first.
    pub said: Vec<Said>,
}

/// What somebody said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = RequestSaid)]
pub struct Said {
    /// What they are called.
    pub author: String,
    /// Their words.
    pub text: String,
}

impl Requests {
    /// The one phase of the build that carries them out.
    pub fn phase(&self) -> PhaseOutline {
        let all = || self.threads.iter();
        let mut deliverables: Vec<String> = all().map(RequestThread::in_short).collect();
        if deliverables.is_empty() {
            deliverables.push(in_short(&self.reason));
        }
        let reason = "what the reviewer asks for as a whole is done".to_owned();
        let done = all().map(|thread| format!("what is requested at {} is done", thread.place()));
        PhaseOutline {
            number: 0,
            title: "Requested changes".to_owned(),
            scope: Vec::new(),
            deliverables,
            exit_criteria: std::iter::once(reason).chain(done).collect(),
        }
    }
}

impl RequestThread {
    /// Where it stands: path and line.
    pub fn place(&self) -> String {
        let gone = if self.side == DiffSide::Old { " (a removed line)" } else { "" };
        format!("{}:{}{gone}", one_line(&self.path), self.line)
    }

    /// Where it stands, and how what was said begins.
    pub fn in_short(&self) -> String {
        let said = self.said.first().map_or(String::new(), |said| in_short(&said.text));
        format!("{}: {said}", self.place())
    }
}

fn in_short(text: &str) -> String {
    let line = one_line(text);
    match line.char_indices().nth(SAID_KEPT) {
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
        let said = vec![Said { author: "Grace".into(), text: text.into() }];
        RequestThread { path: "src/a.js".into(), side, line: 3, line_text: "a();".into(), said }
    }

    #[test]
    fn every_open_thread_is_a_deliverable_and_a_criterion() {
        let long = format!("Too\n\nlong {}", "x".repeat(300));
        let threads = vec![thread(DiffSide::New, &long), thread(DiffSide::Old, "Why?")];
        let phase = Requests { reason: "Not yet.".into(), threads }.phase();
        assert_eq!((phase.number, phase.title.as_str()), (0, "Requested changes"));
        assert!(phase.scope.is_empty());
        let [first, second] = phase.deliverables.as_slice() else { panic!("{phase:?}") };
        assert!(first.starts_with("src/a.js:3: Too long xxx") && first.ends_with("x …"), "{first}");
        assert_eq!(second, "src/a.js:3 (a removed line): Why?");
        assert_eq!(phase.exit_criteria.len(), 3);
        assert!(phase.exit_criteria[1].contains("src/a.js:3"), "{phase:?}");
    }

    #[test]
    fn without_a_thread_the_reason_is_what_is_delivered() {
        let requests = Requests { reason: "Use\nshort names.".into(), threads: Vec::new() };
        let phase = requests.phase();
        assert_eq!(phase.deliverables, ["Use short names."]);
        assert_eq!(phase.exit_criteria.len(), 1);
    }
}
