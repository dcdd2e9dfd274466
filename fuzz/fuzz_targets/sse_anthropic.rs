//! A model's reply as server-sent events, in pieces of any size.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Some((piece_size, reply)) = input.split_first() else { return };
    let whole = llm::fuzzing::read_anthropic(reply, reply.len());
    let pieces = llm::fuzzing::read_anthropic(reply, (*piece_size).into());
    // How the bytes arrive changes nothing.
    assert_eq!(whole, pieces);
});
