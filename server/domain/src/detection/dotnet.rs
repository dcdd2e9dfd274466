//! .NET: a solution, or one project.

use super::folder::{Draft, Folder, Kind};

const SOLUTION: &[&str] = &[".sln", ".slnx"];
const PROJECT: &[&str] = &[".csproj", ".fsproj", ".vbproj"];

/// Tests where a project's name says that it holds some, else that it builds. `dotnet` picks the
/// solution or project by itself where there is one only.
pub fn drafts(folder: &Folder<'_>) -> Vec<Draft> {
    let solved = right_in(folder, SOLUTION).next().is_some();
    let Some(manifest) = only(folder, if solved { SOLUTION } else { PROJECT }) else {
        return Vec::new();
    };
    let is_test = |file: &&str| ends(file, PROJECT) && file.to_ascii_lowercase().contains("test");
    let (kind, command, why) = match folder.files().find(is_test) {
        Some(tests) => (Kind::Test, "dotnet test", format!(", with {}", folder.path(tests))),
        None => (Kind::Build, "dotnet build", String::new()),
    };
    let (command, reason) =
        (command.to_owned(), format!("{} is there{why}", folder.path(manifest)));
    vec![Draft { kind, command, required: true, network: true, reason }]
}

/// The solution or project at the root takes in those it names.
pub fn takes_in_below(folder: &Folder<'_>) -> bool {
    !drafts(folder).is_empty()
}

/// The one file right in the folder with such an ending.
fn only<'a>(folder: &Folder<'a>, endings: &[&str]) -> Option<&'a str> {
    let mut found = right_in(folder, endings);
    found.next().filter(|_| found.next().is_none())
}

fn right_in<'a>(folder: &Folder<'a>, endings: &[&str]) -> impl Iterator<Item = &'a str> {
    folder.files().filter(move |file| !file.contains('/') && ends(file, endings))
}

fn ends(file: &str, endings: &[&str]) -> bool {
    endings.iter().any(|ending| file.ends_with(ending))
}
