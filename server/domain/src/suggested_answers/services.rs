//! Containers: services of compose files, and Dockerfiles.

use super::{catalog::storage_of_image, file::RepositoryFile, manifest::Located};

/// Databases among the images of a compose file.
pub fn databases(file: &RepositoryFile) -> impl Iterator<Item = Located<&'static str>> {
    file.lines().filter_map(|(number, line)| {
        let image = line.trim().strip_prefix("image:")?.trim().trim_matches(['"', '\'']);
        let name = image.rsplit('/').next()?.split([':', '@']).next()?;
        storage_of_image(name).map(|storage| Located::new(storage, number))
    })
}

/// The line of the image that a Dockerfile builds on.
pub fn base_image(file: &RepositoryFile) -> Option<u32> {
    let mut lines = file.lines();
    lines.find(|(_, line)| line.starts_with("FROM ")).map(|(number, _)| number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn databases_are_known_by_their_images() {
        let text = "services:\n  db:\n    image: \"docker.io/library/postgres:17-alpine\"\n  \
            cache:\n    image: redis@sha256:00\n  app:\n    image: example/app\n";
        let file = RepositoryFile { path: "compose.yaml".into(), text: text.into() };
        let found: Vec<_> = databases(&file).collect();
        assert_eq!(found, [Located::new("PostgreSQL", 3), Located::new("Redis", 5)]);
    }
}
