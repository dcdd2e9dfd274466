//! A valid and an invalid text in every language.

use super::{Syntax, SyntaxError, check, languages};

/// Path, valid text, invalid text, and the line of its first error.
const SAMPLES: &[(&str, &str, &str, usize)] = &[
    (
        "a.rs",
        "async fn f<'a>(x: &'a str) -> Option<u8> {\n    let Some(y) = x.bytes().next() else { return None };\n    if let 1..=9 = y && x.len() > 2 { println!(\"{y:?} {{}}\"); }\n    Some(y)\n}\n",
        "fn a() {}\nfn b( {\n",
        2,
    ),
    (
        "a.py",
        "from __future__ import annotations\n\nasync def f[T](x: T, /, *, y: int = 1) -> str:\n    match x:\n        case {'a': [1, *_]} if y:\n            return f\"{x!r:>{y}} {'nested'}\"\n    with (open('a') as a, open('b') as b):\n        pass\n\ntype A = list[int]\n",
        "def a():\n    return (1\n\nclass B:\n    pass\n",
        2,
    ),
    (
        "a.js",
        "#!/usr/bin/env node\nimport { a } from './b.js' with { type: 'json' };\nexport const c = a?.b ?? `x${1}`;\nclass D { #e = 1; static { this.f = 2; } }\n",
        "const a = 1;\nfunction (\n",
        2,
    ),
    ("a.jsx", "const a = <b c={1} {...d}>e<></></b>;\n", "const a = <b c={1}>d</b;\n", 1),
    (
        "a.ts",
        "export type A<T extends string> = { readonly [K in T as `on${K}`]?: () => void };\nconst b = { c: 1 } satisfies Record<string, number>;\n@d class E { constructor(private f: number) {} }\nenum G { H = 1 << 2 }\nfunction assert(x: unknown): asserts x is string {}\n",
        "interface A {\n  b: string\n\nconst c: number = ;\n",
        4,
    ),
    (
        "a.tsx",
        "export function A<T,>({ b }: { b: T }) { return <C<T> d={b as T}>{[1].map((n) => <li key={n} />)}</C>; }\n",
        "export const A = () => <div>\n",
        1,
    ),
    (
        "a.go",
        "package main\n\nimport \"fmt\"\n\ntype Set[T comparable] map[T]struct{}\n\nfunc main() {\n\tfor i := range 10 {\n\t\tdefer func() { fmt.Println(i) }()\n\t}\n}\n",
        "package main\n\nfunc main() {\n\tx := [1, 2\n}\n",
        4,
    ),
    (
        "A.java",
        "package a;\n\npublic sealed interface A permits B {}\nrecord B(int c) implements A {\n    static String d(Object o) {\n        return switch (o) { case B(var c) when c > 1 -> \"\"\"\n            text\n            \"\"\"; default -> null; };\n    }\n}\n",
        "class A {\n    void b() {\n        int c = 1\n    }\n}\n",
        3,
    ),
    (
        "a.c",
        "#include <stdio.h>\n#define MAX(a, b) ((a) > (b) ? (a) : (b))\nstatic int f(const char *s, ...) { for (int i = 0; s[i]; i++) { putchar(s[i]); } return MAX(1, 2); }\n",
        "int f(void) {\n    return (1;\n}\n",
        2,
    ),
    (
        "a.cpp",
        "#include <vector>\ntemplate <typename T> requires std::integral<T>\nauto f(const std::vector<T>& v) -> T { auto g = [&]<class U>(U u) { return u; }; for (auto& [a, b] : m) {} return g(v[0]); }\n",
        "class A {\n  void b() { if (c { } }\n};\n",
        2,
    ),
    (
        "a.cs",
        "namespace A;\npublic record B(int C)\n{\n    public required string D { get; init; } = $\"{1 + 1}\";\n    public async Task<int?> E() => await F() switch { > 1 and < 9 => 1, null => null, _ => throw new() };\n}\n",
        "class A {\n    int B() { return 1 }\n}\n",
        2,
    ),
    (
        "a.rb",
        "class A < B\n  attr_reader :c\n  def d(e:, **f) = puts(\"#{e}\")\n  def g\n    case c\n    in { h: Integer => i } then i\n    else <<~TEXT\n      text\n    TEXT\n    end\n  end\nend\n",
        "class A\n  def b\n    [1, 2\n  end\nend\n",
        3,
    ),
    (
        "a.php",
        "<p>Hi</p>\n<?php\ndeclare(strict_types=1);\nenum A: string { case B = 'b'; }\nfinal class C { public function __construct(private readonly ?int $d = null) {} public function e(): string { return match (true) { $this->d?->f() => 'g', default => \"h {$this->d}\" }; } }\n",
        "<?php\n$a = 1;\nfunction b( { }\n",
        3,
    ),
    (
        "a.sh",
        "#!/usr/bin/env bash\nset -euo pipefail\nfor f in \"${@:1}\"; do\n  if [[ -f $f && ! $f =~ ^a ]]; then echo \"$(cat < \"$f\")\" | sed 's/a/b/'; fi\ndone\ncat <<EOF\ntext\nEOF\n",
        "echo a\nif [ -f b ]; then\n  echo c\n",
        3,
    ),
    (
        "a.html",
        "<!doctype html>\n<html lang=en><head><meta charset=\"utf-8\"><title>A</title></head>\n<body><p>one<p>two<br><script>if (a < b) {}</script></body></html>\n",
        "<ul>\n  <li a=\"b>c</li>\n</ul>\n",
        1,
    ),
    (
        "a.css",
        ":root { --a: 1px; }\n@media (min-width: 40rem) { .b > a:hover::before { margin: calc(var(--a) * 2) auto; & c { color: #fff; } } }\n",
        "a { color: red; }\nb { color: \n",
        2,
    ),
    (
        "a.sql",
        "CREATE TABLE a (id INTEGER PRIMARY KEY, b TEXT NOT NULL DEFAULT 'x' REFERENCES c (d) ON DELETE CASCADE);\nWITH e AS (SELECT id, COUNT(*) AS n FROM a GROUP BY id HAVING COUNT(*) > 1)\nSELECT e.n FROM e LEFT JOIN a ON a.id = e.id WHERE a.b LIKE 'y%' ORDER BY 1 DESC LIMIT 3;\n",
        "SELECT 1;\nSELEC a FROM b WHERE;\n",
        2,
    ),
    ("a.json", "{\"a\": [1, null, \"\\u00e9\"]}", "{\n  \"a\": 1,\n}", 3),
    (
        "dir/a.yml",
        "a: yes\nb: &c [1, 2]\nd: *c\ne: |\n  text\n---\nf: !Ref g\n",
        "a: 1\nb: [1\n",
        2,
    ),
    ("a.toml", "[a]\nb = 1\nc.d = [{ e = 2020-01-01 }]\n", "a = 1\nb = \n", 2),
];

fn syntax_errors(path: &str, text: &str) -> Vec<SyntaxError> {
    match check(path, text) {
        Syntax::Broken(syntax_errors) | Syntax::Doubtful(syntax_errors) => syntax_errors,
        Syntax::Fine | Syntax::Unknown => Vec::new(),
    }
}

#[test]
fn every_language_has_a_good_and_a_broken_sample() {
    let mut names = Vec::new();
    for (path, good, broken, line) in SAMPLES {
        names.extend(languages::of(path, "").map(|language| language.name));
        assert_eq!(check(path, good), Syntax::Fine, "{path}");
        let found = syntax_errors(path, broken);
        let first = found.first().unwrap_or_else(|| panic!("{path} passes"));
        // Some grammars report the start of an unclosed block, others the end of the text.
        assert!((*line..=line + 1).contains(&first.line), "{path}: {found:?}");
        assert!(first.column > 0 && !first.reason.is_empty(), "{path}: {found:?}");
        assert!(found.iter().all(|error| !error.reason.contains('\n')), "{path}: {found:?}");
    }
    for language in languages::ALL {
        assert!(names.contains(&language.name), "{} has no sample", language.name);
    }
}

#[test]
fn reason_names_the_error() {
    for (path, text, line, column, part) in [
        ("a.js", "foo(1;\n", 1, 6, "`)` is missing"),
        ("a.js", "const ü = 'é' 1;\n", 1, 15, "unexpected"),
        ("a.json", "", 1, 1, "EOF"),
        ("a.json", "{\n  \"a\": 1,\n}", 3, 1, "key must be a string"),
        ("a.yaml", "a: 1\na: 2\n", 2, 1, "duplicate"),
        ("a.rs", "fn a() -> {\n}\n", 1, 8, "unexpected"),
    ] {
        let found = syntax_errors(path, text);
        let first = found.first().unwrap_or_else(|| panic!("{path} passes: {text}"));
        assert!(first.reason.contains(part), "{path}: {first:?}");
        assert_eq!((first.line, first.column), (line, column), "{path}: {first:?}");
    }
}

#[test]
fn errors_are_reported_only_for_reliable_grammars() {
    let many = "const = 1;\nok();\n".repeat(50);
    assert_eq!(syntax_errors("a.js", &many).len(), super::MAX_ERRORS);
    assert!(matches!(check("a.js", &many), Syntax::Broken(_)));
    assert!(matches!(check("a.c", "int f( {\n"), Syntax::Doubtful(_)));
}

/// A recursive parser would overflow the stack, and one without a timeout would not finish.
#[test]
fn hostile_text_can_be_parsed() {
    for (path, part) in [
        ("a.js", "("),
        ("a.js", "`${"),
        ("a.json", "["),
        ("a.yaml", "["),
        ("a.toml", "a=["),
        ("a.cpp", "a<"),
        ("a.html", "<a>"),
        ("a.py", "(\n"),
    ] {
        let answer = check(path, &part.repeat(200_000));
        assert!(!matches!(answer, Syntax::Fine), "{path} {part}: {answer:?}");
    }
}
