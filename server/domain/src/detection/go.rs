//! Go: `go.mod`.

use super::folder::{Draft, Folder, Kind};

const MANIFEST: &str = "go.mod";

/// Tests, and what `go vet` says.
pub fn drafts(folder: &Folder<'_>) -> Vec<Draft> {
    let manifest = folder.text(MANIFEST);
    if manifest.is_empty() {
        return Vec::new();
    }
    let vendored = folder.has("vendor/modules.txt");
    let network = !vendored && manifest.lines().any(|line| line.trim().starts_with("require"));
    let draft = |kind, command: &str, required| {
        let (command, reason) = (command.to_owned(), format!("{} is there", folder.path(MANIFEST)));
        Draft { kind, command, required, network, reason }
    };
    vec![draft(Kind::Test, "go test ./...", true), draft(Kind::Lint, "go vet ./...", false)]
}

/// A module ends where another begins.
pub fn takes_in_below(_: &Folder<'_>) -> bool {
    false
}
