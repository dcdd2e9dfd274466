//! Opens repositories without their configuration, and reads references without following them.

use std::{
    fs::{self, File},
    io::ErrorKind,
    os::unix::fs::MetadataExt,
    path::Path,
};

use git2::{Config, ErrorCode, Oid, ReferenceType, Repository, RepositoryInitOptions};

use crate::{error::GitError, sha::Sha};

/// Opens a git directory with an empty configuration: no remote, alias, filter, include, work tree
/// or hooks path from any config file has effect.
pub(crate) fn open(path: &Path) -> Result<Repository, GitError> {
    let repository = Repository::open_bare(path).map_err(|error| match error.code() {
        ErrorCode::NotFound => GitError::NoRepository(path.to_owned()),
        _ => error.into(),
    })?;
    repository.set_config(&Config::new()?)?;
    Ok(repository)
}

/// Opens the bare repository at a path, or creates one whose HEAD refers to `default_branch`. It is
/// created beside the path and renamed into place: a process that is killed meanwhile leaves neither
/// a part of a repository nor its lock files. Concurrent callers wait for each other.
pub(crate) fn open_or_create(path: &Path, default_branch: &str) -> Result<Repository, GitError> {
    match open(path) {
        Err(GitError::NoRepository(_)) => {}
        found => return found,
    }
    let parent = path.parent().unwrap_or(Path::new("/"));
    let _lock = fs::create_dir_all(parent)
        .and_then(|()| File::open(parent))
        .and_then(|directory| directory.lock().map(|()| directory))
        .map_err(GitError::io("lock the directory of repositories"))?;
    let unfinished = path.with_added_extension("new");
    match fs::remove_dir_all(&unfinished) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            return Err(GitError::io("remove an unfinished repository")(error));
        }
        _ => {}
    }
    match open(path) {
        Err(GitError::NoRepository(_)) => {}
        found => return found,
    }
    let mut options = RepositoryInitOptions::new();
    options.bare(true).mkpath(true).external_template(false);
    options.initial_head(&format!("refs/heads/{default_branch}"));
    Repository::init_opts(&unfinished, &options)?;
    fs::rename(&unfinished, path).map_err(GitError::io("rename a new repository"))?;
    open(path)
}

/// The target of a reference; `None` if it does not exist. A symbolic reference is an error.
pub(crate) fn direct(repository: &Repository, name: &str) -> Result<Option<Oid>, GitError> {
    let reference = match repository.find_reference(name) {
        Ok(reference) => reference,
        Err(error) if error.code() == ErrorCode::NotFound => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    match reference.symbolic_target_bytes() {
        None => Ok(reference.target()),
        Some(target) => Err(GitError::SymbolicBranch {
            name: name.to_owned(),
            target: String::from_utf8_lossy(target).into_owned(),
        }),
    }
}

/// The target of a direct reference that has a file of its own, without opening the repository.
pub(crate) fn loose_reference(git_directory: &Path, name: &str) -> Option<Sha> {
    fs::read_to_string(git_directory.join(name)).ok()?.trim_end().parse().ok()
}

/// The target of a symbolic reference; `None` if it does not exist or is direct.
pub(crate) fn symbolic(repository: &Repository, name: &str) -> Result<Option<String>, GitError> {
    match repository.find_reference(name) {
        Ok(reference) => Ok(reference
            .symbolic_target_bytes()
            .map(|target| String::from_utf8_lossy(target).into_owned())),
        Err(error) if error.code() == ErrorCode::NotFound => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// All direct branches, named without `refs/heads/`.
pub(crate) fn branches(
    repository: &Repository,
    prefix: &str,
) -> Result<Vec<(String, Oid)>, GitError> {
    let mut found = Vec::new();
    for reference in repository.references_glob(&format!("{prefix}*"))? {
        let reference = reference?;
        if reference.kind() != Some(ReferenceType::Direct) {
            continue;
        }
        if let (Ok(name), Some(oid)) = (reference.name(), reference.target()) {
            found.push((name[prefix.len()..].to_owned(), oid));
        }
    }
    Ok(found)
}

/// The commits of HEAD and the usual default branches that exist.
pub(crate) fn defaults(repository: &Repository) -> Vec<Oid> {
    ["HEAD", "refs/heads/main", "refs/heads/master", "refs/heads/develop"]
        .iter()
        .filter_map(|name| repository.refname_to_id(name).ok())
        .collect()
}

/// When the index on disk was written, in seconds and nanoseconds; the epoch if there is none.
pub(crate) fn index_written_at(repository: &Repository) -> Result<(i64, i64), GitError> {
    match fs::metadata(repository.path().join("index")) {
        Ok(found) => Ok((found.mtime(), found.mtime_nsec())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok((0, 0)),
        Err(error) => Err(GitError::io("read the index")(error)),
    }
}

pub(crate) fn commit<'a>(
    repository: &'a Repository,
    sha: Sha,
) -> Result<git2::Commit<'a>, GitError> {
    repository.find_commit(sha.oid()).map_err(|error| match error.code() {
        ErrorCode::NotFound => GitError::NoSuchCommit(sha),
        _ => error.into(),
    })
}

pub(crate) fn remove_file(path: &Path) -> Result<(), GitError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(GitError::io(format!("remove {}", path.display()))(error))
        }
        _ => Ok(()),
    }
}
