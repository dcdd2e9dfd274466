//! A text without the marks that models like to put around it.

use domain::contract::ContractFormat;
use pulldown_cmark::{Event, Parser, Tag};

/// The text itself: what a fence around all of it encloses, or the one block that a few words were
/// put around. A document with headings of its own is taken whole, whatever blocks are in it.
pub(super) fn strip(text: &str, format: ContractFormat) -> &str {
    let text = text.trim_start_matches('\u{feff}').trim();
    let Some(block) = block(text) else { return text };
    let around = [&text[..block.start], &text[block.end..]];
    let stands_alone = around.iter().all(|part| part.is_empty());
    let encloses = match format {
        ContractFormat::Markdown => {
            matches!(block.info, "md" | "markdown") && !around.into_iter().any(has_heading)
        }
        ContractFormat::Yaml => matches!(block.info, "yaml" | "yml"),
        ContractFormat::Json => block.info == "json",
    };
    let is_wrapper = encloses || (stands_alone && block.info.is_empty());
    if is_wrapper { block.body.trim_matches('\n') } else { text }
}

fn has_heading(markdown: &str) -> bool {
    Parser::new(markdown).any(|event| matches!(event, Event::Start(Tag::Heading { .. })))
}

struct Block<'a> {
    info: &'a str,
    body: &'a str,
    start: usize,
    end: usize,
}

/// From the first line that opens a fence to the last that can close it: what is between may hold
/// fences of its own.
fn block(text: &str) -> Option<Block<'_>> {
    let mut lines = Vec::new();
    let mut place = 0;
    for line in text.split_inclusive('\n') {
        lines.push((place, line));
        place += line.len();
    }
    let opens = |(_, line): &&(usize, &str)| mark(line).is_some();
    let first @ &(start, opening) = lines.iter().find(opens)?;
    let mark_of_first = mark(opening)?;
    let closes = |(at, line): &&(usize, &str)| *at > first.0 && line.trim_end() == mark_of_first;
    let &(close, closing) = lines.iter().rev().find(closes)?;
    let info = opening[mark_of_first.len()..].trim();
    let body = &text[start + opening.len()..close];
    Some(Block { info, body, start, end: close + closing.len() })
}

/// The run of marks that a fence begins with.
fn mark(line: &str) -> Option<&str> {
    let first = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = line.chars().take_while(|c| *c == first).count();
    (length >= 3).then(|| &line[..length])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn outer_fences_are_removed_and_inner_ones_kept() {
        use ContractFormat::{Json, Markdown, Yaml};
        let nested = "# Directive\n\nReport like this:\n\n```markdown\n# Report\n\nDone.\n```\n\n## Rules\n\nNone.";
        let example = "Directive\n=========\n\nReport:\n\n```md\n# Report\n```";
        let between = "```sh\nrun\n```\n\n# A\n\n```sh\nstop\n```";
        let within = "# A\n\n```sh\nrun\n```\n\nEnd.";
        for (text, format, expected) in [
            ("# A\n", Markdown, "# A"),
            ("```\n# A\n```", Markdown, "# A"),
            ("```markdown\n# A\n```\n", Markdown, "# A"),
            ("~~~~md\n# A\n\n```\ncode\n```\n~~~~", Markdown, "# A\n\n```\ncode\n```"),
            ("```markdown\n# A\n\n```sh\nx\n```\n\nB\n```", Markdown, "# A\n\n```sh\nx\n```\n\nB"),
            ("Here it is:\n\n```markdown\n# A\n```\nEnjoy!", Markdown, "# A"),
            ("Sure.\n```yaml\nendpoints: []\n```", Yaml, "endpoints: []"),
            ("```json\n{}\n```", Json, "{}"),
            (within, Markdown, within),
            (nested, Markdown, nested),
            (example, Markdown, example),
            (between, Markdown, between),
            ("```\nnever closed", Markdown, "```\nnever closed"),
            ("", Markdown, ""),
        ] {
            assert_eq!(strip(text, format), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_can_be_outlined(text in "[`~ a\n\u{e9}#md]{0,60}") {
            let kept = strip(&text, ContractFormat::Markdown);
            prop_assert!(text.contains(kept));
        }
    }
}
