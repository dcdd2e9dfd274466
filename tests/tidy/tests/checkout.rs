//! Checks all rules on this checkout.

use std::path::Path;

use tidy::{RULES, Tree};

#[test]
fn checkout_follows_all_rules() {
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
    assert!(found.is_empty(), "{} violations:\n{}", found.len(), found.join("\n"));
}
