//! Parsers of providers' streams without a connection, for the fuzz targets.

use bytes::Bytes;
use futures::{StreamExt, executor::block_on, stream};

use crate::{
    anthropic, delta_stream::deltas, http, http::RequestContext, openai, provider::DeltaStream,
    reply::Delta, request::Request,
};

/// Reads a reply of the Messages API that arrives in pieces of this size.
pub fn read_anthropic(reply: &[u8], piece_size: usize) -> Vec<Delta> {
    let reader = anthropic::AnthropicReader::new(context());
    collect(deltas(events(reply, piece_size), reader))
}

/// Reads a reply of chat completions that arrives in pieces of this size.
pub fn read_openai(reply: &[u8], piece_size: usize) -> Vec<Delta> {
    let request = Request {
        label: String::new(),
        model: String::new(),
        system: String::new(),
        tools: [].into(),
        messages: Vec::new(),
        max_tokens: 1,
        forgotten_turns: 0,
        earlier_turns: 0,
    };
    let reader = openai::ChatReader::new(context(), &request);
    collect(deltas(events(reply, piece_size), reader))
}

/// Reads a reply of the Responses API that arrives in pieces of this size.
pub fn read_responses(reply: &[u8], piece_size: usize) -> Vec<Delta> {
    let reader = openai::ResponsesReader::new(context());
    collect(deltas(events(reply, piece_size), reader))
}

fn events(reply: &[u8], piece_size: usize) -> http::Events {
    let pieces: Vec<_> =
        reply.chunks(piece_size.max(1)).map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
    http::read_events(stream::iter(pieces))
}

fn collect(deltas: DeltaStream) -> Vec<Delta> {
    let all = deltas.take_while(|delta| std::future::ready(delta.is_ok()));
    block_on(all.filter_map(async |delta| delta.ok()).collect())
}

fn context() -> RequestContext {
    RequestContext { provider: "fuzz", variable: "KEY", model: String::new(), key: None }
}
