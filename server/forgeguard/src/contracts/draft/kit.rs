//! What is usual for a programming language: the sensible choice where nobody named one.

/// A language with what is usually taken along with it.
#[derive(Debug, PartialEq)]
pub(super) struct Kit {
    /// As the stack names it.
    pub language: &'static str,
    /// Words that only this language and its tools have, in lower case.
    pub signs: &'static [&'static str],
    /// Runs the tests where nobody said how.
    pub test_command: &'static str,
    /// What the tests are written with.
    pub tests: &'static str,
    /// Form and lint.
    pub style: &'static str,
    /// For HTTP, and the words by which frameworks for it are known.
    pub web: &'static str,
    pub webs: &'static [&'static str],
    /// For pages, for a command line and for windows.
    pub pages: &'static str,
    pub commands: &'static str,
    pub windows: &'static str,
    /// What speaks to each database.
    pub sqlite: &'static str,
    pub postgresql: &'static str,
    pub mysql: &'static str,
    /// Files in the root that say what is depended on.
    pub manifests: &'static [&'static str],
    /// Folder of the code, with `/` at its end; `{program}` stands for the program's name.
    pub source: &'static str,
    /// Where it starts: below that folder, or from the root where it begins with `/`.
    pub entry: &'static str,
    /// The tests, where they do not stand in the folder of the code.
    pub tests_folder: Option<&'static str>,
}

impl Kit {
    /// Whether one of the named frameworks answers HTTP already.
    pub fn has_web(&self, frameworks: &[&str]) -> bool {
        let is_web = |word: &String| self.webs.contains(&word.as_str());
        frameworks.iter().any(|named| tool_words(named).iter().any(is_web))
    }

    /// The folder of the code, with `/` at its end.
    pub fn source(&self, program: &str) -> String {
        self.source.replace("{program}", program)
    }

    /// The path at which the program starts.
    pub fn entry(&self, program: &str) -> String {
        let entry = self.entry.replace("{program}", program);
        match entry.strip_prefix('/') {
            Some(from_root) => from_root.to_owned(),
            None => self.source(program) + &entry,
        }
    }
}

/// Words in lower case; what belongs to names such as `c#` and `node.js` stays.
pub(super) fn tool_words(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !(c.is_alphanumeric() || "#+.".contains(c)));
    words.map(|word| word.trim_matches('.').to_owned()).filter(|word| !word.is_empty()).collect()
}
