//! Python: `pyproject.toml`, `requirements.txt` and `Pipfile`.

use super::{
    file::RepositoryFile,
    manifest::{Dependency, Ecosystem, Located, Manifest, quoted, with_version},
    toml_lines::{TomlLine, toml_lines},
};

pub fn pyproject(file: &RepositoryFile) -> Option<Manifest> {
    let lines = toml_lines(&file.text);
    let is_project = |line: &&TomlLine<'_>| matches!(line.table, "project" | "tool.poetry");
    let header = lines.iter().find(is_project)?;
    let mut manifest = Manifest::new(Ecosystem::PyPi, "Python", header.number);
    for line in &lines {
        let first = quoted(line.value).first().copied().unwrap_or_default();
        match (line.table, line.key) {
            ("project" | "tool.poetry", "description") if !first.is_empty() => {
                manifest.description = Some(Located::new(first.to_owned(), line.number));
            }
            ("project", "requires-python") | ("tool.poetry.dependencies", "python") => {
                manifest.runtime = Some(Located::new(with_version("Python", first), line.number));
            }
            ("project", "dependencies")
            | ("project.optional-dependencies" | "dependency-groups", _) => {
                let found = quoted(line.value).into_iter();
                manifest
                    .dependencies
                    .extend(found.filter_map(|text| dependency(text, line.number)));
            }
            (table, key) if is_poetry_group(table) && !key.is_empty() => {
                manifest.dependencies.push(Dependency {
                    name: normalized(key),
                    requirement: first.to_owned(),
                    line: line.number,
                });
            }
            _ => {}
        }
    }
    Some(with_pytest(manifest))
}

pub fn requirements(file: &RepositoryFile) -> Option<Manifest> {
    let lines = file.lines().filter(|(_, line)| !line.trim_start().starts_with(['#', '-']));
    let found: Vec<_> = lines.filter_map(|(number, line)| dependency(line, number)).collect();
    let mut manifest = Manifest::new(Ecosystem::PyPi, "Python", found.first()?.line);
    manifest.dependencies = found;
    Some(with_pytest(manifest))
}

pub fn pipfile(file: &RepositoryFile) -> Option<Manifest> {
    let lines = toml_lines(&file.text);
    let is_package = |line: &&TomlLine<'_>| {
        matches!(line.table, "packages" | "dev-packages") && !line.key.is_empty()
    };
    let found: Vec<_> = lines
        .iter()
        .filter(is_package)
        .map(|line| Dependency {
            name: normalized(line.key),
            requirement: quoted(line.value).first().copied().unwrap_or_default().to_owned(),
            line: line.number,
        })
        .collect();
    let mut manifest = Manifest::new(Ecosystem::PyPi, "Python", found.first()?.line);
    manifest.dependencies = found;
    Some(with_pytest(manifest))
}

fn with_pytest(mut manifest: Manifest) -> Manifest {
    let line = manifest.dependency("pytest").map(|found| found.line);
    manifest.test_command = line.map(|line| Located::new("pytest".to_owned(), line));
    manifest
}

fn is_poetry_group(table: &str) -> bool {
    let group = table.strip_prefix("tool.poetry.");
    group.is_some_and(|name| name == "dependencies" || name.ends_with(".dependencies"))
}

/// A requirement such as `psycopg[binary]>=3.1; python_version > "3.8"`.
fn dependency(text: &str, line: u32) -> Option<Dependency> {
    let text = text.trim();
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let end = text.find(|c| !is_name(c)).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let rest = rest.split([';', '#']).next().unwrap_or_default().trim();
    let requirement = match rest.strip_prefix('[') {
        Some(extras) => extras.split_once(']').map_or("", |(_, rest)| rest).trim(),
        None => rest,
    };
    let requirement = requirement.to_owned();
    (!name.is_empty()).then(|| Dependency { name: normalized(name), requirement, line })
}

/// PyPI ignores case and treats `_` like `-`.
fn normalized(name: &str) -> String {
    name.to_ascii_lowercase().replace('_', "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requirement_is_split_into_name_and_version() {
        for (text, name, requirement) in [
            ("Flask==3.0", "flask", "==3.0"),
            ("psycopg[binary] >=3.1; python_version > '3.8'", "psycopg", ">=3.1"),
            ("typing_extensions # why", "typing-extensions", ""),
            ("a[b", "a", ""),
        ] {
            let found = dependency(text, 1).unwrap();
            assert_eq!((found.name.as_str(), found.requirement.as_str()), (name, requirement));
        }
        assert_eq!(dependency("", 1), None);
        assert_eq!(dependency("./local", 1).unwrap().name, ".");
    }
}
