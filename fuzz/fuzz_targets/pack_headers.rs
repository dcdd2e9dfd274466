//! What a pushed pack expands to.
#![no_main]

use git::pack::{PackLimits, measure};
use libfuzzer_sys::fuzz_target;

const LIMITS: PackLimits = PackLimits { max_object_size: 1 << 20, max_expanded: 4 << 20 };

fuzz_target!(|pack: &[u8]| {
    if let Ok(size) = measure(pack, pack.len() as u64, LIMITS) {
        assert!(size.expanded <= LIMITS.max_expanded);
        // An object has a header of one byte and a stream of at least eight.
        assert!(u64::from(size.objects) * 9 <= pack.len() as u64);
    }
});
