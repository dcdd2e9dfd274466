//! A shell line taken apart into its simple commands, quotes and expansions respected.
//!
//! Whatever is not understood for sure is said to be so, never guessed.

use super::pattern::HOLE;

/// Simple commands of a line at the most.
const MOST_COMMANDS: usize = 200;
/// Substitutions within substitutions.
const DEEPEST: usize = 16;

/// Words before a command, and words alone, that run nothing by themselves.
const KEYWORDS: [&str; 13] =
    ["if", "then", "elif", "else", "fi", "while", "until", "do", "done", "!", "{", "}", "esac"];

/// What a shell line would run.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Script {
    /// The words of each simple command without quotes and redirections, holes for expansions.
    pub commands: Vec<Vec<String>>,
    /// There may be more than that.
    pub unsure: bool,
}

/// Reads a line, or several.
pub(super) fn read(line: &str) -> Script {
    read_at(line, 0, Reader::list)
}

fn read_at(text: &str, depth: usize, how: impl FnOnce(&mut Reader)) -> Script {
    let chars = text.chars().collect();
    let mut reader =
        Reader { chars, at: 0, depth, heredocs: Vec::new(), script: Script::default() };
    if depth > DEEPEST {
        reader.script.unsure = true;
    } else {
        how(&mut reader);
    }
    reader.script
}

struct Reader {
    chars: Vec<char>,
    at: usize,
    depth: usize,
    /// Announced on this line; their bodies begin on the next.
    heredocs: Vec<Heredoc>,
    script: Script,
}

struct Heredoc {
    end: String,
    /// Its body is read as it stands.
    quoted: bool,
    /// Tabs before its lines do not count.
    indented: bool,
}

impl Reader {
    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn follows(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(i, c)| self.chars.get(self.at + i) == Some(&c))
    }

    fn take(&mut self, text: &str) -> bool {
        let follows = self.follows(text);
        if follows {
            self.at += text.chars().count();
        }
        follows
    }

    fn unsure(&mut self) {
        self.script.unsure = true;
    }

    /// Commands up to the end of the text.
    fn list(&mut self) {
        if self.commands_until_paren() {
            // A `)` that nothing opened.
            self.unsure();
            self.list();
        }
    }

    /// Commands up to a `)`, or to the end of the text, which gives false.
    fn commands_until_paren(&mut self) -> bool {
        let mut words = Vec::new();
        let closed = loop {
            match self.peek() {
                None => break false,
                Some(')') => {
                    self.at += 1;
                    break true;
                }
                Some(' ' | '\t') => self.at += 1,
                Some('\n') => {
                    self.at += 1;
                    self.finish(&mut words);
                    self.skip_heredocs();
                }
                Some(';' | '&' | '|') => {
                    self.at += 1;
                    self.finish(&mut words);
                }
                Some('(') => {
                    self.at += 1;
                    // Behind a name it is a function or an array.
                    if !words.iter().all(|word: &String| KEYWORDS.contains(&word.as_str())) {
                        self.unsure();
                    }
                    self.finish(&mut words);
                    self.subshell();
                }
                Some('<' | '>') => self.redirection(&mut words),
                Some('#') => self.comment(),
                Some('\\') if self.take("\\\n") => {}
                Some(_) => words.push(self.word()),
            }
        };
        self.finish(&mut words);
        if !self.heredocs.is_empty() {
            self.heredocs.clear();
            self.unsure();
        }
        closed
    }

    /// Commands behind a `(` that was taken.
    fn subshell(&mut self) {
        self.depth += 1;
        let waiting = std::mem::take(&mut self.heredocs);
        if self.depth > DEEPEST {
            self.at = self.chars.len();
            self.unsure();
        } else if !self.commands_until_paren() {
            self.unsure();
        }
        self.heredocs = waiting;
        self.depth -= 1;
    }

    fn comment(&mut self) {
        while self.peek().is_some_and(|c| c != '\n') {
            self.at += 1;
        }
    }

    /// Takes the words of a simple command that is complete.
    fn finish(&mut self, words: &mut Vec<String>) {
        let mut words = std::mem::take(words);
        let keywords = words.iter().take_while(|word| KEYWORDS.contains(&word.as_str())).count();
        words.drain(..keywords);
        match words.first().map(String::as_str) {
            None => return,
            // Only the values of a loop stand here; its commands follow `do`.
            Some("for" | "select") => {
                if words.get(2).is_some_and(|word| word != "in") {
                    self.unsure();
                }
                return;
            }
            Some("case" | "function") => self.unsure(),
            Some(_) => {}
        }
        if self.script.commands.len() < MOST_COMMANDS {
            self.script.commands.push(words);
        } else {
            self.unsure();
        }
    }

    fn redirection(&mut self, words: &mut Vec<String>) {
        let numbered = self.at > 0 && self.chars[self.at - 1].is_ascii_digit();
        if numbered && words.last().is_some_and(|word| word.bytes().all(|b| b.is_ascii_digit())) {
            words.pop();
        }
        if self.take("<(") || self.take(">(") {
            self.subshell();
            words.push(HOLE.to_string());
            return;
        }
        let here = !self.follows("<<<") && self.take("<<");
        let indented = here && self.take("-");
        if !here {
            for operator in ["<<<", "<>", "<&", ">>", ">|", ">&", "<", ">"] {
                if self.take(operator) {
                    break;
                }
            }
        }
        while matches!(self.peek(), Some(' ' | '\t')) {
            self.at += 1;
        }
        let start = self.at;
        let target = self.word();
        let raw = &self.chars[start..self.at];
        if raw.is_empty() {
            return self.unsure();
        }
        if here {
            let quoted = raw.iter().any(|c| matches!(c, '\'' | '"' | '\\'));
            if target.contains(HOLE) {
                self.unsure();
            }
            self.heredocs.push(Heredoc { end: target, quoted, indented });
        }
    }

    /// The bodies of the documents that were announced on the line before.
    fn skip_heredocs(&mut self) {
        for Heredoc { end, quoted, indented } in std::mem::take(&mut self.heredocs) {
            let mut body = String::new();
            loop {
                if self.at >= self.chars.len() {
                    self.unsure();
                    break;
                }
                let line: String =
                    self.chars[self.at..].iter().take_while(|c| **c != '\n').collect();
                self.at = (self.at + line.chars().count() + 1).min(self.chars.len());
                let shown = if indented { line.trim_start_matches('\t') } else { &line };
                if shown == end {
                    break;
                }
                body.push_str(&line);
                body.push('\n');
            }
            if !quoted {
                let inner = read_at(&body, self.depth + 1, Self::expansions);
                self.merge(inner);
            }
        }
    }

    /// Text that is not run, except for the substitutions in it.
    fn expansions(&mut self) {
        let mut text = String::new();
        while let Some(c) = self.peek() {
            match c {
                '\\' => self.at = (self.at + 2).min(self.chars.len()),
                '$' => self.dollar(&mut text, true),
                '`' => self.backtick(&mut text),
                _ => self.at += 1,
            }
        }
    }

    fn merge(&mut self, inner: Script) {
        self.script.unsure |= inner.unsure;
        let room = MOST_COMMANDS.saturating_sub(self.script.commands.len());
        if inner.commands.len() > room {
            self.unsure();
        }
        self.script.commands.extend(inner.commands.into_iter().take(room));
    }

    fn word(&mut self) -> String {
        let mut text = String::new();
        let (mut brace, mut several) = (false, false);
        while let Some(c) = self.peek() {
            match c {
                ' ' | '\t' | '\n' | ';' | '&' | '|' | '(' | ')' | '<' | '>' => break,
                '\\' => self.escaped(&mut text),
                '\'' => self.single_quoted(&mut text),
                '"' => self.double_quoted(&mut text),
                '$' => self.dollar(&mut text, false),
                '`' => self.backtick(&mut text),
                '*' | '?' => self.push(&mut text, HOLE),
                // Alone it is a command.
                '[' if !matches!(self.chars.get(self.at + 1), None | Some(' ' | '\t' | '[')) => {
                    self.push(&mut text, HOLE);
                }
                _ => {
                    brace |= c == '{';
                    several |= brace && (c == ',' || (c == '.' && text.ends_with('.')));
                    self.push(&mut text, c);
                }
            }
        }
        // `{a,b}` is several words, and which they are is not worked out.
        if several { HOLE.to_string() } else { text }
    }

    fn push(&mut self, text: &mut String, c: char) {
        text.push(c);
        self.at += 1;
    }

    fn escaped(&mut self, text: &mut String) {
        self.at += 1;
        match self.peek() {
            Some('\n') => self.at += 1,
            Some(c) => self.push(text, c),
            None => self.unsure(),
        }
    }

    fn single_quoted(&mut self, text: &mut String) {
        self.at += 1;
        loop {
            match self.peek() {
                None => return self.unsure(),
                Some('\'') => break self.at += 1,
                Some(c) => self.push(text, c),
            }
        }
    }

    fn double_quoted(&mut self, text: &mut String) {
        self.at += 1;
        loop {
            match self.peek() {
                None => return self.unsure(),
                Some('"') => break self.at += 1,
                Some('$') => self.dollar(text, true),
                Some('`') => self.backtick(text),
                Some('\\') => match self.chars.get(self.at + 1) {
                    Some('$' | '`' | '"' | '\\' | '\n') => self.escaped(text),
                    _ => self.push(text, '\\'),
                },
                Some(c) => self.push(text, c),
            }
        }
    }

    /// An expansion is a hole; what a substitution runs is read.
    fn dollar(&mut self, text: &mut String, quoted: bool) {
        self.at += 1;
        if self.take("((") {
            self.arithmetic();
        } else if self.take("(") {
            self.subshell();
        } else if self.take("{") {
            let inner = self.up_to("}");
            if inner.is_none_or(|inner| inner.contains(['$', '`', '\'', '"', '\\', '{', '\n'])) {
                self.unsure();
            }
        } else {
            match self.peek() {
                Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                    while self.peek().is_some_and(|c| c.is_ascii_alphanumeric() || c == '_') {
                        self.at += 1;
                    }
                }
                Some('0'..='9' | '@' | '*' | '#' | '?' | '$' | '!' | '-') => self.at += 1,
                // Shells differ in where it ends.
                Some('\'') if !quoted => self.unsure(),
                Some('"') if !quoted => return,
                _ => return text.push('$'),
            }
        }
        text.push(HOLE);
    }

    /// Behind `$((`. A subshell in a substitution looks alike, but closes its first `(` before the
    /// end.
    fn arithmetic(&mut self) {
        let inner = self.up_to("))");
        let mut open = 0_i32;
        let balanced = |c: char| {
            open += i32::from(c == '(') - i32::from(c == ')');
            open >= 0
        };
        let sure = inner.is_some_and(|inner| {
            !inner.contains(['`', '\'', '"', '\\', '\n', ';'])
                && !inner.contains("$(")
                && inner.chars().all(balanced)
        });
        if !sure || open != 0 {
            self.unsure();
        }
    }

    /// The text before `end`, which is taken too.
    fn up_to(&mut self, end: &str) -> Option<String> {
        let start = self.at;
        while self.at < self.chars.len() {
            if self.follows(end) {
                let text = self.chars[start..self.at].iter().collect();
                self.at += end.chars().count();
                return Some(text);
            }
            self.at += 1;
        }
        None
    }

    fn backtick(&mut self, text: &mut String) {
        self.at += 1;
        let mut inner = String::new();
        loop {
            match self.peek() {
                None => return self.unsure(),
                Some('`') => break self.at += 1,
                Some('\\') if matches!(self.chars.get(self.at + 1), Some('$' | '`' | '\\')) => {
                    self.at += 1;
                    self.push(&mut inner, self.chars[self.at]);
                }
                Some(c) => self.push(&mut inner, c),
            }
        }
        let inner = read_at(&inner, self.depth + 1, Self::list);
        self.merge(inner);
        text.push(HOLE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The commands, holes shown as `…`.
    fn commands(line: &str) -> Vec<String> {
        let script = read(line);
        assert!(!script.unsure, "{line}");
        let shown = |words: &Vec<String>| words.join(" ").replace(HOLE, "…");
        script.commands.iter().map(shown).collect()
    }

    #[test]
    fn every_command_of_a_line_is_found() {
        for (line, expected) in [
            ("", &[][..]),
            ("# rm -rf /", &[]),
            ("ls -la", &["ls -la"]),
            ("ls; rm -rf /", &["ls", "rm -rf /"]),
            ("a && b || c | d & e\nf", &["a", "b", "c", "d", "e", "f"]),
            ("a;b", &["a", "b"]),
            ("(cd x && rm y)", &["cd x", "rm y"]),
            ("{ a; b; }", &["a", "b"]),
            ("! a", &["a"]),
            ("echo $(rm x)", &["rm x", "echo …"]),
            ("echo `rm x`", &["rm x", "echo …"]),
            ("echo \"a $(rm 'x y') b\"", &["rm x y", "echo a … b"]),
            ("echo `a \\`b\\``", &["b", "a …", "echo …"]),
            ("x=$(rm y)", &["rm y", "x=…"]),
            ("diff <(a) >(b)", &["a", "b", "diff … …"]),
            ("if a; then b; else c; fi", &["a", "b", "c"]),
            ("if (a); then b; fi", &["a", "b"]),
            ("for f in *.js; do node --check \"$f\"; done", &["node --check …"]),
            ("while read x; do echo $x; done < list", &["read x", "echo …"]),
            ("a \\\n  b", &["a b"]),
        ] {
            assert_eq!(commands(line), expected, "{line}");
        }
    }

    #[test]
    fn quotes_hide_separators_and_nothing_else() {
        for (line, expected) in [
            ("echo 'a; b' \"c && d\" e\\;f", &["echo a; b c && d e;f"][..]),
            ("r\\m -r'f' \"/\"", &["rm -rf /"]),
            ("echo '$(rm x)' \"\\$(rm x)\" \\`x", &["echo $(rm x) $(rm x) `x"]),
            ("echo it\\'s; rm x", &["echo it's", "rm x"]),
            ("echo a#b # rm", &["echo a#b"]),
            ("echo \"a\\nb\"", &["echo a\\nb"]),
        ] {
            assert_eq!(commands(line), expected, "{line}");
        }
    }

    #[test]
    fn redirections_are_left_out() {
        for (line, expected) in [
            ("a > b 2>&1", &["a"][..]),
            ("a 2> b; c", &["a", "c"]),
            ("a &> b", &["a"]),
            ("a >&2", &["a"]),
            ("> x rm y", &["rm y"]),
            ("a 12 >x", &["a 12"]),
            ("a <<< \"$(b)\"", &["b", "a"]),
            ("cat > f <<'E'\nrm $(x)\nE\nb", &["cat", "b"]),
            ("cat <<E\nrm $(x) \\$(y)\nE\nb", &["cat", "x", "b"]),
            ("cat <<-E | a\n\tx\n\tE\nb", &["cat", "a", "b"]),
        ] {
            assert_eq!(commands(line), expected, "{line}");
        }
    }

    #[test]
    fn what_is_known_only_later_is_a_hole() {
        for (line, expected) in [
            ("rm $DIR/x ${y%.js} $1 $@", &["rm …/x … … …"][..]),
            ("echo $ 5$", &["echo $ 5$"]),
            ("echo $(((1) << 2))", &["echo …"]),
            ("rm *.o a?c [ab] x", &["rm ….o a…c …ab] x"]),
            ("[ -f x ]", &["[ -f x ]"]),
            ("{rm,-rf,/}", &["…"]),
            ("echo {1..3} {} a,b", &["echo … {} a,b"]),
        ] {
            assert_eq!(commands(line), expected, "{line}");
        }
    }

    #[test]
    fn what_is_not_understood_is_said_to_be_so() {
        for line in [
            "echo 'a",
            "echo \"a",
            "echo `a",
            "echo $(a",
            "(a",
            "a)",
            "a \\",
            "echo ${x:-$(rm y)}",
            "echo $'\\''; rm x",
            "f() { rm x; }",
            "function f { rm x; }",
            "x=(a b)",
            "case $x in a) rm y;; esac",
            "for x do rm y; done",
            "cat <<E\nno end",
            "cat <<$E\n$E",
            "echo $(cat <<E)",
            "echo $((rm x);(ls))",
            "echo $((rm x) | (ls))",
            "echo $((1 + $(rm x)))",
            "a >",
            &"$(".repeat(40),
            &"a;".repeat(300),
        ] {
            assert!(read(line).unsure, "{line}");
        }
    }

    proptest! {
        #[test]
        fn whatever_the_line_it_is_read(line in "[a-z `'\"$(){}<>|&;\\\\\n#*=-]{0,60}") {
            read(&line);
        }

        #[test]
        fn a_command_behind_a_separator_is_found(
            before in "[a-z]{1,8}( [a-z]{1,8}| '[a-z;&| ]{0,8}'| \"[a-z;&| ]{0,8}\"){0,3}",
            separator in prop::sample::select(vec![";", " && ", "||", " | ", "&", "\n", "; (", " $("]),
        ) {
            let close = if separator.ends_with('(') { ")" } else { "" };
            let script = read(&format!("{before}{separator}rm -rf /{close}"));
            prop_assert!(script.commands.contains(&["rm", "-rf", "/"].map(str::to_owned).to_vec()));
        }
    }
}
