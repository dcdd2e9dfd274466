//! The envelope of a seal, and the statement in it.
#![no_main]

use domain::attestation::{Envelope, pae, statement};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = statement(bytes);
    let Ok(envelope) = serde_json::from_slice::<Envelope>(bytes) else { return };
    // Nothing is opened that no signature stands for, and what is verified is what is returned.
    assert!(!matches!(envelope.open(|_, _| false), Ok(Some(_))));
    if let Ok(Some(payload)) = envelope.open(|signed, _| !signed.is_empty()) {
        let expected = pae(&envelope.payload_type, &payload);
        assert!(matches!(envelope.open(|signed, _| signed == expected), Ok(Some(_))));
        let _ = statement(&payload);
    }
});
