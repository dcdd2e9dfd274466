//! Rust: `Cargo.toml`.

use super::{
    catalog::is_known,
    file::RepositoryFile,
    manifest::{Dependency, Ecosystem, Located, Manifest, quoted, with_version},
    toml_lines::{TomlLine, toml_lines},
};

pub fn manifest(file: &RepositoryFile) -> Option<Manifest> {
    let lines = toml_lines(&file.text);
    let header = lines.iter().find(|line| matches!(line.table, "package" | "workspace"))?;
    let mut manifest = Manifest::new(Ecosystem::Cargo, "Rust", header.number);
    let test = if header.table == "workspace" { "cargo test --workspace" } else { "cargo test" };
    manifest.test_command = Some(Located::new(test.to_owned(), header.number));
    for line in &lines {
        match (line.table, line.key) {
            ("package" | "workspace.package", "description") => {
                let text = quoted(line.value).first().copied().filter(|text| !text.is_empty());
                manifest.description = text.map(|text| Located::new(text.to_owned(), line.number));
            }
            ("package" | "workspace.package", "rust-version") => {
                let version = quoted(line.value).first().copied();
                let named = version.map(|version| with_version("Rust", version));
                manifest.runtime = named.map(|text| Located::new(text, line.number));
            }
            _ => add_dependency(&mut manifest.dependencies, line),
        }
    }
    Some(manifest)
}

/// Features count as dependencies of their own, as some of them select a database.
fn add_dependency(dependencies: &mut Vec<Dependency>, line: &TomlLine<'_>) {
    let table = line.table.strip_prefix("workspace.").unwrap_or(line.table);
    let (name, version) = match table.strip_prefix("dependencies") {
        Some("") => (line.key.split('.').next().unwrap_or_default(), version_in_value(line)),
        Some(name) => match name.strip_prefix('.') {
            Some(name) if line.key == "version" => (name, quoted(line.value).first().copied()),
            Some(name) => (name, None),
            None => return,
        },
        None => return,
    };
    if !is_known(Ecosystem::Cargo, name) {
        return;
    }
    let requirement = version.unwrap_or_default().to_owned();
    match dependencies.iter_mut().find(|known| known.name == name) {
        // The version of a table is below its header.
        Some(known) if version.is_some() => {
            (known.requirement, known.line) = (requirement, line.number);
        }
        Some(_) => {}
        None => {
            dependencies.push(Dependency { name: name.to_owned(), requirement, line: line.number })
        }
    }
    let features = quoted(line.value).into_iter().map(|feature| format!("{name}/{feature}"));
    let features = features.filter(|feature| is_known(Ecosystem::Cargo, feature));
    dependencies.extend(features.map(|name| Dependency {
        name,
        requirement: String::new(),
        line: line.number,
    }));
}

/// The version in `"1.2"` or `{ version = "1.2" }`.
fn version_in_value<'a>(line: &TomlLine<'a>) -> Option<&'a str> {
    let is_text = line.value.starts_with(['"', '\'']) && !line.is_continuation;
    let text = if is_text { line.value } else { line.value.split_once("version")?.1 };
    quoted(text).first().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_have_versions_and_features() {
        let text = "[package]\nname = \"a\"\n[dependencies]\naxum = \"0.8\"\nclap.workspace = true\n\
            sqlx = { version = \"0.9\", features = [\n    \"postgres\",\n] }\n\
            [dependencies.tokio]\nversion = \"1.40\"\nfeatures = [\"full\"]\n\
            [dev-dependencies]\nproptest = \"1\"\n";
        let file = RepositoryFile { path: "Cargo.toml".into(), text: text.into() };
        let manifest = manifest(&file).unwrap();
        let found = |name: &str| {
            manifest.dependency(name).map(|found| (found.requirement.as_str(), found.line))
        };
        assert_eq!(found("axum"), Some(("0.8", 4)));
        assert_eq!(found("clap"), Some(("", 5)));
        assert_eq!(found("sqlx"), Some(("0.9", 6)));
        assert_eq!(found("sqlx/postgres"), Some(("", 7)));
        assert_eq!(found("tokio"), Some(("1.40", 10)));
        assert_eq!(found("proptest"), None);
    }
}
