//! Verifies a bundle without a service: the signature, and that all parts match it.

use std::{
    collections::BTreeSet,
    fs::File,
    io::{self, BufRead, BufReader, Read},
    iter,
    path::Path,
    sync::Arc,
};

use archive::{Archive, ArchiveError};
use domain::{
    attestation::{Envelope, Predicate, Statement, evidence_sha256, sha256, statement},
    event::life::Sealed,
    seal,
    standard_attestations::SealedBuild,
    state::BuildState,
    verdict::Verdict,
};
use git::{Bundle, Sha};

use super::{
    branch::BUILD_TRAILER,
    bundle::{BRANCH, CONTRACTS, ENVELOPE, JOURNAL, KEY, REQUIREMENTS, requirements_text},
    bundle_attestations,
    seal_key::PublicKey,
    sealing::HEAD_TRAILER,
};
use crate::journal::verify::verify_lines;

/// Upper limit for each part but journal and branch.
const MAX_PART_BYTES: u64 = 16 * 1024 * 1024;
/// Upper limit for a line of the journal.
const MAX_LINE_BYTES: u64 = 16 * 1024 * 1024;
/// More than the few parts and contracts of a bundle.
const MAX_ENTRIES: usize = 64;

/// The result of verifying a bundle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BundleCheck {
    /// The signed verdict, if it could be read.
    pub verdict: Option<Verdict>,
    /// The branch and its last commit, if they could be read.
    pub branch: Option<(String, String)>,
    /// The number of valid events.
    pub events: u64,
    /// Name of the key that signed.
    pub key_id: Option<String>,
    /// Problems, each with the part in which it was found.
    pub problems: Vec<String>,
}

type Zip = Archive<BufReader<File>>;

/// Verifies a file. `trusted` is the key of the expected installation; without it the bundle's own
/// key is used, and only its name can be compared.
///
/// # Errors
/// If the file cannot be read.
pub fn check(file: &Path, trusted: Option<&PublicKey>) -> io::Result<BundleCheck> {
    let mut check = BundleCheck::default();
    let mut archive = match Archive::open(BufReader::new(File::open(file)?), MAX_ENTRIES) {
        Ok(archive) => archive,
        Err(ArchiveError::Io(error)) => return Err(error),
        Err(error) => {
            check.problems.push(format!("the file is not a bundle: {error}"));
            return Ok(check);
        }
    };
    let Some(signed) = check.signed(&mut archive, trusted) else { return Ok(check) };
    let statement = &signed.statement;
    check.verdict = Some(statement.predicate.verdict);
    check.branch = statement.branch().map(|(name, commit)| (name.to_owned(), commit.to_owned()));
    let journal = check.journal(&mut archive, statement);
    if let Some(journal) = &journal {
        check.attestations(&mut archive, &signed, journal);
    }
    let journal_head = journal.map(|journal| journal.sealed.journal_head);
    check.contracts(&mut archive, &statement.predicate);
    check.sources(&mut archive, statement, journal_head.as_deref());
    Ok(check)
}

/// The statement and its signature.
struct Signed {
    statement: Statement,
    key: PublicKey,
    /// Of the file.
    envelope_sha256: String,
}

/// A journal that ends with a seal.
struct SealedJournal {
    sealed: Sealed,
    state: Arc<BuildState>,
    sha256: String,
}

impl BundleCheck {
    fn add(&mut self, part: &str, what: impl std::fmt::Display) {
        self.problems.push(format!("{part}: {what}"));
    }

    /// The statement, if the right key signed it.
    fn signed(&mut self, archive: &mut Zip, trusted: Option<&PublicKey>) -> Option<Signed> {
        let enclosed = self.small(archive, KEY).and_then(|bytes| {
            let key = std::str::from_utf8(&bytes).ok().and_then(PublicKey::from_pem);
            if key.is_none() {
                self.add(KEY, "it contains no Ed25519 key");
            }
            key
        });
        if let (Some(trusted), Some(enclosed)) = (trusted, &enclosed)
            && trusted != enclosed
        {
            self.add(KEY, "it differs from the given key");
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
                Ok(statement) => Some(Signed { statement, key, envelope_sha256: sha256(&bytes) }),
                Err(error) => {
                    self.add(ENVELOPE, error);
                    None
                }
            },
            Ok(None) => {
                self.add(ENVELOPE, "the signature does not match this key and text");
                None
            }
            Err(error) => {
                self.add(ENVELOPE, error);
                None
            }
        }
    }

    /// Verifies chain, rules and seal of the journal.
    fn journal(&mut self, archive: &mut Zip, statement: &Statement) -> Option<SealedJournal> {
        let said = &statement.predicate;
        let mut part = match archive.entry(JOURNAL) {
            Ok(part) => BufReader::new(part),
            Err(error) => {
                self.add(JOURNAL, error);
                return None;
            }
        };
        let mut failure = None;
        let found = verify_lines(iter::from_fn(|| match line(&mut part) {
            Ok(line) => line,
            Err(error) => {
                failure = Some(error);
                None
            }
        }));
        if let Some(error) = failure {
            self.add(JOURNAL, error);
            return None;
        }
        self.events = found.events;
        for problem in &found.problems {
            let place = problem.seq.map(|seq| format!("event {seq}: ")).unwrap_or_default();
            self.add(JOURNAL, format!("{place}{}", problem.what));
        }
        if (found.events, &found.head_hash) != (said.journal.events, &said.journal.head) {
            self.add(JOURNAL, "it does not end where the seal says");
        }
        if statement.journal_sha256().is_some_and(|sha256| sha256 != found.journal_sha256) {
            self.add(JOURNAL, "its sha256 is not the one that was signed");
        }
        drop(part);
        self.requirements(archive, found.state.as_deref());
        let Some(sealed) = found.sealed else {
            self.add(JOURNAL, "it contains no seal");
            return None;
        };
        if seal::verdict(&sealed.evidence) != said.verdict || sealed.verdict != said.verdict {
            self.add(JOURNAL, "its evidence leads to another verdict than the one that was signed");
        }
        if evidence_sha256(&sealed.evidence) != said.evidence_sha256 {
            self.add(JOURNAL, "its evidence is not the one that was signed");
        }
        if sealed.audit_log != said.audit_log {
            self.add(
                JOURNAL,
                "it names another entry of the audit log than the one that was signed",
            );
        }
        let (state, sha256) = (found.state?, found.journal_sha256);
        Some(SealedJournal { sealed, state, sha256 })
    }

    /// The attestations for other tools must be those that follow from the rest.
    fn attestations(&mut self, archive: &mut Zip, signed: &Signed, journal: &SealedJournal) {
        let sealed = SealedBuild {
            statement: &signed.statement,
            state: &journal.state,
            journal_sha256: &journal.sha256,
            key_id: &signed.key.id(),
        };
        let files = bundle_attestations::statements(&sealed, (ENVELOPE, &signed.envelope_sha256));
        let is_required = bundle_attestations::are_required(journal.sealed.evidence.rules);
        for (name, expected) in files {
            if !archive.names().any(|other| other == name) {
                if is_required && !expected.is_empty() {
                    self.add(name, "it is missing");
                }
                continue;
            }
            let Some(file) = self.small(archive, name) else { continue };
            for problem in bundle_attestations::problems(&file, &expected, &signed.key) {
                self.add(name, problem);
            }
        }
    }

    /// The table for readers must be the one that follows from the journal.
    fn requirements(&mut self, archive: &mut Zip, state: Option<&BuildState>) {
        let expected = state.and_then(requirements_text);
        let Some(expected) = expected else {
            if archive.names().any(|name| name == REQUIREMENTS) {
                self.add(REQUIREMENTS, "the build has no requirements");
            }
            return;
        };
        let enclosed = self.small(archive, REQUIREMENTS);
        if enclosed.is_some_and(|enclosed| enclosed != expected.as_bytes()) {
            self.add(REQUIREMENTS, "it does not follow from the journal");
        }
    }

    fn contracts(&mut self, archive: &mut Zip, said: &Predicate) {
        let names = archive.names().filter(|name| name.starts_with(CONTRACTS));
        let mut extra: BTreeSet<String> = names.map(str::to_owned).collect();
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

    fn sources(&mut self, archive: &mut Zip, statement: &Statement, head: Option<&str>) {
        if let Err(what) = compare_branch(archive, statement, head) {
            self.add(BRANCH, what);
        }
    }

    fn small(&mut self, archive: &mut Zip, name: &str) -> Option<Vec<u8>> {
        match archive.read(name, MAX_PART_BYTES) {
            Ok(bytes) => Some(bytes),
            Err(error) => {
                self.add(name, error);
                None
            }
        }
    }
}

fn compare_branch(
    archive: &mut Zip,
    statement: &Statement,
    head: Option<&str>,
) -> Result<(), String> {
    let said = &statement.predicate;
    let (name, commit) = statement.branch().ok_or("the seal names no branch")?;
    let scratch = tempfile::tempdir().map_err(|error| error.to_string())?;
    let part = archive.entry(BRANCH).map_err(|error| error.to_string())?;
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
        return Err(format!("it does not continue from {baseline}"));
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

/// The next line, which is not kept after it is checked.
fn line(journal: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = String::new();
    let length = journal.take(MAX_LINE_BYTES).read_line(&mut line)?;
    if length as u64 == MAX_LINE_BYTES {
        return Err(io::Error::other("a line is longer than an event can be"));
    }
    Ok((length > 0).then_some(line))
}
