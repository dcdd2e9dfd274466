//! The versions of the coding agents on this node. Each program is asked once, and again after it was
//! replaced.

use std::{collections::HashMap, fs, path::PathBuf, time::SystemTime};

use tokio::sync::Mutex;

/// By program: when it was changed, and its version then.
#[derive(Default)]
pub struct ExecutorVersions(Mutex<HashMap<PathBuf, (SystemTime, Option<String>)>>);

impl ExecutorVersions {
    /// The version of a program, which `ask` finds out if it is not known yet; `None` if it is unknown.
    pub async fn of(
        &self,
        program: PathBuf,
        ask: impl Future<Output = Option<String>>,
    ) -> Option<String> {
        let changed_at = fs::metadata(&program).and_then(|found| found.modified()).ok()?;
        let mut versions = self.0.lock().await;
        if let Some((at, version)) = versions.get(&program)
            && *at == changed_at
        {
            return version.clone();
        }
        let version = ask.await;
        versions.insert(program, (changed_at, version.clone()));
        version
    }
}
