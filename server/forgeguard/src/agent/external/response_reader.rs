//! Reads usage and text from responses of models while they are passed on. Pure.

use llm::{ModelApi, Usage};
use serde_json::Value;

/// Longer lines, and longer responses that are not streamed, are not read.
const MAX_LINE_BYTES: usize = 4 << 20;
/// Bytes of a reply's text that are kept.
const MAX_TEXT_BYTES: usize = 32 << 10;

/// What a response has said so far.
#[derive(Debug)]
pub struct ResponseReader {
    api: ModelApi,
    line: Vec<u8>,
    skips_line: bool,
    /// Whether the response is one JSON document, which may have several lines. Known from its first
    /// byte.
    is_document: Option<bool>,
    usage: Option<Usage>,
    text: String,
}

impl ResponseReader {
    pub fn new(api: ModelApi) -> Self {
        Self {
            api,
            line: Vec::new(),
            skips_line: false,
            is_document: None,
            usage: None,
            text: String::new(),
        }
    }

    /// Reads the next bytes of the body.
    pub fn read(&mut self, bytes: &[u8]) {
        let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
        self.is_document = self.is_document.or(first.map(|byte| *byte == b'{'));
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            if self.line.len() + piece.len() > MAX_LINE_BYTES {
                self.skips_line = true;
                self.line.clear();
            }
            if !self.skips_line {
                self.line.extend_from_slice(piece);
            }
            if piece.ends_with(b"\n") && self.is_document != Some(true) {
                self.end_line();
            }
        }
    }

    /// The reply's text, and its usage; `None` if the response did not say it.
    pub fn finish(mut self) -> (String, Option<Usage>) {
        self.end_line();
        (self.text, self.usage)
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        if !std::mem::take(&mut self.skips_line) {
            let data = line.strip_prefix(b"data:").unwrap_or(&line);
            if let Ok(value @ Value::Object(_)) = serde_json::from_slice(data) {
                self.take(&value);
            }
        }
    }

    fn take(&mut self, event: &Value) {
        match self.api {
            ModelApi::Messages => {
                // The start of a message, its end, or a message that was not streamed.
                let usage = event.pointer("/message/usage").or_else(|| event.get("usage"));
                self.add_anthropic(usage);
                self.add_text(event.pointer("/delta/text"));
                self.add_blocks(event.get("content"));
            }
            ModelApi::ChatCompletions => {
                self.set_openai(event.get("usage"), "prompt_tokens", "completion_tokens");
                self.add_text(event.pointer("/choices/0/delta/content"));
                self.add_text(event.pointer("/choices/0/message/content"));
            }
            ModelApi::Responses => {
                let usage = event.pointer("/response/usage").or_else(|| event.get("usage"));
                self.set_openai(usage, "input_tokens", "output_tokens");
                if event["type"] == "response.output_text.delta" {
                    self.add_text(event.get("delta"));
                }
            }
            ModelApi::Gemini { .. } => {
                self.set_gemini(event.get("usageMetadata"));
                self.add_parts(event.pointer("/candidates/0/content/parts"));
            }
        }
    }

    /// The counts are cumulative; those at the end may lack some.
    fn add_anthropic(&mut self, usage: Option<&Value>) {
        let Some(usage) = usage.filter(|usage| usage.is_object()) else { return };
        let known = self.usage.unwrap_or_default();
        let count = |name: &str, known: u64| usage[name].as_u64().unwrap_or(known);
        self.usage = Some(Usage {
            input: count("input_tokens", known.input),
            output: count("output_tokens", known.output),
            cache_read: count("cache_read_input_tokens", known.cache_read),
            cache_write: count("cache_creation_input_tokens", known.cache_write),
        });
    }

    fn set_openai(&mut self, usage: Option<&Value>, prompt: &str, output: &str) {
        let Some(usage) = usage.filter(|usage| usage.is_object()) else { return };
        let details = &usage[format!("{prompt}_details")];
        let all = usage[prompt].as_u64().unwrap_or(0);
        let cache_read = details["cached_tokens"].as_u64().unwrap_or(0).min(all);
        let output = usage[output].as_u64().unwrap_or(0);
        self.usage = Some(Usage { input: all - cache_read, output, cache_read, cache_write: 0 });
    }

    /// The counts are cumulative. Thoughts are billed as output.
    fn set_gemini(&mut self, usage: Option<&Value>) {
        let Some(usage) = usage.filter(|usage| usage.is_object()) else { return };
        let count = |name: &str| usage[name].as_u64().unwrap_or(0);
        let all = count("promptTokenCount") + count("toolUsePromptTokenCount");
        let cache_read = count("cachedContentTokenCount").min(all);
        let output = count("candidatesTokenCount") + count("thoughtsTokenCount");
        self.usage = Some(Usage { input: all - cache_read, output, cache_read, cache_write: 0 });
    }

    fn add_parts(&mut self, parts: Option<&Value>) {
        for part in parts.and_then(Value::as_array).into_iter().flatten() {
            if part["thought"] != true {
                self.add_text(part.get("text"));
            }
        }
    }

    fn add_blocks(&mut self, blocks: Option<&Value>) {
        for block in blocks.and_then(Value::as_array).into_iter().flatten() {
            self.add_text(block.get("text"));
        }
    }

    fn add_text(&mut self, text: Option<&Value>) {
        let text = text.and_then(Value::as_str).unwrap_or_default();
        let room = MAX_TEXT_BYTES.saturating_sub(self.text.len());
        self.text.push_str(&text[..text.floor_char_boundary(room)]);
    }
}

/// What a response cost, from what it said itself. The beginning of a response says less than its
/// end, so one that was cut off costs at least the estimate of what was received.
pub fn billed(said: Option<Usage>, is_complete: bool, estimate: Usage) -> Usage {
    match said {
        Some(usage) if is_complete => usage,
        Some(usage) => Usage { output: usage.output.max(estimate.output), ..usage },
        None => estimate,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn response_that_was_cut_off_costs_what_was_received() {
        let estimate = Usage { input: 50, output: 900, ..Usage::default() };
        let mut reader = ResponseReader::new(ModelApi::Messages);
        reader.read(
            b"data: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":40,\
            \"output_tokens\":1}}}\n\n",
        );
        let (_, said) = reader.finish();
        let whole = Usage { input: 40, output: 1, ..Usage::default() };
        assert_eq!(billed(said, true, estimate), whole);
        assert_eq!(billed(said, false, estimate), Usage { output: 900, ..whole });
        assert_eq!(billed(None, true, estimate), estimate);
    }

    fn read(api: ModelApi, body: &str, piece: usize) -> (String, Option<Usage>) {
        let mut reader = ResponseReader::new(api);
        body.as_bytes().chunks(piece).for_each(|bytes| reader.read(bytes));
        reader.finish()
    }

    #[test]
    fn streams_are_read_however_they_are_split() {
        let messages = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":\
            {\"input_tokens\":7,\"cache_read_input_tokens\":5,\"output_tokens\":1}}}\n\n\
            data: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"Hi \"}}\n\n\
            data: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"you\"}}\r\n\n\
            data: {\"type\":\"message_delta\",\"usage\":{\"output_tokens\":9}}\n\n";
        let chat = "data: {\"choices\":[{\"delta\":{\"content\":\"Hi you\"}}]}\n\n\
            data: {\"choices\":[],\"usage\":{\"prompt_tokens\":12,\"completion_tokens\":9,\
            \"prompt_tokens_details\":{\"cached_tokens\":5}}}\n\ndata: [DONE]\n\n";
        let responses = "data: {\"type\":\"response.output_text.delta\",\"delta\":\"Hi you\"}\n\n\
            data: {\"type\":\"response.completed\",\"response\":{\"usage\":{\"input_tokens\":12,\
            \"input_tokens_details\":{\"cached_tokens\":5},\"output_tokens\":9}}}";
        let gemini = "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Let me see\",\
            \"thought\":true},{\"text\":\"Hi \"}]}}],\"usageMetadata\":{\"promptTokenCount\":12}}\r\n\r\n\
            data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"you\"}]}}],\"usageMetadata\":\
            {\"promptTokenCount\":12,\"cachedContentTokenCount\":5,\"candidatesTokenCount\":6,\
            \"thoughtsTokenCount\":3}}\r\n\r\n";
        let usage = Usage { input: 7, output: 9, cache_read: 5, cache_write: 0 };
        for (api, body) in [
            (ModelApi::Gemini { is_streamed: true }, gemini),
            (ModelApi::Messages, messages),
            (ModelApi::ChatCompletions, chat),
            (ModelApi::Responses, responses),
        ] {
            for piece in [1, 7, 10_000] {
                let expected = ("Hi you".to_owned(), Some(usage));
                assert_eq!(read(api, body, piece), expected, "{api:?} by {piece}");
            }
        }
    }

    #[test]
    fn complete_message_and_truncated_stream_are_read() {
        let whole = "{\"content\":[{\"type\":\"text\",\"text\":\"Hi\"}],\"usage\":\
            {\"input_tokens\":3,\"output_tokens\":2}}";
        let (text, usage) = read(ModelApi::Messages, whole, 5);
        assert_eq!((text.as_str(), usage.unwrap().output), ("Hi", 2));
        let lines = "\n{\n  \"choices\": [\n    {\"message\": {\"content\": \"Hi\"}}\n  ],\n  \
            \"usage\": {\n    \"completion_tokens\": 2\n  }\n}\n";
        let (text, usage) = read(ModelApi::ChatCompletions, lines, 5);
        assert_eq!((text.as_str(), usage.unwrap().output), ("Hi", 2));
        assert_eq!(read(ModelApi::ChatCompletions, "data: {\"choi", 5), (String::new(), None));
    }
}
