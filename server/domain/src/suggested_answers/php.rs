//! PHP: `composer.json`.

use serde_json::Value;

use super::{
    catalog::is_known,
    file::RepositoryFile,
    json_keys::line_of_key,
    manifest::{Dependency, Ecosystem, Located, Manifest, with_version},
};

pub fn manifest(file: &RepositoryFile) -> Option<Manifest> {
    let json: Value = serde_json::from_str(&file.text).ok()?;
    let line = |keys: &[&str]| line_of_key(&file.text, keys);
    let language = line(&["require", "php"]).or_else(|| line(&["require"]))?;
    let mut manifest = Manifest::new(Ecosystem::Packagist, "PHP", language);
    for group in ["require", "require-dev"] {
        let entries = json[group].as_object().into_iter().flatten();
        let entries =
            entries.filter(|(name, _)| *name == "php" || is_known(Ecosystem::Packagist, name));
        manifest.dependencies.extend(entries.filter_map(|(name, requirement)| {
            let requirement = requirement.as_str()?.to_owned();
            Some(Dependency { name: name.clone(), requirement, line: line(&[group, name])? })
        }));
    }
    let runtime = manifest.dependency("php");
    manifest.runtime =
        runtime.map(|found| Located::new(with_version("PHP", &found.requirement), found.line));
    manifest.description = json["description"]
        .as_str()
        .and_then(|text| line(&["description"]).map(|line| Located::new(text.to_owned(), line)));
    let script = line(&["scripts", "test"]).filter(|_| !json["scripts"]["test"].is_null());
    let phpunit = manifest.dependency("phpunit/phpunit").map(|found| found.line);
    manifest.test_command = script
        .map(|line| Located::new("composer test".to_owned(), line))
        .or_else(|| phpunit.map(|line| Located::new("vendor/bin/phpunit".to_owned(), line)));
    Some(manifest)
}
