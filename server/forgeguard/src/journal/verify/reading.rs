//! A journal read record by record: does it chain, do the rules allow it, does its seal follow.

use domain::{
    chain::{self, Link, Walk},
    event::{Event, EventBody, life::Sealed},
    ids::BuildId,
    state::BuildState,
    step::step,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::closing::Closing;

/// What checking a build again has shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Verification {
    /// Nothing was found.
    pub ok: bool,
    /// How many events fit, from the first on.
    pub events: u64,
    /// The hash of the last event that fits.
    pub head_hash: String,
    /// What was found, in the order of the journal.
    pub problems: Vec<Problem>,
    /// The seal that the journal holds; whether it follows from the journal, `problems` says.
    pub sealed: Option<Sealed>,
}

/// Something that does not fit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Problem {
    /// The event it shows at, where it shows at one.
    pub seq: Option<u64>,
    /// In plain words.
    pub what: String,
}

impl Verification {
    /// One more problem, found elsewhere.
    pub fn add(&mut self, problem: Problem) {
        self.problems.push(problem);
        self.ok = false;
    }
}

/// A journal as far as it has been read.
#[derive(Debug)]
pub struct Reading {
    walk: Walk,
    /// Seq and hash of the last event that chains and that the rules allow.
    head: (u64, String),
    state: Option<BuildState>,
    closing: Closing,
    problems: Vec<Problem>,
    broken: bool,
}

impl Reading {
    /// Before the first event of a build.
    pub fn new(build_id: BuildId) -> Self {
        Self {
            walk: Walk::new(build_id),
            head: (0, chain::GENESIS.to_owned()),
            state: None,
            closing: Closing::default(),
            problems: Vec::new(),
            broken: false,
        }
    }

    /// Reads the next record and gives the event in it; `None` if it does not fit, after which
    /// nothing can be said about the rest.
    pub fn take(&mut self, record: &Link) -> Option<Event> {
        let event = match self.walk.next(record) {
            Ok(event) => event,
            Err(misfit) => {
                self.refuse(misfit.to_string());
                return None;
            }
        };
        if let (EventBody::BuildSealed(sealed), Some(_)) = (&event.body, &self.state) {
            for what in self.closing.judge(sealed) {
                self.problems.push(Problem { seq: Some(event.seq), what });
            }
        }
        let before = self.state.take();
        let sealing = self.closing.before(before.as_ref(), &event);
        match step(before, event.seq, event.at, &event.body) {
            Ok(state) => {
                self.closing.after(&state, &event, sealing);
                self.state = Some(state);
            }
            Err(illegal) => {
                self.refuse(illegal.to_string());
                return None;
            }
        }
        self.head = (event.seq, event.hash.clone());
        Some(event)
    }

    /// The next record does not fit, for this reason.
    pub fn refuse(&mut self, what: String) {
        self.problems.push(Problem { seq: Some(self.head.0 + 1), what });
        self.broken = true;
    }

    /// Something else does not fit.
    pub fn add(&mut self, problem: Problem) {
        self.problems.push(problem);
    }

    /// A record did not fit.
    pub fn is_broken(&self) -> bool {
        self.broken
    }

    /// Seq of the last event that fits; 0 before the first.
    pub fn seq(&self) -> u64 {
        self.head.0
    }

    /// Seq and hash of the last event that fits.
    pub fn head(&self) -> (u64, String) {
        self.head.clone()
    }

    /// The build after the last event; `None` before the first, or once a record did not fit.
    pub fn state(&self) -> Option<&BuildState> {
        self.state.as_ref()
    }

    /// What was found.
    pub fn finish(self) -> Verification {
        let (events, head_hash) = self.head;
        Verification {
            ok: self.problems.is_empty(),
            events,
            head_hash,
            problems: self.problems,
            sealed: self.state.and_then(|state| state.sealed),
        }
    }
}
