//! A bundle checked without a service: what was signed, and whether everything beside it is that.

use std::{
    collections::BTreeSet,
    fs::File,
    io::{self, BufRead, BufReader, Read},
    path::Path,
};

use domain::{
    attestation::{Envelope, Predicate, Statement, evidence_sha256, sha256, statement},
    seal,
    verdict::Verdict,
};
use git::{Bundle, Sha};
use zip::{ZipArchive, result::ZipError};

use super::{
    branch::BUILD_TRAILER,
    bundle::{BRANCH, CONTRACTS, ENVELOPE, JOURNAL, KEY},
    seal_key::PublicKey,
    sealing::HEAD_TRAILER,
};
use crate::journal::verify::verify_lines;

/// Bytes of the longest part but journal and branch.
const SMALL: u64 = 4 * 1024 * 1024;

/// What checking a bundle has shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BundleCheck {
    /// The verdict that was signed, where that could be read.
    pub verdict: Option<Verdict>,
    /// The branch and its last commit, where they could be read.
    pub branch: Option<(String, String)>,
    /// Events that fit.
    pub events: u64,
    /// Name of the key that signed.
    pub key_id: Option<String>,
    /// What does not fit, each with the part that it shows in.
    pub problems: Vec<String>,
}

type Archive = ZipArchive<BufReader<File>>;

/// Checks a file. `trusted` is the key of the installation that it should be from; without it, the
/// bundle's own key is believed, and only its name can be compared.
///
/// # Errors
/// When the file cannot be read at all.
pub fn check(file: &Path, trusted: Option<&PublicKey>) -> io::Result<BundleCheck> {
    let mut check = BundleCheck::default();
    let mut archive = match ZipArchive::new(BufReader::new(File::open(file)?)) {
        Ok(archive) => archive,
        Err(error) => {
            check.problems.push(format!("the file is no bundle, or damaged: {error}"));
            return Ok(check);
        }
    };
    let Some(statement) = check.signed(&mut archive, trusted) else { return Ok(check) };
    check.verdict = Some(statement.predicate.verdict);
    check.branch = statement.branch().map(|(name, commit)| (name.to_owned(), commit.to_owned()));
    let journal_head = check.journal(&mut archive, &statement.predicate);
    check.contracts(&mut archive, &statement.predicate);
    check.sources(&mut archive, &statement, journal_head.as_deref());
    Ok(check)
}

impl BundleCheck {
    fn add(&mut self, part: &str, what: impl std::fmt::Display) {
        self.problems.push(format!("{part}: {what}"));
    }

    /// The statement, if it is signed with the right key.
    fn signed(&mut self, archive: &mut Archive, trusted: Option<&PublicKey>) -> Option<Statement> {
        let enclosed = self.small(archive, KEY).and_then(|bytes| {
            let key = std::str::from_utf8(&bytes).ok().and_then(PublicKey::from_pem);
            if key.is_none() {
                self.add(KEY, "it holds no Ed25519 key");
            }
            key
        });
        if let (Some(trusted), Some(enclosed)) = (trusted, &enclosed)
            && trusted != enclosed
        {
            self.add(KEY, "it is another key than the one you gave");
        }
        let key = trusted.cloned().or(enclosed)?;
        self.key_id = Some(key.id());
        let bytes = self.small(archive, ENVELOPE)?;
        let envelope: Envelope = match serde_json::from_slice(&bytes) {
            Ok(envelope) => envelope,
            Err(error) => {
                self.add(ENVELOPE, error);
                return None;
            }
        };
        if envelope.signatures.iter().all(|signature| signature.keyid != key.id()) {
            self.add(ENVELOPE, "it names another key");
        }
        match envelope.open(|bytes, signature| key.verifies(bytes, signature)) {
            Ok(Some(payload)) => match statement(&payload) {
                Ok(statement) => Some(statement),
                Err(error) => {
                    self.add(ENVELOPE, error);
                    None
                }
            },
            Ok(None) => {
                self.add(ENVELOPE, "the signature is not of this key over this text");
                None
            }
            Err(error) => {
                self.add(ENVELOPE, error);
                None
            }
        }
    }

    /// Chain, rules and seal of the journal; gives the hash that the seal commit carries.
    fn journal(&mut self, archive: &mut Archive, said: &Predicate) -> Option<String> {
        let lines = match archive.by_name(JOURNAL) {
            Ok(part) => BufReader::new(part).lines().collect::<io::Result<Vec<_>>>(),
            Err(error) => Err(error.into()),
        };
        let lines = match lines {
            Ok(lines) => lines,
            Err(error) => {
                self.add(JOURNAL, error);
                return None;
            }
        };
        let found = verify_lines(lines);
        self.events = found.events;
        for problem in &found.problems {
            let place = problem.seq.map(|seq| format!("event {seq}: ")).unwrap_or_default();
            self.add(JOURNAL, format!("{place}{}", problem.what));
        }
        if (found.events, &found.head_hash) != (said.journal.events, &said.journal.head) {
            self.add(JOURNAL, "it does not end where the seal says");
        }
        let Some(sealed) = found.sealed else {
            self.add(JOURNAL, "it holds no seal");
            return None;
        };
        if seal::verdict(&sealed.evidence) != said.verdict || sealed.verdict != said.verdict {
            self.add(JOURNAL, "its evidence leads to another verdict than the one that was signed");
        }
        if evidence_sha256(&sealed.evidence) != said.evidence_sha256 {
            self.add(JOURNAL, "its evidence is not the one that was signed");
        }
        Some(sealed.journal_head)
    }

    fn contracts(&mut self, archive: &mut Archive, said: &Predicate) {
        let names = archive.file_names().filter_map(Result::ok).map(|name| name.into_owned());
        let mut extra: BTreeSet<String> =
            names.filter(|name| name.starts_with(CONTRACTS)).collect();
        for contract in &said.contracts {
            let name = format!("{CONTRACTS}{}", contract.kind.file_name());
            extra.remove(&name);
            if let Some(bytes) = self.small(archive, &name)
                && sha256(&bytes) != contract.sha256
            {
                self.add(&name, "it is not the text that the build was bound to");
            }
        }
        for name in extra {
            self.add(&name, "the build was not bound to it");
        }
    }

    fn sources(&mut self, archive: &mut Archive, statement: &Statement, head: Option<&str>) {
        if let Err(what) = compare_branch(archive, statement, head) {
            self.add(BRANCH, what);
        }
    }

    fn small(&mut self, archive: &mut Archive, name: &str) -> Option<Vec<u8>> {
        let read = archive.by_name(name).map_err(io::Error::from).and_then(|part| {
            let mut bytes = Vec::new();
            part.take(SMALL + 1).read_to_end(&mut bytes)?;
            match bytes.len() as u64 > SMALL {
                true => Err(io::Error::other("it is larger than it can be")),
                false => Ok(bytes),
            }
        });
        match read {
            Ok(bytes) => Some(bytes),
            Err(error) => {
                self.add(name, error);
                None
            }
        }
    }
}

fn compare_branch(
    archive: &mut Archive,
    statement: &Statement,
    head: Option<&str>,
) -> Result<(), String> {
    let said = &statement.predicate;
    let (name, commit) = statement.branch().ok_or("the seal names no branch")?;
    let scratch = tempfile::tempdir().map_err(|error| error.to_string())?;
    let part = archive.by_name(BRANCH).map_err(|error: ZipError| error.to_string())?;
    let bundle = Bundle::read(BufReader::new(part), &scratch.path().join("branch.git"))
        .map_err(|error| error.to_string())?;
    if bundle.name() != name || bundle.tip().to_string() != commit {
        return Err(format!(
            "it holds {} at {}, not {name} at {commit}",
            bundle.name(),
            bundle.tip()
        ));
    }
    let baseline: Sha = said.baseline.parse().map_err(|_| "the seal names no baseline")?;
    if !bundle.descends_from(baseline).map_err(|error| error.to_string())? {
        return Err(format!("it does not go on from {baseline}"));
    }
    let id = said.build_id.to_string();
    let Some(head) = head else { return Ok(()) };
    let trailers = [(BUILD_TRAILER, id.as_str()), (HEAD_TRAILER, head)];
    match bundle.tip_carries(&trailers) {
        Ok(true) => Ok(()),
        Ok(false) => Err("its last commit does not carry the journal's head".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}
