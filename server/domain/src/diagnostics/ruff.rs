//! Ruff, and what else prints codes of flake8 in its forms.

use super::{
    found::Found,
    place::{self, Place},
    sheet::Sheet,
    snippet,
};

const TOOL: &str = "ruff";

/// Problems in files, and ruff's own.
pub fn read(sheet: &Sheet) -> Vec<Found> {
    let mut found = Vec::new();
    let mut file: Option<&str> = None;
    for (at, line) in sheet.free() {
        if !line.starts_with(' ') {
            file = line.strip_suffix(':').filter(|path| place::is_path(path));
        }
        let one =
            full(sheet, at).or_else(|| concise(sheet, at)).or_else(|| grouped(at, line, file));
        found.extend(one.or_else(|| own(sheet, at)));
    }
    found
}

/// The code and the message of `F401 [*] message`.
fn coded(text: &str) -> Option<(&str, &str)> {
    if let Some((word @ ("invalid-syntax" | "unformatted"), message)) = text.split_once(": ") {
        return Some((word, message));
    }
    let (code, message) = text.split_once(' ')?;
    let code = code.strip_prefix('[').and_then(|code| code.strip_suffix(']')).unwrap_or(code);
    let letters = code.bytes().take_while(u8::is_ascii_uppercase).count();
    let digits = &code[letters..];
    let is_code = (1..=5).contains(&letters)
        && (3..=5).contains(&digits.len())
        && digits.bytes().all(|b| b.is_ascii_digit());
    is_code.then(|| (code, message.strip_prefix("[*] ").unwrap_or(message)))
}

fn problem(found: Found, code: &str, place: Option<Place>) -> Found {
    found.code(Some(code.to_owned())).at(place)
}

/// The message, then ` --> path:line:column` and the code.
fn full(sheet: &Sheet, at: usize) -> Option<Found> {
    let below = sheet.line(at + 1);
    if !snippet::is_arrow(below) {
        return None;
    }
    let (code, message) = coded(sheet.line(at))?;
    let end = sheet.until(at + 2, at + 80, |_, line| line.is_empty());
    let reason = snippet::with_label(sheet, at + 2..end, message);
    let found = Found::error(at..end, TOOL, message).known_by(reason);
    Some(problem(found, code, place::trailing(below)))
}

/// `path:line:column: F401 [*] message`, `path:line: [F401] message`.
fn concise(sheet: &Sheet, at: usize) -> Option<Found> {
    let (place, rest) = sheet.located(at)?;
    let python = [".py", ".pyi", ".ipynb"].iter().any(|end| place.file.ends_with(end));
    let (code, message) = coded(rest).filter(|_| python)?;
    Some(problem(Found::error(at..at + 1, TOOL, message), code, Some(place)))
}

/// `  line:column F401 [*] message` under the path of its file.
fn grouped(at: usize, line: &str, file: Option<&str>) -> Option<Found> {
    let (number, rest) = place::number(line.strip_prefix("  ")?.trim_start())?;
    let (_, rest) = place::number(rest.strip_prefix(':')?)?;
    let (code, message) = coded(rest.trim_start())?;
    let place = Place::new(file?, Some(number));
    Some(problem(Found::error(at..at + 1, TOOL, message), code, Some(place)))
}

/// `ruff failed` and its causes.
fn own(sheet: &Sheet, at: usize) -> Option<Found> {
    if sheet.line(at) != "ruff failed" {
        return None;
    }
    let causes = sheet.within(at + 1..at + 8).map_while(|(_, line)| line.strip_prefix("  Cause: "));
    let causes: Vec<&str> = causes.collect();
    let told = causes.first().map_or("failed", |cause| cause);
    let file = told.split('`').nth(1).filter(|file| place::is_path(file));
    let place = file.map(|file| Place::new(file, None));
    let found = Found::error(at..at + 1 + causes.len(), TOOL, told).at(place);
    Some(found.known_by(causes.join(" ")))
}
