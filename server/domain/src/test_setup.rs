//! What running tests needs besides test files: manifests, settings of test runners, and the programs
//! that a gate starts.

use std::{collections::BTreeSet, sync::LazyLock};

use regex::{Regex, RegexSet};

/// Whether a test runner reads the file, so that tests cannot run on an earlier commit without it.
pub fn is_test_setup(path: &str) -> bool {
    static NAMES: LazyLock<RegexSet> = LazyLock::new(|| {
        RegexSet::new([
            r"^(?:package(?:-lock)?|npm-shrinkwrap|composer|deno|tsconfig[\w.-]*)\.jsonc?$",
            r"^(?:yarn|pnpm-lock|bun|deno|Cargo|composer|poetry|uv|Gemfile|Pipfile)\.(?:lock|yaml|lockb)$",
            r"^(?:Cargo|pyproject|rust-toolchain|bunfig|nextest|pytest)\.toml$|^pnpm-workspace\.yaml$",
            r"^go\.(?:mod|sum|work)$|^Package\.swift$|^CMakeLists\.txt$",
            r"^pom\.xml$|^(?:build|settings)\.gradle(?:\.kts)?$|^gradle\.properties$",
            r"^(?:setup\.(?:cfg|py)|tox\.ini|noxfile\.py|\.?pytest\.ini|requirements[\w.-]*\.txt)$",
            r"^(?:Gemfile|Pipfile|Rakefile|(?:GNUm|M|m)akefile|[Jj]ustfile)$|\.(?:csproj|fsproj|sln)$",
            r"^(?:jest|vitest|vite|babel|playwright|karma)[\w.-]*\.(?:[cm]?[jt]s|json)$|^\.(?:mocharc|babelrc)",
            r"^phpunit[\w.-]*$|^\.rspec$",
        ])
        .expect("they are literals")
    });
    NAMES.is_match(path.rsplit('/').next().unwrap_or(path))
}

/// The name and the command of a script in `package.json` that runs tests, as in
/// `"test:unit": "node --test",`.
pub fn test_script(line: &str) -> Option<(String, String)> {
    static SCRIPT: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r#""(?P<name>(?:pre|post)?(?:test|tests|spec|check|verify|unit|e2e|ci)(?:[:._-][\w:.-]*)?)"\s*:\s*"(?P<command>(?:[^"\\]|\\.)*)""#,
        )
    });
    static VERSION: LazyLock<Regex> = LazyLock::new(|| {
        regex(r"^(?:[~^<>=v]*\d|\*|latest$|next$|(?:npm|file|git|link|workspace):)")
    });
    let found = SCRIPT.captures(line)?;
    let command = found["command"].trim().to_owned();
    (!VERSION.is_match(&command)).then(|| (found["name"].to_owned(), command))
}

/// The words of a command that can be paths, and those of the scripts in a `package.json`.
pub fn words(command: &str, manifest: Option<&str>) -> BTreeSet<String> {
    let scripts = manifest.into_iter().flat_map(str::lines).filter_map(test_script);
    let commands = scripts.map(|(_, command)| command).chain([command.to_owned()]);
    commands.flat_map(|command| split(&command)).collect()
}

fn split(command: &str) -> Vec<String> {
    let words = command.split(|c: char| c.is_whitespace() || "\"'`;|&()<>=\\".contains(c));
    let words = words.map(|word| word.trim_start_matches("./"));
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("it is a literal")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manifests_and_settings_of_runners_are_recognised() {
        for path in [
            "package.json",
            "web/package-lock.json",
            "Cargo.toml",
            "pyproject.toml",
            "pytest.ini",
            "go.mod",
            "pom.xml",
            "build.gradle.kts",
            "Makefile",
            "vitest.config.ts",
            "tsconfig.build.json",
            "requirements-dev.txt",
        ] {
            assert!(is_test_setup(path), "{path}");
        }
        for path in ["src/package.js", "data.json", "src/main.rs", "README.md", "deploy.sh"] {
            assert!(!is_test_setup(path), "{path}");
        }
    }

    #[test]
    fn programs_of_a_gate_are_words_of_its_command_and_of_scripts() {
        let manifest = "{\n  \"scripts\": { \"test\": \"node ./tools/run.js && echo done\" },\n  \
            \"devDependencies\": {\n    \"test\": \"^1.0\"\n  }\n}\n";
        let found = words("npm test; sh ./check.sh", Some(manifest));
        for word in ["check.sh", "tools/run.js"] {
            assert!(found.contains(word), "{word} in {found:?}");
        }
        assert!(!found.contains("^1.0"), "{found:?}");
    }
}
