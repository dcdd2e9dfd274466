//! Allowed dependencies between crates: leaf crates wrap one external concern each and do not
//! depend on each other.

use crate::{
    Tree, Violation,
    manifest::{self, Dependency},
    source::Source,
    token::Token,
};

pub(super) const NAME: &str = "crates";

/// A crate in `server/`, the workspace crates that it may use, and the external ones that it must
/// not.
struct Allowed {
    name: &'static str,
    workspace: &'static [&'static str],
    never: &'static [&'static str],
}

const CRATES: [Allowed; 9] = [
    Allowed {
        name: "archive",
        workspace: &[],
        never: &["axum", "git2", "reqwest", "sqlx", "tokio", "tower-http"],
    },
    Allowed {
        name: "domain",
        workspace: &[],
        never: &[
            "async-trait",
            "axum",
            "futures",
            "git2",
            "rand",
            "reqwest",
            "rustix",
            "sqlx",
            "tempfile",
            "tokio",
            "tokio-util",
            "tower",
            "tracing",
        ],
    },
    Allowed {
        name: "rootdir",
        workspace: &[],
        never: &["axum", "git2", "reqwest", "sqlx", "tokio", "tower-http"],
    },
    Allowed {
        name: "git",
        workspace: &["rootdir"],
        never: &["axum", "reqwest", "sqlx", "tower-http"],
    },
    Allowed { name: "forge", workspace: &[], never: &["axum", "git2", "sqlx", "tower-http"] },
    Allowed { name: "sso", workspace: &[], never: &["axum", "git2", "sqlx", "tower-http"] },
    Allowed { name: "llm", workspace: &[], never: &["axum", "git2", "sqlx", "tower-http"] },
    Allowed {
        name: "sandbox",
        workspace: &["rootdir"],
        never: &["axum", "git2", "reqwest", "sqlx", "tower-http"],
    },
    Allowed {
        name: "forgeguard",
        workspace: &["archive", "domain", "forge", "git", "llm", "rootdir", "sandbox", "sso"],
        never: &[],
    },
];

/// Sources of side effects, which the pure crate must not use: ids and times are arguments.
const IMPURE: [&[&str]; 8] = [
    &["std", "fs"],
    &["std", "net"],
    &["std", "process"],
    &["std", "env"],
    &["std", "thread"],
    &["Utc", "now"],
    &["SystemTime", "now"],
    &["Uuid", "now_v7"],
];

pub(super) fn check(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    for (path, text) in tree.under("server/", &["/Cargo.toml"]) {
        let name = path.split('/').nth(1).unwrap_or_default();
        match CRATES.iter().find(|allowed| allowed.name == name) {
            Some(allowed) => found.extend(forbidden(allowed, path, text)),
            None => found.push(Violation::at(
                path,
                1,
                NAME,
                "a new crate: give it its line here in tests/tidy and in ARCHITECTURE.md",
            )),
        }
    }
    for (path, text) in tree.under("server/domain/src/", &[".rs"]) {
        let shipped = Source::read(text).shipped;
        for way in IMPURE {
            for line in uses(&shipped, way) {
                let what = format!("`domain` is pure and must not use `{}`", way.join("::"));
                found.push(Violation::at(path, line, NAME, what));
            }
        }
    }
    found
}

fn forbidden(allowed: &Allowed, path: &str, text: &str) -> Vec<Violation> {
    let is_ours = |dependency: &Dependency| {
        CRATES.iter().any(|other| other.name == dependency.name) && !dependency.is_for_tests
    };
    let mut found = Vec::new();
    for dependency in manifest::member(text) {
        let name = dependency.name.as_str();
        let unknown_crate = is_ours(&dependency) && !allowed.workspace.contains(&name);
        if unknown_crate || (allowed.never.contains(&name) && !dependency.is_for_tests) {
            let what = format!("`{}` must not depend on `{name}`", allowed.name);
            found.push(Violation::at(path, dependency.line, NAME, what));
        }
    }
    found
}

/// Lines that contain this path.
fn uses(tokens: &[Token<'_>], way: &[&str]) -> Vec<usize> {
    let hit = |w: &&[Token<'_>]| {
        w[0].text == way[0] && w[1].text == ":" && w[2].text == ":" && w[3].text == way[1]
    };
    tokens.windows(4).filter(hit).map(|window| window[0].line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaf_crates_that_depend_on_each_other_or_http_are_reported() {
        let found = check(&Tree::of(&[
            ("server/git/Cargo.toml", "[dependencies]\ndomain.workspace = true\ngit2 = \"1\"\n"),
            (
                "server/llm/Cargo.toml",
                "[dependencies]\naxum = \"1\"\n[dev-dependencies]\nsqlx = \"1\"\n",
            ),
            ("server/forgeguard/Cargo.toml", "[dependencies]\ngit.workspace = true\n"),
            ("server/extra/Cargo.toml", "[dependencies]\n"),
        ]));
        let places: Vec<_> = found.iter().map(|v| (v.file.as_str(), v.line)).collect();
        let expected = [
            ("server/extra/Cargo.toml", 1),
            ("server/git/Cargo.toml", 2),
            ("server/llm/Cargo.toml", 2),
        ];
        assert_eq!(places, expected);
    }

    #[test]
    fn clocks_and_files_in_domain_are_reported_outside_tests() {
        let text = "//! A.\nuse std::fs;\nfn a() { chrono::Utc::now(); }\n\
            #[cfg(test)] mod tests { use std::fs; }";
        let found = check(&Tree::of(&[("server/domain/src/a.rs", text)]));
        assert_eq!(found.iter().map(|v| v.line).collect::<Vec<_>>(), [2, 3]);
    }
}
