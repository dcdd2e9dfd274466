//! A branch as one file: the real `git` reads it, and no byte of it can change unseen.

use std::io::Cursor;

use git::{Bundle, GitError, write_bundle};
use tempfile::TempDir;

use crate::project::{BUILD, Project, git, name, request, write};

fn read(bytes: &[u8]) -> Result<Bundle, GitError> {
    let scratch = TempDir::new().unwrap();
    Bundle::read(Cursor::new(bytes), &scratch.path().join("repo.git"))
}

/// A bundle of a branch with two commits, its tip's trailers, and where it began.
fn bundle(project: &Project) -> Vec<u8> {
    let (branch, worktree) = project.build();
    write(&worktree, "src/new.js", &"let x = 1;\n".repeat(40));
    let mut asked = request("sealed");
    asked.trailers.push(("Journal-Head".into(), "ab12".into()));
    let commit = branch.commit(&worktree, &asked).unwrap().unwrap();
    let mut bytes = Vec::new();
    write_bundle(&project.clone, &name(), commit.sha, &mut bytes).unwrap();
    bytes
}

#[test]
fn git_itself_clones_it_and_it_reads_back() {
    let project = Project::new();
    let bytes = bundle(&project);
    let file = project.dir.path().join("branch.bundle");
    std::fs::write(&file, &bytes).unwrap();
    let place = project.dir.path();
    git(place, &["clone", "-q", "-b", name().as_str(), "branch.bundle", "cloned"]);
    git(&place.join("cloned"), &["fsck", "--strict", "--full"]);
    let tip = git(&place.join("cloned"), &["rev-parse", "HEAD"]);

    let scratch = TempDir::new().unwrap();
    let read = Bundle::read(Cursor::new(&bytes), &scratch.path().join("r.git")).unwrap();
    assert_eq!((read.name(), read.tip().to_string()), (name().as_str(), tip));
    let good = [("Build-Cycle", BUILD), ("Journal-Head", "ab12")];
    assert!(read.tip_carries(&good).unwrap());
    assert!(!read.tip_carries(&[("Journal-Head", "ab13")]).unwrap());
    assert!(read.descends_from(project.first).unwrap());
    assert!(!read.descends_from("1".repeat(40).parse().unwrap()).unwrap());
}

#[test]
fn no_byte_can_change_unseen() {
    let project = Project::new();
    let bytes = bundle(&project);
    let whole = read(&bytes).unwrap();
    let (tip, branch) = (whole.tip(), whole.name().to_owned());
    // All of the head, and the pack in steps that meet every kind of place.
    let head = bytes.windows(4).position(|four| four == b"PACK").unwrap();
    for place in (0..head).chain((head..bytes.len()).step_by(13)) {
        let mut damaged = bytes.clone();
        damaged[place] ^= 1 << (place % 8);
        if let Ok(read) = read(&damaged) {
            let same = read.tip() == tip && read.name() == branch;
            assert!(!same, "byte {place} of {} can change", bytes.len());
        }
    }
    for length in [0, 10, 40, bytes.len() / 2, bytes.len() - 1] {
        assert!(read(&bytes[..length]).is_err(), "cut to {length}");
    }
}
