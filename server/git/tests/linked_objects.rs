//! The first fetch of a working clone shares the files of objects with its origin.

use std::{fs, os::unix::fs::MetadataExt, path::Path, thread};

use git::WorkingClone;
use tempfile::TempDir;

use crate::{
    project::{Project, git},
    repacks::{import, objects},
};

const CLONES: usize = 12;

/// A clone in this directory, fetched for the first time.
fn fetched(project: &Project, path: &Path) -> WorkingClone {
    let origin = project.origin.path().display().to_string();
    let clone = WorkingClone::open_or_create(path, &origin).unwrap();
    clone.fetch().unwrap();
    clone
}

fn packs(repository: &Path) -> Vec<u64> {
    let files = fs::read_dir(repository.join("objects/pack")).unwrap();
    let packs = files.map(|file| file.unwrap());
    let packs = packs.filter(|file| file.file_name().to_string_lossy().ends_with(".pack"));
    packs.map(|file| file.metadata().unwrap().ino()).collect()
}

fn assert_complete(clone: &WorkingClone, commits: usize) {
    let listed = git(clone.path(), &["rev-list", "--objects", "origin/main"]);
    assert!(listed.lines().count() > commits);
    git(clone.path(), &["fsck", "--connectivity-only"]);
}

#[test]
fn first_fetch_links_objects_and_later_ones_copy_what_is_new() {
    let project = Project::new();
    let hosted = project.origin.path();
    import(hosted, "pack", 30, 1_000);
    let clone = fetched(&project, &project.path("second.git"));
    assert_eq!(packs(clone.path()), packs(hosted));
    assert_eq!(objects(clone.path()), objects(hosted));

    import(hosted, "more", 3, 1_000);
    clone.fetch().unwrap();
    assert_eq!(objects(clone.path()), objects(hosted));
    assert_eq!(packs(clone.path()).len(), 1, "three commits are copied as loose objects");

    // The clone does not depend on the files of its origin.
    git(hosted, &["repack", "-adq"]);
    assert_complete(&clone, 33);
}

#[test]
fn first_fetch_is_complete_while_its_origin_is_repacked() {
    let project = Project::new();
    let hosted = project.origin.path();
    import(hosted, "pack", 200, 1_000);
    thread::scope(|scope| {
        let cloning = scope.spawn(|| {
            for number in 0..CLONES {
                let clone = fetched(&project, &project.path(&format!("clone-{number}.git")));
                assert_complete(&clone, 200);
            }
        });
        let mut round = 0;
        while !cloning.is_finished() {
            import(hosted, &format!("round-{round}"), 2, 1_000);
            git(hosted, &["repack", "-adq", "--no-write-bitmap-index"]);
            round += 1;
        }
    });
}

#[test]
fn first_fetch_copies_objects_from_another_file_system() {
    let project = Project::new();
    import(project.origin.path(), "pack", 30, 1_000);
    let elsewhere = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let device = |path: &Path| fs::metadata(path).unwrap().dev();
    let clone = fetched(&project, &elsewhere.path().join("clone.git"));
    assert_complete(&clone, 30);
    let is_shared = packs(clone.path()) == packs(project.origin.path());
    assert_eq!(is_shared, device(elsewhere.path()) == device(project.origin.path()));
}
