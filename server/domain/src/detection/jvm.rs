//! Java and Kotlin: Maven and Gradle, by their wrapper where there is one.

use super::folder::{Draft, Folder, Kind};

const GRADLE: [&str; 4] =
    ["settings.gradle.kts", "settings.gradle", "build.gradle.kts", "build.gradle"];

/// Tests.
pub fn drafts(folder: &Folder<'_>) -> Vec<Draft> {
    let gradle = folder.first(&GRADLE);
    let tool = match (folder.has("pom.xml"), gradle) {
        (true, _) => ("pom.xml", "mvnw", "mvn", "-B -q test"),
        (false, Some(manifest)) => (manifest, "gradlew", "gradle", "--no-daemon test"),
        (false, None) => return Vec::new(),
    };
    let (manifest, wrapper, program, arguments) = tool;
    let manifest = folder.path(manifest);
    // By `sh`, for its executable bit is often lost.
    let (command, reason) = match folder.has(wrapper) {
        true => {
            (format!("sh ./{wrapper} {arguments}"), format!("{manifest} is there, with {wrapper}"))
        }
        false => (format!("{program} {arguments}"), format!("{manifest} is there")),
    };
    vec![Draft { kind: Kind::Test, command, required: true, network: true, reason }]
}

/// The build at the root builds its modules.
pub fn takes_in_below(folder: &Folder<'_>) -> bool {
    folder.has("pom.xml") || folder.first(&GRADLE).is_some()
}
