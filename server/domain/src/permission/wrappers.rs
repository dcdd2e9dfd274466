//! Commands that run another command: what is behind `sudo`, `env`, `xargs`, `sh -c` and the like.

use super::pattern::HOLE;

/// Commands within commands that are followed.
const MAX_DEPTH: usize = 8;

/// A command that runs the words behind its options.
struct Wrapper {
    name: &'static str,
    /// Letters of options with a value.
    values: &'static str,
    /// Letters of options without one.
    flags: &'static str,
    /// Words between the options and the command.
    operands: usize,
}

const WRAPPERS: [Wrapper; 17] = [
    wrapper("sudo", "ugpCrtTUDRh", "AbEeHiKklnPSsvBN", 0),
    wrapper("doas", "uCa", "nsL", 0),
    wrapper("env", "uC", "i0v", 0),
    wrapper("timeout", "sk", "vfp", 1),
    wrapper("nice", "n", "0123456789", 0),
    wrapper("ionice", "cnpPu", "t", 0),
    wrapper("nohup", "", "", 0),
    wrapper("setsid", "", "cfw", 0),
    wrapper("time", "fo", "pvaq", 0),
    wrapper("command", "", "p", 0),
    wrapper("builtin", "", "", 0),
    wrapper("exec", "a", "cl", 0),
    wrapper("coproc", "", "", 0),
    wrapper("stdbuf", "ioe", "", 0),
    wrapper("flock", "wE", "nsxuoFe", 1),
    wrapper("busybox", "", "", 0),
    wrapper("xargs", "adEILnPs", "0rtpxo", 0),
];
/// Long options of these without a value; others must bring theirs behind `=`.
const LONG_FLAGS: [&str; 11] = [
    "preserve-status",
    "foreground",
    "verbose",
    "ignore-environment",
    "null",
    "no-run-if-empty",
    "fork",
    "wait",
    "non-interactive",
    "login",
    "portability",
];
const SHELLS: [&str; 7] = ["sh", "bash", "dash", "zsh", "ash", "ksh", "fish"];

const fn wrapper(
    name: &'static str,
    values: &'static str,
    flags: &'static str,
    operands: usize,
) -> Wrapper {
    Wrapper { name, values, flags, operands }
}

/// What a simple command comes down to.
#[derive(Debug, Default, PartialEq)]
pub(super) struct UnwrappedCommand {
    /// The command as it stands, and every command that it runs, with holes.
    pub texts: Vec<String>,
    /// Shell lines that it runs.
    pub lines: Vec<String>,
    /// It may run more than that.
    pub unsure: bool,
}

/// Looks behind assignments and wrappers.
pub(super) fn unwrap_command(words: &[String]) -> UnwrappedCommand {
    let mut peeled = UnwrappedCommand::default();
    peeled.command(words.to_vec(), 0);
    peeled
}

impl UnwrappedCommand {
    fn command(&mut self, mut words: Vec<String>, depth: usize) {
        if depth > MAX_DEPTH {
            self.unsure = true;
            return;
        }
        self.texts.push(words.join(" "));
        let assigned = words.iter().take_while(|word| is_assignment(word)).count();
        if assigned > 0 {
            words.drain(..assigned);
            self.texts.push(words.join(" "));
        }
        let Some(head) = words.first() else { return };
        let name = head.rsplit('/').next().unwrap_or_default().to_owned();
        if name != *head {
            words[0].clone_from(&name);
            self.texts.push(words.join(" "));
        }
        if let Some(wrapper) = WRAPPERS.iter().find(|wrapper| wrapper.name == name) {
            return match behind(wrapper, &words[1..]) {
                Some(inner) if inner.is_empty() => {}
                Some(inner) => self.command(inner, depth + 1),
                None => self.unsure = true,
            };
        }
        match name.as_str() {
            "find" => self.find(&words, depth),
            "eval" => self.line(words[1..].join(" ")),
            "trap" => words.get(1).into_iter().for_each(|line| self.line(line.clone())),
            // What a word means from here on, or which command it is, is not followed.
            "alias" | "parallel" => self.unsure = true,
            name if SHELLS.contains(&name) => self.shell(&words[1..]),
            _ => {}
        }
    }

    fn find(&mut self, words: &[String], depth: usize) {
        let runs = |word: &str| matches!(word, "-exec" | "-execdir" | "-ok" | "-okdir");
        for (place, _) in words.iter().enumerate().filter(|(_, word)| runs(word)) {
            let inner =
                words[place + 1..].iter().take_while(|word| !matches!(word.as_str(), ";" | "+"));
            let inner = inner.map(|word| word.replace("{}", &HOLE.to_string())).collect();
            self.command(inner, depth + 1);
        }
    }

    /// `sh -c line` runs the line; `sh` alone runs what it is fed.
    fn shell(&mut self, words: &[String]) {
        let option = |word: &&String| word.starts_with(['-', '+']);
        let options = words.iter().take_while(option).count();
        let takes = |letter| {
            words[..options].iter().any(|word| !word.starts_with("--") && word.contains(letter))
        };
        match words.get(options) {
            None => self.unsure = true,
            Some(_) if takes('o') || takes(HOLE) => self.unsure = true,
            Some(line) if takes('c') => self.line(line.clone()),
            Some(_) => {}
        }
    }

    fn line(&mut self, line: String) {
        if line.contains(HOLE) {
            self.unsure = true;
        }
        self.lines.push(line);
    }
}

/// The command behind a wrapper's options; `None` where that cannot be told.
fn behind(wrapper: &Wrapper, words: &[String]) -> Option<Vec<String>> {
    let mut rest = words;
    let mut token = "{}".to_owned();
    while let Some((word, more)) = rest.split_first().filter(|(word, _)| word.starts_with('-')) {
        rest = more;
        if word == "--" {
            break;
        }
        if let Some(long) = word.strip_prefix("--") {
            let fits = LONG_FLAGS.contains(&long) || long.contains('=');
            if !fits
                || long.starts_with("replace")
                || long.starts_with("split")
                || long.contains(HOLE)
            {
                return None;
            }
            continue;
        }
        let letters = &word[1..];
        for (place, letter) in letters.char_indices() {
            if wrapper.values.contains(letter) {
                let own = &letters[place + letter.len_utf8()..];
                let value = if own.is_empty() {
                    let (value, more) = rest.split_first()?;
                    rest = more;
                    value
                } else {
                    own
                };
                if letter == 'I' {
                    token = value.to_owned();
                }
                break;
            }
            if !wrapper.flags.contains(letter) {
                return None;
            }
        }
    }
    let inner = rest.get(wrapper.operands..).unwrap_or_default();
    if wrapper.name != "xargs" || inner.is_empty() {
        return Some(inner.to_vec());
    }
    // What it reads comes in place of the token, or behind everything.
    let filled = inner.iter().map(|word| match token.as_str() {
        "" => HOLE.to_string(),
        token => word.replace(token, &HOLE.to_string()),
    });
    Some(filled.chain([HOLE.to_string()]).collect())
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        let name = name.strip_suffix('+').unwrap_or(name);
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peeled(command: &str) -> UnwrappedCommand {
        let words: Vec<String> = command.split(' ').map(|word| word.replace('_', " ")).collect();
        let mut peeled = unwrap_command(&words);
        peeled.texts.iter_mut().for_each(|text| *text = text.replace(HOLE, "…"));
        peeled
    }

    #[test]
    fn wrapped_commands_are_found() {
        for command in [
            "rm -rf /",
            "/bin/rm -rf /",
            "A=1 B=2 rm -rf /",
            "sudo rm -rf /",
            "sudo -u root -nE -- rm -rf /",
            "env -i A=1 rm -rf /",
            "env -uHOME -C /tmp rm -rf /",
            "timeout 5 rm -rf /",
            "timeout -k 1 --foreground --signal=KILL 5 rm -rf /",
            "nice rm -rf /",
            "nice -n 5 rm -rf /",
            "nice -5 rm -rf /",
            "nohup time -p command exec rm -rf /",
            "stdbuf -oL rm -rf /",
            "busybox rm -rf /",
            "flock -n lock rm -rf /",
            "A=1 /usr/bin/env timeout 5 sudo /bin/rm -rf /",
            "find . -name x -exec rm -rf / ;",
        ] {
            let peeled = peeled(command);
            assert!(peeled.texts.contains(&"rm -rf /".to_owned()), "{command}: {peeled:?}");
            assert_eq!((peeled.texts[0].as_str(), peeled.unsure), (command, false), "{command}");
        }
    }

    #[test]
    fn arguments_of_xargs_and_find_are_holes() {
        for (command, expected) in [
            ("xargs rm -rf", "rm -rf …"),
            ("xargs -0 -n1 -P 4 rm -rf", "rm -rf …"),
            ("xargs -I {} rm -rf {}/x", "rm -rf …/x …"),
            ("xargs -I% rm -rf %", "rm -rf … …"),
            ("find . -exec rm -rf {} +", "rm -rf …"),
        ] {
            assert_eq!(peeled(command).texts.last().unwrap(), expected, "{command}");
        }
    }

    #[test]
    fn lines_of_shells_are_returned() {
        for (command, line) in [
            ("sh -c rm_x", "rm x"),
            ("bash -e -lc rm_x", "rm x"),
            ("/bin/sh -c rm_x name", "rm x"),
            ("env sh -c rm_x", "rm x"),
            ("eval rm x", "rm x"),
            ("trap rm_x EXIT", "rm x"),
        ] {
            assert_eq!(peeled(command).lines, [line], "{command}");
        }
        let script = peeled("sh build.sh -c x");
        assert_eq!((script.lines.len(), script.unsure), (0, false));
    }

    #[test]
    fn unsupported_wrapper_options_are_uncertain() {
        for command in [
            "sudo --unknown rm -rf /",
            "env -S rm_-rf_/",
            "timeout -Z 5 rm",
            "xargs -i rm {}",
            "xargs --replace=x rm x",
            "sh",
            "bash -s",
            "bash -o pipefail -c rm_x",
            "sh -c \u{fffc}",
            "alias a=rm",
            "nice nice nice nice nice nice nice nice nice nice rm",
        ] {
            assert!(peeled(command).unsure, "{command}");
        }
    }
}
