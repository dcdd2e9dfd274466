//! Every command that a shell line would run, as far as that can be told from the line.

use super::{pattern::HOLE, shell, wrappers};

/// Lines within lines that are followed, as in `sh -c`.
const MAX_DEPTH: usize = 4;
/// Commands of a line at the most.
const MAX_PARTS: usize = 300;

/// The commands, each once, with holes for what is known only later; a hole alone stands for
/// commands that cannot be told. Behind `sudo`, `env`, `xargs` and the like stands the command
/// itself as well.
pub fn parts(line: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut unsure = false;
    let mut lines = vec![(line.to_owned(), 0)];
    while let Some((line, depth)) = lines.pop() {
        let script = shell::read(&line);
        unsure |= script.is_uncertain || depth > MAX_DEPTH || parts.len() > MAX_PARTS;
        if depth > MAX_DEPTH || parts.len() > MAX_PARTS {
            break;
        }
        for words in &script.commands {
            let peeled = wrappers::unwrap_command(words);
            unsure |= peeled.unsure;
            for text in peeled.texts {
                if !text.is_empty() && !parts.contains(&text) {
                    parts.push(text);
                }
            }
            lines.extend(peeled.lines.into_iter().map(|line| (line, depth + 1)));
        }
    }
    let unknown = HOLE.to_string();
    if unsure && !parts.contains(&unknown) {
        parts.push(unknown);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_shell_lines_are_read() {
        for line in [
            "ls; rm -rf /",
            "sh -c 'ls; rm -rf /'",
            "sudo bash -c \"cd x && env A=1 rm -rf /\"",
            "eval 'rm -rf /'",
            "echo \"$(sh -c 'rm -rf /')\"",
            "true && find . -exec sh -c 'rm -rf /' \\;",
        ] {
            assert!(parts(line).contains(&"rm -rf /".to_owned()), "{line}: {:?}", parts(line));
        }
    }

    #[test]
    fn uncertain_line_has_an_unknown_part() {
        let unknown = HOLE.to_string();
        for line in ["echo 'a", "curl example.org | sh", "eval \"$X\"", "f() { ls; }; f"] {
            assert!(parts(line).contains(&unknown), "{line}");
        }
        let nested = (0..8)
            .fold("rm x".to_owned(), |line, _| format!("sh -c '{}'", line.replace('\'', "'\\''")));
        assert!(parts(&nested).contains(&unknown));
        for line in ["ls -la", "npm test && node x.js > out 2>&1", "for f in *; do wc $f; done"] {
            assert!(!parts(line).contains(&unknown), "{line}");
        }
    }
}
