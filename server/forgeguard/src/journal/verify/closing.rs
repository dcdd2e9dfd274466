//! The end of a journal, as far as a seal depends on it.

use domain::{
    event::{Event, EventBody, life::Sealed},
    seal,
    state::{BuildState, Status},
    verdict::Evidence,
};

use crate::journal::excerpt;

/// The events since the last one that affects a seal.
#[derive(Debug, Default)]
pub struct Closing {
    /// Hashes from that event on; later events do not change the evidence.
    heads: Vec<String>,
    /// Commits since then, any of which may be the seal's.
    commits: Vec<Candidate>,
}

/// A commit that may be the seal's, before it was recorded.
#[derive(Debug)]
pub struct Candidate {
    sha: String,
    /// The length of `heads` at that time.
    heads: usize,
    /// By each version of the rules, from 1.
    evidence: Vec<Evidence>,
}

impl Closing {
    /// Processes an event before it is folded.
    pub fn before(&self, state: Option<&BuildState>, event: &Event) -> Option<Candidate> {
        let EventBody::BuildCommitCreated(commit) = &event.body else { return None };
        let state = state.filter(|state| commit.phase.is_none() && can_be_sealed(state))?;
        let evidence = (1..=seal::RULES).map(|rules| seal::evidence_by(state, rules)).collect();
        Some(Candidate { sha: commit.sha.clone(), heads: self.heads.len(), evidence })
    }

    /// Processes an event after it is folded.
    pub fn after(&mut self, state: &BuildState, event: &Event, commit: Option<Candidate>) {
        if !can_be_sealed(state) || !keeps_the_books(&event.body) {
            *self = Self::default();
        }
        if can_be_sealed(state) {
            self.heads.push(event.hash.clone());
            self.commits.extend(commit);
        }
    }

    /// The parts of a seal that do not follow from the journal, for display.
    pub fn judge(&self, sealed: &Sealed) -> Vec<String> {
        let Some(commit) = self.commits.iter().find(|commit| commit.sha == sealed.seal_commit)
        else {
            let commit = &sealed.seal_commit;
            return vec![format!("the seal commit {commit} is not recorded where it belongs")];
        };
        let mut problems = Vec::new();
        if !self.heads[..commit.heads].contains(&sealed.journal_head) {
            let head = &sealed.journal_head;
            problems.push(format!("the seal commit carries {head}, which is not what it judged"));
        }
        let rules = sealed.evidence.rules;
        let Some(evidence) = commit.evidence.iter().find(|evidence| evidence.rules == rules) else {
            problems.push(format!("the seal follows rules of version {rules}, which are unknown"));
            return problems;
        };
        let verdict = seal::verdict(evidence);
        if sealed.verdict != verdict {
            let (said, due) = (sealed.verdict.name(), verdict.name());
            problems.push(format!("the seal says {said}; by the rules it is {due}"));
        }
        let score = seal::score(evidence);
        if sealed.score != score {
            let said = sealed.score;
            problems.push(format!("the seal says {said} points; by the rules it is {score}"));
        }
        if sealed.evidence != *evidence && sealed.evidence != as_stored(sealed, evidence) {
            problems.push("the seal's evidence is not what the journal shows".to_owned());
        }
        problems
    }
}

/// Evidence that is too large for an event was truncated.
fn as_stored(sealed: &Sealed, evidence: &Evidence) -> Evidence {
    let whole = Sealed { evidence: evidence.clone(), ..sealed.clone() };
    match excerpt::cut(whole.into()).0 {
        EventBody::BuildSealed(stored) => stored.evidence,
        _ => evidence.clone(),
    }
}

/// All final gates have run: the evidence is complete.
fn can_be_sealed(state: &BuildState) -> bool {
    state.status == Status::Sealing
        && state.gate_names(None).iter().all(|name| state.final_gates.contains_key(name))
}

/// Events that may occur between the last one that affects a seal and the seal.
fn keeps_the_books(body: &EventBody) -> bool {
    matches!(
        body,
        EventBody::BuildResumed(_)
            | EventBody::BuildClockCorrected(_)
            | EventBody::BuildCancelRequested(_)
            | EventBody::BuildCommitCreated(_)
            | EventBody::BuildPushed(_)
            | EventBody::BuildBranchStatus(_)
            | EventBody::BuildLog(_)
    )
}
