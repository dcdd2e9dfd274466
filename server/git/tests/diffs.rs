//! Lists of changed files, hunks and words.

use std::fs;

use git::{
    DiffTarget, FileDiff, FileStatus, GitError, LineKind, MAX_LINES, diff_file,
    diff_file_ignoring_whitespace, diff_files,
};

use crate::project::{Project, name, request, write};

fn shown(diff: &FileDiff) -> String {
    let mut text = String::new();
    for line in diff.hunks.iter().flat_map(|hunk| &hunk.lines) {
        text.push(match line.kind {
            LineKind::Context => ' ',
            LineKind::Insert => '+',
            LineKind::Delete => '-',
        });
        for span in &line.spans {
            match span.changed {
                true => text.push_str(&format!("[{}]", span.text)),
                false => text.push_str(&span.text),
            }
        }
        text.push('\n');
    }
    text
}

#[test]
fn changes_are_listed_equally_before_and_after_the_commit() {
    let project = Project::new();
    let (branch, worktree) = project.build();
    write(&worktree, "src/app.js", "export const answer = 42;\n");
    write(&worktree, "src/new.js", "a\nb\n");
    write(&worktree, "logo.png", "\u{89}PNG\0\0");
    write(&worktree, "skipped.log", "ignored");
    write(&worktree, "Forge/notes.md", "private");
    fs::remove_file(worktree.path().join("README.md")).unwrap();
    fs::rename(worktree.path().join("run.sh"), worktree.path().join("start.sh")).unwrap();

    let live = branch.changed_files(&worktree, project.first).unwrap();
    let seen: Vec<_> = live
        .iter()
        .map(|f| (f.path.as_str(), f.status, f.insertions, f.deletions, f.binary))
        .collect();
    use FileStatus::{Added, Deleted, Modified, Renamed};
    assert_eq!(
        seen,
        [
            ("README.md", Deleted, 0, 1, false),
            ("logo.png", Added, 0, 0, true),
            ("src/app.js", Modified, 1, 1, false),
            ("src/new.js", Added, 2, 0, false),
            ("start.sh", Renamed, 0, 0, false),
        ]
    );
    assert_eq!(live[4].old_path.as_deref(), Some("run.sh"));
    let commit = branch.commit(&worktree, &request("all")).unwrap().unwrap();
    let after = diff_files(&project.clone, project.first, DiffTarget::Commit(commit.sha)).unwrap();
    assert_eq!((after.files, after.truncated), (live, false));
    assert_eq!(branch.changed_files(&worktree, commit.sha).unwrap(), []);
}

#[test]
fn changed_words_are_marked() {
    let project = Project::new();
    let (branch, worktree) = project.build();
    write(&worktree, "f.txt", "one\ntwo\nlet total = price + tax;\nfour\nold prose entirely\n");
    let base = branch.commit(&worktree, &request("f")).unwrap().unwrap().sha;
    write(&worktree, "f.txt", "one\ntwo\nlet total = price * tax;\nfour\n9 8 7 6 5\nlast");
    let diff =
        diff_file(&project.clone, base, DiffTarget::Worktree(&worktree), &"f.txt".parse().unwrap())
            .unwrap();
    assert_eq!(
        shown(&diff),
        " one\n two\n-let total = price [+] tax;\n+let total = price [*] tax;\n four\n\
         -old prose entirely\n+9 8 7 6 5\n+last\n"
    );
    let hunk = &diff.hunks[0];
    assert_eq!((hunk.old_start, hunk.new_start), (1, 1));
    assert_eq!(hunk.header, "@@ -1,5 +1,6 @@");
    let numbers: Vec<_> = hunk.lines.iter().map(|line| (line.old_line, line.new_line)).collect();
    assert_eq!(numbers[2..4], [(Some(3), None), (None, Some(3))]);
}

#[test]
fn large_long_and_binary_files_are_truncated_and_flagged() {
    let project = Project::new();
    let (_, worktree) = project.build();
    let lines = |n: usize| (0..n).map(|i| format!("{i}\n")).collect::<String>();
    write(&worktree, "long.txt", &lines(MAX_LINES + 1));
    write(&worktree, "exact.txt", &lines(MAX_LINES));
    write(&worktree, "wide.txt", &"é".repeat(5_000));
    write(&worktree, "huge.txt", &"x\n".repeat(3_000_000));
    write(&worktree, "zero.bin", "\0\0");
    let read = |path: &str| {
        let to = DiffTarget::Worktree(&worktree);
        let diff = diff_file(&project.clone, project.first, to, &path.parse().unwrap()).unwrap();
        let lines: usize = diff.hunks.iter().map(|hunk| hunk.lines.len()).sum();
        (lines, diff.truncated, diff.binary)
    };
    assert_eq!(read("long.txt"), (MAX_LINES, true, false));
    assert_eq!(read("exact.txt"), (MAX_LINES, false, false));
    assert_eq!(read("wide.txt"), (1, true, false));
    assert_eq!(read("huge.txt"), (0, false, true));
    assert_eq!(read("zero.bin"), (0, false, true));
}

#[test]
fn attributes_do_not_hide_changes() {
    let project = Project::new();
    let (_, worktree) = project.build();
    write(&worktree, ".gitattributes", "* binary -diff\n*.js text eol=crlf ident\n");
    write(&worktree, "src/app.js", "export const answer = 42; // $Id$\n");
    let to = DiffTarget::Worktree(&worktree);
    let diff =
        diff_file(&project.clone, project.first, to, &"src/app.js".parse().unwrap()).unwrap();
    assert_eq!(
        shown(&diff),
        "-export const answer = [41];\n+export const answer = [42];[ // $Id$]\n"
    );
    assert!(!diff.binary);
}

#[test]
fn whitespace_can_be_ignored() {
    let project = Project::new();
    let (_, worktree) = project.build();
    write(&worktree, "src/app.js", "  export const answer  = 41;\n");
    let (to, path) = (DiffTarget::Worktree(&worktree), "src/app.js".parse().unwrap());
    let compared = diff_file(&project.clone, project.first, to, &path).unwrap();
    let ignored = diff_file_ignoring_whitespace(&project.clone, project.first, to, &path).unwrap();
    assert_eq!((compared.hunks.len(), ignored.hunks.len()), (1, 0));
}

#[test]
fn unchanged_file_has_no_diff() {
    let project = Project::new();
    let (_, worktree) = project.build();
    let to = DiffTarget::Worktree(&worktree);
    let error =
        diff_file(&project.clone, project.first, to, &"README.md".parse().unwrap()).unwrap_err();
    assert!(matches!(error, GitError::NoSuchFile(_)), "{error}");
    assert_eq!(worktree.branch(), &name());
}

#[test]
fn large_changes_are_listed_without_being_read() {
    let project = Project::new();
    let (branch, worktree) = project.build();
    let megabyte = "x\n".repeat(512 * 1024);
    for n in 0..70 {
        write(&worktree, &format!("data/{n:02}.txt"), &megabyte);
    }
    write(&worktree, "data/huge.txt", &megabyte.repeat(5));
    let to = DiffTarget::Worktree(&worktree);
    let changed = diff_files(&project.clone, project.first, to).unwrap();
    assert!(changed.truncated);
    assert_eq!(changed.files.len(), 71);
    let unread = changed.files.iter().filter(|file| file.binary).count();
    assert!((7..71).contains(&unread), "{unread} of 71 were not read");
    assert!(changed.files.iter().all(|file| file.status == FileStatus::Added));
    // The content of the requested file is shown anyway.
    let diff = diff_file(&project.clone, project.first, to, &"data/69.txt".parse().unwrap());
    let diff = diff.unwrap();
    assert_eq!((diff.binary, diff.truncated, diff.hunks.len()), (false, true, 1));
    // The list for gates is complete.
    assert_eq!(branch.changed_files(&worktree, project.first).unwrap().len(), 71);
    assert!(worktree.write_candidate().unwrap().uncommittable.is_empty());
}

#[test]
fn ignored_and_private_files_of_a_worktree_are_not_shown() {
    let project = Project::new();
    let (_, worktree) = project.build();
    write(&worktree, ".env.log", "secret");
    write(&worktree, "node_modules/x/y.png", "secret");
    write(&worktree, "Forge/notes.png", "secret");
    write(&worktree, "logo.png", "shown");
    let read = |path: &str| {
        let side = DiffTarget::Worktree(&worktree);
        git::read_side(&project.clone, side, &path.parse().unwrap(), 3)
    };
    for path in [".env.log", "node_modules/x/y.png", "Forge/notes.png", "src", "none"] {
        let error = read(path).unwrap_err();
        assert!(matches!(error, GitError::NoSuchFile(_)), "{path}: {error}");
    }
    let shown = read("logo.png").unwrap();
    assert_eq!((shown.bytes.as_slice(), shown.size, shown.truncated), (&b"sho"[..], 5, true));
    assert_eq!(read("src/app.js").unwrap().bytes, b"exp");
}
