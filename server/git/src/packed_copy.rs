//! Copies history as one pack, with `git pack-objects`, which reuses the deltas of existing packs.

use std::{
    ffi::OsString,
    io::{self, Read, Write},
    os::unix::ffi::{OsStrExt, OsStringExt},
    path::Path,
    process::Stdio,
};

use git2::{Oid, Repository};

use crate::{
    error::GitError,
    program::{self, MEMORY_SETTINGS},
};

const MAX_STDERR: u64 = 4 * 1024;

/// Adds a pack with all objects to `to` that `tips` reach in `from` and `known` do not. `known` are
/// in both. Git runs in `to`, so no setting of `from` has an effect; each object is checked against
/// its hash.
pub(crate) fn copy(
    from: &Repository,
    to: &Repository,
    tips: &[Oid],
    known: &[Oid],
) -> Result<(), GitError> {
    let failed = || GitError::io("copy objects with git pack-objects");
    let mut git = program::command()
        .env("GIT_ALTERNATE_OBJECT_DIRECTORIES", quoted(&from.commondir().join("objects")))
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_NO_REPLACE_OBJECTS", "1")
        .args(["-c", "safe.directory=*"])
        .args(MEMORY_SETTINGS.iter().flat_map(|setting| ["-c", setting]))
        .arg("--git-dir")
        .arg(to.path())
        .args(["pack-objects", "--revs", "--stdout", "--delta-base-offset", "-q"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(failed())?;
    let wanted = tips.iter().map(|tip| format!("{tip}\n"));
    let known = known.iter().map(|oid| format!("^{oid}\n"));
    let wanted: String = wanted.chain(known).collect();
    // Git reads all of it before it writes. If it ends early, its status tells why.
    let _ = git.stdin.take().map(|mut stdin| stdin.write_all(wanted.as_bytes()));
    let objects = to.odb()?;
    let mut pack = objects.packwriter()?;
    let written = git.stdout.take().map(|mut stdout| io::copy(&mut stdout, &mut pack));
    let mut stderr = Vec::new();
    if let Some(errors) = git.stderr.take() {
        errors.take(MAX_STDERR).read_to_end(&mut stderr).map_err(failed())?;
    }
    let status = git.wait().map_err(failed())?;
    // Such as a full disk, which also ends git.
    written.transpose().map_err(failed())?;
    if !status.success() {
        let stderr = format!("{status}: {}", String::from_utf8_lossy(&stderr).trim());
        return Err(GitError::Program { name: "pack-objects", stderr });
    }
    pack.commit()?;
    Ok(())
}

/// As an element of a list of paths: otherwise, a colon in it would end the path.
fn quoted(path: &Path) -> OsString {
    let mut text = vec![b'"'];
    for byte in path.as_os_str().as_bytes() {
        if matches!(byte, b'"' | b'\\') {
            text.push(b'\\');
        }
        text.push(*byte);
    }
    text.push(b'"');
    OsString::from_vec(text)
}

#[cfg(test)]
mod tests {
    use git2::Signature;

    use super::*;
    use crate::{repack::names, repository::open_or_create};

    /// A commit with a file, whose parent is the commit before.
    fn commit(repository: &Repository, parent: Option<Oid>, text: &str) -> Oid {
        let mut tree = repository.treebuilder(None).unwrap();
        tree.insert("a.txt", repository.blob(text.as_bytes()).unwrap(), 0o100_644).unwrap();
        let tree = repository.find_tree(tree.write().unwrap()).unwrap();
        let by = Signature::new("A", "a@example.org", &git2::Time::new(0, 0)).unwrap();
        let parent = parent.map(|oid| repository.find_commit(oid).unwrap());
        let parents: Vec<_> = parent.iter().collect();
        repository.commit(None, &by, &by, text, &tree, &parents).unwrap()
    }

    #[test]
    fn only_what_is_missing_is_copied_from_a_path_with_special_characters() {
        let folder = tempfile::tempdir().unwrap();
        let from = open_or_create(&folder.path().join("a:b \"c\" \\d"), "main").unwrap();
        let to = open_or_create(&folder.path().join("to"), "main").unwrap();
        let first = commit(&from, None, "one");
        let unrelated = commit(&from, None, "unrelated");
        copy(&from, &to, &[first], &[]).unwrap();
        assert!(to.find_commit(first).unwrap().tree().unwrap().get_name("a.txt").is_some());

        let second = commit(&from, Some(first), "two");
        copy(&from, &to, &[second], &[first]).unwrap();
        assert_eq!(to.find_commit(second).unwrap().parent_id(0).unwrap(), first);
        assert!(to.find_commit(unrelated).is_err());
        let packs = names(&to.path().join("objects/pack")).unwrap();
        assert_eq!(packs.iter().filter(|name| name.ends_with(".pack")).count(), 2);
    }

    #[test]
    fn incomplete_history_is_an_error_and_adds_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let from = open_or_create(&folder.path().join("from"), "main").unwrap();
        let to = open_or_create(&folder.path().join("to"), "main").unwrap();
        let first = commit(&from, None, "one");
        let second = commit(&from, Some(first), "two");
        let id = first.to_string();
        let (directory, file) = id.split_at(2);
        std::fs::remove_file(from.path().join("objects").join(directory).join(file)).unwrap();
        let failed = copy(&from, &to, &[second], &[]).unwrap_err().to_string();
        assert!(failed.contains(&first.to_string()), "{failed}");
        assert!(to.find_commit(second).is_err());
    }
}
