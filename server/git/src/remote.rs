//! Network operations on remote repositories, by the `git` program: listing branches, fetching and
//! pushing a build's branch.
//!
//! Credentials reach only the child process, in its environment or in a file that only its owner can
//! read, and are sent only to the host of the URL: redirects are not followed, and names are not
//! resolved again. The server's replies are untrusted.

mod access;
mod command;
mod failure;
mod key;
mod operation;
mod progress;
mod url;

use std::{fs::File, path::Path, pin::pin, time::Duration};

use tokio::{
    task::spawn_blocking,
    time::{Instant, sleep},
};

use crate::{error::GitError, name::BuildBranchName, sha::Sha};

pub use access::{Login, RemoteAccess, RemoteLimits};
pub use failure::RemoteFailure;
pub use key::{KeyPair, generate_key};
pub use progress::{Progress, Stage};
pub use url::{BadUrl, RemoteUrl, Transport};

use operation::Operation;

/// Branches and tags of a remote; more are rejected.
const MAX_REFS: usize = 20_000;
/// Held by the fetch of a repository.
const FETCH_LOCK: &str = "fetch.lock";
const LOCK_RETRY_INTERVAL: Duration = Duration::from_millis(200);
/// Remote branches in the hosted repository, as of the last fetch. Users do not see them.
pub(crate) const FETCHED: &str = "refs/forge/remote/";
pub(crate) const FETCHED_BRANCHES: &str = "refs/forge/remote/heads/";
pub(crate) const FETCHED_TAGS: &str = "refs/forge/remote/tags/";

/// What a remote repository has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RemoteRefs {
    /// The branch that its HEAD refers to, if it says so.
    pub head: Option<String>,
    /// By name; without `forge/`, which is reserved for builds.
    pub branches: Vec<(String, Sha)>,
    pub tags: Vec<(String, Sha)>,
}

impl RemoteRefs {
    /// The branch of HEAD, otherwise main, master or develop, otherwise the only branch.
    pub fn default_branch(&self) -> Option<&str> {
        let exists = |name: &&str| self.branches.iter().any(|(branch, _)| branch == name);
        let usual = self.head.as_deref().into_iter().chain(["main", "master", "develop"]);
        let only = || match self.branches.as_slice() {
            [(name, _)] => Some(name.as_str()),
            _ => None,
        };
        usual.into_iter().find(exists).or_else(only)
    }
}

/// Lists branches, tags and the default branch. Ends early when `stop` completes.
pub async fn list(
    access: &RemoteAccess,
    limits: RemoteLimits,
    stop: impl Future<Output = ()>,
) -> Result<RemoteRefs, RemoteFailure> {
    let mut operation = Operation::new(access, "ls-remote", None)?;
    operation.args(["--quiet", "--symref"]);
    operation.url();
    operation.args(["HEAD", "refs/heads/*", "refs/tags/*"]);
    let output = operation.run(limits, |_| {}, stop).await?;
    read_refs(&output)
}

/// Fetches all branches and tags into `repository`, where [`crate::HostedRepository::follow`] finds
/// them. Ends early when `stop` completes. What a fetch that failed has received is removed, by the next
/// one if this process is killed.
///
/// Waits for a fetch that a killed process has left behind: `git` has the lock as its standard input,
/// which it does not read.
pub async fn fetch(
    access: &RemoteAccess,
    repository: &Path,
    limits: RemoteLimits,
    progress: impl FnMut(Progress) + Send,
    stop: impl Future<Output = ()>,
) -> Result<(), RemoteFailure> {
    let mut stop = pin!(stop);
    let lock = tokio::select! {
        lock = lock_fetch(repository, limits) => lock?,
        () = &mut stop => return Err(RemoteFailure::Cancelled),
    };
    remove_received(repository, &lock).await?;
    let mut operation = Operation::new(access, "fetch", Some(repository))?;
    operation.hold(lock);
    operation.args(["--progress", "--prune", "--no-tags", "--no-write-fetch-head"]);
    operation.args(["--no-auto-maintenance", "--recurse-submodules=no"]);
    operation.url();
    operation.args([
        &format!("+refs/heads/*:{FETCHED_BRANCHES}*"),
        "^refs/heads/forge/*",
        &format!("+refs/tags/*:{FETCHED_TAGS}*"),
    ]);
    let fetched = operation.run(limits, progress, stop).await;
    if fetched.is_err()
        && let Ok(Some(lock)) = crate::repack::try_lock(repository, FETCH_LOCK)
        && let Err(error) = remove_received(repository, &lock).await
    {
        tracing::warn!(%error, "what a failed fetch has received could not be removed");
    }
    fetched.map(drop)
}

/// Removes the temporary packs of a fetch that was killed.
async fn remove_received(repository: &Path, _lock: &File) -> Result<(), GitError> {
    let path = repository.to_owned();
    let removing = spawn_blocking(move || crate::repack::remove_temporary_packs(&path));
    removing.await.map_err(|error| GitError::io("remove temporary packs")(error.into()))?
}

/// Pushes a commit of `repository` to a build's branch, which moves only forward. Does nothing if it
/// is there already.
pub async fn push(
    access: &RemoteAccess,
    repository: &Path,
    commit: Sha,
    branch: &BuildBranchName,
    limits: RemoteLimits,
    stop: impl Future<Output = ()>,
) -> Result<(), RemoteFailure> {
    let mut operation = Operation::new(access, "push", Some(repository))?;
    operation.args(["--progress", "--porcelain", "--no-verify", "--recurse-submodules=no"]);
    operation.url();
    operation.args([&format!("{commit}:{}", branch.full())]);
    operation.run(limits, |_| {}, stop).await.map(drop)
}

async fn lock_fetch(repository: &Path, limits: RemoteLimits) -> Result<File, RemoteFailure> {
    let deadline = Instant::now() + limits.stall;
    loop {
        if let Some(lock) = crate::repack::try_lock(repository, FETCH_LOCK)? {
            return Ok(lock);
        }
        if Instant::now() >= deadline {
            return Err(RemoteFailure::Timeout);
        }
        sleep(LOCK_RETRY_INTERVAL).await;
    }
}

/// Lines of `git ls-remote --symref`.
fn read_refs(output: &[u8]) -> Result<RemoteRefs, RemoteFailure> {
    let mut refs = RemoteRefs::default();
    for line in output.split(|byte| *byte == b'\n') {
        // Names that are not UTF-8 are ignored, as in the rest of this crate.
        let Some((value, name)) = std::str::from_utf8(line).ok().and_then(|l| l.split_once('\t'))
        else {
            continue;
        };
        if name == "HEAD" {
            let head = value.strip_prefix("ref: refs/heads/").map(str::to_owned);
            refs.head = refs.head.or(head);
            continue;
        }
        let Ok(sha) = value.parse() else { continue };
        if let Some(branch) = name.strip_prefix("refs/heads/") {
            if !branch.starts_with("forge/") {
                refs.branches.push((branch.to_owned(), sha));
            }
        } else if let Some(tag) = name.strip_prefix("refs/tags/")
            && !tag.ends_with("^{}")
        {
            refs.tags.push((tag.to_owned(), sha));
        }
        if refs.branches.len() + refs.tags.len() > MAX_REFS {
            return Err(RemoteFailure::TooLarge(format!("more than {MAX_REFS} branches and tags")));
        }
    }
    Ok(refs)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHA: &str = "3f786850e387550fdab836ed7e6dc881de23001b";

    #[test]
    fn refs_are_read_without_build_branches_and_peeled_tags() {
        let text = format!(
            "ref: refs/heads/trunk\tHEAD\n{SHA}\tHEAD\n{SHA}\trefs/heads/trunk\n\
             {SHA}\trefs/heads/forge/build-1\n{SHA}\trefs/tags/v1\n{SHA}\trefs/tags/v1^{{}}\n"
        );
        let refs = read_refs(text.as_bytes()).unwrap();
        let sha: Sha = SHA.parse().unwrap();
        assert_eq!(refs.default_branch(), Some("trunk"));
        assert_eq!(refs.branches, [("trunk".to_owned(), sha)]);
        assert_eq!(refs.tags, [("v1".to_owned(), sha)]);
    }

    #[test]
    fn default_branch_is_the_one_of_head_or_a_usual_one() {
        let sha: Sha = SHA.parse().unwrap();
        let refs = |head: Option<&str>, names: &[&str]| RemoteRefs {
            head: head.map(str::to_owned),
            branches: names.iter().map(|name| ((*name).to_owned(), sha)).collect(),
            tags: Vec::new(),
        };
        for (head, names, found) in [
            (Some("dev"), ["dev", "main"].as_slice(), Some("dev")),
            (Some("gone"), &["a", "master"], Some("master")),
            (None, &["a"], Some("a")),
            (None, &["a", "b"], None),
            (Some("main"), &[], None),
        ] {
            assert_eq!(refs(head, names).default_branch(), found, "{head:?} {names:?}");
        }
    }
}
