//! A file imports only files below it: no two import each other, nor any more in a ring.

use crate::{Tree, Violation, files::Files, graph::Edge, script};

pub(super) const NAME: &str = "rings";

pub(super) fn check(tree: &Tree) -> Vec<Violation> {
    let files = Files::read(tree);
    let rust = files.imports().rings();
    let web = script::imports(tree).rings();
    rust.iter().chain(&web).filter_map(|ring| violation(ring)).collect()
}

fn violation(ring: &[Edge<'_>]) -> Option<Violation> {
    let closing = ring.last()?;
    let way: Vec<String> = ring.iter().map(|edge| format!("{}:{}", edge.from, edge.line)).collect();
    let what = format!(
        "imports itself by way of {} (a file stands above those that it declares with `mod`)",
        way.join(" → ")
    );
    Some(Violation::at(closing.from, closing.line, NAME, what))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rings_in_rust_and_in_the_web_app_are_found() {
        let found = check(&Tree::of(&[
            ("server/a/src/lib.rs", "mod b; mod c;"),
            ("server/a/src/b.rs", "use crate::c::C;"),
            ("server/a/src/c.rs", "\nuse crate::b::B;"),
            ("web/src/lib/a.ts", "import { b } from './b';"),
            ("web/src/lib/b.ts", "\nimport { c } from './c';"),
            ("web/src/lib/c.ts", "\n\nimport { a } from '@/lib/a';"),
        ]));
        let places: Vec<_> = found.iter().map(|v| (v.file.as_str(), v.line)).collect();
        assert_eq!(places, [("server/a/src/c.rs", 2), ("web/src/lib/c.ts", 3)]);
    }

    #[test]
    fn a_child_that_uses_what_its_parent_defines_is_found() {
        let found = check(&Tree::of(&[
            ("server/a/src/lib.rs", "mod b; pub struct Thing;"),
            ("server/a/src/b.rs", "use crate::Thing;"),
        ]));
        assert_eq!(found.len(), 1, "{found:?}");
    }

    #[test]
    fn a_child_may_use_its_sibling_by_the_name_that_the_parent_passes_on() {
        let found = check(&Tree::of(&[
            ("server/a/src/lib.rs", "mod b; mod c; pub use c::Thing;"),
            ("server/a/src/b.rs", "use crate::Thing;"),
            ("server/a/src/c.rs", "pub struct Thing;"),
        ]));
        assert_eq!(found, []);
    }
}
