//! .NET: `*.csproj`.

use super::{
    file::RepositoryFile,
    manifest::{Dependency, Ecosystem, Located, Manifest, quoted, with_version},
};

/// The SDK of web projects counts as a dependency.
pub fn manifest(file: &RepositoryFile) -> Option<Manifest> {
    let (project, _) = file.lines().find(|(_, line)| line.contains("<Project"))?;
    let mut manifest = Manifest::new(Ecosystem::NuGet, "C#", project);
    for (number, line) in file.lines() {
        let strings = quoted(line);
        if line.contains("<PackageReference") || line.contains("<Project") {
            let string = |at: usize| strings.get(at).copied().unwrap_or_default().to_owned();
            let (name, requirement) = (string(0), string(1));
            manifest.dependencies.push(Dependency { name, requirement, line: number });
        }
        if let Some((_, rest)) = line.split_once("<TargetFramework>net") {
            let named = with_version(".NET", rest);
            manifest.runtime = Some(Located::new(named, number));
        }
    }
    let line = manifest.dependency("Microsoft.NET.Test.Sdk").map(|found| found.line);
    manifest.test_command = line.map(|line| Located::new("dotnet test".to_owned(), line));
    Some(manifest)
}
