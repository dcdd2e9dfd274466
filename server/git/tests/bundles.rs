//! Bundles: compatibility with `git`, and detection of corruption.

use std::io::{Cursor, Write};

use flate2::{Compression, write::ZlibEncoder};
use git::{Bundle, GitError, write_bundle};
use tempfile::TempDir;

use crate::project::{BUILD, Project, git, name, request, write};

fn read(bytes: &[u8]) -> Result<Bundle, GitError> {
    let scratch = TempDir::new().unwrap();
    Bundle::read(Cursor::new(bytes), &scratch.path().join("repo.git"))
}

/// A bundle of a branch with two commits, its tip's trailers, and its first commit.
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
fn bundle_is_readable_by_git_and_by_this_crate() {
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
fn corrupted_bundle_is_rejected() {
    let project = Project::new();
    let bytes = bundle(&project);
    let whole = read(&bytes).unwrap();
    let (tip, branch) = (whole.tip(), whole.name().to_owned());
    // All bytes of the header, and samples of the pack.
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

#[test]
fn bundle_that_expands_too_much_is_rejected_before_unpacking() {
    const SIZE: usize = 128 << 20;
    // A blob of zeros: its kind and the lowest bits of its size, the rest of that, its content.
    let mut blob = vec![0xb0, 0x80, 0x80, 0x80, 0x04];
    let mut encoder = ZlibEncoder::new(&mut blob, Compression::default());
    encoder.write_all(&vec![0; SIZE]).unwrap();
    encoder.finish().unwrap();
    let head = format!("# v2 git bundle\n{} refs/heads/{}\n\n", "1".repeat(40), name());
    let pack = [b"PACK\0\0\0\x02\0\0\0\x09".as_slice(), &blob.repeat(9), &[0; 20]].concat();
    let bytes = [head.as_bytes(), &pack].concat();
    assert!(bytes.len() < 2 << 20, "{}", bytes.len());
    let error = read(&bytes).err().unwrap();
    assert!(error.to_string().contains("expands to more than 1024 MiB"), "{error}");
}
