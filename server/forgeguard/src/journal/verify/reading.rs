//! Verifies a journal record by record: its chain, the state machine's rules, and the seal.

use std::sync::Arc;

use domain::{
    chain::{self, Link, Walk},
    event::{Event, EventBody},
    ids::BuildId,
    state::BuildState,
    step::step,
};
use sha2::{Digest, Sha256};

use super::{
    closing::Closing,
    problem::{Problem, Verification},
};

/// A journal as far as it has been read.
#[derive(Debug)]
pub struct Reading {
    walk: Walk,
    /// Of the last valid event.
    head: (u64, String),
    /// Over the exported lines up to that event.
    digest: Sha256,
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
            digest: Sha256::new(),
            state: None,
            closing: Closing::default(),
            problems: Vec::new(),
            broken: false,
        }
    }

    /// Verifies the next record and returns its event; `None` if it is invalid, after which the rest
    /// cannot be verified.
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
        self.digest.update(chain::with_hash(&record.body, &record.hash));
        self.digest.update("\n");
        Some(event)
    }

    /// Reports the next record as invalid.
    pub fn refuse(&mut self, what: String) {
        self.problems.push(Problem { seq: Some(self.head.0 + 1), what });
        self.broken = true;
    }

    /// Reports another problem.
    pub fn add(&mut self, problem: Problem) {
        self.problems.push(problem);
    }

    /// Whether a record was invalid.
    pub fn is_broken(&self) -> bool {
        self.broken
    }

    /// Seq of the last valid event; 0 before the first.
    pub fn seq(&self) -> u64 {
        self.head.0
    }

    /// Seq and hash of the last valid event.
    pub fn head(&self) -> (u64, String) {
        self.head.clone()
    }

    /// The state after the last event; `None` before the first, or after an invalid record.
    pub fn state(&self) -> Option<&BuildState> {
        self.state.as_ref()
    }

    /// The problems found.
    pub fn finish(self) -> Verification {
        let (events, head_hash) = self.head;
        Verification {
            ok: self.problems.is_empty(),
            events,
            head_hash,
            journal_sha256: hex::encode(self.digest.finalize()),
            problems: self.problems,
            notes: Vec::new(),
            sealed: self.state.as_ref().and_then(|state| state.sealed.clone()),
            state: self.state.map(Arc::new),
        }
    }
}
