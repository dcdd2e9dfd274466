//! The syntax tree of a shell line.

use std::ops::ControlFlow;

use tree_sitter::{ParseOptions, ParseState, Parser, Tree};

const MAX_LINE_BYTES: usize = 256 * 1024;
/// The parser reports progress every hundred operations. A limit on time would make the result
/// depend on the machine.
const MAX_PROGRESS_REPORTS: usize = 50_000;

/// None if the line is too long or too complex, or has characters on which shells and the
/// grammar disagree.
pub(super) fn parse(source: &str) -> Option<Tree> {
    // Shells separate words by spaces, tabs and newlines only; the grammar by any white space.
    let is_foreign = |c: char| !matches!(c, ' ' | '\t' | '\n') && (c.is_whitespace() || c == '\0');
    if source.len() > MAX_LINE_BYTES || source.contains(is_foreign) {
        return None;
    }
    // The grammar drops a `-` before `<<`.
    let parsed = source.replace(" - <<", " _ <<");
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_bash::LANGUAGE.into()).ok()?;
    let mut reports = 0_usize;
    let mut within_limit = |_: &ParseState| {
        reports += 1;
        if reports < MAX_PROGRESS_REPORTS {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    };
    let options = ParseOptions::new().progress_callback(&mut within_limit);
    let mut rest = |offset: usize, _| parsed.as_bytes().get(offset..).unwrap_or_default();
    parser.parse_with_options(&mut rest, None, Some(options))
}
