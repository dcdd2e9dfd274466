//! What a client that pushes asks for, whether it may, and how a refusal is said so that `git`
//! shows it.
//!
//! One answer for all: when one reference may not be moved, none is.

use std::{io::Read, str::FromStr};

use crate::{
    error::GitError,
    name::BuildBranchName,
    wire::{self, FLUSH},
};

/// References that one push may move.
const MOST_UPDATES: usize = 200;
/// Bytes of the longest reference that is read.
const LONGEST_NAME: usize = 1_000;
/// What a side band carries at once.
const BAND: usize = wire::LONGEST - 5;

/// What is asked for one reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefUpdate {
    /// Its full name.
    pub name: String,
    /// The client wants it gone.
    pub deletes: bool,
}

impl RefUpdate {
    /// The build whose branch this is.
    pub fn build_branch(&self) -> Option<BuildBranchName> {
        BuildBranchName::from_str(self.name.strip_prefix("refs/heads/")?).ok()
    }
}

/// The beginning of a push: the commands that stand before its pack.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PushRequest {
    /// What is asked for. Nothing when a client only tries whether it may speak.
    pub updates: Vec<RefUpdate>,
    side_band: bool,
}

impl PushRequest {
    /// Reads the commands, up to the flush that ends them. [`GitError::BadPush`] for what no `git`
    /// sends by itself, such as signed pushes, which are not offered.
    pub fn read(mut from: impl Read) -> Result<Self, GitError> {
        let bad = |what: &str| GitError::BadPush(what.to_owned());
        let mut request = Self::default();
        let mut is_first = true;
        loop {
            let line = wire::read_packet(&mut from).map_err(|error| bad(&error.to_string()))?;
            let Some(line) = line else { return Ok(request) };
            let mut parts = line.splitn(2, |byte| *byte == 0);
            let command = parts.next().unwrap_or_default();
            if command.starts_with(b"shallow ") {
                continue;
            }
            if is_first {
                let offered = parts.next().unwrap_or_default();
                let mut words = offered.split(|byte| matches!(byte, b' ' | b'\n'));
                request.side_band = words.any(|word| word == b"side-band-64k");
                is_first = false;
            }
            if request.updates.len() == MOST_UPDATES {
                return Err(bad("it has too many references"));
            }
            request.updates.push(update(command).ok_or_else(|| bad("a command cannot be read"))?);
        }
    }

    /// The body of an answer that refuses all of it, each reference with its reason.
    pub fn refused(&self, reason: impl Fn(&RefUpdate) -> String) -> Vec<u8> {
        let mut report = wire::packet(b"unpack ok\n");
        for update in &self.updates {
            let line = format!("ng {} {}\n", update.name, reason(update));
            report.extend(wire::packet(line.as_bytes()));
        }
        report.extend(FLUSH);
        if !self.side_band {
            return report;
        }
        let mut body = Vec::new();
        for piece in report.chunks(BAND) {
            body.extend(wire::packet(&[&[1], piece].concat()));
        }
        body.extend(FLUSH);
        body
    }
}

/// Why a reference may not be moved; `None` when it may, forward. `closed` says why a build's branch
/// takes nothing, if it takes nothing. Whether a move goes forward is git's to see, which has the
/// commits.
pub fn refusal(
    update: &RefUpdate,
    closed: impl Fn(&BuildBranchName) -> Option<String>,
) -> Option<String> {
    let Some(branch) = update.name.strip_prefix("refs/heads/") else {
        let what = if update.name.starts_with("refs/tags/") { "tags" } else { "such references" };
        return Some(format!("{what} cannot be pushed here, only branches"));
    };
    if update.deletes {
        return Some("no branch is ever deleted here".to_owned());
    }
    if let Some(build) = update.build_branch() {
        return closed(&build);
    }
    let first = branch.split('/').next().unwrap_or_default();
    first
        .eq_ignore_ascii_case("forge")
        .then(|| "forge/ is for the branches of builds; choose another name".to_owned())
}

fn update(command: &[u8]) -> Option<RefUpdate> {
    let text = std::str::from_utf8(command).ok()?;
    let mut words = text.strip_suffix('\n').unwrap_or(text).splitn(3, ' ');
    let (old, new, name) = (words.next()?, words.next()?, words.next()?);
    let is_id = |id: &str| id.len() == 40 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    let plain = !name.is_empty()
        && name.len() <= LONGEST_NAME
        && !name.chars().any(|c| c.is_control() || c.is_whitespace());
    let deletes = new.bytes().all(|byte| byte == b'0');
    (is_id(old) && is_id(new) && plain).then(|| RefUpdate { name: name.to_owned(), deletes })
}

#[cfg(test)]
mod tests {
    use super::*;

    const BUILD: &str = "0193e2a4-7c1b-7d10-8a55-0f1e2d3c4b5a";

    fn of(name: &str, deletes: bool) -> RefUpdate {
        RefUpdate { name: name.to_owned(), deletes }
    }

    fn line(new: char, name: &str, offered: &str) -> Vec<u8> {
        let (old, new) = ("a".repeat(40), new.to_string().repeat(40));
        wire::packet(format!("{old} {new} {name}{offered}").as_bytes())
    }

    #[test]
    fn branches_may_move_and_nothing_else() {
        let open = |_: &BuildBranchName| None;
        let closed = |_: &BuildBranchName| Some("it has ended".to_owned());
        let build = format!("refs/heads/forge/build-{BUILD}");
        for name in ["refs/heads/main", "refs/heads/mine", "refs/heads/a/forge", build.as_str()] {
            assert_eq!(refusal(&of(name, false), open), None, "{name}");
            let gone = refusal(&of(name, true), open);
            assert_eq!(gone.as_deref(), Some("no branch is ever deleted here"), "{name}");
        }
        assert_eq!(refusal(&of(&build, false), closed).as_deref(), Some("it has ended"));
        for name in [
            "refs/heads/forge",
            "refs/heads/forge/mine",
            "refs/heads/FORGE/mine",
            "refs/heads/forge/build-1",
            &format!("refs/heads/forge/build-{BUILD}/x"),
            "refs/tags/v1",
            "refs/forge/rescue/x",
            "refs/remotes/origin/main",
            "HEAD",
            "refs/headsx",
        ] {
            assert!(refusal(&of(name, false), open).is_some(), "{name}");
        }
    }

    #[test]
    fn reads_the_commands_and_leaves_the_pack() {
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
        assert_eq!((rest, request.side_band), (b"PACK".as_slice(), true));
        assert_eq!(PushRequest::read(FLUSH).unwrap(), PushRequest::default());
    }

    #[test]
    fn what_no_git_sends_is_no_push() {
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
            ended(line('b', &format!("refs/heads/{}", "a".repeat(LONGEST_NAME)), "")),
            ended(line('b', "refs/heads/a", "").repeat(MOST_UPDATES + 1)),
        ] {
            let shown = String::from_utf8_lossy(&body).chars().take(80).collect::<String>();
            let error = PushRequest::read(body.as_slice()).unwrap_err();
            assert!(matches!(error, GitError::BadPush(_)), "{shown}: {error}");
        }
    }

    #[test]
    fn a_refusal_names_each_reference() {
        let request = PushRequest { updates: vec![of("refs/heads/a", false)], side_band: false };
        let report = "000eunpack ok\n0017ng refs/heads/a no\n0000";
        assert_eq!(request.refused(|_| "no".to_owned()), report.as_bytes());
        let banded = PushRequest { side_band: true, ..request };
        let body = banded.refused(|_| "no".to_owned());
        assert_eq!(body, format!("002e\u{1}{report}0000").as_bytes());
    }
}
