//! The files of a spec: one file, or the documents of a folder.

use std::{fs, path::Path};

use domain::{
    spec::SpecProblem,
    spec_documents::{self, DOCUMENTS},
};

use super::failure::Failure;

/// The text of a spec, and where its lines come from.
pub struct SpecFiles {
    text: String,
    /// Names of files with the line before their first one.
    starts: Vec<(String, usize)>,
}

impl SpecFiles {
    /// Reads a file, or the documents of a folder.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let files = if path.is_dir() {
            let documents = DOCUMENTS.iter().map(|name| path.join(name));
            documents.filter(|file| file.is_file()).collect()
        } else {
            vec![path.to_owned()]
        };
        if files.is_empty() {
            let names = DOCUMENTS.join(", ");
            let words = format!("{} contains none of {names}", path.display());
            return Err(Failure::invalid_input(words));
        }
        let mut read = Self { text: String::new(), starts: Vec::new() };
        for file in files {
            let bytes = fs::read(&file)
                .map_err(|error| Failure::invalid_input(format!("{}: {error}", file.display())))?;
            let text = String::from_utf8(bytes).map_err(|_| {
                Failure::invalid_input(format!("{} is not UTF-8 text", file.display()))
            })?;
            let before = spec_documents::append(&mut read.text, &text);
            read.starts.push((file.display().to_string(), before));
        }
        Ok(read)
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// A problem with the file and line of its place.
    pub fn described(&self, problem: &SpecProblem) -> String {
        let Some(line) = problem.line else { return problem.to_string() };
        let file = self.starts.iter().rev().find(|(_, before)| line > *before);
        let Some((name, before)) = file else { return problem.to_string() };
        let quoted = match problem.quoted.as_str() {
            "" => String::new(),
            quoted => format!("“{quoted}”: "),
        };
        format!("{name}:{}: {quoted}{}", line - before, problem.text)
    }
}
