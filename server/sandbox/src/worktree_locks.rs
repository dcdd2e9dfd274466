//! A lock for each worktree, for levels that cannot isolate concurrent runs in it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};

#[derive(Debug, Default)]
pub struct WorktreeLocks(Mutex<HashMap<PathBuf, Weak<AsyncMutex<()>>>>);

impl WorktreeLocks {
    /// Waits until no other run uses the worktree.
    pub async fn lock(&self, worktree: &Path) -> OwnedMutexGuard<()> {
        self.lock_for(worktree).lock_owned().await
    }

    fn lock_for(&self, worktree: &Path) -> Arc<AsyncMutex<()>> {
        let mut locks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        locks.retain(|_, lock| lock.strong_count() > 0);
        let known = locks.get(worktree).and_then(Weak::upgrade);
        known.unwrap_or_else(|| {
            let lock = Arc::default();
            locks.insert(worktree.to_owned(), Arc::downgrade(&lock));
            lock
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn lock_is_per_worktree_and_removed_when_unused() {
        let locks = WorktreeLocks::default();
        let held = locks.lock(Path::new("/a")).await;
        let _other = locks.lock(Path::new("/b")).await;
        assert!(locks.lock_for(Path::new("/a")).try_lock().is_err());
        drop(held);
        drop(locks.lock(Path::new("/a")).await);
        locks.lock_for(Path::new("/c"));
        assert_eq!(locks.0.lock().unwrap().len(), 2);
    }
}
