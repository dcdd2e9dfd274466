//! Files that agents write to must be accessed through `rootdir`, which does not follow links.

use crate::{Tree, Violation, files::Files, source::Source, token::Token};

pub(super) const NAME: &str = "worktrees";

/// Modules that access worktrees.
const HANDLERS: [&str; 4] = [
    "server/git/src/",
    "server/forgeguard/src/tools.rs",
    "server/forgeguard/src/tools/",
    "server/forgeguard/src/engine/gates",
];
/// Modules that access only repositories and temporary files, which agents cannot write to.
const EXEMPT: [&str; 12] = [
    "server/git/src/bundle",
    "server/git/src/clone.rs",
    "server/git/src/guard.rs",
    "server/git/src/hosted.rs",
    "server/git/src/http",
    "server/git/src/linked_objects.rs",
    "server/git/src/push",
    "server/git/src/record.rs",
    "server/git/src/remote/",
    "server/git/src/repack.rs",
    "server/git/src/repository.rs",
    "server/git/src/submodules.rs",
];
/// Types of `std::fs` that `rootdir` returns.
const TYPES: [&str; 3] = ["File", "Metadata", "Permissions"];
const OPENS: [&str; 4] = ["open", "create", "create_new", "options"];
/// Methods of paths that follow links.
const PATH_METHODS: [&str; 5] = ["exists", "is_dir", "is_file", "read_link", "symlink_metadata"];
/// Functions of libgit2 that access a work directory.
const LIBGIT2: [&str; 17] = [
    "CheckoutBuilder",
    "add_all",
    "add_path",
    "blob_path",
    "checkout_head",
    "checkout_index",
    "checkout_tree",
    "diff_index_to_workdir",
    "diff_tree_to_workdir",
    "diff_tree_to_workdir_with_index",
    "is_path_ignored",
    "set_workdir",
    "status_file",
    "status_should_ignore",
    "statuses",
    "update_all",
    "workdir",
];

pub(super) fn check(tree: &Tree) -> Vec<Violation> {
    let files = Files::read(tree);
    let handles = |path: &str| HANDLERS.iter().any(|start| path.starts_with(start));
    let mut found = Vec::new();
    for (path, source) in files.sources.iter().filter(|(path, _)| handles(path)) {
        if files.tests.contains(path) {
            continue;
        }
        let is_bare = EXEMPT.iter().any(|start| path.starts_with(start));
        if !is_bare {
            let what = "access worktrees through `rootdir`, which does not follow links";
            found.extend(direct(source).map(|line| Violation::at(path, line, NAME, what)));
        }
        let what = "libgit2 follows links in a work directory: use `rootdir`";
        let calls = source.shipped.iter().filter(|token| LIBGIT2.contains(&token.text));
        found.extend(calls.map(|token| Violation::at(path, token.line, NAME, what)));
    }
    found
}

/// Lines that access files by path.
fn direct<'a>(source: &'a Source<'_>) -> impl Iterator<Item = usize> + 'a {
    let imports = source.imports.iter().filter(|import| is_direct(&import.path));
    let tokens = &source.shipped;
    let paths = (0..tokens.len()).filter(|at| is_direct(&path_at(&tokens[*at..])));
    let paths = paths.map(|at| tokens[at].line);
    let opens = source.shipped.windows(4).filter(|w| {
        w[0].text == "File" && w[1].text == ":" && w[2].text == ":" && OPENS.contains(&w[3].text)
    });
    let methods = source.shipped.windows(4).filter(|w| {
        w[0].text == "."
            && PATH_METHODS.contains(&w[1].text)
            && w[2].text == "("
            && w[3].text == ")"
    });
    imports
        .map(|import| import.line)
        .chain(paths)
        .chain(opens.chain(methods).map(|window| window[0].line))
}

/// The path at the start of the tokens.
fn path_at<'a>(tokens: &[Token<'a>]) -> Vec<&'a str> {
    let is_joined =
        |pair: &&[Token<'_>]| pair.len() == 3 && pair[1].text == ":" && pair[2].text == ":";
    let joined = tokens.chunks(3).take_while(is_joined).count();
    tokens.iter().step_by(3).take(joined + 1).map(|token| token.text).collect()
}

fn is_direct(path: &[&str]) -> bool {
    match path {
        ["std" | "tokio", "fs"] => true,
        ["std" | "tokio", "fs", item, ..] => !TYPES.contains(item),
        ["std", "os", "unix", "fs", "symlink", ..] => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        let root = "//! A.\nmod staging;\nmod guard;\n";
        let found = check(&Tree::of(&[("server/git/src/lib.rs", root), (path, text)]));
        let mut lines: Vec<usize> = found.iter().map(|violation| violation.line).collect();
        lines.sort_unstable();
        lines.dedup();
        lines
    }

    #[test]
    fn access_by_path_is_reported_in_worktree_modules() {
        let text = "//! A.\nuse std::{fs, io};\nuse std::fs::{self, File};\nfn a(p: &Path) {\n\
            tokio::fs::read(p);\nFile::open(p);\np.exists();\nstd::fs::remove_dir_all(p);\n\
            p.is_file();\nstd::os::unix::fs::symlink(p, p);\n}\n\
            #[cfg(test)] mod tests { use std::fs; }";
        let expected = [2, 3, 5, 6, 7, 8, 9, 10];
        assert_eq!(lines("server/git/src/staging.rs", text), expected);
        assert_eq!(lines("server/forgeguard/src/tools/walk.rs", text), expected);
        assert_eq!(lines("server/forgeguard/src/engine/gates/scope.rs", text), expected);
        assert_eq!(lines("server/git/src/guard.rs", text), [0; 0]);
        assert_eq!(lines("server/forgeguard/src/config/settings.rs", text), [0; 0]);
    }

    #[test]
    fn libgit2_on_a_work_directory_is_reported_everywhere() {
        let text = "//! A.\nuse std::fs::File;\nfn a() {\nrepository.checkout_tree(t, None);\n\
            repository.set_workdir(p, false);\n}\n";
        for path in ["server/git/src/staging.rs", "server/git/src/guard.rs"] {
            assert_eq!(lines(path, text), [4, 5], "{path}");
        }
    }
}
