//! Commands of shell lines.

use super::*;
use crate::permission::pattern::HOLE;
use proptest::prelude::*;

/// The commands, holes shown as `…`.
fn commands(line: &str) -> Vec<String> {
    let script = read(line);
    assert!(!script.is_uncertain, "{line}");
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
        ("if [[ -f a && ! -d b ]]; then c; fi", &["[[ -f a", "! -d b ]]", "c"]),
        ("python3 - <<'E'\nprint(`x`)\nE\nls", &["python3 -", "ls"]),
        ("export A=\"$PATH:/b\"; a=1 b=2", &["export A=…:/b", "a=1 b=2"]),
        ("a & b; kill $!", &["a", "b", "kill …"]),
    ] {
        assert_eq!(commands(line), expected, "{line}");
    }
}

#[test]
fn quoted_separators_are_text() {
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
fn redirections_are_ignored() {
    for (line, expected) in [
        ("a > b 2>&1", &["a"][..]),
        ("a 2> b; c", &["a", "c"]),
        ("a &> b", &["a"]),
        ("a >&2", &["a"]),
        ("> x rm y", &["rm y"]),
        ("a 12 >x", &["a 12"]),
        ("a <<< \"$(b)\"", &["b", "a"]),
        ("cat > f <<'E'\nrm $(x)\nE\nb", &["cat", "b"]),
        ("cat <<E\nrm $(x) \\$(y)\nE\nb", &["x", "cat", "b"]),
        ("cat <<-E | a\n\tx\n\tE\nb", &["cat", "a", "b"]),
    ] {
        assert_eq!(commands(line), expected, "{line}");
    }
}

#[test]
fn expansion_is_a_hole() {
    for (line, expected) in [
        ("rm $DIR/x ${y%.js} $1 $@", &["rm …/x … … …"][..]),
        ("echo $ 5$", &["echo $ 5$"]),
        ("echo $(((1) << 2))", &["echo …"]),
        ("rm *.o a?c [ab] x", &["rm ….o a…c …ab] x"]),
        ("[ -f x ]", &["[ -f x ]"]),
        ("echo {1..3} {} a,b", &["echo … {} a,b"]),
    ] {
        assert_eq!(commands(line), expected, "{line}");
    }
}

#[test]
fn unsupported_syntax_is_uncertain() {
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
        "{rm,-rf,/}",
        // Where the grammar is more generous than shells.
        "E\n\\\na",
        "a\\\nb",
        "a ==\nb",
        "<&-x a",
        "$\\",
        "export rm{!",
        "x -<<E\nE",
        "a\u{a0}b",
        &"$(".repeat(40),
        &"a;".repeat(300),
    ] {
        assert!(read(line).is_uncertain, "{line}");
    }
}

proptest! {
    #[test]
    fn any_line_can_be_read(line in "[a-z `'\"$(){}<>|&;\\\\\n#*=-]{0,60}") {
        read(&line);
    }

    #[test]
    fn command_after_a_separator_is_found(
        before in "[a-z]{1,8}( [a-z]{1,8}| '[a-z;&| ]{0,8}'| \"[a-z;&| ]{0,8}\"){0,3}",
        separator in prop::sample::select(vec![";", " && ", "||", " | ", "&", "\n", "; (", " $("]),
    ) {
        let close = if separator.ends_with('(') { ")" } else { "" };
        let script = read(&format!("{before}{separator}rm -rf /{close}"));
        prop_assert!(script.commands.contains(&["rm", "-rf", "/"].map(str::to_owned).to_vec()));
    }
}
