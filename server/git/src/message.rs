//! Commit messages of ForgeGuard: composing and parsing prefix, body and trailers.

use git2::Signature;

use crate::error::GitError;

/// Author and committer of every commit made here.
pub const BOT_NAME: &str = "ForgeGuard Bot";
/// Email address that identifies its commits.
pub const BOT_EMAIL: &str = "forgeguard-bot@users.noreply.github.com";
/// Prefix of all titles.
pub const TITLE_PREFIX: &str = "[forge] ";

/// The bot at a time given in Unix seconds, UTC.
pub(crate) fn bot(at: i64) -> Result<Signature<'static>, GitError> {
    Ok(Signature::new(BOT_NAME, BOT_EMAIL, &git2::Time::new(at, 0))?)
}

/// Composes a title line with the prefix, the body, and the trailers as the last paragraph.
pub(crate) fn compose(
    title: &str,
    body: &str,
    trailers: &[(String, String)],
) -> Result<String, GitError> {
    let words: Vec<&str> = title
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|w| !w.is_empty())
        .collect();
    let line = words.join(" ");
    let line = line.strip_prefix(TITLE_PREFIX.trim_end()).unwrap_or(&line).trim_start();
    if line.is_empty() {
        return Err(GitError::EmptyTitle);
    }
    let mut message = format!("{TITLE_PREFIX}{line}\n");
    let body = plain(body);
    if !body.is_empty() {
        message.push_str(&format!("\n{body}\n"));
    }
    if !trailers.is_empty() {
        message.push('\n');
    }
    for (key, value) in trailers {
        check_trailer(key, value)?;
        message.push_str(&format!("{key}: {}\n", value.trim()));
    }
    Ok(message)
}

/// Whether the last paragraph of the message has all of these trailers.
pub(crate) fn has_trailers(message: &str, wanted: &[(&str, &str)]) -> bool {
    let Ok(found) = git2::message_trailers_strs(message) else { return false };
    wanted.iter().all(|(key, value)| {
        found.iter().any(|(k, v)| k.eq_ignore_ascii_case(key) && v.trim() == value.trim())
    })
}

/// Indents lines that start with `---`, which git treats as the end of the message.
fn plain(body: &str) -> String {
    let lines: Vec<String> = body
        .lines()
        .map(|line| {
            let line: String = line.chars().filter(|c| !c.is_control() || *c == '\t').collect();
            let indent = if line.starts_with("---") { " " } else { "" };
            format!("{indent}{}", line.trim_end())
        })
        .collect();
    lines.join("\n").trim_matches('\n').to_owned()
}

fn check_trailer(key: &str, value: &str) -> Result<(), GitError> {
    let key_ok = key.starts_with(|c: char| c.is_ascii_alphanumeric())
        && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    let value_ok = !value.trim().is_empty() && !value.chars().any(char::is_control);
    if key_ok && value_ok {
        return Ok(());
    }
    Err(GitError::BadTrailer(format!("{key}: {value}").escape_debug().take(200).collect()))
}
