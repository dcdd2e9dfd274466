//! The phases contract.
#![no_main]

use domain::phases;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|markdown: &str| {
    let Ok(found) = phases::parse(markdown) else { return };
    for (number, phase) in (0..).zip(&found) {
        assert_eq!(phase.number, number);
        assert!(!phase.deliverables.is_empty());
        assert!(phases::window(markdown, number).is_some());
    }
    assert_eq!(phases::window(markdown, found.len() as u32), None);
});
