//! The files of the corpus, read.

use std::{collections::BTreeMap, fmt, fs, path::PathBuf};

use domain::diagnostics::Diagnostic;

/// What a tool printed.
pub struct Output {
    pub name: String,
    /// The folder in which it ran.
    pub root: String,
    pub exit_code: i32,
    pub text: String,
}

/// What is expected of a diagnostic.
pub struct Record {
    tool: String,
    severity: String,
    code: String,
    file: String,
    /// `*` stands for anything.
    message: String,
}

/// Which records there are, and which are in each output.
pub struct Expectation {
    pub records: BTreeMap<String, Record>,
    pub lists: BTreeMap<String, Vec<String>>,
}

fn folder(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus").join(name)
}

fn text(kind: &str, tool: &str) -> String {
    let path = folder(kind).join(format!("{tool}.txt"));
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The tools that there are outputs of.
pub fn tools() -> Vec<String> {
    let files = fs::read_dir(folder("outputs")).unwrap();
    let stem = |path: PathBuf| path.file_stem().unwrap().to_str().unwrap().to_owned();
    let mut tools: Vec<String> = files.map(|file| stem(file.unwrap().path())).collect();
    tools.sort();
    tools
}

/// A tool's outputs: after `@@@ name` come `root …`, `exit …`, `$ command` and what was printed.
pub fn outputs(tool: &str) -> Vec<Output> {
    let text = text("outputs", tool);
    let one = |part: &str| {
        let mut lines = part.splitn(5, '\n');
        let mut line = |start: &str| lines.next().unwrap().strip_prefix(start).unwrap().to_owned();
        let (name, root, exit_code) = (line(""), line("root "), line("exit "));
        line("$ ");
        let text = lines.next().unwrap_or_default();
        let text = text.replace('␛', "\x1b").replace('␍', "\r").replace(['␀', '␈'], "\0");
        Output { name, root, exit_code: exit_code.parse().unwrap(), text }
    };
    let text = format!("\n{text}");
    text.split("\n@@@ ").skip(1).map(|part| one(&format!("{part}\n"))).collect()
}

/// Lines `= name | tool | severity | code | file | message` and `output: name name …`.
pub fn expected(tool: &str) -> Expectation {
    let text = text("expected", tool);
    let mut expectation = Expectation { records: BTreeMap::new(), lists: BTreeMap::new() };
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(record) = line.strip_prefix("= ") {
            let mut fields = record.splitn(6, '|').map(|field| field.trim().to_owned());
            let mut field = || fields.next().unwrap_or_else(|| panic!("{tool}: {line}"));
            let name = field();
            let (tool, severity, code, file) = (field(), field(), field(), field());
            let record = Record { tool, severity, code, file, message: field() };
            assert!(expectation.records.insert(name, record).is_none(), "{line}: twice");
        } else {
            let (output, names) = line.split_once(':').unwrap_or_else(|| panic!("{line}"));
            let names: Vec<String> = names.split_whitespace().map(str::to_owned).collect();
            let known = |name: &String| expectation.records.contains_key(name);
            assert!(names.iter().all(known), "{tool}: {line}");
            assert!(expectation.lists.insert(output.to_owned(), names).is_none(), "{line}: twice");
        }
    }
    expectation
}

impl Record {
    pub fn of(found: &Diagnostic) -> Self {
        Self {
            tool: found.tool.to_owned(),
            severity: found.severity.name().to_owned(),
            code: found.code.clone().unwrap_or_default(),
            file: found.file.clone().unwrap_or_default(),
            message: found.message.clone(),
        }
    }

    pub fn fits(&self, found: &Diagnostic) -> bool {
        let found = Self::of(found);
        let mut parts = self.message.split('*');
        let mut rest = found.message.strip_prefix(parts.next().unwrap_or_default());
        for part in parts {
            rest = rest.and_then(|rest| rest.find(part).map(|at| &rest[at + part.len()..]));
        }
        let message = rest.is_some_and(|rest| rest.is_empty() || self.message.ends_with('*'));
        message
            && (&found.tool, &found.severity) == (&self.tool, &self.severity)
            && (&found.code, &found.file) == (&self.code, &self.file)
    }
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tool, severity, code, file, message } = self;
        write!(f, "{tool} | {severity} | {code} | {file} | {message}")
    }
}
