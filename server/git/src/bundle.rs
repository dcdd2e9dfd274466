//! Git bundles (gitformat-bundle, version 2): writing a build's branch, and reading untrusted
//! files.

use std::{
    fs::File,
    io::{BufRead, BufReader, Read, Seek, Write},
    path::Path,
};

use git2::{Indexer, Repository, RepositoryInitOptions};

use crate::{
    clone::WorkingClone,
    error::GitError,
    history, integrity,
    name::BuildBranchName,
    pack::{self, PackLimits},
    repository,
    sha::Sha,
};

const SIGNATURE: &str = "# v2 git bundle\n";
/// The longest line of the header.
const MAX_LINE_BYTES: u64 = 4_096;
/// Commits of builds are not limited like pushes; this limits objects in memory.
const LIMITS: PackLimits =
    PackLimits { max_object_size: 512 * 1024 * 1024, max_expanded: u64::MAX };

/// Writes all commits up to `tip`, under the branch's name.
///
/// # Errors
/// If the clone has no such commit, or writing to `out` fails.
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

/// A bundle that is complete, and whose objects match their ids.
pub struct Bundle {
    repository: Repository,
    name: String,
    tip: Sha,
}

impl Bundle {
    /// Unpacks a bundle into the folder `scratch`, which is created.
    ///
    /// # Errors
    /// [`GitError::BadBundle`] if it is damaged, incomplete or not a bundle.
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

    /// The name of its branch, without `refs/heads/`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The branch's last commit.
    pub fn tip(&self) -> Sha {
        self.tip
    }

    /// Whether ForgeGuard made the last commit and it has all of these trailers.
    ///
    /// # Errors
    /// When the commit cannot be read.
    pub fn tip_carries(&self, trailers: &[(&str, &str)]) -> Result<bool, GitError> {
        Ok(history::carries(&self.repository.find_commit(self.tip.oid())?, trailers))
    }

    /// Whether this commit is an ancestor of the last one.
    ///
    /// # Errors
    /// When commits cannot be read.
    pub fn descends_from(&self, sha: Sha) -> Result<bool, GitError> {
        let (tip, other) = (self.tip.oid(), sha.oid());
        Ok(tip == other || self.repository.graph_descendant_of(tip, other).unwrap_or(false))
    }

    /// Writes the pack to a file and measures it there before libgit2 unpacks it.
    fn unpack(&self, mut bundle: impl BufRead) -> Result<(), GitError> {
        let damaged = |error: git2::Error| GitError::BadBundle(error.message().to_owned());
        let unread = |error: std::io::Error| GitError::BadBundle(error.to_string());
        let path = self.repository.path().join("received.pack");
        let write = || File::options().read(true).write(true).create_new(true).open(&path);
        let mut file = write().map_err(GitError::io("write a pack"))?;
        let length = std::io::copy(&mut bundle, &mut file).map_err(unread)?;
        file.rewind().map_err(unread)?;
        pack::measure(BufReader::new(&file), length, LIMITS)
            .map_err(|error| GitError::BadBundle(error.to_string()))?;
        file.rewind().map_err(unread)?;
        let folder = self.repository.path().join("objects/pack");
        let mut indexer = Indexer::new(None, &folder, 0o600, true).map_err(damaged)?;
        std::io::copy(&mut file, &mut indexer).map_err(unread)?;
        indexer.commit().map_err(damaged)?;
        self.repository.odb()?.refresh().map_err(damaged)
    }

    /// Reads all objects reachable from the last commit.
    fn walk_all(&self) -> Result<(), GitError> {
        let missing = |error: git2::Error| GitError::BadBundle(error.message().to_owned());
        let mut walk = self.repository.revwalk()?;
        walk.push(self.tip.oid()).map_err(missing)?;
        integrity::read_trees(&self.repository, walk).map_err(missing)
    }
}

fn line(file: &mut impl BufRead) -> Result<String, GitError> {
    let mut line = Vec::new();
    file.take(MAX_LINE_BYTES)
        .read_until(b'\n', &mut line)
        .map_err(|error| GitError::BadBundle(error.to_string()))?;
    String::from_utf8(line).map_err(|_| GitError::BadBundle("it does not begin as one".to_owned()))
}
