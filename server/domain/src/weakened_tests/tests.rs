//! Diffs of tests as models write them.

use super::*;

/// A file whose only hunk has these lines, each with ` `, `-` or `+` before it.
fn change(path: &str, lines: &str) -> TestFileChange {
    let (mut old, mut new) = (0, 0);
    let hunk = lines.lines().map(|line| {
        let (kind, text) = line.split_at(1);
        old += u32::from(kind != "+");
        new += u32::from(kind != "-");
        DiffLine {
            old: (kind != "+").then_some(old),
            new: (kind != "-").then_some(new),
            text: text.to_owned(),
        }
    });
    TestFileChange {
        path: path.to_owned(),
        is_deleted: false,
        is_truncated: false,
        old_start: 1,
        new_start: 1,
        hunks: vec![hunk.collect()],
    }
}

fn kinds(files: &[TestFileChange]) -> Vec<(Weakening, Option<u32>)> {
    find(files).iter().map(|found| (found.kind, found.line)).collect()
}

#[track_caller]
fn assert_found(path: &str, lines: &str, expected: &[(Weakening, u32)]) {
    let expected: Vec<_> = expected.iter().map(|(kind, line)| (*kind, Some(*line))).collect();
    assert_eq!(kinds(&[change(path, lines)]), expected, "{path}:\n{lines}");
}

#[test]
fn new_skip_markers_are_found() {
    for (path, line) in [
        ("test_a.py", "@unittest.skip('later')"),
        ("test_a.py", "@pytest.mark.skip(reason='slow')"),
        ("test_a.py", "@pytest.mark.xfail"),
        ("test_a.py", "    pytest.skip('no')"),
        ("tests/a.rs", "    #[ignore]"),
        ("tests/a.rs", "#[ignore = \"flaky\"]"),
        ("a.test.ts", "it.skip('adds', () => {"),
        ("a.test.ts", "  test.todo('adds')"),
        ("a.test.ts", "describe.only('sums', () => {"),
        ("a.test.js", "xit('adds', () => {"),
        ("a.test.js", "test('adds', { skip: true }, () => {"),
        ("a_test.go", "\tt.Skip(\"later\")"),
        ("src/test/java/ATest.java", "    @Disabled(\"later\")"),
        ("ATests.cs", "    [Fact(Skip = \"later\")]"),
        ("tests/ATest.php", "        $this->markTestSkipped('later');"),
        ("spec/a_spec.rb", "  xit 'adds' do"),
    ] {
        assert_found(path, &format!(" a\n+{line}"), &[(Weakening::SkipAdded, 2)]);
        // Moving it is not new.
        assert_found(path, &format!("-{line}\n a\n+{line}"), &[]);
        assert_found(path, &format!(" a\n+// {line}"), &[]);
    }
}

#[test]
fn new_assertions_that_cannot_fail_are_found() {
    for line in [
        "    assert True",
        "    assert 1 == 1",
        "    assert!(true);",
        "    assert_eq!(1, 1);",
        "  assert.ok(true);",
        "  assert.strictEqual(sum, sum);",
        "  expect(true).toBe(true);",
        "  expect(1).toBeTruthy();",
        "    assertTrue(true);",
        "    self.assertEqual(x, x)",
        "\tassert.True(t, true)",
    ] {
        assert_found("tests/a", &format!("+{line}"), &[(Weakening::AlwaysTrue, 1)]);
    }
    for line in [
        "    assert total == 1",
        "    assert is_true(x)",
        "    assert!(is_true);",
        "    assert_eq!(add(1, 2), 3);",
        "  expect(sum(1)).toBe(1);",
        "  assert.ok(truthy);",
        "  assert.strictEqual(greet('Ada'), 'Hello, Ada!');",
    ] {
        assert_found("tests/a", &format!("+{line}"), &[]);
    }
}

#[test]
fn removed_tests_are_found_and_renamed_or_moved_ones_are_not() {
    const ADDS: &str = "-def test_adds():\n-    assert add(1, 2) == 3\n";
    assert_found("test_a.py", ADDS, &[(Weakening::TestRemoved, 1)]);
    let moved = change("test_b.py", &ADDS.replace('-', "+"));
    assert_eq!(kinds(&[change("test_a.py", ADDS), moved]), []);
    assert_found("test_a.py", "-def test_adds():\n+def test_adds_numbers():\n     assert x", &[]);
    for (path, lines, line) in [
        ("a.test.js", "-test('adds', () => {\n-  expect(add(1)).toBe(2);\n-});", 1),
        ("a_test.go", "-func TestAdds(t *testing.T) {\n-}", 1),
        ("tests/a.rs", " #[test]\n-fn adds() {\n-    assert_eq!(add(1), 2);\n-}\n #[test]", 2),
        ("tests/a.rs", "-#[tokio::test]\n-async fn adds() {\n-}", 2),
        ("ATest.java", "-    @Test\n-    void adds() {\n-    }", 2),
        ("ATests.cs", "-    [Fact]\n-    public async Task Adds()\n-    {", 2),
        ("spec/a_spec.rb", "-  it 'adds' do\n-    expect(add(1)).to eq(2)\n-  end", 1),
    ] {
        assert_found(path, lines, &[(Weakening::TestRemoved, line)]);
    }
}

#[test]
fn removed_assertions_are_found_unless_they_are_replaced() {
    let removed = " def test_adds():\n-    assert add(1, 2) == 3\n     other()";
    assert_found("test_a.py", removed, &[(Weakening::AssertionRemoved, 2)]);
    let replaced = " def test_adds():\n-    assert add(1, 2) == 3\n+    assert add(1, 2) == 4";
    assert_found("test_a.py", replaced, &[]);
    let elsewhere = " def test_adds():\n-    assert add(1, 2) == 3\n     x()\n \n+    assert y()";
    assert_found("test_a.py", elsewhere, &[(Weakening::AssertionRemoved, 2)]);
    let loosened = " def test_adds():\n-    assert add(1, 2) == 3\n+    assert True";
    let both = [(Weakening::AlwaysTrue, 2), (Weakening::AssertionRemoved, 2)];
    assert_found("test_a.py", loosened, &both);
    assert_found("a.test.js", "-const assert = require('node:assert');\n+x", &[]);
}

#[test]
fn deleted_files_are_found_unless_their_tests_are_elsewhere() {
    let lines = "-def test_adds():\n-    assert add(1, 2) == 3";
    let deleted = TestFileChange { is_deleted: true, ..change("test_a.py", lines) };
    assert_eq!(kinds(std::slice::from_ref(&deleted)), [(Weakening::FileDeleted, None)]);
    let moved = change("test_b.py", &lines.replace('-', "+"));
    assert_eq!(kinds(&[deleted.clone(), moved]), []);
    let fixture = TestFileChange { is_deleted: true, ..change("tests/data.txt", "-1 2 3") };
    assert_eq!(kinds(&[fixture]), []);
    let unknown =
        TestFileChange { is_deleted: true, ..change("test/a.js", "-run(() => a() === 2);") };
    assert_eq!(kinds(&[unknown]), [(Weakening::FileDeleted, None)]);
    let truncated = TestFileChange { is_truncated: true, ..change("test_a.py", " a") };
    assert_eq!(kinds(&[truncated]), [(Weakening::NotCompared, None)]);
}

#[test]
fn lines_before_the_tests_of_a_source_file_do_not_count() {
    let lines = "-    assert!(x > 0);\n #[cfg(test)]\n #[test]\n fn a() {\n-    assert!(f());";
    let file = TestFileChange { old_start: 2, new_start: 1, ..change("src/lib.rs", lines) };
    assert_eq!(kinds(&[file]), [(Weakening::AssertionRemoved, Some(5))]);
}

#[test]
fn settings_that_leave_out_tests_or_ignore_failures_are_found() {
    for (path, line) in [
        ("pytest.ini", "addopts = -k parts"),
        ("pytest.ini", "addopts = --ignore=tests/slow"),
        ("pytest.ini", "testpaths = tests/easy"),
        ("pyproject.toml", "addopts = [\"-m\", \"not slow\"]"),
        ("pyproject.toml", "python_files = [\"test_easy.py\"]"),
        ("setup.cfg", "addopts = --deselect tests/test_a.py::test_b"),
        ("tox.ini", "commands = pytest -k parts"),
        ("tests/conftest.py", "collect_ignore = [\"test_a.py\"]"),
        ("conftest.py", "def pytest_collection_modifyitems(items):"),
        ("conftest.py", "def pytest_runtest_makereport(item, call):"),
        ("conftest.py", "    session.exitstatus = 0"),
        ("package.json", "    \"test\": \"node --test || true\","),
        ("package.json", "    \"test\": \"jest --passWithNoTests\""),
        ("package.json", "    \"test\": \"echo ok\""),
        ("package.json", "    \"test\": \"exit 0\""),
        ("package.json", "    \"test:unit\": \"mocha --grep easy\""),
        ("jest.config.js", "  testPathIgnorePatterns: ['/slow/'],"),
        ("vitest.config.ts", "    exclude: ['test/slow.test.ts'],"),
        ("vitest.config.ts", "    include: ['test/easy.test.ts'],"),
        (".npmrc", "script-shell=/bin/true"),
        ("Makefile", "\t-pytest"),
        ("Makefile", "\tcargo test || exit 0"),
        ("check.sh", "pytest -q; true"),
        ("check.sh", "go test ./... | tee log"),
        ("scripts/check", "npm test || echo failed"),
        ("check.sh", "mvn -q verify -DskipTests"),
        ("Cargo.toml", "autotests = false"),
        ("Cargo.toml", "harness = false"),
        (".config/nextest.toml", "default-filter = \"test(easy)\""),
        ("pom.xml", "<testFailureIgnore>true</testFailureIgnore>"),
        ("pom.xml", "<exclude>**/FinesTest.java</exclude>"),
        ("build.gradle", "    ignoreFailures = true"),
        ("fines_test.go", "//go:build never"),
        ("test_a.py", "os._exit(0)"),
    ] {
        assert_found(path, &format!(" a\n+{line}"), &[(Weakening::SettingLoosened, 2)]);
        assert_found(path, &format!(" a\n {line}"), &[]);
    }
}

#[test]
fn usual_settings_are_no_findings() {
    for (path, line) in [
        ("pytest.ini", "testpaths = tests"),
        ("pyproject.toml", "testpaths = [\"tests\"]"),
        ("pyproject.toml", "addopts = \"-q --strict-markers\""),
        ("pyproject.toml", "scripts = { run = \"python -m app\" }"),
        ("package.json", "    \"test\": \"node --test\","),
        ("package.json", "    \"test\": \"echo \\\"Error: no test specified\\\" && exit 1\""),
        ("package.json", "    \"vitest\": \"^3.0.0\","),
        ("package.json", "    \"test\": \"~1.0.0\""),
        ("package.json", "    \"build\": \"rm -rf dist || true\""),
        ("vitest.config.ts", "    include: ['test/**/*.test.ts'],"),
        ("playwright.config.ts", "  forbidOnly: true,"),
        ("Makefile", "\tnode --test"),
        ("Makefile", "\t-rm -rf dist"),
        ("deploy.sh", "rm -f old || true"),
        ("check.sh", "# pytest || true"),
        ("Cargo.toml", "autobins = false"),
        ("pom.xml", "<skipTests>false</skipTests>"),
    ] {
        assert_found(path, &format!(" a\n+{line}"), &[]);
    }
    assert_found("Cargo.toml", " [[bench]]\n+harness = false", &[]);
    assert_found(
        "pom.xml",
        " <artifactId>maven-deploy-plugin</artifactId>\n+<skip>true</skip>",
        &[],
    );
}

#[test]
fn removed_and_replaced_test_commands_are_found() {
    let changed = [(Weakening::CommandChanged, 2)];
    assert_found("Makefile", " test:\n-\tpytest\n+\techo fine", &changed);
    assert_found("check.sh", " set -e\n-node --test", &changed);
    assert_found(
        "package.json",
        " {\n-  \"test\": \"node --test\"\n+  \"test\": \"node check.js\"",
        &changed,
    );
    // A comma, or a place in another file.
    let comma =
        " {\n-  \"test\": \"node --test\"\n+  \"test\": \"node --test\",\n+  \"lint\": \"x\"";
    assert_found("package.json", comma, &[]);
    let moved = change("scripts/test.sh", "+pytest -q");
    assert_eq!(kinds(&[change("check.sh", "-pytest -q"), moved]), []);
}

#[test]
fn files_in_place_of_a_runner_are_found() {
    for path in
        ["pytest.py", "unittest/__init__.py", "src/sitecustomize.py", "node_modules/.bin/jest"]
    {
        assert_eq!(kinds(&[change(path, "+print('ok')")]), [(Weakening::RunnerReplaced, None)]);
    }
    let deleted = TestFileChange { is_deleted: true, ..change("pytest.py", "-x") };
    assert_eq!(kinds(&[deleted]), []);
}
