//! Answers to the questionnaire that the files of a repository suggest, each with the line that says
//! so. Nothing is executed, and nothing is suggested without such a line.

mod cargo;
mod catalog;
mod dotnet;
mod file;
mod go;
mod json_keys;
mod jvm;
mod manifest;
mod node;
mod php;
mod python;
mod readme;
mod ruby;
mod services;
mod toml_lines;
mod workflows;

pub use file::{RepositoryFile, is_relevant};

use serde::Serialize;
use utoipa::ToSchema;

use crate::questionnaire::SectionId;
use catalog::{Fact, PRECEDENCE};
use manifest::{Located, Manifest, with_version};

/// Items that are suggested for a list.
const MAX_ITEMS: usize = 20;
/// An answer on one line. Longer ones are not suggested.
const MAX_LINE_CHARS: usize = 200;
const MAX_EXCERPT_CHARS: usize = 200;

/// An answer to a question, and the line that suggests it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct SuggestedAnswer {
    pub section: SectionId,
    /// Its id in the section.
    pub question: &'static str,
    /// For a list, one item of it; for other questions, the only suggestion.
    pub answer: String,
    pub path: String,
    /// From 1.
    pub line: u32,
    /// The beginning of the line, without surrounding space.
    pub excerpt: String,
}

/// Suggests answers from `files`, those for which [`is_relevant`] holds. `paths` are the paths of all
/// files, some of which say which tools are used.
pub fn suggest(files: &[RepositoryFile], paths: &[String]) -> Vec<SuggestedAnswer> {
    let mut files: Vec<_> = files.iter().collect();
    files.sort_by_key(|file| (file.depth(), rank(file), file.path.as_str()));
    let manifests: Vec<_> =
        files.iter().filter_map(|file| Some((*file, read_manifest(file, paths)?))).collect();
    let mut found = Suggestions::default();
    found.add_summary(&files, &manifests);
    found.add_language(&manifests);
    found.add_frameworks(&manifests);
    found.add_storage(&files, &manifests);
    found.add_first("style", SectionId::ApiEndpoints, facts(&manifests, api));
    found.add_first("kind", SectionId::UiRequirements, facts(&manifests, interface));
    found.add_platform(&files);
    found.add_test_command(&files, &manifests);
    found.answers
}

/// An answer and its line.
type Candidate<'a> = (&'a RepositoryFile, Located<String>);
type ManifestOf<'a> = (&'a RepositoryFile, Manifest);

/// Of manifests in one folder, that of Node.js is the last: projects in other languages have one for
/// their tools.
fn rank(file: &RepositoryFile) -> u8 {
    u8::from(file.name() == "package.json")
}

fn read_manifest(file: &RepositoryFile, paths: &[String]) -> Option<Manifest> {
    match file.name() {
        "Cargo.toml" => cargo::manifest(file),
        "Gemfile" => ruby::manifest(file),
        "Pipfile" => python::pipfile(file),
        "build.gradle" | "build.gradle.kts" => jvm::gradle(file, paths),
        "composer.json" => php::manifest(file),
        "go.mod" => go::manifest(file),
        "package.json" => node::manifest(file, paths),
        "pom.xml" => jvm::pom(file),
        "pyproject.toml" => python::pyproject(file),
        "requirements.txt" => python::requirements(file),
        name if name.ends_with(".csproj") => dotnet::manifest(file),
        _ => None,
    }
}

fn api(fact: Fact) -> Option<&'static str> {
    if let Fact::Api(text) = fact { Some(text) } else { None }
}

fn interface(fact: Fact) -> Option<&'static str> {
    if let Fact::Interface(text) = fact { Some(text) } else { None }
}

fn storage(fact: Fact) -> Option<&'static str> {
    if let Fact::Storage(text) = fact { Some(text) } else { None }
}

/// What the dependencies say about one question.
fn facts<'a>(
    manifests: &[ManifestOf<'a>],
    select: fn(Fact) -> Option<&'static str>,
) -> Vec<Candidate<'a>> {
    let mut found = Vec::new();
    for (file, manifest) in manifests {
        for dependency in &manifest.dependencies {
            let facts = catalog::facts(manifest.ecosystem, &dependency.name).iter();
            found.extend(facts.filter_map(|fact| {
                select(*fact).map(|text| (*file, Located::new(text.to_owned(), dependency.line)))
            }));
        }
    }
    found
}

#[derive(Default)]
struct Suggestions {
    answers: Vec<SuggestedAnswer>,
}

impl Suggestions {
    /// From the README, otherwise from the description in a manifest.
    fn add_summary(&mut self, files: &[&RepositoryFile], manifests: &[ManifestOf<'_>]) {
        let is_readme = |file: &&&RepositoryFile| {
            file.depth() == 0 && file.name().to_ascii_lowercase().starts_with("readme")
        };
        let readme = files.iter().copied().filter(|file| is_readme(&file));
        let mut paragraphs = readme.filter_map(|file| Some((file, readme::first_paragraph(file)?)));
        let mut descriptions = manifests.iter().filter_map(|(file, manifest)| {
            let description = manifest.description.clone()?;
            (file.depth() == 0).then_some((*file, description))
        });
        if let Some(found) = paragraphs.next().or_else(|| descriptions.next()) {
            self.add(SectionId::ProductIntent, "summary", found);
        }
    }

    fn add_language(&mut self, manifests: &[ManifestOf<'_>]) {
        if let Some((file, manifest)) = manifests.first() {
            let Located { value, line } = manifest.language;
            let language = Located::new(value.to_owned(), line);
            self.add(SectionId::TechStack, "language", (file, language));
        }
    }

    /// Versions of runtimes, frameworks and libraries, each once.
    fn add_frameworks(&mut self, manifests: &[ManifestOf<'_>]) {
        let mut names: Vec<&str> = Vec::new();
        for (file, manifest) in manifests {
            if let Some(runtime) = &manifest.runtime {
                self.add_item(manifest.language.value, &mut names, (file, runtime.clone()));
            }
            for dependency in &manifest.dependencies {
                for fact in catalog::facts(manifest.ecosystem, &dependency.name) {
                    let Fact::Framework(name) = fact else { continue };
                    let text = with_version(name, &dependency.requirement);
                    self.add_item(name, &mut names, (file, Located::new(text, dependency.line)));
                }
            }
        }
    }

    fn add_item<'n>(&mut self, name: &'n str, names: &mut Vec<&'n str>, item: Candidate<'_>) {
        if names.len() < MAX_ITEMS && !names.contains(&name) {
            names.push(name);
            self.add(SectionId::TechStack, "frameworks", item);
        }
    }

    fn add_storage(&mut self, files: &[&RepositoryFile], manifests: &[ManifestOf<'_>]) {
        let mut found = facts(manifests, storage);
        let compose = files.iter().copied().filter(|file| file.name().contains("compose."));
        found.extend(compose.flat_map(|file| {
            let databases = services::databases(file);
            databases.map(move |it| (file, Located::new(it.value.to_owned(), it.line)))
        }));
        self.add_first("storage", SectionId::DatabaseSchema, found);
    }

    /// Containers by a Dockerfile, and the system by the runners of all workflows.
    fn add_platform(&mut self, files: &[&RepositoryFile]) {
        let mut dockerfiles = files.iter().filter(|file| file.name() == "Dockerfile");
        let image = dockerfiles.find_map(|file| Some((*file, services::base_image(file)?)));
        if let Some((file, line)) = image {
            let target = Located::new("A container".to_owned(), line);
            self.add(SectionId::DeploymentTarget, "target", (file, target));
        }
        let workflows = files.iter().filter(|file| file.is_workflow());
        let systems: Vec<_> =
            workflows.filter_map(|file| Some((*file, workflows::system(file)?))).collect();
        if let Some((file, system)) = systems.first()
            && systems.iter().all(|(_, other)| other.value == system.value)
        {
            let system = Located::new(system.value.to_owned(), system.line);
            self.add(SectionId::DevPlatform, "system", (file, system));
        }
    }

    /// From CI, otherwise from the Makefile or a manifest at the root.
    fn add_test_command(&mut self, files: &[&RepositoryFile], manifests: &[ManifestOf<'_>]) {
        let workflows = files.iter().filter(|file| file.is_workflow());
        let mut ci = workflows.filter_map(|file| Some((*file, workflows::test_command(file)?)));
        let mut make = files.iter().filter(|file| file.path == "Makefile").filter_map(|file| {
            let (line, _) = file.lines().find(|(_, line)| line.starts_with("test:"))?;
            Some((*file, Located::new("make test".to_owned(), line)))
        });
        let mut own = manifests.iter().filter_map(|(file, manifest)| {
            let command = manifest.test_command.clone()?;
            (file.depth() == 0).then_some((*file, command))
        });
        if let Some(found) = ci.next().or_else(|| make.next()).or_else(|| own.next()) {
            self.add(SectionId::DevPlatform, "test_command", found);
        }
    }

    /// The candidate that takes precedence.
    fn add_first(
        &mut self,
        question: &'static str,
        section: SectionId,
        candidates: Vec<Candidate<'_>>,
    ) {
        let precedence =
            |text: &str| PRECEDENCE.iter().position(|known| *known == text).unwrap_or(usize::MAX);
        let first = candidates.into_iter().min_by_key(|(_, found)| precedence(&found.value));
        if let Some(found) = first {
            self.add(section, question, found);
        }
    }

    fn add(&mut self, section: SectionId, question: &'static str, found: Candidate<'_>) {
        let (file, Located { value, line }) = found;
        let answer = value.trim();
        let is_valid = !answer.is_empty() && !answer.contains('\0');
        let is_short = question == "summary" || answer.chars().count() <= MAX_LINE_CHARS;
        let Some((_, text)) = file.lines().find(|(number, _)| *number == line) else { return };
        if is_valid && is_short {
            self.answers.push(SuggestedAnswer {
                section,
                question,
                answer: answer.to_owned(),
                path: file.path.clone(),
                line,
                excerpt: text.trim().chars().take(MAX_EXCERPT_CHARS).collect(),
            });
        }
    }
}

#[cfg(test)]
mod tests;
