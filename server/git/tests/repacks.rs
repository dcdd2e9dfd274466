//! Repacking while the repository is read and written, and while it is killed.

use std::{
    collections::BTreeSet,
    fs,
    future::pending,
    io::Write,
    path::Path,
    process::Stdio,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use git::{
    Sha,
    repack::{MAX_LOOSE_OBJECTS, MAX_PACKS, Repack, Repacked},
};
use rustix::fs::{CWD, Mode, mkfifoat};

use crate::{
    project::{Project, client, git},
    smart_http,
};

/// Adds commits to `main`, each with one file, as one pack.
pub fn import(repository: &Path, name: &str, commits: usize, bytes: usize) {
    let mut stream = String::new();
    for commit in 0..commits {
        let content: String = format!("{name} {commit} ").chars().cycle().take(bytes).collect();
        stream.push_str("commit refs/heads/main\n");
        stream.push_str("committer Ada <ada@example.org> 1790000000 +0000\ndata 0\n");
        if commit == 0 {
            stream.push_str("from refs/heads/main^0\n");
        }
        stream.push_str(&format!("M 100644 inline {name}/{commit}\ndata {bytes}\n{content}\n"));
    }
    let mut importing = client(repository)
        .args(["-c", "fastimport.unpackLimit=0", "fast-import", "--quiet"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    importing.stdin.take().unwrap().write_all(stream.as_bytes()).unwrap();
    assert!(importing.wait().unwrap().success());
}

/// Writes blobs that nothing refers to, as loose objects.
fn write_loose(repository: &Path, count: usize) {
    let odb = git2::Repository::open_bare(repository).unwrap();
    for index in 0..count {
        odb.blob(format!("unreachable {index}").as_bytes()).unwrap();
    }
}

fn import_packs(repository: &Path, count: usize) {
    for index in 0..count {
        import(repository, &format!("pack-{index}"), 2, 1_000);
    }
}

pub fn objects(repository: &Path) -> BTreeSet<String> {
    let format = "--batch-check=%(objectname)";
    let listed = git(repository, &["cat-file", "--batch-all-objects", format]);
    listed.lines().map(str::to_owned).collect()
}

/// The numbers of loose objects, packs and temporary files.
fn count(repository: &Path) -> (usize, usize, usize) {
    let text = git(repository, &["count-objects", "-v"]);
    let number = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        line.unwrap().parse().unwrap()
    };
    let files = fs::read_dir(repository.join("objects/pack")).unwrap();
    let names = files.map(|file| file.unwrap().file_name().to_string_lossy().into_owned());
    let temporary = names.filter(|name| name.contains("tmp")).count();
    (number("count"), number("packs"), temporary)
}

async fn repack(repository: &Path) -> Repacked {
    let due = Repack::begin(repository).unwrap().expect("it is due");
    due.run(pending()).await.unwrap()
}

#[tokio::test]
async fn repository_is_repacked_when_it_has_many_loose_objects_or_packs() {
    let project = Project::new();
    let hosted = project.origin.path();
    assert!(Repack::begin(hosted).unwrap().is_none(), "it is new");
    assert!(Repack::begin(&project.path("nowhere")).unwrap().is_none());

    write_loose(hosted, MAX_LOOSE_OBJECTS + 1);
    let before = objects(hosted);
    assert_eq!(repack(hosted).await, Repacked::Done);
    assert_eq!(count(hosted), (0, 1, 0));
    assert_eq!(objects(hosted), before, "unreachable objects are kept");
    assert!(Repack::begin(hosted).unwrap().is_none());

    import_packs(hosted, MAX_PACKS + 1);
    let before = objects(hosted);
    assert_eq!(repack(hosted).await, Repacked::Done);
    let (_, packs, _) = count(hosted);
    assert!(packs <= 3, "{packs} packs");
    assert_eq!(objects(hosted), before);
    git(hosted, &["fsck", "--full", "--strict"]);
}

#[tokio::test]
async fn packs_to_keep_do_not_count() {
    let project = Project::new();
    let hosted = project.origin.path();
    import_packs(hosted, MAX_PACKS + 1);
    for file in fs::read_dir(hosted.join("objects/pack")).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "pack") {
            fs::write(path.with_extension("keep"), "").unwrap();
        }
    }
    assert!(Repack::begin(hosted).unwrap().is_none());
}

#[tokio::test]
async fn only_one_process_repacks_a_repository() {
    let project = Project::new();
    let hosted = project.origin.path();
    import_packs(hosted, MAX_PACKS + 1);
    let first = Repack::begin(hosted).unwrap().expect("it is due");
    assert!(Repack::begin(hosted).unwrap().is_none());
    drop(first);
    assert!(Repack::begin(hosted).unwrap().is_some());
}

#[tokio::test]
async fn repacking_is_stopped_on_request() {
    let project = Project::new();
    let hosted = project.origin.path();
    import_packs(hosted, MAX_PACKS + 1);
    let before = objects(hosted);
    let due = Repack::begin(hosted).unwrap().expect("it is due");
    let settings = project.path("settings");
    mkfifoat(CWD, &settings, Mode::RUSR | Mode::WUSR).unwrap();
    git(hosted, &["config", "include.path", settings.to_str().unwrap()]);
    let mut writer = None;
    let is_reading = async {
        // Opened once `git` has opened the other end. It waits for content until it is stopped.
        let path = settings.clone();
        let open = || fs::File::options().write(true).open(path);
        writer = Some(tokio::task::spawn_blocking(open).await.unwrap().unwrap());
    };
    assert_eq!(due.run(is_reading).await.unwrap(), Repacked::Stopped);
    assert!(writer.is_some());
    fs::remove_file(settings).unwrap();
    assert_eq!(objects(hosted), before);
    let (_, _, temporary) = count(hosted);
    assert_eq!(temporary, 0);
    assert_eq!(repack(hosted).await, Repacked::Done);
    assert_eq!(objects(hosted), before);
}

/// Kills `git repack` with SIGKILL, later in each round, until it has packed enough.
#[tokio::test]
async fn killed_repack_loses_nothing_and_the_next_one_removes_its_leftovers() {
    let project = Project::new();
    let hosted = project.origin.path();
    write_loose(hosted, 200);
    import_packs(hosted, MAX_PACKS + 1);
    let before = objects(hosted);
    let (mut kills, mut delay) = (0, Duration::from_millis(1));
    while let Some(due) = Repack::begin(hosted).unwrap() {
        match tokio::time::timeout(delay, due.run(pending())).await {
            Ok(repacked) => assert_eq!(repacked.unwrap(), Repacked::Done),
            Err(_) => {
                kills += 1;
                delay += Duration::from_millis(5);
                wait_for_lock(hosted);
            }
        }
        assert_eq!(objects(hosted), before, "after {kills} kills");
        git(hosted, &["fsck", "--full", "--strict"]);
    }
    assert!(kills > 0, "the first was killed after a millisecond");
    for index in 0..=MAX_PACKS {
        import(hosted, &format!("last-{index}"), 1, 10);
    }
    assert_eq!(repack(hosted).await, Repacked::Done);
    let (loose, packs, temporary) = count(hosted);
    assert!(loose == 0 && packs <= MAX_PACKS && temporary == 0, "{loose} {packs} {temporary}");
    assert!(objects(hosted).is_superset(&before));
}

/// The killed process holds the lock until the kernel has removed it.
fn wait_for_lock(repository: &Path) {
    fs::File::options().write(true).open(repository.join("repack.lock")).unwrap().lock().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn repository_is_cloned_pushed_to_and_read_during_repacks() {
    const ROUNDS: usize = 4;
    let project = Project::new();
    let (hosted, url) = (project.origin.path(), project.origin.path().display().to_string());
    let server = smart_http::serve(hosted.to_owned()).await;
    let ends = AtomicBool::new(false);
    let runtime = tokio::runtime::Handle::current();
    let read = |sha: Sha| {
        let files = project.origin.tree(sha).unwrap();
        for file in &files {
            let path = file.path.parse().unwrap();
            project.origin.read_file(sha, &path, 100).unwrap();
        }
        files.len()
    };
    tokio::task::block_in_place(|| {
        thread::scope(|scope| {
            let clones = scope.spawn(|| {
                let mut clones = 0;
                while !ends.load(Ordering::Relaxed) {
                    let name = format!("clone-{clones}");
                    let url = format!("file://{url}");
                    git(project.dir.path(), &["clone", "-q", "--bare", &url, &name]);
                    git(&project.path(&name), &["fsck", "--full"]);
                    clones += 1;
                }
                clones
            });
            let pushes = scope.spawn(|| {
                git(project.dir.path(), &["clone", "-q", &server, "person"]);
                let (person, mut pushes) = (project.path("person"), 0);
                while !ends.load(Ordering::Relaxed) {
                    fs::write(person.join("file"), format!("push {pushes}")).unwrap();
                    git(&person, &["add", "-A"]);
                    git(&person, &["commit", "-q", "-m", "Change the file"]);
                    git(&person, &["push", "-q", "origin", "HEAD:refs/heads/mine"]);
                    pushes += 1;
                }
                pushes
            });
            let reads = scope.spawn(|| {
                let mut reads = 0;
                while !ends.load(Ordering::Relaxed) {
                    let head = project.origin.head_of("main").unwrap().unwrap();
                    reads += read(head);
                }
                reads
            });
            for round in 0..ROUNDS {
                for pack in 0..=MAX_PACKS {
                    import(hosted, &format!("round-{round}-{pack}"), 3, 200);
                }
                assert_eq!(runtime.block_on(repack(hosted)), Repacked::Done);
            }
            ends.store(true, Ordering::Relaxed);
            let done = (clones.join(), pushes.join(), reads.join());
            let done = (done.0.unwrap(), done.1.unwrap(), done.2.unwrap());
            assert!(done.0 > 0 && done.1 > 0 && done.2 > 0, "{done:?}");
        });
    });
    git(hosted, &["fsck", "--full", "--strict"]);
    let head = project.origin.head_of("main").unwrap().unwrap();
    assert_eq!(read(head), 4 + ROUNDS * (MAX_PACKS + 1) * 3);
}
