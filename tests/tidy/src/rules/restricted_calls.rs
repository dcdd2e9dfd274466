//! Calls that are restricted to some modules: starting processes, reading the environment, and
//! sleeping, which tests must not do.

use std::sync::LazyLock;

use regex::Regex;

use crate::{
    Tree, Violation,
    files::Files,
    source::{Source, item},
    token::Token,
};

pub(super) const NAME: &str = "restricted-calls";

const STARTS_PROCESSES: [&str; 2] = ["server/sandbox/", "server/git/"];
const READS_ENVIRONMENT: [&str; 2] =
    ["server/forgeguard/src/config.rs", "server/forgeguard/src/config/"];
const ENVIRONMENT: [&str; 6] = ["var", "var_os", "vars", "vars_os", "set_var", "remove_var"];
const SLEEPS: [&str; 3] = ["sleep", "sleep_ms", "sleep_until"];
/// The only function that may sleep: it polls a condition.
const POLLING_FUNCTION: &str = "eventually";

static SLEEPING_SCRIPT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\b(waitForTimeout|setTimeout|setInterval)\(").expect("it is a literal")
});

pub(super) fn check(tree: &Tree) -> Vec<Violation> {
    let files = Files::read(tree);
    let mut found = Vec::new();
    for (path, source) in &files.sources {
        let is_test = files.tests.contains(path);
        if !is_test && path.starts_with("server/") {
            found.extend(misplaced_calls(path, source));
        }
        // Benchmarks may sleep.
        let own =
            if is_test && !path.starts_with("tests/bench/") { &source.shipped[..] } else { &[] };
        for line in calls(own.iter().chain(&source.tests), &SLEEPS) {
            let what = "tests must not sleep: wait for an event, or poll in `eventually`";
            found.push(Violation::at(path, line, NAME, what));
        }
    }
    for (path, text) in tree.under("", &[".ts", ".tsx"]).filter(|(path, _)| is_script_test(path)) {
        for (at, _) in text.lines().enumerate().filter(|(_, line)| SLEEPING_SCRIPT.is_match(line)) {
            let what = "tests must not use timers: wait for an event or a condition";
            found.push(Violation::at(path, at + 1, NAME, what));
        }
    }
    found
}

fn misplaced_calls(path: &str, source: &Source<'_>) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut report = |lines: Vec<usize>, what: &str| {
        found.extend(lines.into_iter().map(|line| Violation::at(path, line, NAME, what)));
    };
    if !STARTS_PROCESSES.iter().any(|home| path.starts_with(home)) {
        let what = "only `sandbox` and `git` start processes";
        report(mentions(source, "process", &["Command"]), what);
    }
    if !READS_ENVIRONMENT.iter().any(|home| path.starts_with(home)) {
        report(mentions(source, "env", &ENVIRONMENT), "only `config` reads the environment");
    }
    found
}

/// Lines that name one of `names` of `module`, in `use` or in code.
fn mentions(source: &Source<'_>, module: &str, names: &[&str]) -> Vec<usize> {
    let imported = source.imports.iter().filter(|import| {
        import.path.windows(2).any(|pair| pair[0] == module && names.contains(&pair[1]))
    });
    let written = source.shipped.windows(4).filter(|w| {
        w[0].text == module && w[1].text == ":" && w[2].text == ":" && names.contains(&w[3].text)
    });
    let mut lines: Vec<usize> =
        imported.map(|import| import.line).chain(written.map(|w| w[0].line)).collect();
    lines.sort_unstable();
    lines.dedup();
    lines
}

/// Lines where one of `names` is called, outside [`POLLING_FUNCTION`].
fn calls<'t>(tokens: impl Iterator<Item = &'t Token<'t>>, names: &[&str]) -> Vec<usize> {
    let tokens: Vec<Token<'_>> = tokens.copied().collect();
    let text = |at: usize| tokens.get(at).map_or("", |token| token.text);
    let (mut lines, mut at) = (Vec::new(), 0);
    while at < tokens.len() {
        if text(at) == "fn" && text(at + 1) == POLLING_FUNCTION {
            at += item(&tokens[at..]);
            continue;
        }
        if names.contains(&text(at)) && text(at + 1) == "(" {
            lines.push(tokens[at].line);
        }
        at += 1;
    }
    lines
}

fn is_script_test(path: &str) -> bool {
    path.contains(".test.")
        || path.starts_with("web/src/testing/")
        || path.starts_with("tests/e2e/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(files: &[(&str, &str)]) -> Vec<(String, usize)> {
        let found = check(&Tree::of(files));
        found.into_iter().map(|violation| (violation.file, violation.line)).collect()
    }

    #[test]
    fn processes_and_environment_are_used_only_in_their_modules() {
        let start =
            "use std::process::{Command, Stdio};\nfn a() { tokio::process::Command::new(1); }";
        let read = "use std::env;\nfn b() { env::var(1); env::current_dir(); }";
        let found = places(&[
            ("server/git/src/run.rs", start),
            ("server/llm/src/run.rs", start),
            ("server/forgeguard/src/config.rs", read),
            ("server/forgeguard/src/api.rs", read),
            ("server/forgeguard/tests/it/main.rs", start),
        ]);
        let api = ("server/forgeguard/src/api.rs".to_owned(), 2);
        let llm = "server/llm/src/run.rs".to_owned();
        assert_eq!(found, [api, (llm.clone(), 1), (llm, 2)]);
    }

    #[test]
    fn polling_function_may_sleep() {
        let polls =
            "async fn eventually(f: impl Fn() -> bool) { while !f() { sleep(1).await; } }\n";
        let found = places(&[("tests/it/src/a.rs", &format!("{polls}fn b() {{ sleep(1); }}"))]);
        assert_eq!(found, [("tests/it/src/a.rs".to_owned(), 2)]);
    }

    #[test]
    fn sleeps_are_reported_in_tests_only() {
        let found = places(&[
            (
                "server/a/src/b.rs",
                "fn a() { sleep(1); }\n#[cfg(test)] mod t {\nfn b() { sleep(1) } }",
            ),
            ("tests/it/tests/c.rs", "// sleep(1)\nfn c() { run(\"sleep(1)\"); thread::sleep(1); }"),
            ("tests/bench/src/main.rs", "fn d() { sleep(1); }"),
            ("tests/e2e/a.spec.ts", "\n\nawait page.waitForTimeout(10);"),
            ("web/src/lib/a.ts", "setTimeout(f, 1);"),
        ]);
        let expected =
            [("server/a/src/b.rs", 3), ("tests/it/tests/c.rs", 2), ("tests/e2e/a.spec.ts", 3)];
        assert_eq!(found, expected.map(|(file, line)| (file.to_owned(), line)));
    }
}
