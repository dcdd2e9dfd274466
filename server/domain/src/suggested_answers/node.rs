//! JavaScript and TypeScript: `package.json`.

use serde_json::Value;

use super::{
    catalog::is_known,
    file::RepositoryFile,
    json_keys::line_of_key,
    manifest::{Dependency, Ecosystem, Located, Manifest, with_version},
};

/// Lock files at the root, with the package manager that writes them.
const LOCK_FILES: [(&str, &str); 4] = [
    ("pnpm-lock.yaml", "pnpm"),
    ("yarn.lock", "yarn"),
    ("bun.lock", "bun run"),
    ("bun.lockb", "bun run"),
];
const DEPENDENCIES: [&str; 2] = ["dependencies", "devDependencies"];
/// Keys that most manifests have.
const COMMON_KEYS: [&str; 5] = ["type", "main", "dependencies", "scripts", "name"];

/// `paths` are those of all files, for the lock file.
pub fn manifest(file: &RepositoryFile, paths: &[String]) -> Option<Manifest> {
    let json: Value = serde_json::from_str(&file.text).ok()?;
    json.as_object()?;
    let line = |keys: &[&str]| line_of_key(&file.text, keys);
    let mut dependencies = Vec::new();
    for group in DEPENDENCIES {
        let entries = json[group].as_object().into_iter().flatten();
        let entries =
            entries.filter(|(name, _)| *name == "typescript" || is_known(Ecosystem::Npm, name));
        dependencies.extend(entries.filter_map(|(name, requirement)| {
            let requirement = requirement.as_str()?.to_owned();
            Some(Dependency { name: name.clone(), requirement, line: line(&[group, name])? })
        }));
    }
    let typescript = dependencies.iter().find(|dependency| dependency.name == "typescript");
    let (language, at) = match typescript {
        Some(found) => ("TypeScript", found.line),
        None => ("JavaScript", COMMON_KEYS.iter().find_map(|key| line(&[*key])).unwrap_or(1)),
    };
    let mut manifest = Manifest::new(Ecosystem::Npm, language, at);
    manifest.dependencies = dependencies;
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let located = |text: String, keys: &[&str]| line(keys).map(|line| Located::new(text, line));
    manifest.description = text(&json["description"]).and_then(|it| located(it, &["description"]));
    manifest.runtime = text(&json["engines"]["node"])
        .and_then(|it| located(with_version("Node.js", &it), &["engines", "node"]));
    manifest.test_command = text(&json["scripts"]["test"])
        .filter(|script| !script.trim().is_empty() && !script.contains("no test specified"))
        .and_then(|_| located(format!("{} test", manager(paths)), &["scripts", "test"]));
    Some(manifest)
}

fn manager(paths: &[String]) -> &'static str {
    let has = |file: &str| paths.iter().any(|path| path == file);
    LOCK_FILES.into_iter().find(|(file, _)| has(file)).map_or("npm", |(_, manager)| manager)
}
