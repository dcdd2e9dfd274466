//! Files of a worktree with planted links and special files.

use std::{fs, os::unix::fs::PermissionsExt, os::unix::fs::symlink};

use super::*;
use tempfile::TempDir;

struct Place {
    outside: TempDir,
    tree: Worktree,
}

/// A worktree with links of every kind.
fn place() -> Place {
    let outside = TempDir::new().unwrap();
    let root = outside.path().join("tree");
    fs::write(outside.path().join("secret"), "secret").unwrap();
    fs::create_dir_all(root.join("src/deep")).unwrap();
    fs::create_dir(root.join(".git")).unwrap();
    fs::write(root.join(".git/config"), "[core]").unwrap();
    fs::write(root.join("src/a.js"), "a").unwrap();
    symlink("../secret", root.join("out")).unwrap();
    symlink("..", root.join("up")).unwrap();
    symlink(outside.path().join("secret"), root.join("absolute")).unwrap();
    symlink("src/a.js", root.join("inside")).unwrap();
    symlink("src", root.join("folder")).unwrap();
    symlink(".git", root.join("repository")).unwrap();
    symlink(".git/config", root.join("config")).unwrap();
    fs::create_dir_all(root.join("od\nd/.git")).unwrap();
    fs::write(root.join("od\nd/.git/config"), "[core]").unwrap();
    symlink("od\nd/.git/config", root.join("odd")).unwrap();
    symlink("circle", root.join("circle")).unwrap();
    symlink("nowhere", root.join("dangling")).unwrap();
    symlink("/proc/self/cwd", root.join("magic")).unwrap();
    let tree = Worktree::open(&root).unwrap();
    Place { outside, tree }
}

fn path(text: &str) -> WorkPath {
    WorkPath::parse(text).unwrap()
}

#[test]
fn reads_and_replaces_a_file() {
    let place = place();
    let tree = &place.tree;
    assert_eq!(tree.read(&path("src/a.js"), 10).unwrap(), b"a");
    tree.write(&path("src/a.js"), b"b").unwrap();
    assert_eq!(tree.read(&path("src/a.js"), 10).unwrap(), b"b");
    assert_eq!(tree.kind(&path("src/a.js")).unwrap(), Kind::File(1));
    assert_eq!(tree.kind(&WorkPath::top()).unwrap(), Kind::Directory);
    let names: Vec<_> = fs::read_dir(tree.root().join("src")).unwrap().collect();
    assert_eq!(names.len(), 2, "no temporary file is left: {names:?}");
    tree.write(&path("src/a.js"), b"a").unwrap();
}

#[test]
fn makes_missing_folders() {
    let place = place();
    let new = path("new/b/c.txt");
    place.tree.write(&new, b"c").unwrap();
    assert_eq!(place.tree.read(&new, 10).unwrap(), b"c");
}

#[test]
fn keeps_the_permissions_of_a_file() {
    let place = place();
    let (tree, file) = (&place.tree, place.tree.root().join("src/a.js"));
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    tree.write(&path("src/a.js"), b"b").unwrap();
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o7777, 0o755);
}

#[test]
fn links_do_not_lead_outside() {
    let place = place();
    let tree = &place.tree;
    for text in ["out", "up/secret", "absolute", "circle", "magic", "magic/x", "up"] {
        let kind = tree.open_file(&path(text));
        assert!(kind.is_err(), "reads {text}");
        let written = tree.write(&path(text), b"x");
        assert!(written.is_err(), "writes {text}");
    }
    for text in ["up/new", "magic/new", "up/tree2/new"] {
        let written = tree.write(&path(text), b"x").unwrap_err();
        assert!(matches!(written, WorktreeError::LeadsOut(_)), "{text}: {written}");
    }
    assert_eq!(fs::read(place.outside.path().join("secret")).unwrap(), b"secret");
    assert_eq!(fs::read_dir(place.outside.path()).unwrap().count(), 2);
}

#[test]
fn links_do_not_lead_into_git() {
    let place = place();
    let tree = &place.tree;
    for text in ["repository/config", "config", "repository", "odd"] {
        assert!(tree.kind(&path(text)).is_err() || tree.open_file(&path(text)).is_err());
        assert!(tree.open_file(&path(text)).is_err(), "{text}");
    }
    assert!(tree.write(&path("repository/hooks/x"), b"x").is_err());
    assert!(tree.write(&path("config"), b"x").is_err());
    assert_eq!(fs::read(place.tree.root().join(".git/config")).unwrap(), b"[core]");
    assert!(!place.tree.root().join(".git/hooks").exists());
}

#[test]
fn links_inside_are_followed_for_reading_only() {
    let place = place();
    let tree = &place.tree;
    assert_eq!(tree.read(&path("inside"), 10).unwrap(), b"a");
    assert_eq!(tree.read(&path("folder/a.js"), 10).unwrap(), b"a");
    tree.write(&path("folder/b.js"), b"b").unwrap();
    assert_eq!(tree.read(&path("src/b.js"), 10).unwrap(), b"b");
    let refused = tree.write(&path("inside"), b"x").unwrap_err();
    assert!(matches!(refused, WorktreeError::IsLink(_)), "{refused}");
    assert!(tree.write(&path("dangling"), b"x").is_err());
    assert!(tree.write(&path("dangling/x"), b"x").is_err());
}

#[test]
fn swapped_link_does_not_change_files_outside() {
    let place = place();
    let tree = &place.tree;
    let folder = tree.root().join("swap");
    fs::create_dir(&folder).unwrap();
    tree.write(&path("swap/a"), b"1").unwrap();
    fs::remove_dir_all(&folder).unwrap();
    symlink(place.outside.path(), &folder).unwrap();
    assert!(tree.write(&path("swap/a"), b"2").is_err());
    assert!(tree.open_file(&path("swap/secret")).is_err());
    fs::remove_file(&folder).unwrap();
    assert!(!place.outside.path().join("a").exists());
}

#[test]
fn link_swapped_while_writing_does_not_leak() {
    let place = place();
    let tree = &place.tree;
    let (folder, other) = (tree.root().join("race"), tree.root().join("race2"));
    fs::create_dir(&folder).unwrap();
    symlink(place.outside.path(), &other).unwrap();
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                let exchange = RenameFlags::EXCHANGE;
                let _ = renameat_with(CWD, &folder, CWD, &other, exchange);
            }
        });
        for _ in 0..300 {
            let _ = tree.write(&path("race/loot"), b"x");
            let _ = tree.open_file(&path("race/secret")).map(|_| panic!("it was read"));
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
    });
    assert!(!place.outside.path().join("loot").exists());
}

#[test]
fn file_swapped_for_a_link_is_not_followed() {
    let place = place();
    let tree = &place.tree;
    let (file, link) = (tree.root().join("src/now"), tree.root().join("src/later"));
    fs::write(&file, "ours").unwrap();
    symlink(place.outside.path().join("secret"), &link).unwrap();
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                let exchange = RenameFlags::EXCHANGE;
                let _ = renameat_with(CWD, &file, CWD, &link, exchange);
            }
        });
        for _ in 0..300 {
            let read = tree.read(&path("src/now"), 100).unwrap_or_default();
            assert!(read.is_empty() || read == b"ours");
            let _ = tree.write(&path("src/now"), b"ours");
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
    });
    let secret = fs::read(place.outside.path().join("secret")).unwrap();
    assert_eq!(secret, b"secret");
}

#[test]
fn links_do_not_lead_into_other_spellings_of_git() {
    let place = place();
    let tree = &place.tree;
    for (number, name) in [".GIT", ".git ", "．ｇｉｔ", ".g\u{200c}it"].iter().enumerate() {
        fs::create_dir(tree.root().join(name)).unwrap();
        fs::write(tree.root().join(name).join("config"), "[core]").unwrap();
        let link = format!("spelled-{number}");
        symlink(name, tree.root().join(&link)).unwrap();
        let below = path(&format!("{link}/config"));
        assert!(tree.open_file(&below).is_err(), "{name:?} is read");
        assert!(tree.write(&below, b"x").is_err(), "{name:?} is written");
        assert!(tree.write(&path(&format!("{link}/hooks/x")), b"x").is_err(), "{name:?}");
    }
}

#[test]
fn special_files_are_neither_read_nor_written() {
    let place = place();
    let tree = &place.tree;
    let pipe = tree.root().join("pipe");
    rustix::fs::mknodat(CWD, &pipe, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
    for text in ["pipe", "src"] {
        let read = tree.open_file(&path(text)).unwrap_err();
        assert!(matches!(read, WorktreeError::NotAFile(_)), "{text}: {read}");
        let written = tree.write(&path(text), b"x").unwrap_err();
        assert!(matches!(written, WorktreeError::NotAFile(_)), "{text}: {written}");
    }
    let below_file = tree.write(&path("src/a.js/b"), b"x").unwrap_err();
    assert!(matches!(below_file, WorktreeError::NotADirectory(_)), "{below_file}");
}

#[test]
fn temporary_files_of_a_crash_are_removed() {
    let place = place();
    let tree = &place.tree;
    let left = tree.root().join("src").join(temporary_name(&path("src/a.js")));
    symlink("../../secret", &left).unwrap();
    tree.write(&path("src/a.js"), b"new").unwrap();
    assert!(!left.is_symlink());
    assert_eq!(fs::read(place.outside.path().join("secret")).unwrap(), b"secret");
}

#[test]
fn oversized_file_is_not_read() {
    let place = place();
    let error = place.tree.read(&path("src/a.js"), 0).unwrap_err();
    assert!(matches!(error, WorktreeError::TooLarge { bytes: 1, cap: 0, .. }), "{error}");
    assert!(place.tree.read_if_there(&path("none"), 1).unwrap().is_none());
}

#[test]
fn rule_applies_to_what_a_link_leads_to() {
    let place = place();
    let free = |place: &WorkPath| !matches!(place.as_str(), "src/a.js" | "src/new.js");
    let tree = place.tree.with_rule(Arc::new(free));
    for link in ["inside", "folder/a.js"] {
        let refused = tree.read(&path(link), 10);
        assert!(matches!(refused, Err(WorktreeError::Forbidden { .. })), "{link}: {refused:?}");
        assert!(tree.kind(&path(link)).is_err(), "{link}");
    }
    for change in [
        tree.write(&path("folder/new.js"), b"x"),
        tree.write(&path("folder/a.js"), b"x"),
        tree.remove(&path("folder/a.js")),
        tree.rename(&path("folder/a.js"), &path("b.js")),
        tree.rename(&path("inside"), &path("folder/new.js")),
    ] {
        assert!(matches!(change, Err(WorktreeError::Forbidden { .. })), "{change:?}");
    }
    assert_eq!(
        tree.read(&path("src/a.js"), 10).unwrap(),
        b"a",
        "the path itself was judged before"
    );
    tree.write(&path("folder/other.js"), b"x").unwrap();
    assert_eq!(tree.read(&path("src/other.js"), 10).unwrap(), b"x");
}
