//! A build branch as one file that `git clone` reads (gitformat-bundle, version 2), and such a file
//! read again without trusting it.

use std::{
    io::{BufRead, Read, Write},
    path::Path,
};

use git2::{Indexer, Oid, Repository, RepositoryInitOptions};

use crate::{
    clone::WorkingClone, error::GitError, history, name::BuildBranchName, repository, sha::Sha,
};

const SIGNATURE: &str = "# v2 git bundle\n";
/// Bytes of the longest line before the pack.
const LINE: u64 = 4_096;

/// Writes everything that leads to `tip` under the branch's name.
///
/// # Errors
/// When the clone has no such commit, or `out` takes no more.
pub fn write_bundle(
    clone: &WorkingClone,
    name: &BuildBranchName,
    tip: Sha,
    out: &mut impl Write,
) -> Result<(), GitError> {
    let repository = clone.repository()?;
    repository::commit(&repository, tip)?;
    let head = format!("{SIGNATURE}{tip} {}\n\n", name.full());
    out.write_all(head.as_bytes()).map_err(GitError::io("write the bundle"))?;
    let mut walk = repository.revwalk()?;
    walk.push(tip.oid())?;
    let mut pack = repository.packbuilder()?;
    pack.insert_walk(&mut walk)?;
    let mut failed = None;
    let written = pack.foreach(|bytes| match out.write_all(bytes) {
        Ok(()) => true,
        Err(error) => {
            failed = Some(error);
            false
        }
    });
    match failed {
        Some(error) => Err(GitError::io("write the bundle")(error)),
        None => Ok(written?),
    }
}

/// A bundle whose objects are all there and are what their names say.
pub struct Bundle {
    repository: Repository,
    name: String,
    tip: Sha,
}

impl Bundle {
    /// Reads a bundle into the empty folder `scratch`.
    ///
    /// # Errors
    /// [`GitError::BadBundle`] where it is damaged, incomplete or something else.
    pub fn read(mut file: impl BufRead, scratch: &Path) -> Result<Self, GitError> {
        let bad = |why: &str| GitError::BadBundle(why.to_owned());
        if line(&mut file)? != SIGNATURE {
            return Err(bad("it does not begin as one"));
        }
        let head = line(&mut file)?;
        let (sha, name) =
            head.trim_end_matches('\n').split_once(' ').ok_or_else(|| bad("it names no branch"))?;
        let tip: Sha = sha.parse().map_err(|_| bad("its branch has no commit"))?;
        let name = name.strip_prefix("refs/heads/").ok_or_else(|| bad("it names no branch"))?;
        if line(&mut file)? != "\n" {
            return Err(bad("it names more than one branch"));
        }
        let repository = Repository::init_opts(
            scratch,
            RepositoryInitOptions::new().bare(true).external_template(false),
        )?;
        let bundle = Self { repository: repository::open(scratch)?, name: name.to_owned(), tip };
        drop(repository);
        bundle.unpack(file)?;
        bundle.walk_all()?;
        Ok(bundle)
    }

    /// The branch that it holds, without `refs/heads/`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The branch's last commit.
    pub fn tip(&self) -> Sha {
        self.tip
    }

    /// Whether the last commit is ForgeGuard's and carries all of these trailers.
    ///
    /// # Errors
    /// When the commit cannot be read.
    pub fn tip_carries(&self, trailers: &[(&str, &str)]) -> Result<bool, GitError> {
        Ok(history::carries(&self.repository.find_commit(self.tip.oid())?, trailers))
    }

    /// Whether this commit is on the way to the last one.
    ///
    /// # Errors
    /// When commits cannot be read.
    pub fn descends_from(&self, sha: Sha) -> Result<bool, GitError> {
        let (tip, other) = (self.tip.oid(), sha.oid());
        Ok(tip == other || self.repository.graph_descendant_of(tip, other).unwrap_or(false))
    }

    fn unpack(&self, mut file: impl Read) -> Result<(), GitError> {
        let damaged = |error: git2::Error| GitError::BadBundle(error.message().to_owned());
        let folder = self.repository.path().join("objects/pack");
        let mut indexer = Indexer::new(None, &folder, 0o600, true).map_err(damaged)?;
        std::io::copy(&mut file, &mut indexer)
            .map_err(|error| GitError::BadBundle(error.to_string()))?;
        indexer.commit().map_err(damaged)?;
        self.repository.odb()?.refresh().map_err(damaged)
    }

    /// Looks at every object that leads to the last commit.
    fn walk_all(&self) -> Result<(), GitError> {
        let missing = |error: git2::Error| GitError::BadBundle(error.message().to_owned());
        let mut walk = self.repository.revwalk()?;
        walk.push(self.tip.oid()).map_err(missing)?;
        let mut seen = std::collections::HashSet::<Oid>::new();
        for commit in walk {
            let commit = self.repository.find_commit(commit.map_err(missing)?).map_err(missing)?;
            let mut waiting = vec![commit.tree_id()];
            while let Some(tree) = waiting.pop() {
                if !seen.insert(tree) {
                    continue;
                }
                for entry in &self.repository.find_tree(tree).map_err(missing)? {
                    match entry.kind() {
                        Some(git2::ObjectType::Tree) => waiting.push(entry.id()),
                        Some(git2::ObjectType::Blob) if seen.insert(entry.id()) => {
                            self.repository.odb()?.read(entry.id()).map_err(missing)?;
                        }
                        _ => {}
                    }
                }
            }
        }
        Ok(())
    }
}

fn line(file: &mut impl BufRead) -> Result<String, GitError> {
    let mut line = Vec::new();
    file.take(LINE)
        .read_until(b'\n', &mut line)
        .map_err(|error| GitError::BadBundle(error.to_string()))?;
    String::from_utf8(line).map_err(|_| GitError::BadBundle("it does not begin as one".to_owned()))
}
