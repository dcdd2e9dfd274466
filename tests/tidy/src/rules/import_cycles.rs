//! Files must not import each other in cycles.

use crate::{Tree, Violation, files::Files, graph::Edge, script};

pub(super) const NAME: &str = "import-cycles";

pub(super) fn check(tree: &Tree) -> Vec<Violation> {
    let files = Files::read(tree);
    let rust = files.imports().cycles();
    let web = script::imports(tree).cycles();
    rust.iter().chain(&web).filter_map(|cycle| violation(cycle)).collect()
}

fn violation(cycle: &[Edge<'_>]) -> Option<Violation> {
    let closing = cycle.last()?;
    let path: Vec<String> =
        cycle.iter().map(|edge| format!("{}:{}", edge.from, edge.line)).collect();
    let what = format!(
        "imports itself by way of {} (a file stands above those that it declares with `mod`)",
        path.join(" → ")
    );
    Some(Violation::at(closing.from, closing.line, NAME, what))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_in_rust_and_in_the_web_app_are_reported() {
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
    fn child_that_imports_from_its_parent_is_reported() {
        let found = check(&Tree::of(&[
            ("server/a/src/lib.rs", "mod b; pub struct Thing;"),
            ("server/a/src/b.rs", "use crate::Thing;"),
        ]));
        assert_eq!(found.len(), 1, "{found:?}");
    }

    #[test]
    fn child_may_import_its_sibling_through_a_reexport() {
        let found = check(&Tree::of(&[
            ("server/a/src/lib.rs", "mod b; mod c; pub use c::Thing;"),
            ("server/a/src/b.rs", "use crate::Thing;"),
            ("server/a/src/c.rs", "pub struct Thing;"),
        ]));
        assert_eq!(found, []);
    }
}
