//! The layers inside `forgeguard`: a module uses only modules below it.

use crate::{Tree, Violation, files::Files};

pub(super) const NAME: &str = "layers";

const ROOT: &str = "server/forgeguard/src/";

/// From bottom to top. Modules of one layer must not import each other.
const LAYERS: [&[&str]; 13] = [
    &["contract_set", "redaction", "secret", "supervision", "text", "threads"],
    &["store"],
    &["journal"],
    &["tools"],
    &["contracts", "agent"],
    &["engine"],
    &["demo"],
    &["api"],
    &["config"],
    &["telemetry"],
    &["server"],
    &["cli"],
    &["main", "lib"],
];

pub(super) fn check(tree: &Tree) -> Vec<Violation> {
    let files = Files::read(tree);
    let mut found: Vec<_> = tree
        .under(ROOT, &[".rs"])
        .filter(|(path, _)| layer(path).is_none())
        .map(|(path, _)| {
            let what = format!(
                "`{}` has no layer: add it to tests/tidy and to ARCHITECTURE.md",
                module(path)
            );
            Violation::at(path, 1, NAME, what)
        })
        .collect();
    for edge in files.imports().edges() {
        let (Some(from), Some(to)) = (layer(edge.from), layer(edge.to)) else { continue };
        if from <= to && module(edge.from) != module(edge.to) {
            let (from, to) = (module(edge.from), module(edge.to));
            let what = format!("`{from}` uses `{to}`, which is not below it");
            found.push(Violation::at(edge.from, edge.line, NAME, what));
        }
    }
    found
}

/// The module of a file: `api` of `…/src/api/builds.rs`.
fn module(path: &str) -> &str {
    let inner = path.strip_prefix(ROOT).unwrap_or_default();
    inner.split(['/', '.']).next().unwrap_or_default()
}

fn layer(path: &str) -> Option<usize> {
    path.starts_with(ROOT).then_some(())?;
    LAYERS.iter().position(|modules| modules.contains(&module(path)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn import_from_the_same_or_a_higher_layer_is_reported() {
        let found = check(&Tree::of(&[
            (
                "server/forgeguard/src/lib.rs",
                "pub mod store; pub mod agent; pub mod contracts; pub mod api; mod odd;",
            ),
            ("server/forgeguard/src/store.rs", "\nuse crate::api::Thing;"),
            ("server/forgeguard/src/agent.rs", "\n\nuse crate::contracts::resolve;"),
            ("server/forgeguard/src/contracts.rs", "use crate::store;"),
            ("server/forgeguard/src/api.rs", "mod builds; use crate::{contracts, store};"),
            ("server/forgeguard/src/api/builds.rs", "use crate::agent;"),
            ("server/forgeguard/src/odd.rs", ""),
        ]));
        let places: Vec<_> = found.iter().map(|v| (module(&v.file), v.line)).collect();
        assert_eq!(places, [("odd", 1), ("agent", 3), ("store", 2)]);
    }
}
