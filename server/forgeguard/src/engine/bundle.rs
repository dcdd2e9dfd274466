//! A sealed build as one file that can be verified without this service.

use std::io::{BufWriter, Write};

use domain::{
    attestation::{JOURNAL_FILE, Statement, statement},
    chain,
    ids::BuildId,
    seal::matrix,
    state::BuildState,
};
use git::Sha;
use tempfile::NamedTempFile;
use tokio::sync::mpsc;
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

use super::{error::EngineError, handle, handle::Engine};
use crate::store::{self, contracts::Contract};

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
        let state = self.journal().state(build_id).await?;
        let batch = state.queued.snapshot_batch;
        let contracts = store::contracts::list_frozen(&mut self.db().read().await?, batch).await?;
        let clone = self.working_clone(said.predicate.project_id).await?;
        let name = handle::branch_name(build_id)?;
        let (pages, waiting) = mpsc::channel(PAGE_QUEUE_CAPACITY);
        let parts = Parts {
            envelope: serde_json::to_string_pretty(&envelope).map_err(EngineError::Envelope)?,
            key: key.to_pem(),
            readme: readme(&said),
            requirements: requirements_text(&state),
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
                // The file could not be written, which is reported there.
                break;
            }
            after = newest;
        }
        Ok(())
    }
}

/// The parts that are in memory.
struct Parts {
    envelope: String,
    key: String,
    readme: String,
    requirements: Option<String>,
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
         {ENVELOPE:<16} what was sealed: an in-toto statement in a DSSE envelope, signed with Ed25519\n\
         {KEY:<16} the key that it was signed with\n\
         {JOURNAL:<16} everything that happened, {events} events, each with the hash of those before\n\
         {CONTRACTS:<16} the contracts that the build was bound to\n\
         {BRANCH:<16} the branch {branch} up to {commit}\n",
        verdict = said.verdict.name(),
        score = said.score,
        events = said.journal.events,
    )
}
