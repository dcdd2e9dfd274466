//! An upper estimate of a text's tokens, close enough to keep a prompt below its limit without the
//! tables of a tokenizer.

/// The class of a character.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Lower,
    Upper,
    Digit,
    Mark,
    LineEnd,
    Blank,
    Other,
}

/// More than a tokenizer counts for prose, and rarely less for other text.
pub fn upper_estimate(text: &str) -> usize {
    let mut tokens = 0;
    let mut rest = text.chars().peekable();
    while let Some(first) = rest.next() {
        let start = kind(first);
        let (mut last, mut length) = (start, 1_usize);
        let is_capitals = start == Kind::Upper && rest.peek().is_some_and(|c| kind(*c) == start);
        while let Some(next) = rest.next_if(|c| continues(last, kind(*c))) {
            last = kind(next);
            length += 1;
        }
        let before = rest.peek().map(|c| kind(*c));
        tokens += match start {
            // Names of constants, and text that does not consist of words.
            _ if is_capitals => 1 + length / 2,
            Kind::Lower | Kind::Upper => length.div_ceil(5),
            Kind::Digit => length.div_ceil(3),
            Kind::Mark => (2 * length).div_ceil(3),
            Kind::LineEnd => 1,
            // A single blank is part of the following word.
            Kind::Blank if length == 1 && before != Some(Kind::Digit) => 0,
            Kind::Blank => 1 + length / 16,
            Kind::Other => (first.len_utf8() - 1).max(1),
        };
    }
    tokens
}

fn kind(c: char) -> Kind {
    match c {
        'a'..='z' => Kind::Lower,
        'A'..='Z' => Kind::Upper,
        '0'..='9' => Kind::Digit,
        '\n' | '\r' => Kind::LineEnd,
        ' ' | '\t' => Kind::Blank,
        _ if c.is_ascii_punctuation() => Kind::Mark,
        _ => Kind::Other,
    }
}

fn continues(last: Kind, next: Kind) -> bool {
    match last {
        Kind::Other => false,
        Kind::Upper => matches!(next, Kind::Upper | Kind::Lower),
        last => last == next,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimate_is_close_to_the_tokenizer() {
        let prose = include_str!("../../../../static/templates/prompts/system-coder.md");
        let code = include_str!("tokens.rs");
        let samples = [
            prose.to_owned(),
            code.to_owned(),
            "not ok 12 - keeps a note\n  at src/shelf/loan.test.js:14:22\n".repeat(40),
            "src/**, test/unit/*.test.js, ".repeat(50),
            "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 ".repeat(20),
            "aGVsbG8gd29ybGQsIHRoaXMgaXMgYmFzZTY0Cg== ".repeat(20),
            "{\"a\": [1, null, {\"created_at\": \"2026-01-02T03:04:05.678Z\"}]}\n".repeat(20),
            "Größe ändern, schließen, öffnen; naïve café. ".repeat(20),
            "请使用简短的名字，不要更改数据库。".repeat(20),
            "Используйте короткие имена и не меняйте базу данных. ".repeat(20),
            "✅ done 🚀 — “quoted” …\n".repeat(20),
            "~!@#$%^&*()_+{}|:<>?`-=[];',./".repeat(20),
            " \t \n\n    x\n\t\ty\n".repeat(40),
        ];
        for sample in samples {
            let counted = tiktoken_rs::o200k_base_singleton().encode_ordinary(&sample).len();
            let estimated = upper_estimate(&sample);
            let start: String = sample.chars().take(30).collect();
            assert!(estimated * 20 >= counted * 19, "{start}: {estimated} for {counted}");
            assert!(estimated <= counted * 4, "{start}: {estimated} for {counted}");
        }
    }
}
