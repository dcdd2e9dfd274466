//! The home directory of an external agent, and the session that it keeps there. Both outlive a process
//! that is interrupted, so that the next process of the same run continues the conversation.
//!
//! Everything here blocks.

use std::{
    fs::{self, DirBuilder},
    io,
    os::unix::fs::DirBuilderExt,
    path::PathBuf,
    time::{Duration, Instant},
};

use domain::ids::RunId;
use rootdir::{Removal, RootDir, is_missing};
use serde::{Deserialize, Serialize};

/// Longer ids are not those of a session.
const MAX_ID_LENGTH: usize = 100;
/// For removing a home directory.
const REMOVAL_TIMEOUT: Duration = Duration::from_secs(30);

/// The home directory of a build's agent, used by one run at a time.
#[derive(Clone, Debug)]
pub struct AgentHome(PathBuf);

/// Written next to the home directory, where the agent cannot reach it.
#[derive(Serialize, Deserialize)]
struct SessionRecord {
    run_id: RunId,
    session: String,
}

impl AgentHome {
    /// `path` need not exist, but its parent must.
    pub fn new(path: PathBuf) -> Self {
        Self(path)
    }

    /// What the agent sees as its home directory.
    pub fn path(&self) -> PathBuf {
        self.0.join("home")
    }

    /// Prepares the home directory for a process of a run. Returns the session that an earlier process
    /// of the same run has begun. What other runs have left is removed, and these files are written.
    ///
    /// # Errors
    /// If files cannot be accessed.
    pub fn open(&self, run: RunId, files: &[(&str, String)]) -> io::Result<Option<String>> {
        let session = match fs::read(self.record()) {
            Ok(text) => serde_json::from_slice::<SessionRecord>(&text).ok(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let session = session.filter(|record| record.run_id == run).map(|record| record.session);
        let mut builder = DirBuilder::new();
        builder.recursive(true).mode(0o700);
        if session.is_none() {
            self.remove()?;
            // The agent could have replaced those of an earlier process by links to other files.
            for (path, content) in files {
                let path = self.path().join(path);
                builder.create(path.parent().ok_or(io::ErrorKind::InvalidInput)?)?;
                fs::write(path, content)?;
            }
        }
        builder.create(self.path())?;
        Ok(session)
    }

    /// Records the session of a run. Ids that no agent would use are ignored.
    ///
    /// # Errors
    /// If the record cannot be written.
    pub fn set_session(&self, run_id: RunId, session: String) -> io::Result<()> {
        if !is_id(&session) {
            return Ok(());
        }
        let record = serde_json::to_vec(&SessionRecord { run_id, session })?;
        fs::write(self.record(), record)
    }

    /// Removes everything. No process of the agent may run any more.
    ///
    /// # Errors
    /// If files cannot be removed in time.
    pub fn remove(&self) -> io::Result<()> {
        let (Some(parent), Some(name)) = (self.0.parent(), self.0.file_name()) else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        match fs::remove_file(self.record()) {
            Err(error) if !is_missing(&error) => return Err(error),
            _ => {}
        }
        match RootDir::open(parent)?.remove_all(name, Instant::now() + REMOVAL_TIMEOUT)? {
            Removal::Done => Ok(()),
            Removal::Unfinished => Err(io::ErrorKind::TimedOut.into()),
        }
    }

    fn record(&self) -> PathBuf {
        self.0.join("session.json")
    }
}

/// Whether a text can be the id of a session; it becomes an argument of the agent's program.
fn is_id(text: &str) -> bool {
    text.len() <= MAX_ID_LENGTH
        && text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store;

    #[test]
    fn session_belongs_to_one_run() {
        let parent = tempfile::tempdir().unwrap();
        let home = AgentHome::new(parent.path().join("build"));
        let (run, other) = (store::new_id(), store::new_id());
        assert_eq!(home.open(run, &[]).unwrap(), None);
        fs::write(home.path().join("log"), "said").unwrap();
        home.set_session(run, "ses_1-a".into()).unwrap();
        assert_eq!(home.open(run, &[]).unwrap().as_deref(), Some("ses_1-a"));
        assert!(home.path().join("log").exists());
        assert_eq!(home.open(other, &[]).unwrap(), None);
        assert!(!home.path().join("log").exists());
        home.remove().unwrap();
        home.remove().unwrap();
        assert!(fs::read_dir(parent.path()).unwrap().next().is_none());
    }

    #[test]
    fn files_are_written_only_for_the_first_process_of_a_run() {
        let parent = tempfile::tempdir().unwrap();
        let home = AgentHome::new(parent.path().join("build"));
        let (run, files) = (store::new_id(), [(".agent/settings.json", "{}".to_owned())]);
        let settings = home.path().join(".agent/settings.json");
        assert_eq!(home.open(run, &files).unwrap(), None);
        assert_eq!(fs::read_to_string(&settings).unwrap(), "{}");
        home.set_session(run, "ses-1".into()).unwrap();
        let outside = parent.path().join("outside");
        fs::write(&outside, "mine").unwrap();
        fs::remove_file(&settings).unwrap();
        std::os::unix::fs::symlink(&outside, &settings).unwrap();
        assert!(home.open(run, &files).unwrap().is_some());
        assert_eq!(home.open(store::new_id(), &files).unwrap(), None);
        assert_eq!(fs::read_to_string(&settings).unwrap(), "{}");
        assert_eq!(fs::read_to_string(&outside).unwrap(), "mine");
    }

    #[test]
    fn text_that_is_no_id_is_ignored() {
        let parent = tempfile::tempdir().unwrap();
        let home = AgentHome::new(parent.path().join("build"));
        let run = store::new_id();
        home.open(run, &[]).unwrap();
        for text in ["", "--last", "a b", "a;b", "../a", &"a".repeat(101)] {
            home.set_session(run, text.into()).unwrap();
            assert_eq!(home.open(run, &[]).unwrap(), None, "{text}");
        }
    }
}
