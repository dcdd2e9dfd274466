//! The commands at the beginning of a push.
#![no_main]

use git::push::{PushRequest, refusal};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|body: &[u8]| {
    let mut rest = body;
    let Ok(request) = PushRequest::read(&mut rest) else { return };
    assert!(rest.len() <= body.len());
    for update in &request.updates {
        assert!(!update.name.chars().any(char::is_control));
        let _ = refusal(update, |_| None);
    }
    // A refusal names each reference once.
    let refused = request.refused(|_| "no".to_owned());
    assert!(refused.ends_with(b"0000"));
});
