//! Every class of a CSS module is used, and every class that is used exists.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use regex::Regex;

use crate::{Tree, Violation, script};

pub(super) const NAME: &str = "styles";

/// Comments, declaration blocks and selectors of other libraries' classes.
static OTHERS: LazyLock<Regex> = LazyLock::new(|| regex(r"(?s)/\*.*?\*/|:global\([^)]*\)"));
static CLASS: LazyLock<Regex> = LazyLock::new(|| regex(r"\.([A-Za-z_][\w-]*)"));
static IMPORT: LazyLock<Regex> =
    LazyLock::new(|| regex(r#"import (\w+) from "([^"]+\.module\.css)";"#));

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("it is a literal")
}

pub(super) fn check(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut uses: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for (path, text) in tree.under(script::ROOT, &[".ts", ".tsx"]) {
        for import in IMPORT.captures_iter(text) {
            let (_, [name, module]) = import.extract();
            let module = script::path_of(path, module);
            let Some(css) = tree.text(&module) else {
                let what = format!("imports {module}, which does not exist");
                found.push(Violation::at(path, line_of(text, name), NAME, what));
                continue;
            };
            let defined = classes(css);
            let access = regex(&format!(r"\b{name}\.([A-Za-z_]\w*)"));
            for class in access.captures_iter(&text.replace(&import[0], "")) {
                let class = class.get(1).map_or("", |class| class.as_str());
                if !defined.contains_key(class) {
                    let what = format!("uses the class `{class}`, which {module} does not have");
                    let line = line_of(text, &format!("{name}.{class}"));
                    found.push(Violation::at(path, line, NAME, what));
                }
            }
            let used = uses.entry(module).or_default();
            used.extend(
                access.captures_iter(text).filter_map(|class| Some(class.get(1)?.as_str())),
            );
        }
    }
    for (path, css) in tree.under(script::ROOT, &[".module.css"]) {
        let used = uses.get(path);
        for (class, line) in classes(css) {
            if !used.is_some_and(|used| used.contains(class.as_str())) {
                let what = format!("the class `{class}` is not used: remove it");
                found.push(Violation::at(path, line, NAME, what));
            }
        }
    }
    found
}

/// The classes in selectors, with the line of their first occurrence.
fn classes(css: &str) -> BTreeMap<String, usize> {
    let blank = |found: &regex::Captures<'_>| "\n".repeat(found[0].matches('\n').count());
    let css = OTHERS.replace_all(css, blank);
    let mut classes = BTreeMap::new();
    for (at, line) in css.lines().enumerate() {
        // Declarations end with a semicolon, selectors with a comma or brace.
        if line.trim_end().ends_with([',', '{']) {
            for class in CLASS.captures_iter(line) {
                classes.entry(class[1].to_owned()).or_insert(at + 1);
            }
        }
    }
    classes
}

fn line_of(text: &str, piece: &str) -> usize {
    text.lines().position(|line| line.contains(piece)).map_or(1, |at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unused_and_missing_classes_are_reported() {
        let view = "import classes from \"./view.module.css\";\n\
                    import other from \"@/gone.module.css\";\n\
                    <p className={classes.row} /><p className={`${classes.typo}`} />";
        let css = "/* .comment */\n.row:hover,\n.row > .old {\n  flex: 1.5;\n}\n\
                   .row :global(.cm-line) {\n  color: red;\n}\n";
        let found = check(&Tree::of(&[
            ("web/src/a/view.tsx", view),
            ("web/src/a/view.module.css", css),
            ("web/src/a/unused.module.css", ".all {\n}\n"),
        ]));
        let places: Vec<_> =
            found.iter().map(|v| (v.file.as_str(), v.line, v.what.as_str())).collect();
        assert_eq!(
            places,
            [
                (
                    "web/src/a/view.tsx",
                    3,
                    "uses the class `typo`, which web/src/a/view.module.css does not have"
                ),
                ("web/src/a/view.tsx", 2, "imports web/src/gone.module.css, which does not exist"),
                ("web/src/a/unused.module.css", 1, "the class `all` is not used: remove it"),
                ("web/src/a/view.module.css", 3, "the class `old` is not used: remove it"),
            ]
        );
    }
}
