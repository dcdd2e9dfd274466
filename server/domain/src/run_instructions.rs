//! How to run a project, according to its README.

use pulldown_cmark::{Event, Parser, Tag};

use crate::markdown_blocks::{Block, BlockKind, blocks};

/// Bytes of an excerpt.
const MAX_LENGTH: usize = 6_000;
/// Headings of sections that say how to install, start or use a program contain one of these words.
const WORDS: [&str; 12] = [
    "run",
    "running",
    "start",
    "started",
    "starting",
    "quickstart",
    "install",
    "installation",
    "installing",
    "setup",
    "usage",
    "using",
];

/// The sections about installing, starting and using the project, as written. Without such a section,
/// the beginning of a README that contains a code block; otherwise `None`.
pub fn run_instructions(readme: &str) -> Option<String> {
    let blocks: Vec<Block<'_>> = blocks(readme).collect();
    let mut found = String::new();
    let mut rest = blocks.as_slice();
    while let Some(at) = rest.iter().position(is_instruction) {
        let section = &rest[at..];
        let end = section[1..].iter().position(|block| ends(&section[0], block));
        rest = end.map_or(&[], |end| &section[end + 1..]);
        let end = rest.first().map_or(readme.len(), |next| next.start);
        found.push_str(readme[section[0].start..end].trim_end());
        found.push_str("\n\n");
    }
    if found.is_empty() && has_code(readme) {
        found.push_str(readme);
    }
    let text = shortened(&found).trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn has_code(markdown: &str) -> bool {
    Parser::new(markdown).any(|event| matches!(event, Event::Start(Tag::CodeBlock(_))))
}

fn is_instruction(block: &Block<'_>) -> bool {
    let heading = block.text.to_lowercase();
    let mut words = heading.split(|c: char| !c.is_alphanumeric());
    matches!(block.kind, BlockKind::Heading(_)) && words.any(|word| WORDS.contains(&word))
}

/// Whether a block is the heading that ends the section of another one.
fn ends(heading: &Block<'_>, block: &Block<'_>) -> bool {
    match (heading.kind, block.kind) {
        (BlockKind::Heading(level), BlockKind::Heading(next)) => next <= level,
        _ => false,
    }
}

/// Ends before the block that exceeds the maximum, so that no list item or paragraph is cut.
fn shortened(text: &str) -> &str {
    if text.len() <= MAX_LENGTH {
        return text;
    }
    let starts = blocks(text).map(|block| block.start);
    &text[..starts.take_while(|start| *start <= MAX_LENGTH).last().unwrap_or(0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_sections_about_running_with_their_subsections() {
        let readme = "# Shelf\n\nWho has which book.\n\n## Getting started\n\n```sh\n# not a heading\n\
            npm ci\n```\n\n### On Windows\n\nUse WSL.\n\n## Design\n\nFiles.\n\n## Usage\n\n`shelf lend`\n";
        let found = run_instructions(readme).unwrap();
        assert_eq!(
            found,
            "## Getting started\n\n```sh\n# not a heading\nnpm ci\n```\n\n### On Windows\n\nUse WSL.\n\n\
             ## Usage\n\n`shelf lend`"
        );
    }

    #[test]
    fn without_such_a_section_takes_a_readme_with_commands() {
        let readme = "# Shelf\n\n```sh\nnode bin/shelf.js\n```\n";
        assert_eq!(run_instructions(readme).as_deref(), Some(readme.trim()));
        assert!(run_instructions("# Shelf\n\n    $ node bin/shelf.js\n").is_some());
        assert_eq!(run_instructions("# Shelf\n\nWho has which book.\n"), None);
        assert_eq!(run_instructions(""), None);
        // "Restarting" is another word.
        assert_eq!(run_instructions("## Prune and rerun\n\nText.\n"), None);
    }

    #[test]
    fn long_sections_end_between_blocks() {
        let item = "- a step that is described in a few more words than necessary\n";
        let readme = format!("## Run\n\n{}", item.repeat(200));
        let found = run_instructions(&readme).unwrap();
        assert!(found.len() <= MAX_LENGTH && found.len() > MAX_LENGTH - 2 * item.len());
        assert!(found.ends_with("necessary"));
    }
}
