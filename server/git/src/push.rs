//! Parsing and authorising the commands of a push, and responses that `git` displays.
//!
//! References are accepted or rejected individually, unless the client requested an atomic push.

use std::{collections::HashMap, io::Read, str::FromStr};

use git2::Oid;

use crate::{
    error::GitError,
    hosted::FirstCommit,
    name::{BuildBranchName, is_reserved, is_valid_branch},
    push_report::PushReport,
    wire::{self, FLUSH},
};

/// Limit on references updated by one push.
const MAX_UPDATES: usize = 200;
/// Limit on boundary commits of a shallow clone that pushes.
const MAX_SHALLOW_COMMITS: usize = 100_000;
const MAX_NAME_LENGTH: usize = 1_000;
const NON_FAST_FORWARD: &str = "non-fast-forward";
/// The reason that git gives for every update if it could not move the objects into the repository.
const NOT_STORED: &str = "unable to migrate objects to permanent storage";
const MERGE_FIRST: &str = "non-fast-forward; merge the branch first (git pull --no-rebase \
    --allow-unrelated-histories), or push to a new branch";

/// The requested update of one reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefUpdate {
    /// Its full name.
    pub name: String,
    old: Oid,
    new: Oid,
}

impl RefUpdate {
    /// The build branch, if it is one.
    pub fn build_branch(&self) -> Option<BuildBranchName> {
        BuildBranchName::from_str(self.name.strip_prefix("refs/heads/")?).ok()
    }

    /// Whether to delete it.
    pub fn deletes(&self) -> bool {
        self.new.is_zero()
    }

    /// Whether to create it.
    pub fn creates(&self) -> bool {
        self.old.is_zero()
    }
}

/// The commands of a push, which precede its pack.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PushRequest {
    /// Empty if a client only probes authentication.
    pub updates: Vec<RefUpdate>,
    /// As sent by the client.
    capabilities: Vec<u8>,
    shallow: Vec<Oid>,
    replaces_first_commit: bool,
}

impl PushRequest {
    /// Reads the commands, up to and including the flush. [`GitError::BadPush`] for requests that
    /// `git` does not send, and for signed pushes, which are not advertised.
    pub fn read(mut from: impl Read) -> Result<Self, GitError> {
        let bad = |what: &str| GitError::BadPush(what.to_owned());
        let mut request = Self::default();
        loop {
            let line = wire::read_packet(&mut from).map_err(|error| bad(&error.to_string()))?;
            let Some(line) = line else { return Ok(request) };
            let mut parts = line.splitn(2, |byte| *byte == 0);
            let command = parts.next().unwrap_or_default();
            if let Some(sha) = command.strip_prefix(b"shallow ") {
                if request.shallow.len() == MAX_SHALLOW_COMMITS {
                    return Err(bad("it comes from a clone with too many shallow commits"));
                }
                let sha = std::str::from_utf8(sha).ok().and_then(|text| oid(text.trim_end()));
                request.shallow.push(sha.ok_or_else(|| bad("a shallow line cannot be read"))?);
                continue;
            }
            if request.updates.is_empty() {
                request.capabilities = parts.next().unwrap_or_default().to_vec();
            }
            if request.updates.len() == MAX_UPDATES {
                return Err(bad("it has too many references"));
            }
            request.updates.push(update(command).ok_or_else(|| bad("a command cannot be read"))?);
        }
    }

    /// Whether the client requested an atomic push.
    pub fn is_atomic(&self) -> bool {
        self.has_capability(b"atomic")
    }

    /// Whether the first commit is replaced, which is not a fast-forward.
    pub fn replaces_first_commit(&self) -> bool {
        self.replaces_first_commit
    }

    /// Removes the rejected updates.
    pub fn without(mut self, refused: &HashMap<String, String>) -> Self {
        self.updates.retain(|update| !refused.contains_key(&update.name));
        self
    }

    /// Replaces the first commit by the client's commits. It was hidden from the client, which
    /// therefore requests a new branch.
    pub fn replacing(mut self, first: &FirstCommit) -> Self {
        for update in &mut self.updates {
            if update.name == first.reference && update.creates() {
                update.old = first.sha.oid();
                self.replaces_first_commit = true;
            }
        }
        self
    }

    /// Encodes the commands, up to the pack.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut body = Vec::new();
        for sha in &self.shallow {
            body.extend(wire::packet(format!("shallow {sha}").as_bytes()));
        }
        for (index, RefUpdate { name, old, new }) in self.updates.iter().enumerate() {
            let mut line = format!("{old} {new} {name}").into_bytes();
            if index == 0 {
                line.push(0);
                line.extend_from_slice(&self.capabilities);
            }
            body.extend(wire::packet(&line));
        }
        body.extend(FLUSH);
        body
    }

    /// A response body that rejects all updates, each with its reason.
    pub fn refused(&self, reason: impl Fn(&RefUpdate) -> String) -> Vec<u8> {
        let mut report = PushReport::unpacked();
        for update in &self.updates {
            report.reject(&update.name, &reason(update));
        }
        report.encode(self.has_side_band())
    }

    /// Adds the reasons for rejected updates to git's response.
    pub fn complete(&self, answer: Vec<u8>, refused: &HashMap<String, String>) -> Vec<u8> {
        let Some(mut report) = PushReport::read(&answer, self.has_side_band()) else {
            return answer;
        };
        report.explain(NON_FAST_FORWARD, MERGE_FIRST);
        for update in &self.updates {
            if let Some(reason) = refused.get(&update.name) {
                report.reject(&update.name, reason);
            }
        }
        report.encode(self.has_side_band())
    }

    /// Whether git's response says that it changed nothing because it could not store the objects.
    pub(crate) fn is_not_stored(&self, answer: &[u8]) -> bool {
        PushReport::read(answer, self.has_side_band())
            .is_some_and(|report| report.rejects_for(NOT_STORED))
    }

    fn has_side_band(&self) -> bool {
        self.has_capability(b"side-band-64k")
    }

    fn has_capability(&self, name: &[u8]) -> bool {
        let mut words = self.capabilities.split(|byte| matches!(byte, b' ' | b'\n'));
        words.any(|word| word == name)
    }
}

/// Why an update is rejected; `None` if it is allowed. `closed` returns why a build's branch
/// accepts no pushes, if so. Fast-forwards are checked by git, which has the commits.
pub fn refusal(
    update: &RefUpdate,
    closed: impl Fn(&BuildBranchName) -> Option<String>,
) -> Option<String> {
    let Some(branch) = update.name.strip_prefix("refs/heads/") else {
        let what = if update.name.starts_with("refs/tags/") { "tags" } else { "such references" };
        return Some(format!("{what} cannot be pushed here, only branches"));
    };
    if !is_valid_branch(branch) {
        return Some("this is not a valid branch name; choose another one".to_owned());
    }
    if update.deletes() {
        return Some("branches cannot be deleted".to_owned());
    }
    if let Some(build) = update.build_branch() {
        return closed(&build);
    }
    is_reserved(branch)
        .then(|| "forge/ is for the branches of builds; choose another name".to_owned())
}

fn update(command: &[u8]) -> Option<RefUpdate> {
    let text = std::str::from_utf8(command).ok()?;
    let mut words = text.strip_suffix('\n').unwrap_or(text).splitn(3, ' ');
    let (old, new, name) = (words.next()?, words.next()?, words.next()?);
    let plain = !name.is_empty()
        && name.len() <= MAX_NAME_LENGTH
        && !name.chars().any(|c| c.is_control() || c.is_whitespace());
    let (old, new) = (oid(old)?, oid(new)?);
    plain.then(|| RefUpdate { name: name.to_owned(), old, new })
}

/// Parses a full id, no abbreviations.
fn oid(text: &str) -> Option<Oid> {
    Oid::from_str(text).ok().filter(|_| text.len() == 40)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUILD: &str = "0193e2a4-7c1b-7d10-8a55-0f1e2d3c4b5a";

    fn id(digit: char) -> Oid {
        oid(&digit.to_string().repeat(40)).unwrap()
    }

    fn of(name: &str, deletes: bool) -> RefUpdate {
        let new = if deletes { '0' } else { 'b' };
        RefUpdate { name: name.to_owned(), old: id('a'), new: id(new) }
    }

    fn line(new: char, name: &str, offered: &str) -> Vec<u8> {
        let (old, new) = ("a".repeat(40), new.to_string().repeat(40));
        wire::packet(format!("{old} {new} {name}{offered}").as_bytes())
    }

    #[test]
    fn only_updates_of_branches_are_allowed() {
        let open = |_: &BuildBranchName| None;
        let closed = |_: &BuildBranchName| Some("it has ended".to_owned());
        let build = format!("refs/heads/forge/build-{BUILD}");
        let numbered = "refs/heads/forge/build-3-due-dates";
        for name in
            ["refs/heads/main", "refs/heads/mine", "refs/heads/a/forge", build.as_str(), numbered]
        {
            assert_eq!(refusal(&of(name, false), open), None, "{name}");
            let gone = refusal(&of(name, true), open);
            assert_eq!(gone.as_deref(), Some("branches cannot be deleted"), "{name}");
        }
        for name in [build.as_str(), numbered] {
            assert_eq!(refusal(&of(name, false), closed).as_deref(), Some("it has ended"));
        }
        for name in [
            "refs/heads/forge",
            "refs/heads/forge/mine",
            "refs/heads/FORGE/mine",
            "refs/heads/forge/build-01",
            &format!("refs/heads/forge/build-{BUILD}/x"),
            "refs/tags/v1",
            "refs/forge/rescue/x",
            "refs/remotes/origin/main",
            "HEAD",
            "refs/headsx",
            "refs/heads/",
            "refs/heads/..",
            "refs/heads/a..b",
            "refs/heads/a//b",
            "refs/heads/a/",
            "refs/heads/.a",
            "refs/heads/a.lock",
            "refs/heads/a.lock/b",
            "refs/heads/a@{1}",
            "refs/heads/@{",
            "refs/heads/a~1",
            "refs/heads/a^",
            "refs/heads/a:b",
            "refs/heads/a?",
            "refs/heads/a[b",
            "refs/heads/a\\b",
            "refs/heads/a.",
            "refs/heads/-x",
            "refs/heads/HEAD",
            &format!("refs/heads/{}", "a".repeat(251)),
        ] {
            assert!(refusal(&of(name, false), open).is_some(), "{name}");
        }
    }

    #[test]
    fn commands_are_read_and_the_pack_is_left() {
        let body = [
            wire::packet(format!("shallow {}", "c".repeat(40)).as_bytes()),
            line('b', "refs/heads/a", "\0 report-status side-band-64k agent=git/2"),
            line('0', "refs/heads/b", "\n"),
            FLUSH.to_vec(),
            b"PACK".to_vec(),
        ];
        let body = body.concat();
        let mut rest = body.as_slice();
        let request = PushRequest::read(&mut rest).unwrap();
        assert_eq!(request.updates, [of("refs/heads/a", false), of("refs/heads/b", true)]);
        assert_eq!((rest, request.has_side_band()), (b"PACK".as_slice(), true));
        assert_eq!(PushRequest::read(request.encode().as_slice()).unwrap(), request);
        let refused = HashMap::from([("refs/heads/a".to_owned(), String::new())]);
        let rest = PushRequest::read(request.without(&refused).encode().as_slice()).unwrap();
        assert_eq!(rest.updates, [of("refs/heads/b", true)]);
        assert_eq!((rest.shallow.as_slice(), rest.has_side_band()), ([id('c')].as_slice(), true));
        assert_eq!(PushRequest::read(FLUSH).unwrap(), PushRequest::default());
    }

    #[test]
    fn invalid_requests_are_rejected() {
        let ended = |line: Vec<u8>| [line, FLUSH.to_vec()].concat();
        for body in [
            b"".to_vec(),
            b"zzzz".to_vec(),
            b"0003".to_vec(),
            b"ffff".to_vec(),
            b"00ff".to_vec(),
            line('b', "refs/heads/a", ""),
            ended(wire::packet(b"push-cert\0 side-band-64k")),
            ended(line('x', "refs/heads/a", "")),
            ended(line('b', "refs/heads/a b", "")),
            ended(line('b', "refs/heads/a\u{1b}[0m", "")),
            ended(line('b', &format!("refs/heads/{}", "a".repeat(MAX_NAME_LENGTH)), "")),
            ended(line('b', "refs/heads/a", "").repeat(MAX_UPDATES + 1)),
        ] {
            let shown = String::from_utf8_lossy(&body).chars().take(80).collect::<String>();
            let error = PushRequest::read(body.as_slice()).unwrap_err();
            assert!(matches!(error, GitError::BadPush(_)), "{shown}: {error}");
        }
    }

    #[test]
    fn rejection_names_each_reference() {
        let request =
            PushRequest { updates: vec![of("refs/heads/a", false)], ..PushRequest::default() };
        let report = "000eunpack ok\n0017ng refs/heads/a no\n0000";
        assert_eq!(request.refused(|_| "no".to_owned()), report.as_bytes());
        let banded = PushRequest { capabilities: b"side-band-64k".to_vec(), ..request };
        let body = banded.refused(|_| "no".to_owned());
        assert_eq!(body, format!("002e\u{1}{report}0000").as_bytes());
    }
}
