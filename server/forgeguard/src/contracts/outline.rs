//! The parts of a Markdown contract, each with its line.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// A heading, from level 1.
    Heading(u8),
    Paragraph,
    /// An item of a list.
    Item,
    /// The first cell of a table row.
    FirstCell,
    /// Another cell.
    Cell,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// From 1.
    pub line: usize,
    pub part: Part,
    /// Its text without markup.
    pub text: String,
    /// The code spans in it.
    pub codes: Vec<String>,
    /// The bold words that it begins with; empty if there are none.
    pub lead: String,
}

/// All parts, in order. Code blocks are omitted, because they are examples.
pub fn outline(markdown: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut open: Option<Part> = None;
    let mut in_code = false;
    let mut in_lead = false;
    let mut cells = 0;
    let mut lines = Lines::of(markdown);
    for (event, range) in Parser::new_ext(markdown, Options::ENABLE_TABLES).into_offset_iter() {
        let begins = match &event {
            Event::Start(Tag::Heading { level, .. }) => Some(Part::Heading(number(*level))),
            Event::Start(Tag::Item) => Some(Part::Item),
            // Paragraphs of a loose list.
            Event::Start(Tag::Paragraph) if is_empty_item(blocks.last()) => Some(Part::Item),
            Event::Start(Tag::Paragraph) => Some(Part::Paragraph),
            Event::Start(Tag::TableRow | Tag::TableHead) => {
                cells = 0;
                None
            }
            Event::Start(Tag::TableCell) => {
                cells += 1;
                Some(if cells == 1 { Part::FirstCell } else { Part::Cell })
            }
            _ => None,
        };
        if let Some(part) = begins {
            let line = lines.at(range.start);
            open = Some(part);
            let (text, lead) = (String::new(), String::new());
            blocks.push(Block { line, part, text, codes: Vec::new(), lead });
            continue;
        }
        match event {
            Event::Start(Tag::CodeBlock(_)) => in_code = true,
            Event::End(TagEnd::CodeBlock) => in_code = false,
            Event::End(
                TagEnd::Heading(_) | TagEnd::Paragraph | TagEnd::Item | TagEnd::TableCell,
            ) => open = None,
            Event::Start(Tag::Strong) => {
                in_lead = blocks.last().is_some_and(|block| block.text.is_empty());
            }
            Event::End(TagEnd::Strong) => in_lead = false,
            Event::Text(text) if !in_code => {
                add(&mut blocks, open, &text);
                if let Some(block) = blocks.last_mut().filter(|_| open.is_some() && in_lead) {
                    block.lead += &text;
                }
            }
            Event::Code(text) => {
                add(&mut blocks, open, &text);
                if let Some(block) = blocks.last_mut().filter(|_| open.is_some()) {
                    block.codes.push(text.into_string());
                }
            }
            Event::SoftBreak | Event::HardBreak => add(&mut blocks, open, " "),
            _ => {}
        }
    }
    blocks.retain(|block| !block.text.trim().is_empty());
    blocks
}

fn add(blocks: &mut [Block], open: Option<Part>, text: &str) {
    if let Some(block) = blocks.last_mut().filter(|_| open.is_some()) {
        block.text += text;
    }
}

fn is_empty_item(block: Option<&Block>) -> bool {
    block.is_some_and(|block| block.part == Part::Item && block.text.is_empty())
}

fn number(level: HeadingLevel) -> u8 {
    level as u8
}

/// Counts lines while offsets increase, so that a document is read once.
struct Lines<'a> {
    text: &'a str,
    place: usize,
    line: usize,
}

impl<'a> Lines<'a> {
    fn of(text: &'a str) -> Self {
        Self { text, place: 0, line: 1 }
    }

    fn at(&mut self, place: usize) -> usize {
        if place < self.place {
            (self.place, self.line) = (0, 1);
        }
        self.line += self.text[self.place..place].matches('\n').count();
        self.place = place;
        self.line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_line_numbers() {
        let text = "# T\n\nOne `code`\nand *more*.\n\n- item `a b`\n  - inner\n\n\
            | x | y |\n|---|---|\n| `c` | d |\n\n```\nnot this\n```\n## End\n";
        let parts: Vec<(usize, Part, String)> =
            outline(text).into_iter().map(|b| (b.line, b.part, b.text)).collect();
        let part = |line, part, text: &str| (line, part, text.to_owned());
        assert_eq!(
            parts,
            [
                part(1, Part::Heading(1), "T"),
                part(3, Part::Paragraph, "One code and more."),
                part(6, Part::Item, "item a b"),
                part(7, Part::Item, "inner"),
                part(9, Part::FirstCell, "x"),
                part(9, Part::Cell, "y"),
                part(11, Part::FirstCell, "c"),
                part(11, Part::Cell, "d"),
                part(16, Part::Heading(2), "End"),
            ]
        );
        assert_eq!(outline(text)[2].codes, ["a b"]);
        let leads: Vec<String> = outline("- **Due**: today.\n- It is **not** due.")
            .into_iter()
            .map(|b| b.lead)
            .collect();
        assert_eq!(leads, ["Due", ""]);
    }
}
