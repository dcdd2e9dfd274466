//! Markdown in its usual parts. Everything handed in is Markdown already.

/// A document that grows from its title downwards.
pub(super) struct Page(String);

impl Page {
    pub fn new(title: &str) -> Self {
        Self(format!("# {title}\n"))
    }

    /// Adds a block below what is there.
    pub fn block(&mut self, block: &str) -> &mut Self {
        if !block.is_empty() {
            self.0 += &format!("\n{block}\n");
        }
        self
    }

    /// Adds a heading with what stands below it; a heading with nothing below it is left out.
    pub fn section(&mut self, title: &str, body: &str) -> &mut Self {
        if !body.is_empty() {
            self.0 += &format!("\n## {title}\n\n{body}\n");
        }
        self
    }

    pub fn into_text(self) -> String {
        self.0
    }
}

/// A list.
pub(super) fn items(items: impl IntoIterator<Item = String>) -> String {
    let lines: Vec<String> = items.into_iter().map(|item| format!("- {item}")).collect();
    lines.join("\n")
}

/// A list in which the order counts.
pub(super) fn numbered(items: impl IntoIterator<Item = String>) -> String {
    let numbered = items.into_iter().zip(1..).map(|(item, number)| format!("{number}. {item}"));
    numbered.collect::<Vec<_>>().join("\n")
}

/// A table with a row of names above it.
pub(super) fn table<const N: usize>(
    head: [&str; N],
    rows: impl IntoIterator<Item = [String; N]>,
) -> String {
    let mut lines = vec![format!("| {} |", head.join(" | ")), format!("|{}", "---|".repeat(N))];
    lines.extend(rows.into_iter().map(|row| format!("| {} |", row.join(" | "))));
    lines.join("\n")
}

/// The text with an end, where it has none.
pub(super) fn sentence(text: &str) -> String {
    let ends = text.ends_with(['.', '!', '?', '…', ':', '。', '؟']);
    if ends || text.is_empty() { text.to_owned() } else { format!("{text}.") }
}

/// `a`, `a and b`, `a, b and c`.
pub(super) fn joined(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [before @ .., last] => format!("{} and {last}", before.join(", ")),
    }
}
