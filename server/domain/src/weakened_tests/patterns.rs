//! How tests, assertions and skipped tests look in the common test frameworks.

use std::sync::LazyLock;

use regex::{Regex, RegexSet};

/// What a line says about the definition of a test.
pub(super) enum Definition {
    /// The next function is a test.
    Attribute,
    Test(String),
    /// Nothing between an attribute and its function.
    Continues,
    Other,
}

impl Definition {
    pub(super) fn read(line: &str, after_attribute: bool) -> Self {
        static ATTRIBUTE: LazyLock<Regex> = LazyLock::new(|| {
            regex(
                r"^\s*(?:#\[(?:\w+::)*(?:test|rstest|test_case|proptest)\b|@(?:Test|ParameterizedTest|RepeatedTest|Property)\b|\[(?:Fact|Theory|Test|TestMethod|TestCase)\b)",
            )
        });
        static CONTINUES: LazyLock<Regex> =
            LazyLock::new(|| regex(r"^\s*(?:$|#\[|@\w|\[\w|//|/\*|\*)"));
        static FUNCTION: LazyLock<Regex> = LazyLock::new(|| {
            regex(r"(?:\bfn|\bfun|\bvoid|\bTask(?:<[^>]*>)?|\bfunc|\bfunction)\s+`?(\w+)`?\s*[(<]")
        });
        static TEST: LazyLock<Regex> = LazyLock::new(|| {
            regex(
                r#"^\s*(?:(?:async\s+)?def\s+(?P<python>test\w*)|func\s+(?P<go>(?:Test|Fuzz|Example)\w*)\s*\(|(?:public\s+)?function\s+(?P<php>test\w+)\s*\(|(?:await\s+)?(?:x|f)?(?:it|test|specify|scenario)(?:\.\w+)*\s*\(?\s*["'`](?P<title>[^"'`]+)["'`])"#,
            )
        });
        if let Some(found) = TEST.captures(line) {
            let name = ["python", "go", "php", "title"].into_iter().find_map(|it| found.name(it));
            return name.map_or(Self::Other, |name| Self::Test(name.as_str().to_owned()));
        }
        if ATTRIBUTE.is_match(line) {
            // As in `@Test void adds() {`.
            let name = FUNCTION.captures(line).and_then(|found| found.get(1));
            return name.map_or(Self::Attribute, |name| Self::Test(name.as_str().to_owned()));
        }
        if after_attribute {
            if let Some(name) = FUNCTION.captures(line).and_then(|found| found.get(1)) {
                return Self::Test(name.as_str().to_owned());
            }
            if CONTINUES.is_match(line) {
                return Self::Continues;
            }
        }
        Self::Other
    }
}

pub(super) fn is_assertion(line: &str) -> bool {
    static ASSERTION: LazyLock<RegexSet> = LazyLock::new(|| {
        set(&[
            r"\bassert\w*\s*[!.(]",
            r"^\s*assert\s+\S",
            r"\b(?:expect|expectTypeOf|refute|should_\w+|must_\w+)\s*\(",
            r"\.should\b|\bis_expected\b",
            r"\b(?:self|this)\s*(?:\.|->)\s*(?:assert|expect)\w*\s*\(",
            r"\bt\.(?:Error|Fatal|Fail)\w*\(|\brequire\.\w+\(t\b",
            r"\b(?:Assert|XCTAssert\w*|StringAssert|CollectionAssert)\b\s*[.(]",
            r"\b(?:EXPECT|ASSERT|CHECK|REQUIRE)(?:_\w+)?\s*\(",
            r"\b(?:pytest\.raises|assertThat|verify)\s*\(",
            r"\bt\.(?:is|not|true|false|deepEqual|equal|throws)\s*\(",
        ])
    });
    static IMPORT: LazyLock<Regex> = LazyLock::new(|| {
        regex(r"^\s*(?:import\b|from\b|use\b|using\b|#include\b|(?:const|let|var)\b.*\brequire\()")
    });
    !is_comment(line) && ASSERTION.is_match(line) && !IMPORT.is_match(line)
}

pub(super) fn is_skip_marker(line: &str) -> bool {
    static SKIP: LazyLock<RegexSet> = LazyLock::new(|| {
        set(&[
            // Python
            r"@(?:unittest\.)?skip(?:If|Unless)?\b|@(?:unittest\.)?expectedFailure\b",
            r"\bpytest\.(?:mark\.(?:skip|skipif|xfail)\b|skip\s*\(|xfail\s*\()",
            r"\bself\.skipTest\s*\(|\braise\s+(?:unittest\.)?SkipTest\b",
            // Rust
            r"#\[(?:cfg_attr\(.*\b)?ignore\b",
            // JavaScript and TypeScript
            r"\b(?:it|test|describe|context|suite|specify)(?:\.\w+)*\.(?:skip|skipIf|todo|fixme|failing|fails|only)\b",
            r"\b(?:xit|xtest|xdescribe|xcontext|xspecify|fit|fdescribe)\s*[.(]",
            r#"[{,]\s*(?:skip|todo|only)\s*:\s*(?:true|["'`])"#,
            r"\bt\.(?:skip|todo)\s*\(|\bthis\.skip\s*\(",
            // Go
            r"\b[tb]\.Skip(?:f|Now)?\s*\(",
            // Java, Kotlin, C#
            r"@(?:Disabled\w*|Ignore)\b",
            r#"\[(?:Ignore|Explicit)\b|\bSkip\s*=\s*""#,
            r"\b(?:assumeTrue|assumeFalse|assumeThat)\s*\(",
            // PHP, Ruby
            r"\bmarkTest(?:Skipped|Incomplete)\s*\(",
            r#"^\s*(?:pending|skip)(?:\s*$|\s+["'])"#,
            r#"^\s*(?:xit|xdescribe|xcontext|xspecify)\s+["']"#,
        ])
    });
    !is_comment(line) && SKIP.is_match(line)
}

/// Whether a line of a test ends the whole run as a success, or excludes its file from the build.
pub(super) fn is_early_success(line: &str) -> bool {
    static EXIT: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"\b(?:os\._exit|sys\.exit|process\.exit|os\.Exit|System\.exit|process::exit|Deno\.exit)\s*\(\s*0?\s*\)|^//\s*(?:go:build|\+build)\b",
        )
    });
    EXIT.is_match(line)
}

/// Whether an assertion compares a constant with itself.
pub(super) fn is_always_true(line: &str) -> bool {
    static CONSTANT: LazyLock<RegexSet> = LazyLock::new(|| {
        set(&[
            r"^\s*assert\s+(?:True|1|not\s+False)\s*(?:$|[,#])",
            r"\b(?:debug_)?assert!\s*\(\s*(?:true|!\s*false)\s*[,)]",
            r"\b(?:assert|assertTrue|assert\.ok|assert\.isTrue|assert_true|Assert\.(?:True|IsTrue)|assert\.True|require\.True|t\.true)\s*\(\s*(?:t\s*,\s*)?(?:true|True|TRUE|1)\s*[,)]",
            r"\b(?:assertFalse|assert\.isFalse|assert_false|Assert\.(?:False|IsFalse)|assert\.False|t\.false)\s*\(\s*(?:t\s*,\s*)?(?:false|False|FALSE|0)\s*[,)]",
            r"\bexpect\s*\(\s*(?:true|1)\s*\)\s*\.(?:toBeTruthy|toBeDefined)\s*\(",
        ])
    });
    static EQUAL: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"\b(?:assert_eq!|assertEquals?|assertSame|assertIs|assert_equal|AreEqual|(?:assert|t)\.(?:equal|strictEqual|deepEqual|deepStrictEqual|is|Equal))\s*\(\s*(?:t\s*,\s*)?(?P<left>[^,()]+?)\s*,\s*(?P<right>[^,()]+?)\s*[,)]",
        )
    });
    static EXPECT: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r"\bexpect\s*\(\s*(?P<left>[^()]+?)\s*\)\s*\.(?:toBe|toEqual|toStrictEqual|to\.equal|to\.eql|to\.be)\s*\(\s*(?P<right>[^()]+?)\s*\)",
        )
    });
    static PYTHON: LazyLock<Regex> = LazyLock::new(|| {
        regex(r"^\s*assert\s+(?P<left>[^\s=(]+)\s*(?:==|is)\s*(?P<right>[^\s=(]+)\s*(?:$|[,#])")
    });
    let same = |pattern: &Regex| {
        pattern.captures(line).is_some_and(|found| found["left"] == found["right"])
    };
    !is_comment(line) && (CONSTANT.is_match(line) || same(&EQUAL) || same(&EXPECT) || same(&PYTHON))
}

fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    let is_attribute = line.starts_with("#[");
    line.starts_with("//") || line.starts_with("/*") || (line.starts_with('#') && !is_attribute)
}

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("it is a literal")
}

fn set(patterns: &[&str]) -> RegexSet {
    RegexSet::new(patterns).expect("they are literals")
}
