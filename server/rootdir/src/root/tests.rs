//! Access beneath a root with planted links.

use std::{fs, os::unix::fs::symlink};

use rustix::fs::FileType;

use super::*;

/// A root with planted links, and a directory outside that must not change.
struct Planted {
    _top: tempfile::TempDir,
    outside: PathBuf,
    root: RootDir,
    path: PathBuf,
}

fn planted() -> Planted {
    let top = tempfile::tempdir().unwrap();
    let (outside, path) = (top.path().join("outside"), top.path().join("tree"));
    fs::create_dir_all(outside.join("deep")).unwrap();
    fs::write(outside.join("secret"), "kept").unwrap();
    fs::create_dir_all(path.join("plain/deep")).unwrap();
    fs::write(path.join("plain/file"), "inside").unwrap();
    symlink(&outside, path.join("absolute")).unwrap();
    symlink("../outside", path.join("relative")).unwrap();
    symlink("../outside/secret", path.join("to-file")).unwrap();
    symlink("plain", path.join("within")).unwrap();
    let root = RootDir::open(&path).unwrap();
    Planted { _top: top, outside, root, path }
}

#[test]
fn writes_through_links_are_rejected() {
    let planted = planted();
    for path in ["absolute/secret", "relative/secret", "relative/new", "within/file"] {
        assert!(planted.root.write(path, b"evil", 0o644).is_err(), "{path}");
        assert!(planted.root.remove_file(path).is_err(), "{path}");
        assert!(planted.root.symlink(OsStr::new("x"), path).is_err(), "{path}");
        assert!(planted.root.read(path, 100).is_err(), "{path}");
    }
    assert!(planted.root.create_dir_all("absolute/made").is_err());
    assert!(planted.root.remove_dir("absolute/deep").is_err());
    assert!(planted.root.rename("plain/file", &planted.root, "absolute/moved").is_err());
    assert!(planted.root.rename("absolute/secret", &planted.root, "stolen").is_err());
    assert_eq!(fs::read_to_string(planted.outside.join("secret")).unwrap(), "kept");
    assert_eq!(fs::read_dir(&planted.outside).unwrap().count(), 2);
    assert_eq!(fs::read_to_string(planted.path.join("plain/file")).unwrap(), "inside");
}

#[test]
fn existing_link_is_replaced() {
    let planted = planted();
    planted.root.write("to-file", b"new", 0o600).unwrap();
    assert_eq!(fs::read_to_string(planted.path.join("to-file")).unwrap(), "new");
    assert_eq!(fs::read_to_string(planted.outside.join("secret")).unwrap(), "kept");
}

#[test]
fn paths_outside_the_root_are_invalid() {
    let Planted { root, _top, .. } = planted();
    for path in ["/etc/passwd", "..", "../outside/secret", "plain/../../outside"] {
        let error = root.read(path, 100).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput, "{path}");
    }
}

#[test]
fn links_within_the_root_are_followed_on_request() {
    let Planted { root, _top, .. } = planted();
    let open = |path, links| root.open_with(path, READ, links);
    assert!(open("within/file", Links::WithinRoot).is_ok());
    assert!(open("within/file", Links::Refused).is_err());
    assert!(open("absolute/secret", Links::WithinRoot).is_err());
    assert!(open("to-file", Links::WithinRoot).is_err());
}

#[test]
fn kinds_of_entries_are_detected_without_blocking() {
    let planted = planted();
    let pipe = planted.path.join("pipe");
    rustix::fs::mknodat(CWD, &pipe, FileType::Fifo, Mode::from_raw_mode(0o644), 0).unwrap();
    let entry = |path| planted.root.entry(path).unwrap();
    assert!(matches!(entry("pipe"), Entry::Other));
    assert!(matches!(entry("plain"), Entry::Directory(_)));
    assert!(matches!(entry("plain/file"), Entry::File(..)));
    assert!(matches!(entry("absolute"), Entry::Link(target, _) if target == planted.outside));
    for path in ["nothing", "absolute/secret", "plain/file/below"] {
        assert!(matches!(entry(path), Entry::Missing), "{path}");
    }
    assert!(planted.root.read("pipe", 10).is_err());
}

#[test]
fn directories_are_listed_without_following_links() {
    let planted = planted();
    let mut listed: Vec<_> = planted.root.list("").unwrap().map(|entry| entry.unwrap().0).collect();
    listed.sort();
    assert_eq!(listed, ["absolute", "plain", "relative", "to-file", "within"]);
    let mut kinds: Vec<_> =
        planted.root.read_dir("plain").unwrap().into_iter().map(|e| e.kind).collect();
    kinds.sort_by_key(|kind| *kind == FileKind::Directory);
    assert_eq!(kinds, [FileKind::File, FileKind::Directory]);
    assert!(planted.root.list("absolute").is_err() && planted.root.list("within").is_err());
}

#[test]
fn files_are_written_atomically_with_their_parents() {
    let planted = planted();
    let stat = planted.root.write_with("a/b/c", 0o755, |file| file.write_all(b"1234")).unwrap();
    assert_eq!((stat.st_size, stat.st_mode & 0o777), (4, 0o755));
    assert_eq!(planted.root.read("a/b/c", 4).unwrap(), b"1234");
    assert_eq!(planted.root.read("a/b/c", 3).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
    let failed = planted.root.write_with("a/b/c", 0o644, |_| Err(io::Error::other("cut")));
    assert!(failed.is_err());
    assert_eq!(planted.root.read("a/b/c", 4).unwrap(), b"1234");
    assert_eq!(planted.root.read_dir("a/b").unwrap().len(), 1);
    assert!(planted.root.write("plain", b"x", 0o644).is_err());
}
