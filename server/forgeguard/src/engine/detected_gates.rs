//! Gates suggested by a project's repository and by its questionnaire.

use std::path::Path;

use domain::{
    detection::{self, ProposedGate},
    gate::{GateDefinition, MAX_GATES},
    questionnaire::{Answer, SectionId},
};
use git::{FileContent, HostedRepository, RepoPath, Sha, TreeEntry, WorkingClone};

use super::{error::EngineError, handle::Engine, questionnaires};
use crate::store::projects::Project;

/// The name of the gate that runs the tests of the root directory.
const TEST_GATE: &str = "test";
const TEST_TIMEOUT_S: u32 = 1_800;

/// Larger manifests are ignored.
const MAX_MANIFEST_BYTES: usize = 256 * 1024;

/// The suggestions for a commit.
#[derive(Clone, Debug, Default)]
pub struct DetectedGates {
    /// `None` if the branch has no commit.
    pub sha: Option<Sha>,
    /// Never stored by themselves.
    pub gates: Vec<ProposedGate>,
    /// The gate whose command is an answer to the questionnaire.
    pub answered: Option<String>,
}

impl Engine {
    /// Reads paths and manifests of the default branch. Nothing is executed.
    pub async fn detect_gates(&self, project: &Project) -> Result<DetectedGates, EngineError> {
        let path = self.paths().hosted(project.id);
        let branch = project.default_branch.clone();
        let found = self.blocking(move || of_branch(&path, &branch)).await?;
        Ok(found.with_answer(self.answered_test_command(project).await?))
    }

    /// The suggestions for a given commit.
    pub(super) async fn detect_gates_at(
        &self,
        project: &Project,
        sha: Sha,
    ) -> Result<DetectedGates, EngineError> {
        let path = self.paths().hosted(project.id);
        let detect = move || detect(&HostedRepository::open(&path)?, sha);
        let found = self.blocking(detect).await?;
        Ok(found.with_answer(self.answered_test_command(project).await?))
    }

    async fn answered_test_command(
        &self,
        project: &Project,
    ) -> Result<Option<String>, EngineError> {
        let mut conn = self.db().read().await?;
        let (questionnaire, _) = questionnaires::read(&mut conn, project.id).await?;
        let answer = questionnaire.answers.get(SectionId::DevPlatform, "test_command");
        Ok(match answer {
            Some(Answer::Text(text)) if !text.trim().is_empty() => Some(text.trim().to_owned()),
            _ => None,
        })
    }
}

/// The suggestions for the head of a branch. Blocks.
///
/// # Errors
/// If the repository cannot be read.
pub fn of_branch(repository: &Path, branch: &str) -> Result<DetectedGates, EngineError> {
    let repository = HostedRepository::open(repository)?;
    match repository.head_of(branch)? {
        Some(sha) => detect(&repository, sha),
        None => Ok(DetectedGates::default()),
    }
}

/// The suggestions for a tree of a working clone.
pub(super) fn detect_in_tree(
    clone: &WorkingClone,
    tree: Sha,
) -> Result<Vec<ProposedGate>, EngineError> {
    let read =
        |path: &RepoPath| clone.read_regular_file(tree, path, MAX_MANIFEST_BYTES).ok().flatten();
    Ok(propose(clone.files_of_tree(tree)?, read))
}

fn detect(repository: &HostedRepository, sha: Sha) -> Result<DetectedGates, EngineError> {
    let read = |path: &RepoPath| repository.read_file(sha, path, MAX_MANIFEST_BYTES).ok();
    let gates = propose(repository.tree(sha)?, read);
    Ok(DetectedGates { sha: Some(sha), gates, answered: None })
}

fn propose(
    entries: Vec<TreeEntry>,
    read: impl Fn(&RepoPath) -> Option<FileContent>,
) -> Vec<ProposedGate> {
    let entries = entries.into_iter().filter(TreeEntry::is_file);
    let paths: Vec<String> = entries.map(|entry| entry.path).collect();
    // A manifest that cannot be read is ignored.
    detection::propose(&paths, |path| {
        let content = read(&path.parse().ok()?)?;
        Some(String::from_utf8_lossy(&content.bytes).into_owned())
    })
}

impl DetectedGates {
    /// The test command of the questionnaire, in place of the one that was detected for the root.
    fn with_answer(mut self, command: Option<String>) -> Self {
        let Some(command) = command else { return self };
        if self.gates.iter().any(|found| found.gate.command.trim() == command) {
            return self;
        }
        self.gates.retain(|found| found.gate.name != TEST_GATE);
        self.gates.truncate(MAX_GATES - 1);
        let gate = GateDefinition {
            name: TEST_GATE.to_owned(),
            command,
            timeout_s: TEST_TIMEOUT_S,
            required: true,
            network: false,
            report: None,
            runs_tests: true,
        };
        let reason = "the questionnaire names this test command".to_owned();
        self.answered = Some(gate.name.clone());
        self.gates.insert(0, ProposedGate { gate, reason });
        self
    }
}
