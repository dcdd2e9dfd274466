//! Outputs that were cut anywhere, and texts that no tool has printed.

use std::time::Instant;

use domain::diagnostics::{self, MAX_DIAGNOSTICS};
use proptest::prelude::*;

use crate::corpus;

/// Lines such as tools print, to be put together in any order.
const LINES: [&str; 24] = [
    "error[E0425]: cannot find value `a` in this scope",
    " --> src/lib.rs:2:5",
    "  |     ^^^^^ not found",
    "src/a.c:3:5: error: x [-Wall]",
    "src/a.ts(3,5): error TS2322: x",
    "thread 'main' panicked at src/lib.rs:9:9:",
    "---- tests::adds stdout ----",
    "failures:",
    "Traceback (most recent call last):",
    "  File \"a.py\", line 3, in b",
    "ValueError: x",
    "=== FAILURES ===",
    "____ test_a ____",
    "E   assert 1 == 2",
    "FAILED a.py::test_a - x",
    " FAIL  a.test.js > b",
    "  ● b",
    "not ok 1 - a",
    "  ---",
    "✖ a (1.2ms)",
    "--- FAIL: TestA (0.00s)",
    "panic: x",
    "[ERROR] /a/B.java:[3,5] x",
    "",
];

fn check(output: &str) {
    let found = diagnostics::of_failure(output, "/work/tree");
    assert!(!found.is_empty() && found.len() <= MAX_DIAGNOSTICS + 1, "{}", found.len());
    for one in &found {
        assert!(one.text().len() < 8_000 && !one.message.contains('\n'), "{one:?}");
    }
}

#[test]
fn truncated_outputs_of_real_tools_are_parsed() {
    for tool in corpus::tools() {
        for (number, output) in corpus::outputs(&tool).into_iter().enumerate() {
            // Prime steps, and another offset for each output, so that all kinds of places are met.
            let step = output.text.len() / 2 + 1;
            for at in (number % step..output.text.len()).step_by(step) {
                let at = output.text.floor_char_boundary(at);
                check(&output.text[at..]);
                check(&output.text[..at]);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn real_outputs_can_lose_any_part(tool in 0..17usize, output in 0..1000usize, a in 0..9999usize, b in 0..9999usize) {
        let outputs = corpus::outputs(&corpus::tools()[tool]);
        let text = &outputs[output % outputs.len()].text;
        let (a, b) = (a.min(b) % (text.len() + 1), a.max(b) % (text.len() + 1));
        let (a, b) = (text.floor_char_boundary(a.min(b)), text.floor_char_boundary(a.max(b)));
        check(&format!("{}\n[… {} bytes cut …]\n{}", &text[..a], b - a, &text[b..]));
    }

    #[test]
    fn any_text_has_an_error(text in "\\PC{0,200}|[ -~\n\r\t\x1b]{0,400}") {
        check(&text);
    }

    #[test]
    fn any_mixture_of_lines_has_an_error(lines in proptest::collection::vec(0..LINES.len(), 0..30)) {
        let lines: Vec<&str> = lines.into_iter().map(|at| LINES[at]).collect();
        check(&lines.join("\n"));
    }
}

/// A long output is read in a time that grows with it and not with its square.
#[test]
fn long_outputs_are_parsed_in_linear_time() {
    let time = |line: &str, bytes: usize| {
        let text = format!("{line}\n").repeat(bytes / (line.len() + 1));
        let begun = Instant::now();
        check(&text);
        begun.elapsed()
    };
    // Eight times the text: with the square it would be 64 times the time. A busy machine may be
    // at fault for one measurement, and not for all.
    let grows_slowly = |line: &str| time(line, 40_000) < time(line, 5_000) * 24;
    for line in LINES.into_iter().filter(|line| !line.is_empty()) {
        assert!((0..8).any(|_| grows_slowly(line)), "{line}");
    }
}
