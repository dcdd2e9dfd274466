//! A sealed build's bundle: the zip file and every entry of it.
#![no_main]

use std::io::{Cursor, copy, sink};

use archive::Archive;
use libfuzzer_sys::fuzz_target;

const MAX_ENTRIES: usize = 64;
/// What any file may expand to; a larger one may expand to 200 times its size.
const ALWAYS_ALLOWED: u64 = 64 << 20;

fuzz_target!(|file: &[u8]| {
    let Ok(mut archive) = Archive::open(Cursor::new(file), MAX_ENTRIES) else { return };
    let names: Vec<String> = archive.names().map(str::to_owned).collect();
    assert!(names.len() <= MAX_ENTRIES);
    let mut expanded = 0;
    for name in names {
        assert!(!name.starts_with('/') && !name.split('/').any(|part| part == ".."));
        if let Ok(mut entry) = archive.entry(&name) {
            expanded += copy(&mut entry, &mut sink()).unwrap_or_default();
        }
    }
    assert!(expanded <= ALWAYS_ALLOWED.max(file.len() as u64 * 200));
});
