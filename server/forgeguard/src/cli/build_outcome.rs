//! How a build ends, as commands that follow it report it.

use std::{
    io::{self, Write},
    process::ExitCode,
};

use domain::{
    event::{Event, EventBody, life::Sealed},
    ids::BuildId,
    verdict::Verdict,
};
use serde_json::{Map, Value, json};

use super::failure::Failure;

const FLAGGED: u8 = 2;
const BLOCKED: u8 = 3;

/// As shells report an interrupted command.
const INTERRUPTED: u8 = 130;

/// Why a command no longer follows a build.
#[derive(Clone, Debug)]
pub enum Outcome {
    Sealed(Box<Sealed>),
    Blocked(String),
    Abandoned,
    Interrupted,
}

impl Outcome {
    fn name(&self) -> &'static str {
        match self {
            Self::Sealed(sealed) => sealed.verdict.name(),
            Self::Blocked(_) => "BLOCKED",
            Self::Abandoned => "ABANDONED",
            Self::Interrupted => "INTERRUPTED",
        }
    }

    /// 0 for a seal that is not flagged.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Self::Sealed(sealed) => match sealed.verdict {
                Verdict::Certified | Verdict::Conditional => ExitCode::SUCCESS,
                Verdict::Flagged => ExitCode::from(FLAGGED),
            },
            Self::Blocked(_) => ExitCode::from(BLOCKED),
            Self::Abandoned => ExitCode::FAILURE,
            Self::Interrupted => ExitCode::from(INTERRUPTED),
        }
    }

    /// Prints the result: as JSON with `details`, otherwise as a line with `branch`. `to_continue` is
    /// the command that continues a build that has not ended.
    pub fn report(
        &self,
        build: BuildId,
        branch: Option<&str>,
        to_continue: &str,
        details: Option<Map<String, Value>>,
    ) -> Result<ExitCode, Failure> {
        match self {
            Self::Blocked(why) => say(&format!("{why}\ncontinue with `{to_continue}`")),
            Self::Interrupted => say(&format!("interrupted; continue with `{to_continue}`")),
            Self::Sealed(_) | Self::Abandoned => {}
        }
        let mut out = io::stdout();
        match details {
            Some(mut result) => {
                let seal = match self {
                    Self::Sealed(sealed) => serde_json::to_value(sealed)?,
                    _ => Value::Null,
                };
                result.insert("build_id".to_owned(), json!(build));
                result.insert("result".to_owned(), json!(self.name()));
                result.insert("branch".to_owned(), json!(branch));
                result.insert("seal".to_owned(), seal);
                writeln!(out, "{}", Value::Object(result))?;
            }
            None => {
                writeln!(out, "{}", [self.name(), branch.unwrap_or_default()].join(" ").trim())?
            }
        }
        Ok(self.exit_code())
    }
}

/// Reads a journal from its first event, to find out how the build ends.
#[derive(Debug)]
pub struct Following {
    /// The journal's end when following began. Ends before it are not the build's: it was resumed.
    head: u64,
    at: u64,
    outcome: Option<Outcome>,
}

impl Following {
    pub fn until_after(head: u64) -> Self {
        Self { head, at: 0, outcome: None }
    }

    pub fn read(&mut self, event: &Event) {
        self.at = event.seq;
        match &event.body {
            EventBody::BuildSealed(sealed) => {
                self.outcome = Some(Outcome::Sealed(Box::new(sealed.clone())));
            }
            EventBody::BuildBlocked(blocked) => {
                self.outcome = Some(Outcome::Blocked(blocked.report.clone()));
            }
            EventBody::BuildAbandoned(_) => self.outcome = Some(Outcome::Abandoned),
            EventBody::BuildResumeRequested(_)
            | EventBody::BuildResumed(_)
            | EventBody::BuildUnpaused(_) => self.outcome = None,
            _ => {}
        }
    }

    /// Seq of the newest event that was read.
    pub fn seen(&self) -> u64 {
        self.at
    }

    /// Whether the events so far were written before following began.
    pub fn is_past(&self) -> bool {
        self.at < self.head
    }

    /// How the build has ended, if it has.
    pub fn outcome(&self) -> Option<&Outcome> {
        self.outcome.as_ref().filter(|_| !self.is_past())
    }
}

/// Prints a line to standard error.
pub fn say(words: &str) {
    // If standard error is closed, there is nowhere to report it.
    let _ = writeln!(io::stderr(), "{words}");
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use domain::{
        event::life::{Actor, BlockReason, Blocked, ResumeRequested},
        ids::Id,
    };

    use super::*;

    fn event(seq: u64, body: impl Into<EventBody>) -> Event {
        let (build_id, at) = (BuildId::from_uuid(uuid::Uuid::nil()), DateTime::UNIX_EPOCH);
        Event { seq, build_id, at, body: body.into(), hash: String::new() }
    }

    fn blocked(seq: u64) -> Event {
        let report = format!("blocked at {seq}");
        let reason = BlockReason::FixAttempts;
        event(seq, Blocked { reason, last_failures: Vec::new(), report })
    }

    #[test]
    fn block_before_the_build_was_resumed_does_not_end_it() {
        let by = Actor::Forge;
        let resumed = || event(4, ResumeRequested { by: by.clone(), budget_added: None });
        let mut following = Following::until_after(4);
        following.read(&blocked(3));
        assert!(following.outcome().is_none());
        following.read(&resumed());
        assert!(following.outcome().is_none());
        following.read(&blocked(5));
        assert!(
            matches!(following.outcome(), Some(Outcome::Blocked(why)) if why == "blocked at 5")
        );
    }

    #[test]
    fn build_that_is_blocked_already_ends_at_once() {
        let mut following = Following::until_after(3);
        following.read(&blocked(3));
        assert!(matches!(following.outcome(), Some(Outcome::Blocked(_))));
    }
}
