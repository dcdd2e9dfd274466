//! JavaScript and TypeScript: the scripts of `package.json`, by the package manager of its lock file.

use serde_json::Value;

use super::folder::{Draft, Folder, Kind};

const MANIFEST: &str = "package.json";
/// What scripts for types are called, the usual one first.
const TYPES: [&str; 4] = ["typecheck", "type-check", "check-types", "types"];
/// Test runners that watch for changes unless they run in CI.
const WATCHERS: [&str; 3] = ["vitest", "react-scripts test", "ng test"];

/// What carries out scripts and installs packages.
#[derive(Clone, Copy)]
struct Manager {
    name: &'static str,
    lock: Option<&'static str>,
    install: &'static str,
    /// Runs a program that a package brings.
    exec: &'static str,
}

/// Gates run at the same time and share `node_modules`: the lock of `flock` lets one of them install
/// and the others wait. `npm ci` removes what is there first, so it runs only where that is too old.
const MANAGERS: [Manager; 4] = [
    Manager {
        name: "pnpm",
        lock: Some("pnpm-lock.yaml"),
        install: "flock package.json pnpm install --frozen-lockfile",
        exec: "pnpm exec",
    },
    Manager {
        name: "yarn",
        lock: Some("yarn.lock"),
        install: "flock package.json yarn install --frozen-lockfile",
        exec: "yarn",
    },
    Manager {
        name: "npm",
        lock: Some("package-lock.json"),
        install: "flock package.json sh -c 'test node_modules/.package-lock.json -nt \
            package-lock.json || npm ci --no-audit --no-fund'",
        exec: "npx --no-install",
    },
    Manager {
        name: "npm",
        lock: None,
        install: "flock package.json npm install --no-audit --no-fund --no-package-lock",
        exec: "npx --no-install",
    },
];

/// Tests, types and lints, each where there is a script for it; types also by `tsconfig.json`.
pub fn drafts(folder: &Folder<'_>) -> Vec<Draft> {
    let Ok(manifest) = serde_json::from_str::<Value>(&folder.text(MANIFEST)) else {
        return Vec::new();
    };
    let manager = manager(folder, &manifest);
    let before = preparation(folder, &manifest, manager);
    let path = folder.path(MANIFEST);
    let by = manager
        .lock
        .map_or(String::new(), |lock| format!("; {} says {}", folder.path(lock), manager.name));
    let draft = |kind, line: String, required, what: String| Draft {
        kind,
        command: format!("{before}{line}"),
        required,
        network: !before.is_empty(),
        reason: format!("{what}{by}"),
    };
    let script = |name: &str| manifest["scripts"][name].as_str().unwrap_or_default().trim();
    let run = |name: &str| format!("{} run {name}", manager.name);
    let has = |name: &str| format!("{path} has a script {name}");

    let mut drafts = Vec::new();
    let test = script("test");
    if !test.is_empty() && !test.contains("no test specified") {
        let alone = if WATCHERS.iter().any(|name| test.contains(name)) { "CI=true " } else { "" };
        let line = format!("{alone}{} test", manager.name);
        drafts.push(draft(Kind::Test, line, true, has("test")));
    } else if manager.name != "yarn" && has_workspaces(folder, &manifest) {
        let line = match manager.name {
            "pnpm" => "pnpm -r --if-present test",
            _ => "npm test --workspaces --if-present",
        };
        drafts.push(draft(Kind::Test, line.to_owned(), true, format!("{path} has workspaces")));
    }
    if let Some(name) = TYPES.into_iter().find(|name| !script(name).is_empty()) {
        drafts.push(draft(Kind::Types, run(name), true, has(name)));
    } else if folder.has("tsconfig.json") && depends_on(&manifest, "typescript") {
        let line = format!("{} tsc --noEmit", manager.exec);
        let what = format!("{} is there, and typescript in {path}", folder.path("tsconfig.json"));
        drafts.push(draft(Kind::Types, line, false, what));
    }
    if !script("lint").is_empty() {
        drafts.push(draft(Kind::Lint, run("lint"), false, has("lint")));
    }
    drafts
}

/// Workspaces at the root hold the packages below.
pub fn takes_in_below(folder: &Folder<'_>) -> bool {
    let manifest = serde_json::from_str(&folder.text(MANIFEST)).unwrap_or(Value::Null);
    has_workspaces(folder, &manifest)
}

fn has_workspaces(folder: &Folder<'_>, manifest: &Value) -> bool {
    folder.has("pnpm-workspace.yaml") || !manifest["workspaces"].is_null()
}

/// By the lock file, else by what `packageManager` says, else npm.
fn manager(folder: &Folder<'_>, manifest: &Value) -> Manager {
    let said = manifest["packageManager"].as_str().unwrap_or_default();
    let locked = |manager: &&Manager| manager.lock.is_some_and(|lock| folder.has(lock));
    let found = MANAGERS.iter().find(locked).copied();
    let named = MANAGERS.iter().find(|manager| said.starts_with(manager.name));
    let named = named.map(|manager| Manager { lock: None, ..*manager });
    let unlocked = MANAGERS[MANAGERS.len() - 1];
    let manager = found.or(named.filter(|manager| manager.name != "npm")).unwrap_or(unlocked);
    let modern =
        folder.has(".yarnrc.yml") || (said.starts_with("yarn@") && !said.starts_with("yarn@1"));
    match manager.name {
        "yarn" if modern => {
            Manager { install: "flock package.json yarn install --immutable", ..manager }
        }
        _ => manager,
    }
}

/// Installs what the scripts need. Not where git would take `node_modules` for the agents' work.
fn preparation(folder: &Folder<'_>, manifest: &Value, manager: Manager) -> String {
    let needs = ["dependencies", "devDependencies", "optionalDependencies"];
    let needs =
        needs.iter().any(|kind| manifest[kind].as_object().is_some_and(|all| !all.is_empty()));
    let installs = (needs || has_workspaces(folder, manifest)) && folder.ignores("node_modules");
    if installs { format!("{} && ", manager.install) } else { String::new() }
}

fn depends_on(manifest: &Value, package: &str) -> bool {
    let kinds = ["dependencies", "devDependencies"];
    kinds.iter().any(|kind| !manifest[kind][package].is_null())
}
