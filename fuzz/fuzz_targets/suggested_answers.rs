//! Manifests, CI files and READMEs. Each file of the input starts with a line that has its path, and
//! ends with a NUL character.
#![no_main]

use domain::suggested_answers::{RepositoryFile, suggest};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &str| {
    let file = |text: &str| {
        let (path, text) = text.split_once('\n')?;
        Some(RepositoryFile { path: path.to_owned(), text: text.to_owned() })
    };
    let files: Vec<_> = input.split('\0').filter_map(file).collect();
    let paths: Vec<_> = files.iter().map(|file| file.path.clone()).collect();
    for found in suggest(&files, &paths) {
        let is_source = |file: &RepositoryFile| {
            let line = file.text.lines().nth(found.line as usize - 1);
            file.path == found.path
                && line.is_some_and(|line| line.trim().starts_with(&found.excerpt))
        };
        assert!(files.iter().any(is_source));
        assert!(!found.answer.trim().is_empty());
    }
});
