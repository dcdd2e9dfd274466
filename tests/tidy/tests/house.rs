//! This checkout keeps the rules of the house.

use std::path::Path;

use tidy::{RULES, Tree};

#[test]
fn the_house_is_tidy() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let tree = Tree::read(&root).expect("the checkout can be read");
    assert!(tree.has("server/domain/src/lib.rs"), "this is not the root: {}", root.display());
    let mut found: Vec<String> = RULES
        .iter()
        .flat_map(|rule| (rule.check)(&tree))
        .map(|violation| violation.to_string())
        .collect();
    found.sort();
    found.dedup();
    assert!(found.is_empty(), "{} places break a rule:\n{}", found.len(), found.join("\n"));
}
