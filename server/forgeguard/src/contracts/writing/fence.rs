//! Removes what models put around a document: a code fence, and sentences addressed to the reader.

use domain::contract::ContractFormat;
use pulldown_cmark::{Event, Parser, Tag};

/// Length of a remark around a document. A longer text belongs to the document.
const MAX_REMARK_CHARS: usize = 300;

/// The document in a submission. Without a fence or remark around it, the text as it is; a fenced
/// block within a document never replaces the document.
pub(super) fn strip(text: &str, format: ContractFormat) -> &str {
    let text = text.trim_start_matches('\u{feff}').trim();
    let document = enclosed(text, format).unwrap_or(text);
    match format {
        ContractFormat::Markdown => without_introduction(document),
        ContractFormat::Yaml | ContractFormat::Json => document,
    }
}

/// Removes inputs that are repeated before or after the document.
pub(super) fn without_input<'a>(mut text: &'a str, inputs: &[String]) -> &'a str {
    loop {
        let rest = inputs.iter().map(|input| input.trim()).filter(|input| !input.is_empty());
        let mut rest = rest.filter_map(|input| {
            text.strip_prefix(input).or_else(|| text.strip_suffix(input)).map(str::trim)
        });
        match rest.next().filter(|rest| !rest.is_empty()) {
            Some(rest) => text = rest,
            None => return text,
        }
    }
}

/// The last paragraph of a Markdown document if it talks about the document rather than belonging
/// to it.
pub(super) fn closing_remark(document: &str) -> Option<&str> {
    const OPENINGS: [&str; 9] = [
        "let me know",
        "please let me know",
        "i hope this",
        "feel free to",
        "would you like me",
        "if you'd like me",
        "if you would like me",
        "shall i ",
        "this contract is ready",
    ];
    let last = document.trim_end().rsplit("\n\n").next()?.trim();
    let lower = last.to_lowercase().replace('’', "'");
    OPENINGS.iter().any(|opening| lower.starts_with(opening)).then_some(last)
}

/// The content of a fence around the document.
fn enclosed(text: &str, format: ContractFormat) -> Option<&str> {
    let block = block(text)?;
    let around = [&text[..block.start], &text[block.end..]];
    let stands_alone = around.iter().all(|part| part.is_empty());
    let is_wrapper = match format {
        ContractFormat::Markdown => {
            let is_markdown = matches!(block.info, "md" | "markdown");
            let is_document = starts_with_heading(block.body)
                && is_introduction(around[0])
                && is_remark(around[1]);
            is_markdown && (stands_alone || is_document)
        }
        ContractFormat::Yaml => matches!(block.info, "yaml" | "yml"),
        ContractFormat::Json => block.info == "json",
    };
    let is_wrapper = is_wrapper || (stands_alone && block.info.is_empty());
    (is_wrapper && block.is_single).then(|| block.body.trim_matches('\n'))
}

/// Removes an introduction above the first heading.
fn without_introduction(document: &str) -> &str {
    let mut events = Parser::new(document).into_offset_iter();
    let heading = events.find(|(event, _)| matches!(event, Event::Start(Tag::Heading { .. })));
    let Some((_, range)) = heading else { return document };
    match is_introduction(&document[..range.start]) {
        true => &document[range.start..],
        false => document,
    }
}

/// Whether a text is empty, or a remark such as "Sure, here is the contract:".
fn is_introduction(text: &str) -> bool {
    const OPENINGS: [&str; 9] = [
        "sure",
        "certainly",
        "of course",
        "okay",
        "here is",
        "here's",
        "here it is",
        "below is",
        "i have written",
    ];
    let lower = text.trim().to_lowercase().replace('’', "'");
    let is_opening = OPENINGS.iter().any(|opening| lower.starts_with(opening));
    is_remark(text) && (lower.is_empty() || is_opening)
}

/// Whether a text is empty or one short plain paragraph.
fn is_remark(text: &str) -> bool {
    let text = text.trim();
    let is_plain = |line: &str| {
        let first = line.trim_start().chars().next();
        !first.is_some_and(|c| "#-*+>|`~<_".contains(c) || c.is_ascii_digit())
    };
    text.chars().count() <= MAX_REMARK_CHARS && !text.contains("\n\n") && text.lines().all(is_plain)
}

fn starts_with_heading(markdown: &str) -> bool {
    matches!(Parser::new(markdown).next(), Some(Event::Start(Tag::Heading { .. })))
}

struct Block<'a> {
    info: &'a str,
    body: &'a str,
    start: usize,
    end: usize,
    /// False if it is several blocks with text between them.
    is_single: bool,
}

/// From the first line that opens a fence to the last that can close it: there may be other fences
/// between them.
fn block(text: &str) -> Option<Block<'_>> {
    let mut fences = Vec::new();
    let mut place = 0;
    for line in text.split_inclusive('\n') {
        if let Some(mark) = mark(line) {
            fences.push((place, line, mark));
        }
        place += line.len();
    }
    let &(start, opening, outer) = fences.first()?;
    let closes = |(_, line, _): &(usize, &str, &str)| line.trim_end() == outer;
    let last = fences.iter().skip(1).rposition(closes)? + 1;
    let (close, closing, _) = fences[last];
    let same = fences[1..last].iter().filter(|(_, _, mark)| *mark == outer);
    let info = opening[outer.len()..].trim();
    let body = &text[start + opening.len()..close];
    let is_single = is_nested(same.map(|(_, line, mark)| line.trim_end() == *mark));
    Some(Block { info, body, start, end: close + closing.len(), is_single })
}

/// Whether fences within a block can all be nested in it. `true` stands for a fence without a
/// language, which opens or closes; one with a language always opens.
fn is_nested(fences: impl Iterator<Item = bool>) -> bool {
    let mut is_open = false;
    for is_bare in fences {
        if !is_bare && is_open {
            return false;
        }
        is_open = !is_open;
    }
    !is_open
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
        let two = "```md\n# A\n```\nand\n```md\n# B\n```";
        let introduced = "Report:\n\n```md\n# A\n```\n\nThen:\n\n```md\n# B\n```";
        for (text, format, expected) in [
            ("# A\n", Markdown, "# A"),
            ("```\n# A\n```", Markdown, "# A"),
            ("```markdown\n# A\n```\n", Markdown, "# A"),
            ("~~~~md\n# A\n\n```\ncode\n```\n~~~~", Markdown, "# A\n\n```\ncode\n```"),
            ("```markdown\n# A\n\n```sh\nx\n```\n\nB\n```", Markdown, "# A\n\n```sh\nx\n```\n\nB"),
            ("```markdown\n# A\n\n```\nx\n```\n\nB\n```", Markdown, "# A\n\n```\nx\n```\n\nB"),
            ("Here it is:\n\n```markdown\n# A\n```\nEnjoy!", Markdown, "# A"),
            ("Sure.\n```yaml\nendpoints: []\n```", Yaml, "endpoints: []"),
            ("```json\n{}\n```", Json, "{}"),
            (within, Markdown, within),
            (nested, Markdown, nested),
            (example, Markdown, example),
            (between, Markdown, between),
            (two, Markdown, two),
            (introduced, Markdown, introduced),
            ("```\nnever closed", Markdown, "```\nnever closed"),
            ("", Markdown, ""),
        ] {
            assert_eq!(strip(text, format), expected, "{text}");
        }
    }

    #[test]
    fn nested_block_never_replaces_a_text_without_headings() {
        let list = "Directive\n\n- Begin with the tests.\n- Report like this:\n\n```markdown\n# Report\n```";
        let bold = "**Rules**\n\n```markdown\n# Report\n```\n";
        let long = format!("{}\n\n```markdown\n# Report\n```", "A rule. ".repeat(50));
        let short = "Report like this:\n\n```markdown\n# Report\n```";
        for text in [list, bold, short, &long] {
            assert_eq!(strip(text, ContractFormat::Markdown), text.trim());
        }
    }

    #[test]
    fn remarks_around_a_document_are_found() {
        let strip = |text| strip(text, ContractFormat::Markdown);
        assert_eq!(strip("Sure, here is the contract:\n\n# A\n\nB."), "# A\n\nB.");
        for document in ["- a rule\n\n# A\n\nB.", "Sheep are counted.\n\n## Rules\n\nNone."] {
            assert_eq!(strip(document), document);
        }
        assert_eq!(
            closing_remark("# A\n\nB.\n\nLet me know if you want changes!"),
            Some("Let me know if you want changes!")
        );
        assert_eq!(closing_remark("# A\n\nThe page lets me know."), None);
    }

    #[test]
    fn repeated_input_is_removed() {
        let inputs = ["Write the ui contract.".to_owned(), "{\"a\":\"b\"}".to_owned()];
        let text = "Write the ui contract.\n{\"a\":\"b\"}\n\n# UI\n\nA page.\n\n{\"a\":\"b\"}";
        assert_eq!(without_input(text, &inputs), "# UI\n\nA page.");
        assert_eq!(without_input("{\"a\":\"b\"}", &inputs), "{\"a\":\"b\"}");
    }

    proptest! {
        #[test]
        fn any_text_can_be_stripped(text in "[`~ a\n\u{e9}#md]{0,60}") {
            let kept = strip(&text, ContractFormat::Markdown);
            prop_assert!(text.contains(kept));
        }
    }
}
