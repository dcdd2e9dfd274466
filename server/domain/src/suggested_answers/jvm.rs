//! Java and Kotlin: `pom.xml` and the build files of Gradle.

use super::{
    file::RepositoryFile,
    manifest::{Dependency, Ecosystem, Located, Manifest, quoted, with_version},
};

/// Elements of `pom.xml` that contain the version of Java.
const VERSIONS: [&str; 3] = ["java.version", "maven.compiler.release", "maven.compiler.source"];

/// Dependencies are named by their artifact.
pub fn pom(file: &RepositoryFile) -> Option<Manifest> {
    let (project, _) = file.lines().find(|(_, line)| line.contains("<project"))?;
    let mut manifest = Manifest::new(Ecosystem::Maven, "Java", project);
    manifest.test_command = Some(Located::new("mvn test".to_owned(), project));
    for (number, line) in file.lines() {
        if let Some(name) = element(line, "artifactId") {
            if name.starts_with("kotlin-") {
                manifest.language = Located::new("Kotlin", number);
            }
            let name = name.to_owned();
            manifest.dependencies.push(Dependency {
                name,
                requirement: String::new(),
                line: number,
            });
        }
        if let Some(version) = VERSIONS.iter().find_map(|name| element(line, name)) {
            manifest.runtime = Some(Located::new(with_version("Java", version), number));
        }
    }
    Some(manifest)
}

/// Plug-ins are named by their ids. `paths` are those of all files, for the wrapper.
pub fn gradle(file: &RepositoryFile, paths: &[String]) -> Option<Manifest> {
    let is_plugin = |line: &str| {
        line.contains("java")
            || line.contains("kotlin")
            || line.contains("org.springframework.boot")
    };
    let (plugin, text) = file.lines().find(|(_, line)| is_plugin(line))?;
    let language = if text.contains("kotlin") { "Kotlin" } else { "Java" };
    let mut manifest = Manifest::new(Ecosystem::Maven, language, plugin);
    let has_wrapper = paths.iter().any(|path| path == "gradlew");
    let test = if has_wrapper { "./gradlew test" } else { "gradle test" };
    manifest.test_command = Some(Located::new(test.to_owned(), plugin));
    for (number, line) in file.lines() {
        for string in quoted(line) {
            let mut parts = string.split(':');
            let (group, artifact, version) = (parts.next(), parts.next(), parts.next());
            let name = artifact.or(group).unwrap_or_default().to_owned();
            let requirement = version.unwrap_or_default().to_owned();
            manifest.dependencies.push(Dependency { name, requirement, line: number });
        }
    }
    Some(manifest)
}

/// The text of an element that starts and ends on the line.
fn element<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = line.split_once(&format!("<{name}>"))?;
    rest.split_once(&format!("</{name}>")).map(|(text, _)| text.trim())
}
