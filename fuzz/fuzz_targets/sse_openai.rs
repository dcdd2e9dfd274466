//! A model's reply as server-sent events, in pieces of any size.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Some((piece_size, reply)) = input.split_first() else { return };
    for read in [llm::fuzzing::read_openai, llm::fuzzing::read_responses] {
        // How the bytes arrive changes nothing.
        assert_eq!(read(reply, reply.len()), read(reply, (*piece_size).into()));
    }
});
