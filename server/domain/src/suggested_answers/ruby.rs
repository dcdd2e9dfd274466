//! Ruby: `Gemfile`.

use super::{
    file::RepositoryFile,
    manifest::{Dependency, Ecosystem, Located, Manifest, quoted, with_version},
};

pub fn manifest(file: &RepositoryFile) -> Option<Manifest> {
    let mut dependencies = Vec::new();
    let mut runtime = None;
    for (number, line) in file.lines() {
        let line = line.trim();
        let strings = quoted(line);
        let string = |at: usize| strings.get(at).copied().unwrap_or_default();
        if line.starts_with("gem ") && !strings.is_empty() {
            let (name, requirement) = (string(0).to_owned(), string(1).to_owned());
            dependencies.push(Dependency { name, requirement, line: number });
        } else if line.starts_with("ruby ") && !strings.is_empty() {
            runtime = Some(Located::new(with_version("Ruby", string(0)), number));
        }
    }
    let mut manifest = Manifest::new(Ecosystem::RubyGems, "Ruby", dependencies.first()?.line);
    manifest.dependencies = dependencies;
    manifest.runtime = runtime;
    let rspec = ["rspec", "rspec-rails"].iter().find_map(|name| manifest.dependency(name));
    let line = rspec.map(|found| found.line);
    manifest.test_command = line.map(|line| Located::new("bundle exec rspec".to_owned(), line));
    Some(manifest)
}
