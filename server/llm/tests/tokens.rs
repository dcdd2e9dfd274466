//! Accuracy of the token estimate, compared to a real tokenizer.

use llm::estimated_tokens;
use tiktoken_rs::o200k_base_singleton;

#[test]
fn estimate_is_within_35_percent_for_english_and_code() {
    let texts = [
        include_str!("../src/scenario.rs"),
        include_str!("../src/delta_stream.rs"),
        include_str!("../../../ARCHITECTURE.md"),
        include_str!("../../../static/demo/contracts/blueprint.md"),
    ];
    for text in texts {
        let exact = o200k_base_singleton().encode_ordinary(text).len() as f64;
        let estimated = estimated_tokens(text) as f64;
        let ratio = estimated / exact;
        assert!((0.75..=1.35).contains(&ratio), "{ratio} for {}", &text[..40]);
    }
}
