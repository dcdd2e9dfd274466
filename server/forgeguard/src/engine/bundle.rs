//! A sealed build as one file that can be verified without this service.

use std::{
    io::{BufWriter, Write},
    iter,
    sync::Arc,
};

use domain::{
    attestation::{JOURNAL_FILE, Statement, sha256, statement},
    chain,
    ids::BuildId,
    seal::matrix,
    standard_attestations::SealedBuild,
    state::BuildState,
};
use git::Sha;
use tempfile::NamedTempFile;
use tokio::sync::mpsc;
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

use super::{
    branch_name::branch_name,
    bundle_attestations::{self, PROVENANCE, SUMMARY, TEST_RESULTS},
    error::EngineError,
    handle::Engine,
    seal_key::SealKey,
};
use crate::{
    journal::verify::verify_lines,
    store::{self, contracts::Contract},
};

/// Names of the parts of a bundle, apart from contracts.
pub const ENVELOPE: &str = "seal.dsse.json";
/// The public key.
pub const KEY: &str = "seal.pub";
/// The journal, one event per line.
pub const JOURNAL: &str = JOURNAL_FILE;
/// The branch, for `git clone`.
pub const BRANCH: &str = "branch.bundle";
/// The requirements with their proofs, for reading; absent if the blueprint has none.
pub const REQUIREMENTS: &str = "requirements.md";
/// The folder of the contracts.
pub const CONTRACTS: &str = "contracts/";
/// Instructions for the reader.
const README: &str = "README.txt";

/// Events per query, and pages that wait to be written.
const PAGE: i64 = 500;
const PAGE_QUEUE_CAPACITY: usize = 4;

impl Engine {
    /// Writes the bundle of a sealed build to a temporary file.
    pub async fn bundle(&self, build_id: BuildId) -> Result<NamedTempFile, EngineError> {
        let envelope = self.envelope(build_id).await?;
        let key = self.parts.seal_key.public();
        let payload = envelope.open(|bytes, signature| key.verifies(bytes, signature));
        let payload = payload.ok().flatten().ok_or_else(|| {
            EngineError::DoesNotVerify("the seal was signed with another key".to_owned())
        })?;
        let said =
            statement(&payload).map_err(|error| EngineError::DoesNotVerify(error.to_string()))?;
        let envelope = serde_json::to_string_pretty(&envelope).map_err(EngineError::Envelope)?;
        let derived = self.derived_parts(build_id, &said, &envelope).await?;
        let batch = derived.state.queued.snapshot_batch;
        let contracts = store::contracts::list_frozen(&mut self.db().read().await?, batch).await?;
        let clone = self.working_clone(said.predicate.project_id).await?;
        let name = branch_name(build_id, &derived.state)?;
        let (pages, waiting) = mpsc::channel(PAGE_QUEUE_CAPACITY);
        let parts = Parts {
            envelope,
            key: key.to_pem(),
            readme: readme(&said),
            requirements: requirements_text(&derived.state),
            attestations: derived.attestations,
            contracts,
        };
        let events = said.predicate.journal.events;
        let tip: Sha = said
            .branch()
            .and_then(|(_, commit)| commit.parse().ok())
            .ok_or_else(|| EngineError::DoesNotVerify("the seal names no commit".to_owned()))?;
        let writing = self.blocking(move || {
            write(parts, waiting, |zip| Ok(git::write_bundle(&clone, &name, tip, zip)?))
        });
        let (written, read) = tokio::join!(writing, self.read_journal(build_id, events, pages));
        let file = written?;
        read?;
        Ok(file)
    }

    /// What follows from the journal, read from its first event. Only what the seal's signature
    /// covers is signed again: if the database was changed since, nothing is.
    async fn derived_parts(
        &self,
        build_id: BuildId,
        said: &Statement,
        envelope: &str,
    ) -> Result<DerivedParts, EngineError> {
        let (pages, mut waiting) = mpsc::channel::<String>(PAGE_QUEUE_CAPACITY);
        let (parts, said) = (self.parts.clone(), said.clone());
        let envelope_sha256 = sha256(envelope.as_bytes());
        let events = said.predicate.journal.events;
        let deriving = self.blocking(move || {
            let pages = iter::from_fn(|| waiting.blocking_recv());
            let found = verify_lines(
                pages.flat_map(|page| page.lines().map(str::to_owned).collect::<Vec<_>>()),
            );
            let end = &said.predicate.journal;
            let is_signed = (found.events, &found.head_hash) == (end.events, &end.head);
            let Some(state) = found.state.filter(|_| is_signed && found.problems.is_empty()) else {
                let what = "the journal is not the one that was signed".to_owned();
                return Err(EngineError::DoesNotVerify(what));
            };
            let sealed = SealedBuild {
                statement: &said,
                state: &state,
                journal_sha256: &found.journal_sha256,
                key_id: &parts.seal_key.public().id(),
            };
            let attestations = signed_attestations(&sealed, &envelope_sha256, &parts.seal_key)
                .map_err(EngineError::Envelope)?;
            Ok(DerivedParts { state, attestations })
        });
        let (derived, read) = tokio::join!(deriving, self.read_journal(build_id, events, pages));
        read?;
        derived
    }

    async fn read_journal(
        &self,
        build_id: BuildId,
        last: u64,
        pages: mpsc::Sender<String>,
    ) -> Result<(), EngineError> {
        let mut after = 0;
        while after < last {
            let mut conn = self.db().read().await?;
            let rows = store::events::after(&mut conn, build_id, after, PAGE).await?;
            drop(conn);
            let Some(newest) = rows.last().map(|row| row.seq) else { break };
            let rows = rows.iter().filter(|row| row.seq <= last);
            let lines = rows.map(|row| chain::with_hash(&row.body, &row.hash) + "\n");
            if pages.send(lines.collect()).await.is_err() {
                // The receiver failed, which is reported there.
                break;
            }
            after = newest;
        }
        Ok(())
    }
}

/// What follows from a journal.
struct DerivedParts {
    state: Arc<BuildState>,
    attestations: Vec<(&'static str, String)>,
}

fn signed_attestations(
    sealed: &SealedBuild<'_>,
    envelope_sha256: &str,
    key: &SealKey,
) -> serde_json::Result<Vec<(&'static str, String)>> {
    let files = bundle_attestations::statements(sealed, (ENVELOPE, envelope_sha256));
    let files = files.into_iter().filter(|(_, statements)| !statements.is_empty());
    files.map(|(name, it)| Ok((name, bundle_attestations::sign(&it, key)?))).collect()
}

/// The parts that are in memory.
struct Parts {
    envelope: String,
    key: String,
    readme: String,
    requirements: Option<String>,
    attestations: Vec<(&'static str, String)>,
    contracts: Vec<Contract>,
}

/// The matrix as in the report.
pub fn requirements_text(state: &BuildState) -> Option<String> {
    let rows = matrix::matrix(state);
    (!rows.is_empty()).then(|| matrix::markdown(&rows))
}

type Zip = ZipWriter<BufWriter<NamedTempFile>>;

fn write(
    parts: Parts,
    mut journal: mpsc::Receiver<String>,
    branch: impl FnOnce(&mut Zip) -> Result<(), EngineError>,
) -> Result<NamedTempFile, EngineError> {
    let mut zip = ZipWriter::new(BufWriter::new(NamedTempFile::new()?));
    let small = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    for (name, text) in [(README, &parts.readme), (ENVELOPE, &parts.envelope), (KEY, &parts.key)] {
        zip.start_file(name, small)?;
        zip.write_all(text.as_bytes())?;
    }
    if let Some(requirements) = &parts.requirements {
        zip.start_file(REQUIREMENTS, small)?;
        zip.write_all(requirements.as_bytes())?;
    }
    for (name, text) in &parts.attestations {
        zip.start_file(*name, small)?;
        zip.write_all(text.as_bytes())?;
    }
    for contract in &parts.contracts {
        zip.start_file(format!("{CONTRACTS}{}", contract.kind.file_name()), small)?;
        zip.write_all(contract.content.as_bytes())?;
    }
    zip.start_file(JOURNAL, small.large_file(true))?;
    while let Some(page) = journal.blocking_recv() {
        zip.write_all(page.as_bytes())?;
    }
    // A pack is already compressed.
    let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    zip.start_file(BRANCH, stored.large_file(true))?;
    branch(&mut zip)?;
    let file = zip.finish()?.into_inner().map_err(|error| error.into_error())?;
    Ok(file)
}

fn readme(statement: &Statement) -> String {
    let said = &statement.predicate;
    let (branch, commit) = statement.branch().unwrap_or_default();
    format!(
        "A sealed build of ForgeGuard: {verdict}, score {score}.\n\n\
         Check it, without any service:  forgeguard verify THIS_FILE.zip --key seal.pub\n\
         (take the key from whom you trust, by `forgeguard seal-key`, not from this file)\n\
         Read the branch:                git clone -b {branch} {BRANCH} sources\n\n\
         {ENVELOPE:<33} what was sealed: an in-toto statement in a DSSE envelope, signed with Ed25519\n\
         {KEY:<33} the key that it was signed with\n\
         {TEST_RESULTS:<33} the results of gates that ran tests, for in-toto\n\
         {SUMMARY:<33} the verdict, as a SLSA verification summary\n\
         {PROVENANCE:<33} what the branch was built from, as SLSA provenance\n\
         {JOURNAL:<33} everything that happened, {events} events, each with the hash of those before\n\
         {CONTRACTS:<33} the contracts that the build was bound to\n\
         {BRANCH:<33} the branch {branch} up to {commit}\n",
        verdict = said.verdict.name(),
        score = said.score,
        events = said.journal.events,
    )
}
