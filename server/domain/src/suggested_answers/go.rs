//! Go: `go.mod`.

use super::{
    file::RepositoryFile,
    manifest::{Dependency, Ecosystem, Located, Manifest, with_version},
};

pub fn manifest(file: &RepositoryFile) -> Option<Manifest> {
    let (module, _) = file.lines().find(|(_, line)| line.starts_with("module "))?;
    let mut manifest = Manifest::new(Ecosystem::Go, "Go", module);
    manifest.test_command = Some(Located::new("go test ./...".to_owned(), module));
    for (number, line) in file.lines() {
        // The module's path, its version and perhaps a comment.
        let mut words = line.trim().trim_start_matches("require ").split_whitespace();
        match (words.next(), words.next()) {
            (Some("go"), Some(version)) => {
                manifest.runtime = Some(Located::new(with_version("Go", version), number));
            }
            (Some(name), Some(version))
                if version.starts_with('v') && !line.ends_with("// indirect") =>
            {
                let (name, requirement) = (name.to_owned(), version.to_owned());
                manifest.dependencies.push(Dependency { name, requirement, line: number });
            }
            _ => {}
        }
    }
    Some(manifest)
}
