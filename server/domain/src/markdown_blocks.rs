//! A Markdown text as a flat list of blocks, each as written and with its line.

use std::{borrow::Cow, collections::VecDeque, ops::Range};

use pulldown_cmark::{
    CodeBlockKind, Event, HeadingLevel, OffsetIter, Options, Parser, Tag, TagEnd,
};

/// A block without its markers (`#`, `-`, `1.`, `[ ]`, `|`); HTML is left out.
#[derive(Debug, PartialEq, Eq)]
pub struct Block<'a> {
    pub kind: BlockKind,
    /// How many lists it is in.
    pub depth: usize,
    /// Of its text, from 1.
    pub line: usize,
    /// The byte at which it starts.
    pub start: usize,
    /// With the marks within it, such as those of code. Cells of a row are joined by dashes.
    pub text: Cow<'a, str>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// With its level, from 1.
    Heading(u8),
    Paragraph,
    /// Of a list.
    Item {
        has_children: bool,
    },
    /// Of a table, below its heading.
    Row,
    /// Only in [`blocks_with_code`]; its text is the code, its line that of the fence.
    Code {
        is_shell: bool,
        is_closed: bool,
    },
}

/// All blocks except code.
pub fn blocks(markdown: &str) -> impl Iterator<Item = Block<'_>> {
    Reader::new(markdown, Options::ENABLE_TABLES | Options::ENABLE_TASKLISTS, false)
}

/// All blocks with code, without front matter.
pub fn blocks_with_code(markdown: &str) -> impl Iterator<Item = Block<'_>> {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    Reader::new(markdown, options, true)
}

struct Reader<'a> {
    markdown: &'a str,
    events: OffsetIter<'a>,
    with_code: bool,
    /// The line of the byte `counted`.
    line: usize,
    counted: usize,
    depth: usize,
    open: Option<Open>,
    /// The start of the open row and its cells.
    row: Option<(usize, Vec<&'a str>)>,
    code: Option<Block<'a>>,
    /// Blocks that are complete; an event completes few.
    found: VecDeque<Block<'a>>,
}

/// A block whose text is being collected.
struct Open {
    kind: BlockKind,
    start: usize,
    /// Of its text so far.
    text: Option<Range<usize>>,
}

impl<'a> Iterator for Reader<'a> {
    type Item = Block<'a>;

    fn next(&mut self) -> Option<Block<'a>> {
        while self.found.is_empty() {
            let (event, range) = self.events.next()?;
            self.take(&event, range);
        }
        self.found.pop_front()
    }
}

impl<'a> Reader<'a> {
    fn new(markdown: &'a str, options: Options, with_code: bool) -> Self {
        Self {
            markdown,
            events: Parser::new_ext(markdown, options).into_offset_iter(),
            with_code,
            line: 1,
            counted: 0,
            depth: 0,
            open: None,
            row: None,
            code: None,
            found: VecDeque::new(),
        }
    }

    fn take(&mut self, event: &Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                self.begin(BlockKind::Heading(number(*level)), range.start);
            }
            Event::Start(Tag::Item) => {
                self.begin(BlockKind::Item { has_children: false }, range.start)
            }
            // The paragraphs of an item are its text.
            Event::Start(Tag::Paragraph) if self.open.is_none() => {
                self.begin(BlockKind::Paragraph, range.start);
            }
            Event::Start(Tag::List(_)) => {
                if let Some(Open { kind: BlockKind::Item { has_children }, .. }) = &mut self.open {
                    *has_children = true;
                }
                self.end();
                self.depth += 1;
            }
            Event::End(TagEnd::List(_)) => self.depth = self.depth.saturating_sub(1),
            Event::Start(Tag::TableHead | Tag::TableRow) => {
                self.end();
                self.row = Some((range.start, Vec::new()));
            }
            Event::Start(Tag::TableCell) => {
                let text = self.markdown[range].trim().trim_matches('|').trim();
                if let Some((_, cells)) = self.row.as_mut().filter(|_| !text.is_empty()) {
                    cells.push(text);
                }
            }
            Event::End(TagEnd::TableHead) => self.row = None,
            Event::End(TagEnd::TableRow) => {
                if let Some((start, cells)) = self.row.take().filter(|(_, cells)| !cells.is_empty())
                {
                    let line = self.line_at(start);
                    let text = cells.join(" — ").into();
                    let (kind, depth) = (BlockKind::Row, self.depth);
                    self.found.push_back(Block { kind, depth, line, start, text });
                }
            }
            Event::Start(Tag::CodeBlock(kind)) => {
                self.end();
                if self.with_code {
                    self.begin_code(kind, range);
                }
            }
            Event::Text(text) if self.code.is_some() => {
                if let Some(code) = &mut self.code {
                    code.text.to_mut().push_str(text);
                }
            }
            Event::End(TagEnd::CodeBlock) => self.found.extend(self.code.take()),
            Event::Start(Tag::HtmlBlock) => self.end(),
            Event::End(TagEnd::Heading(_) | TagEnd::Item) => self.end(),
            Event::End(TagEnd::Paragraph) if self.is_in_paragraph() => self.end(),
            Event::Start(_) | Event::Text(_) | Event::Code(_) | Event::InlineHtml(_) => {
                if let Some(open) = &mut self.open {
                    let text = open.text.get_or_insert_with(|| range.clone());
                    text.end = text.end.max(range.end);
                }
            }
            _ => {}
        }
    }

    fn is_in_paragraph(&self) -> bool {
        self.open.as_ref().is_some_and(|open| open.kind == BlockKind::Paragraph)
    }

    fn begin(&mut self, kind: BlockKind, start: usize) {
        self.end();
        self.open = Some(Open { kind, start, text: None });
    }

    fn begin_code(&mut self, kind: &CodeBlockKind<'_>, range: Range<usize>) {
        let (language, is_closed) = match kind {
            CodeBlockKind::Indented => ("", true),
            CodeBlockKind::Fenced(info) => {
                let last = self.markdown[range.clone()].trim_end().rsplit(['\n', '\r']).next();
                let last = last.unwrap_or_default().trim_start_matches([' ', '\t', '>']);
                let is_multiline = self.markdown[range.clone()].trim_end().contains('\n');
                let language = info.split([' ', ',', '{']).next().unwrap_or_default();
                (language, is_multiline && (last.starts_with("```") || last.starts_with("~~~")))
            }
        };
        const SHELLS: [&str; 7] =
            ["sh", "bash", "shell", "zsh", "console", "terminal", "sh-session"];
        let is_shell = SHELLS.iter().any(|shell| language.eq_ignore_ascii_case(shell));
        let line = self.line_at(range.start);
        let (kind, start, text) =
            (BlockKind::Code { is_shell, is_closed }, range.start, Cow::Borrowed(""));
        self.code = Some(Block { kind, depth: self.depth, line, start, text });
    }

    fn end(&mut self) {
        let Some(Open { kind, start, text: Some(text) }) = self.open.take() else { return };
        let line = self.line_at(text.start);
        let text = self.markdown[text].trim_end().into();
        self.found.push_back(Block { kind, depth: self.depth, line, start, text });
    }

    fn line_at(&mut self, byte: usize) -> usize {
        if byte >= self.counted {
            let passed = &self.markdown.as_bytes()[self.counted..byte];
            self.line += passed.iter().filter(|byte| **byte == b'\n').count();
            self.counted = byte;
        }
        self.line
    }
}

fn number(level: HeadingLevel) -> u8 {
    level as u8
}
