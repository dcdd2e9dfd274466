//! The layers of the web app: generated, lib, domain, components, features, app.

use crate::{Tree, Violation, script};

pub(super) const NAME: &str = "web-layers";

const LAYERS: [&str; 7] =
    ["generated", "lib", "domain", "components", "features", "app", "testing"];

pub(super) fn check(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    for edge in script::imports(tree).edges() {
        let what = if is_test(edge.from) {
            continue;
        } else if layer(edge.from) < layer(edge.to) {
            format!("imports {}, which is in a layer above", edge.to)
        } else if let (Some(own), Some(other)) = (feature(edge.from), feature(edge.to))
            && own != other
        {
            format!("the feature `{own}` imports the feature `{other}`: combine them in `app`")
        } else {
            continue;
        };
        found.push(Violation::at(edge.from, edge.line, NAME, what));
    }
    found
}

fn is_test(path: &str) -> bool {
    path.contains(".test.") || path.starts_with("web/src/testing/")
}

/// Files directly in the root start the app and may import everything.
fn layer(path: &str) -> usize {
    let folder = path.strip_prefix(script::ROOT).and_then(|inner| inner.split_once('/'));
    let at = folder.and_then(|(folder, _)| LAYERS.iter().position(|layer| *layer == folder));
    at.unwrap_or(LAYERS.len())
}

fn feature(path: &str) -> Option<&str> {
    path.strip_prefix("web/src/features/")?.split('/').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn import_from_a_higher_layer_or_another_feature_is_reported() {
        let found = check(&Tree::of(&[
            ("web/src/main.tsx", "import '@/app/app';"),
            ("web/src/app/app.tsx", "import '@/features/a/x'; import '@/lib/u';"),
            ("web/src/features/a/x.ts", "import './y';\nimport '@/features/b/z';"),
            ("web/src/features/a/y.ts", "import '@/components/c';"),
            ("web/src/features/a/y.test.ts", "import '@/features/b/z';"),
            ("web/src/features/b/z.ts", ""),
            ("web/src/components/c.tsx", "import '@/lib/u';\n\nimport '@/app/app';"),
            ("web/src/lib/u.ts", "import type { paths } from '@/generated/api';"),
            ("web/src/generated/api.ts", ""),
        ]));
        let places: Vec<_> = found.iter().map(|v| (v.file.as_str(), v.line)).collect();
        assert_eq!(places, [("web/src/components/c.tsx", 3), ("web/src/features/a/x.ts", 2)]);
    }
}
