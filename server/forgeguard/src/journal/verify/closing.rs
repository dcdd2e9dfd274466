//! The end of a journal, as far as a seal depends on it.

use domain::{
    event::{Event, EventBody, life::Sealed},
    seal,
    state::{BuildState, Status},
    verdict::Evidence,
};

use crate::journal::excerpt;

/// What has happened since the last event that a seal judges.
#[derive(Debug, Default)]
pub struct Closing {
    /// Hashes from that event on; those after it are of events that change no evidence.
    heads: Vec<String>,
    /// Commits since then, any of which may turn out to be the seal's.
    commits: Vec<Candidate>,
}

/// A commit that may be the seal's, as it was about to be recorded.
#[derive(Debug)]
pub struct Candidate {
    sha: String,
    /// How many of `heads` there were.
    heads: usize,
    evidence: Evidence,
}

impl Closing {
    /// Looks at an event before it is folded.
    pub fn before(&self, state: Option<&BuildState>, event: &Event) -> Option<Candidate> {
        let EventBody::BuildCommitCreated(commit) = &event.body else { return None };
        let state = state.filter(|state| commit.phase.is_none() && can_be_sealed(state))?;
        let (sha, heads, evidence) = (commit.sha.clone(), self.heads.len(), seal::evidence(state));
        Some(Candidate { sha, heads, evidence })
    }

    /// Goes on with an event that was folded.
    pub fn after(&mut self, state: &BuildState, event: &Event, commit: Option<Candidate>) {
        if !can_be_sealed(state) || !keeps_the_books(&event.body) {
            *self = Self::default();
        }
        if can_be_sealed(state) {
            self.heads.push(event.hash.clone());
            self.commits.extend(commit);
        }
    }

    /// What of a seal does not follow from the journal, in plain words.
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
        let verdict = seal::verdict(&commit.evidence);
        if sealed.verdict != verdict {
            let (said, due) = (sealed.verdict.name(), verdict.name());
            problems.push(format!("the seal says {said}; by the rules it is {due}"));
        }
        let score = seal::score(&commit.evidence);
        if sealed.score != score {
            let said = sealed.score;
            problems.push(format!("the seal says {said} points; by the rules it is {score}"));
        }
        if sealed.evidence != as_stored(sealed, &commit.evidence) {
            problems.push("the seal's evidence is not what the journal shows".to_owned());
        }
        problems
    }
}

/// Evidence too large for an event was cut on its way into the journal.
fn as_stored(sealed: &Sealed, evidence: &Evidence) -> Evidence {
    let whole = Sealed { evidence: evidence.clone(), ..sealed.clone() };
    match excerpt::cut(whole.into()).0 {
        EventBody::BuildSealed(stored) => stored.evidence,
        _ => evidence.clone(),
    }
}

/// All final gates are in: nothing is missing for a seal.
fn can_be_sealed(state: &BuildState) -> bool {
    state.status == Status::Sealing
        && state.gate_names(None).iter().all(|name| state.final_gates.contains_key(name))
}

/// Events that may stand between what a seal judges and the seal.
fn keeps_the_books(body: &EventBody) -> bool {
    matches!(
        body,
        EventBody::BuildResumed(_)
            | EventBody::BuildCommitCreated(_)
            | EventBody::BuildPushed(_)
            | EventBody::BuildBranchStatus(_)
            | EventBody::BuildLog(_)
    )
}
