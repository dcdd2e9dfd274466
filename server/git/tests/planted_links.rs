//! Directories that agents replace by links, before or during operations of the service.

use std::{
    collections::BTreeMap,
    fs,
    io::Write as _,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use git::{DiffTarget, Worktree, diff_file, diff_files};

use crate::project::{Project, git, integrate, is_clean, name, request, write};

/// A build with the tracked file `docs/main`, and a directory outside whose file `main` must not
/// change.
struct Attack {
    project: Project,
    branch: git::BuildBranch,
    worktree: Worktree,
    outside: PathBuf,
    before: BTreeMap<PathBuf, Vec<u8>>,
}

#[derive(Clone, Copy, Debug)]
enum Target {
    Directory,
    HostedRefs,
}

const TARGETS: [Target; 2] = [Target::Directory, Target::HostedRefs];

impl Attack {
    fn new(target: Target) -> Self {
        let project = Project::new();
        let (branch, worktree) = project.build();
        write(&worktree, "docs/main", "tracked\n");
        branch.commit(&worktree, &request("docs")).unwrap().unwrap();
        branch.push().unwrap();
        let outside = match target {
            Target::Directory => {
                fs::create_dir_all(project.path("outside/below")).unwrap();
                fs::write(project.path("outside/main"), "outside\n").unwrap();
                fs::write(project.path("outside/below/secret"), "outside\n").unwrap();
                project.path("outside")
            }
            Target::HostedRefs => project.origin.path().join("refs/heads"),
        };
        let before = BTreeMap::new();
        let mut attack = Attack { project, branch, worktree, outside, before };
        attack.remember();
        attack
    }

    /// Records the state that must not change.
    fn remember(&mut self) {
        self.before = self.contents();
    }

    /// All files outside, except the build's branch.
    fn contents(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut contents = BTreeMap::new();
        let mut pending = vec![self.outside.clone()];
        while let Some(directory) = pending.pop() {
            for entry in fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    pending.push(path);
                } else if !path.ends_with(name().as_str()) {
                    contents.insert(path.clone(), fs::read(path).unwrap());
                }
            }
        }
        contents
    }

    fn plant(&self) {
        let docs = self.worktree.path().join("docs");
        fs::remove_dir_all(&docs).unwrap();
        symlink(&self.outside, docs).unwrap();
    }

    fn push_from_a_person(&self, path: &str) {
        let person = self.project.path("person");
        if person.exists() {
            fs::remove_dir_all(&person).unwrap();
        }
        self.project.human_commit(path, "pushed\n");
    }

    #[track_caller]
    fn assert_nothing_changed_outside(&self) {
        assert_eq!(self.contents(), self.before);
    }
}

#[test]
fn push_is_not_checked_out_through_a_planted_link() {
    for target in TARGETS {
        let mut attack = Attack::new(target);
        attack.push_from_a_person("docs/main");
        attack.remember();
        attack.plant();
        let arrival = integrate(&attack.branch, &attack.worktree).unwrap().unwrap();
        attack.assert_nothing_changed_outside();
        assert!(arrival.set_aside.contains(&"docs/main".to_owned()), "{:?}", arrival.set_aside);
        let docs = attack.worktree.path().join("docs");
        assert!(fs::symlink_metadata(&docs).unwrap().is_dir(), "{target:?}");
        assert_eq!(fs::read_to_string(docs.join("main")).unwrap(), "pushed\n");
        assert!(is_clean(&attack.branch, &attack.worktree));

        // A new file in a directory that is not tracked as a link.
        attack.push_from_a_person("docs/new");
        attack.remember();
        attack.plant();
        integrate(&attack.branch, &attack.worktree).unwrap().unwrap();
        attack.assert_nothing_changed_outside();
    }
}

#[test]
fn many_files_are_restored_past_a_planted_link() {
    let project = Project::new();
    let (branch, worktree) = project.build();
    let path = |number: u32| format!("many/part-{}/{number}", number / 400);
    for number in 0..1_200 {
        write(&worktree, &path(number), &number.to_string());
    }
    branch.commit(&worktree, &request("many")).unwrap().unwrap();
    let outside = project.path("outside");
    fs::create_dir(&outside).unwrap();
    fs::remove_dir_all(worktree.path().join("many")).unwrap();
    symlink(&outside, worktree.path().join("many")).unwrap();
    worktree.restore().unwrap();
    for number in 0..1_200 {
        let content = fs::read_to_string(worktree.path().join(path(number))).unwrap();
        assert_eq!(content, number.to_string());
    }
    assert!(fs::symlink_metadata(worktree.path().join("many")).unwrap().is_dir());
    assert!(fs::read_dir(&outside).unwrap().next().is_none());
    assert_eq!(git(worktree.path(), &["status", "--porcelain"]), "");
}

#[test]
fn removed_file_is_not_removed_through_a_planted_link() {
    for target in TARGETS {
        let mut attack = Attack::new(target);
        attack.push_from_a_person("note");
        let person = attack.project.path("person");
        git(&person, &["rm", "-q", "docs/main"]);
        git(&person, &["commit", "-q", "-m", "Remove"]);
        git(&person, &["push", "-q", "origin", name().as_str()]);
        attack.remember();
        attack.plant();
        integrate(&attack.branch, &attack.worktree).unwrap().unwrap();
        attack.assert_nothing_changed_outside();
    }
}

#[test]
fn restore_checkout_and_remove_do_not_follow_planted_links() {
    for target in TARGETS {
        let attack = Attack::new(target);
        let docs = attack.worktree.path().join("docs");
        let is_back = || {
            attack.assert_nothing_changed_outside();
            assert!(fs::symlink_metadata(&docs).unwrap().is_dir());
            assert_eq!(fs::read_to_string(docs.join("main")).unwrap(), "tracked\n");
        };
        attack.plant();
        attack.worktree.restore().unwrap().unwrap();
        is_back();

        attack.plant();
        let index =
            attack.project.clone.path().join(format!("worktrees/build-{}/index", name().suffix()));
        fs::remove_file(index).unwrap();
        Worktree::open_or_create(&attack.project.clone, &name(), &attack.project.files()).unwrap();
        is_back();

        attack.plant();
        symlink(&attack.outside, attack.worktree.path().join("another")).unwrap();
        attack.worktree.clone().remove().unwrap().unwrap();
        attack.assert_nothing_changed_outside();
        assert!(!attack.project.files().exists());
    }
}

#[test]
fn commit_and_diff_treat_a_planted_link_as_a_link() {
    for target in TARGETS {
        let attack = Attack::new(target);
        attack.plant();
        let (clone, to) = (&attack.project.clone, DiffTarget::Worktree(&attack.worktree));
        let head = attack.branch.head().unwrap();
        let changed = diff_files(clone, head, to).unwrap();
        let paths: Vec<&str> = changed.files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, ["docs", "docs/main"]);
        let gone = git::read_side(clone, to, &"docs/main".parse().unwrap(), 100);
        assert!(gone.is_err(), "{target:?}");
        diff_file(clone, head, to, &"docs".parse().unwrap()).unwrap();
        let commit = attack.branch.commit(&attack.worktree, &request("link")).unwrap().unwrap();
        let tree = clone.tree(commit.sha).unwrap();
        let docs: Vec<_> = tree.iter().filter(|entry| entry.path.starts_with("docs")).collect();
        assert_eq!((docs.len(), docs[0].kind), (1, git::EntryKind::Link));
        attack.assert_nothing_changed_outside();
    }
}

/// Repeatedly replaces a path by alternating contents until dropped.
struct Swapper {
    stop: Arc<AtomicBool>,
    thread: Option<thread::JoinHandle<()>>,
}

impl Swapper {
    fn start(place: PathBuf, put: impl Fn(&Path, usize) + Send + 'static) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let thread = thread::spawn(move || {
            let mut round = 0;
            while !stopped.load(Ordering::Relaxed) {
                // Operations may recreate the path at any time.
                let _ = fs::remove_file(&place);
                let _ = fs::remove_dir_all(&place);
                put(&place, round);
                round += 1;
            }
        });
        Swapper { stop, thread: Some(thread) }
    }
}

impl Drop for Swapper {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let _ = self.thread.take().map(thread::JoinHandle::join);
    }
}

#[test]
fn directory_repeatedly_replaced_by_a_link_is_not_followed() {
    for target in TARGETS {
        let mut attack = Attack::new(target);
        attack.push_from_a_person("docs/main");
        attack.push_from_a_person("docs/new");
        attack.remember();
        let outside = attack.outside.clone();
        let prepared = attack.project.path("prepared");
        let swapper = Swapper::start(attack.worktree.path().join("docs"), move |place, round| {
            if round % 2 == 0 {
                let _ = symlink(&outside, place);
            } else {
                // Renamed into place: a restored link must not be followed by the test itself.
                fs::create_dir_all(&prepared).unwrap();
                fs::write(prepared.join("main"), format!("{round}")).unwrap();
                let _ = fs::rename(&prepared, place);
            }
        });
        let (branch, worktree) = (&attack.branch, &attack.worktree);
        for round in 0..40 {
            // Operations may fail, but must not change anything outside.
            let _ = integrate(branch, worktree);
            let _ = worktree.restore();
            let _ = branch.changed_files(worktree, attack.project.first);
            write(worktree, "note", &format!("{round}"));
            let _ = branch.commit(worktree, &request("round"));
        }
        drop(swapper);
        attack.assert_nothing_changed_outside();
        for commit in branch.commits_since(attack.project.first).unwrap() {
            let tree = attack.project.clone.tree(commit.sha).unwrap();
            assert!(!tree.iter().any(|entry| entry.path.contains("secret")), "{tree:?}");
        }
        let _ = worktree.restore();
        integrate(branch, worktree).unwrap();
        attack.assert_nothing_changed_outside();
    }
}

#[test]
fn rule_file_repeatedly_replaced_by_a_pipe_or_link_does_not_block_or_leak() {
    let attack = Attack::new(Target::Directory);
    let secret = attack.outside.join("below/secret");
    let swappers: Vec<Swapper> = [".gitignore", ".gitattributes", ".gitmodules", "docs/main"]
        .map(|file| {
            let secret = secret.clone();
            Swapper::start(attack.worktree.path().join(file), move |place, round| {
                let _ = match round % 3 {
                    0 => {
                        use rustix::fs::{CWD, FileType, Mode, mknodat};
                        mknodat(CWD, place, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)
                            .map_err(Into::into)
                    }
                    1 => symlink(&secret, place),
                    // Fails where the path exists again, rather than follow a link.
                    _ => fs::File::create_new(place).and_then(|mut it| it.write_all(b"*.log\n")),
                };
            })
        })
        .into();
    let (branch, worktree) = (&attack.branch, &attack.worktree);
    for round in 0..40 {
        write(worktree, "note", &format!("{round}"));
        let _ = branch.commit(worktree, &request("round"));
        let _ =
            diff_files(&attack.project.clone, attack.project.first, DiffTarget::Worktree(worktree));
    }
    drop(swappers);
    let clone = &attack.project.clone;
    for commit in branch.commits_since(attack.project.first).unwrap() {
        for entry in clone.tree(commit.sha).unwrap() {
            let content = clone.read_file(commit.sha, &entry.path.parse().unwrap(), 1000).unwrap();
            assert_ne!(content.bytes, b"outside\n", "{}", entry.path);
        }
    }
    attack.assert_nothing_changed_outside();
}
