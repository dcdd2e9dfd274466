//! Directories of toolchains that commands in the sandbox may use, found through PATH.

use std::path::{Path, PathBuf};

use sandbox::Toolchains;

use super::values::SYSTEM_DIRECTORIES;

/// Programs whose directories are included.
const PROGRAMS: [&str; 8] = ["node", "npm", "python3", "go", "cargo", "java", "mvn", "uv"];

/// A version manager, whose programs in PATH start those in its root.
struct VersionManager {
    /// The name of its root.
    root: &'static str,
    /// What of its root is readable; empty for all of it.
    part: &'static str,
    /// Tells its programs where the root is, as the sandbox has its own home directory.
    variable: Option<&'static str>,
}

const fn manager(
    root: &'static str,
    part: &'static str,
    variable: Option<&'static str>,
) -> VersionManager {
    VersionManager { root, part, variable }
}

const MANAGERS: [VersionManager; 9] = [
    manager(".pyenv", "", Some("PYENV_ROOT")),
    manager(".nvm", "", Some("NVM_DIR")),
    manager("fnm", "", Some("FNM_DIR")),
    manager(".fnm", "", Some("FNM_DIR")),
    manager(".asdf", "", Some("ASDF_DATA_DIR")),
    manager("mise", "", Some("MISE_DATA_DIR")),
    manager(".volta", "", Some("VOLTA_HOME")),
    manager(".sdkman", "", Some("SDKMAN_DIR")),
    // The rest of its root contains credentials.
    manager("uv", "python", None),
];

/// The toolchains in these directories, except in the system's own.
pub fn find(search_path: &[PathBuf]) -> Toolchains {
    let mut found = Toolchains::default();
    let is_system = |folder: &&PathBuf| {
        SYSTEM_DIRECTORIES.iter().any(|system| folder.as_path() == Path::new(system))
    };
    for folder in search_path.iter().filter(|folder| !is_system(folder)) {
        let programs = PROGRAMS.map(|name| folder.join(name));
        let has_program = programs.iter().any(|program| program.is_file());
        let is_managed = add_roots(&mut found, folder);
        for program in programs.iter().filter(|program| program.is_symlink()) {
            add_roots(&mut found, program);
        }
        if folder.ends_with(".cargo/bin") && folder.join("rustup").is_file() {
            let root = folder.ancestors().nth(2).map(|home| home.join(".rustup"));
            if let Some(root) = root.filter(|root| root.is_dir()) {
                add_root(&mut found, root, Some("RUSTUP_HOME"), "");
            }
        }
        // Another user's folder may be in PATH.
        let is_usable = folder.read_dir().is_ok() && (has_program || is_managed);
        if is_usable && !found.path.contains(folder) {
            found.path.push(folder.clone());
        }
    }
    found
}

/// Adds the roots that a path or its target is in; whether there is one.
fn add_roots(found: &mut Toolchains, path: &Path) -> bool {
    let target = path.canonicalize().ok();
    let mut is_managed = false;
    for path in [Some(path), target.as_deref()].into_iter().flatten() {
        for VersionManager { root, part, variable } in &MANAGERS {
            let is_root = |it: &&Path| it.ends_with(root) && *it != path;
            if let Some(root) = path.ancestors().find(is_root) {
                add_root(found, root.to_owned(), *variable, part);
                is_managed = true;
            }
        }
    }
    is_managed
}

fn add_root(found: &mut Toolchains, root: PathBuf, variable: Option<&str>, part: &str) {
    let readable = if part.is_empty() { root.clone() } else { root.join(part) };
    if readable.read_dir().is_err() {
        return;
    }
    if !found.readable.contains(&readable) {
        found.readable.push(readable);
    }
    if let (Some(variable), Some(root)) = (variable, root.to_str())
        && !found.environment.iter().any(|(known, _)| known == variable)
    {
        found.environment.push((variable.to_owned(), root.to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use super::*;

    #[test]
    fn roots_of_version_managers_are_readable_where_their_programs_are_in_the_path() {
        let top = tempfile::tempdir().unwrap();
        let home = top.path().canonicalize().unwrap();
        let at = |path: &str| home.join(path);
        for (folder, roots, variable) in [
            (".pyenv/shims", [".pyenv"].as_slice(), "PYENV_ROOT"),
            (".nvm/versions/node/v22/bin", &[".nvm"], "NVM_DIR"),
            (".local/share/fnm/aliases/default/bin", &[".local/share/fnm"], "FNM_DIR"),
            (".asdf/shims", &[".asdf"], "ASDF_DATA_DIR"),
            (".local/share/mise/shims", &[".local/share/mise"], "MISE_DATA_DIR"),
            (".volta/bin", &[".volta"], "VOLTA_HOME"),
            (".sdkman/candidates/gradle/current/bin", &[".sdkman"], "SDKMAN_DIR"),
        ] {
            fs::create_dir_all(at(folder)).unwrap();
            let found = find(&[at(folder)]);
            let readable: Vec<PathBuf> = roots.iter().map(|root| at(root)).collect();
            assert_eq!((found.path, found.readable), (vec![at(folder)], readable), "{folder}");
            let root = at(roots[0]).to_str().unwrap().to_owned();
            assert_eq!(found.environment, [(variable.to_owned(), root)]);
        }
    }

    #[test]
    fn rustup_and_programs_that_are_links_into_a_root_are_found() {
        let top = tempfile::tempdir().unwrap();
        let home = top.path().canonicalize().unwrap();
        let at = |path: &str| home.join(path);
        for folder in [".cargo/bin", ".rustup", ".local/bin", ".local/share/uv/python/bin"] {
            fs::create_dir_all(at(folder)).unwrap();
        }
        fs::write(at(".cargo/bin/rustup"), "").unwrap();
        fs::write(at(".cargo/bin/cargo"), "").unwrap();
        let rust = find(&[at(".cargo/bin")]);
        assert_eq!((rust.path, rust.readable), (vec![at(".cargo/bin")], vec![at(".rustup")]));
        assert_eq!(rust.environment[0].0, "RUSTUP_HOME");

        fs::write(at(".local/share/uv/python/bin/python3"), "").unwrap();
        symlink(at(".local/share/uv/python/bin/python3"), at(".local/bin/python3")).unwrap();
        let python = find(&[at(".local/bin")]);
        assert_eq!(python.path, [at(".local/bin")]);
        assert_eq!(python.readable, [at(".local/share/uv/python")]);
    }

    #[test]
    fn folder_that_cannot_be_read_is_not_included() {
        let top = tempfile::tempdir().unwrap();
        let missing = top.path().join(".pyenv/plugins/pyenv-virtualenv/shims");
        assert_eq!(find(&[missing]), Toolchains::default());
    }

    #[test]
    fn other_directories_are_not_included() {
        let top = tempfile::tempdir().unwrap();
        let bin = top.path().join("bin");
        fs::create_dir(&bin).unwrap();
        let system = PathBuf::from(SYSTEM_DIRECTORIES[0]);
        assert_eq!(find(&[bin, system]), Toolchains::default());
    }
}
