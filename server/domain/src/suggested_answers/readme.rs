//! The first paragraph of a README, which usually says what the project does.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::{file::RepositoryFile, manifest::Located};

/// Shorter paragraphs are slogans, dates or rows of links.
const MIN_CHARS: usize = 30;
const MAX_CHARS: usize = 2_000;

/// The text of the first paragraph that is a sentence, without badges and markup.
pub fn first_paragraph(file: &RepositoryFile) -> Option<Located<String>> {
    let mut nesting = 0_usize;
    let mut in_image = 0_usize;
    let mut paragraph: Option<(String, Range<usize>)> = None;
    for (event, range) in Parser::new_ext(&file.text, Options::ENABLE_TABLES).into_offset_iter() {
        match event {
            Event::Start(Tag::Paragraph) if nesting == 0 => paragraph = Some((String::new(), 0..0)),
            Event::End(TagEnd::Paragraph) if nesting == 0 => {
                if let Some((text, first)) = paragraph.take().filter(|(text, _)| is_sentence(text))
                {
                    let before = &file.text.as_bytes()[..first.start];
                    let newlines = before.iter().filter(|byte| **byte == b'\n').count();
                    let line = u32::try_from(newlines + 1).ok()?;
                    let text = text.trim().chars().take(MAX_CHARS).collect();
                    return Some(Located::new(text, line));
                }
            }
            Event::Start(Tag::Image { .. }) => in_image += 1,
            Event::End(TagEnd::Image) => in_image = in_image.saturating_sub(1),
            Event::Start(
                Tag::BlockQuote(_)
                | Tag::List(_)
                | Tag::Item
                | Tag::Table(_)
                | Tag::FootnoteDefinition(_),
            ) => nesting += 1,
            Event::End(
                TagEnd::BlockQuote(_)
                | TagEnd::List(_)
                | TagEnd::Item
                | TagEnd::Table
                | TagEnd::FootnoteDefinition,
            ) => nesting = nesting.saturating_sub(1),
            Event::Text(text) | Event::Code(text) if in_image == 0 => {
                if let Some((found, first)) = &mut paragraph {
                    if found.trim().is_empty() {
                        *first = range;
                    }
                    found.push_str(&text);
                }
            }
            Event::SoftBreak | Event::HardBreak => {
                if let Some((found, _)) = &mut paragraph {
                    found.push(' ');
                }
            }
            _ => {}
        }
    }
    None
}

fn is_sentence(text: &str) -> bool {
    let text = text.trim();
    text.chars().count() >= MIN_CHARS && text.contains(' ') && !text.contains('\0')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<(String, u32)> {
        let file = RepositoryFile { path: "README.md".into(), text: text.into() };
        first_paragraph(&file).map(|found| (found.value, found.line))
    }

    #[test]
    fn first_sentence_is_found_behind_title_badges_and_lists() {
        let text = "# Tally\n\n[![build](https://x/b.svg)](https://x)\n<p>hi</p>\n\n> A quotation that is long enough to be a sentence.\n\n\
            - An item that is long enough to be a sentence.\n\n\
            **Tally** counts the votes of `clubs`\nand prints a [report](r.md).\n\nMore of it.\n";
        let expected = "Tally counts the votes of clubs and prints a report.";
        assert_eq!(found(text), Some((expected.to_owned(), 10)));
        assert_eq!(found("# Tally\n\nTBD\n"), None);
        assert_eq!(found(""), None);
    }
}
