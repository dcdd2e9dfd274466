//! What a forge knows.

use std::{collections::VecDeque, sync::Arc};

use serde_json::Value;
use tokio::sync::Notify;

use crate::git::GitRepository;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    GitHub,
    Forgejo,
    GitLab,
}

/// Author, body, and path and line if it is about a line.
pub type Comment = (String, String, Option<(String, u64)>);

/// A pull request.
#[derive(Clone, Debug)]
pub struct Pull {
    pub number: u64,
    pub title: String,
    pub body: String,
    pub head: String,
    pub base: String,
    pub draft: bool,
    pub is_open: bool,
    pub is_merged: bool,
    pub labels: Vec<String>,
    pub reviewers: Vec<String>,
    pub comments: Vec<Comment>,
}

/// What happens to a request instead of its reply.
#[derive(Clone, Debug)]
pub enum Fault {
    /// The request has no effect.
    Reply { status: u16, headers: Vec<(&'static str, String)>, body: String },
    /// The request has its effect, but its reply is lost.
    LostReply,
    /// The request has no effect, and there is never a reply.
    Hang,
    /// The request has its effect, and there is never a reply.
    HangAfter,
    /// The request has its effect, and its reply is sent once this is notified.
    ReplyLate(Arc<Notify>),
    /// A reply without end.
    Endless,
}

/// A request to the API, or one of git.
#[derive(Clone, Debug)]
pub struct Seen {
    /// Such as `post /pulls`, `git info/refs` or `git git-receive-pack`.
    pub operation: String,
    pub body: Option<Value>,
}

pub(crate) struct State {
    pub(crate) kind: Kind,
    pub(crate) address: String,
    pub(crate) git: GitRepository,
    pub(crate) is_token_valid: bool,
    pub(crate) pulls: Vec<Pull>,
    /// Numbers, titles and bodies.
    pub(crate) issues: Vec<(u64, String, Option<String>)>,
    /// Commit, context and state.
    pub(crate) statuses: Vec<(String, String, String)>,
    /// The operations that fail next.
    pub(crate) faults: VecDeque<(String, Fault)>,
    pub(crate) seen: Vec<Seen>,
    /// What the real forge would not have understood.
    pub(crate) problems: Vec<String>,
}

impl State {
    /// The fault of the next request with this operation.
    pub(crate) fn take_fault(&mut self, operation: &str) -> Option<Fault> {
        let at = self.faults.iter().position(|(name, _)| name == operation)?;
        self.faults.remove(at).map(|(_, fault)| fault)
    }
}
