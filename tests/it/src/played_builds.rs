//! Two builds as a capable model plays them, with a coding mistake and a finding in each: how many
//! calls they take, and how much they send.

use model_server::{Dialect, Seen, Turn};
use serde_json::{Value, json};

use crate::{
    agent::Agent, project_fixture::ProjectFixture, scripted_project::commit,
    watched_build::WatchedBuild,
};

/// The model's replies to each agent of a phase, in order.
type Script = Vec<(&'static str, Agent, Turn)>;

/// Requests of a build.
#[derive(Default)]
struct Requests {
    calls: usize,
    /// Characters of all requests together.
    chars: usize,
}

impl Requests {
    /// Estimated as a quarter of the characters, like the figures of the builds that are played.
    fn tokens(&self) -> usize {
        self.chars / 4
    }
}

fn reads(reply: Turn, paths: &[&str]) -> Turn {
    paths.iter().fold(reply, |reply, path| reply.calls("read_file", json!({ "path": path })))
}

fn brief(phase: u32) -> Turn {
    Turn::says("I read what the phase needs.")
        .calls("forge_get_phase_brief", json!({ "phase_number": phase }))
}

fn plan(steps: &[&str]) -> Turn {
    let input = json!({ "steps": steps, "gates": ["validate", "scope", "test"] });
    Turn::says("The plan is clear, and I begin with it.").calls("submit_plan", input)
}

fn write(reply: Turn, path: &str, content: &str) -> Turn {
    reply.calls("write_file", json!({ "path": path, "content": content }))
}

fn edit(reply: Turn, path: &str, old: &str, new: &str) -> Turn {
    reply.calls("edit_file", json!({ "path": path, "old_text": old, "new_text": new }))
}

fn finish(reply: Turn, steps: u32, summary: &str) -> Turn {
    let reply =
        (1..=steps).fold(reply, |it, step| it.calls("finish_step", json!({ "step": step })));
    reply.calls("finish_phase", json!({ "summary": summary }))
}

fn sign_off(verdict: &str, path: &str, more: Value) -> Turn {
    let citation = format!("{path}:1");
    let result = if verdict == "pass" { "passed" } else { "failed" };
    let criterion = json!({
        "index": 1, "result": result, "evidence": "the code and its tests", "citations": [citation]
    });
    let mut input = json!({ "verdict": verdict, "criteria": [criterion] });
    for (name, value) in more.as_object().expect("an object") {
        input[name] = value.clone();
    }
    Turn::says("I compared the code with the criteria.").calls("sign_off", input)
}

/// The finding that the auditor reports, and later its answer that it is fixed.
fn finding(path: &str, text: &str) -> Value {
    json!({ "findings": [{ "severity": "error", "path": path, "line": 1, "text": text }] })
}

fn fixed(path: &str) -> Value {
    let citation = format!("{path}:1");
    json!({ "earlier_findings": [{
        "id": "F-1", "status": "fixed", "evidence": "it is gone", "citations": [citation]
    }] })
}

/// Plays a script in a build of a project with these files; the build has to be sealed without
/// leaving a reply over.
async fn play(files: &[(&str, String)], contracts: &[(&str, &str)], script: Script) -> Requests {
    let fixture = ProjectFixture::new(Dialect::Anthropic, "").await;
    if !files.is_empty() {
        commit(&fixture, files);
    }
    for (kind, content) in contracts {
        fixture.set(&format!("contracts/{kind}"), json!({ "content": content })).await;
    }
    let gate = json!({
        "name": "test", "command": "node --test", "timeout_s": 60, "required": true, "network": false
    });
    fixture.set("settings", json!({ "gates": [gate], "clarification_timeout_s": null })).await;
    let (sender, seen) = std::sync::mpsc::channel();
    let mut script = script.into_iter();
    fixture.model.play(move |request: &Seen| {
        sender.send(request.json.to_string().chars().count()).expect("the test waits for it");
        let (what, agent, turn) = script.next().expect("the script ends with the build");
        assert!(agent == Agent::of(request), "`{what}` is for another agent: {}", request.task());
        turn
    });
    let mut watched = WatchedBuild::begin(fixture.server, fixture.project).await;
    watched.run_to_the_end().await;
    let build = watched.server.get(&format!("/api/builds/{}", watched.build)).await;
    assert_eq!(build["status"], "sealed", "{build}");
    fixture.model.finish();
    watched.server.stop().await;
    let sizes: Vec<usize> = seen.try_iter().collect();
    Requests { calls: sizes.len(), chars: sizes.iter().sum() }
}

const COUNTING: &str = "// Pure functions from text to numbers.\n\
    const WORD = /[\\p{L}\\p{N}]+(?:['’-][\\p{L}\\p{N}]+)*/gu;\n\n\
    exports.count = (text) => ({\n  lines: text.split('\\n').length - 1,\n  \
    words: (text.match(WORD) ?? []).length,\n  chars: [...text].length,\n});\n\n\
    exports.mostFrequent = (text, limit) => {\n  const found = new Map();\n  \
    for (const word of text.toLowerCase().match(WORD) ?? []) {\n    \
    found.set(word, (found.get(word) ?? 0) + 1);\n  }\n  \
    const byCount = ([a, n], [b, m]) => m - n || a.localeCompare(b);\n  \
    return [...found].sort(byCount).slice(0, limit);\n};\n";
const COUNTING_TESTS: &str = "const assert = require('node:assert');\n\
    const test = require('node:test');\nconst { count, mostFrequent } = require('../src/counting.js');\n\n\
    test('counts lines, words and characters', () => {\n  \
    assert.deepStrictEqual(count('one two\\nthree\\n'), { lines: 2, words: 3, chars: 14 });\n});\n\n\
    test('joins inner apostrophes and hyphens', () => {\n  \
    assert.strictEqual(count(\"don't well-known\").words, 2);\n});\n\n\
    test('ignores case in frequencies', () => {\n  \
    assert.deepStrictEqual(mostFrequent('The the a', 1), [['the', 2]]);\n});\n";
const COMMAND: &str = "const fs = require('node:fs');\nconst path = require('node:path');\n\
    const { count, mostFrequent } = require('./counting.js');\n\n\
    exports.run = (files, { json = false, top = 0 } = {}) => {\n  const lines = [];\n  \
    const total = { lines: 0, words: 0, chars: 0 };\n  for (const file of files) {\n    \
    const text = fs.readFileSync(file, 'utf8');\n    const counted = count(text);\n    \
    for (const key of Object.keys(total)) total[key] += counted[key];\n    \
    lines.push(json ? JSON.stringify({ file, ...counted }) : `${file}: ${counted.words} words`);\n    \
    for (const [word, times] of mostFrequent(text, top)) lines.push(`  ${times} ${word}`);\n  }\n  \
    if (files.length > 1) lines.push(json ? JSON.stringify(total) : `total: ${total.words} words`);\n  \
    return lines;\n};\n";
const COMMAND_TESTS: &str = "const assert = require('node:assert');\nconst fs = require('node:fs');\n\
    const os = require('node:os');\nconst path = require('node:path');\nconst test = require('node:test');\n\
    const { run } = require('../src/cli.js');\n\nconst folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tally-'));\n\
    const file = (name, text) => {\n  const full = path.join(folder, name);\n  \
    fs.writeFileSync(full, text);\n  return full;\n};\n\n\
    test('prints a line for each file and a total', () => {\n  \
    const files = [file('a.txt', 'one two\\n'), file('b.txt', 'three\\n')];\n  const lines = run(files);\n  \
    assert.strictEqual(lines.length, 3);\n  assert.strictEqual(lines[2], 'total: 3 words');\n});\n\n\
    test('prints JSON', () => {\n  const [line] = run([file('c.txt', 'one\\n')], { json: true });\n  \
    assert.strictEqual(JSON.parse(line).words, 1);\n});\n\n\
    test('prints the most frequent words', () => {\n  \
    const lines = run([file('d.txt', 'a b a\\n')], { top: 1 });\n  assert.strictEqual(lines[1], '  2 a');\n});\n";

const TALLY_PHASES: &str = "# Phases\n\n## Phase 0 — Counting\n\n**Objective:** Text is counted.\n\n\
    **Scope:** `src/**`, `test/**`\n\n**Deliverables:**\n- `src/counting.js` with lines, words, characters and \
    the most frequent words\n- tests in `test/counting.test.js`\n\n**Exit criteria:**\n- counting is right for \
    apostrophes, hyphens and several lines — review\n\n## Phase 1 — The command\n\n**Objective:** Files are counted \
    from the command line.\n\n**Scope:** `src/**`, `test/**`, `README.md`\n\n**Deliverables:**\n- `src/cli.js`\n\
    - tests in `test/cli.test.js`\n- `README.md` with an example\n\n**Exit criteria:**\n- the command prints what the \
    API contract says — review\n";

fn tally_contracts() -> [(&'static str, &'static str); 4] {
    [
        (
            "manifesto",
            "# Manifesto\n\nTally counts the words in text files, offline, without \
            dependencies. It is small, predictable and tested. Numbers are exact; nothing is guessed.\n",
        ),
        (
            "stack",
            "# Stack\n\n- Node.js 22, CommonJS, no dependencies\n- tests with `node --test`\n\
            - source in `src/`, tests in `test/`\n",
        ),
        (
            "ui",
            "# UI\n\nOne line for each file: its name, a colon, its words. With several files a last \
            line with the total. Frequent words follow, indented by two spaces, most frequent first.\n",
        ),
        ("phases", TALLY_PHASES),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn greenfield_build_takes_at_most_twenty_calls() {
    let question = |reply: Turn, text: &str| {
        reply
            .calls("forge_ask_clarification", json!({ "question": text, "options": ["Yes", "No"] }))
    };
    let asks = question(Turn::says("Two decisions are open."), "Is “well-known” one word?");
    let asks = question(asks, "Do frequencies ignore upper and lower case?");
    let note = json!({ "operation": "write", "key": "words", "value": "well-known is one word" });
    let first = plan(&["Write src/counting.js", "Test words, lines and frequencies"])
        .calls("forge_scratchpad", note);
    let first = write(first, "src/counting.js", COUNTING);
    let first = write(first, "test/counting.test.js", COUNTING_TESTS)
        .calls("check_syntax", json!({ "path": "src/counting.js" }))
        .calls("run_tests", json!({}));
    let slip = edit(Turn::says("One hyphen more."), "src/counting.js", "['’-]", "['’]");
    let undo = edit(Turn::says("The hyphen was lost."), "src/counting.js", "['’]", "['’-]");
    let second = plan(&["Write src/cli.js", "Test it", "Document it"]);
    let second = write(second, "src/cli.js", COMMAND);
    let second = write(second, "test/cli.test.js", COMMAND_TESTS);
    let second = write(second, "README.md", "# Tally\n\nCounts words:\n\n    tally a.txt b.txt\n")
        .calls("run_tests", json!({}));
    let unused = "const path = require('node:path');\n";
    let script: Script = vec![
        ("reads", Agent::Planner, reads(brief(0), &["README.md"])),
        ("asks", Agent::Planner, asks),
        ("plans and writes", Agent::Planner, first),
        ("finishes", Agent::Coder, finish(slip, 2, "Counting is implemented and tested.")),
        ("fixes", Agent::Fixer, finish(undo, 0, "The hyphen was missing from the pattern.")),
        (
            "audits",
            Agent::Auditor,
            reads(Turn::reply(), &["src/counting.js", "test/counting.test.js"]),
        ),
        ("signs off", Agent::Auditor, sign_off("pass", "src/counting.js", json!({}))),
        ("reads", Agent::Planner, reads(brief(1), &["src/counting.js"])),
        ("plans and writes", Agent::Planner, second),
        ("finishes", Agent::Coder, finish(Turn::says("All tests pass."), 3, "The command works.")),
        (
            "audits",
            Agent::Auditor,
            reads(Turn::reply(), &["src/cli.js", "test/cli.test.js", "README.md"]),
        ),
        (
            "rejects",
            Agent::Auditor,
            sign_off(
                "fail",
                "src/cli.js",
                finding("src/cli.js", "`path` is imported and not used"),
            ),
        ),
        (
            "fixes",
            Agent::Fixer,
            finish(
                edit(Turn::says("It is unused."), "src/cli.js", unused, ""),
                0,
                "Removed the import.",
            ),
        ),
        ("audits", Agent::Auditor, reads(Turn::reply(), &["src/cli.js"])),
        ("signs off", Agent::Auditor, sign_off("pass", "src/cli.js", fixed("src/cli.js"))),
    ];
    let requests = play(&[], &tally_contracts(), script).await;
    println!("greenfield: {} calls, {} tokens", requests.calls, requests.tokens());
    assert!(requests.calls <= 20, "{} calls", requests.calls);
    assert!(requests.tokens() <= 70_000, "{} tokens", requests.tokens());
}

/// A module of about 8 KB, as in a library with history.
fn signer() -> String {
    let helper = |n| {
        format!(
            "/** Returns part {n} of a signature: the digest of the value, the key and the salt. */\n\
             const part{n} = (value, key, salt) =>\n  \
             crypto.createHmac('sha256', `${{key}}${{salt}}{n}`).update(value).digest('hex').slice(0, 16);\n\n"
        )
    };
    let helpers: String = (0..28).map(helper).collect();
    format!(
        "const crypto = require('node:crypto');\n\n{helpers}\
         exports.sign = (value, key, now) => `${{value}}.${{now}}.${{part0(value + now, key, 'v')}}`;\n\n\
         exports.unsign = (signed, key, now, maxAge) => {{\n  \
         const [value, at, signature] = signed.split('.');\n  \
         if (signature !== part0(value + at, key, 'v')) throw new Error('bad signature');\n  \
         if (maxAge !== undefined && now - Number(at) > maxAge) {{\n    \
         throw new Error(`signature age ${{now - Number(at)}} > ${{maxAge}} seconds`);\n  }}\n  \
         return value;\n}};\n"
    )
}

const SIGNER_TESTS: &str = "const assert = require('node:assert');\nconst test = require('node:test');\n\
    const { sign, unsign } = require('../src/signer.js');\n\n\
    test('signed value is returned', () => {\n  \
    assert.strictEqual(unsign(sign('a', 'key', 100), 'key', 105, 10), 'a');\n});\n\n\
    test('expired signature is rejected', () => {\n  \
    assert.throws(() => unsign(sign('a', 'key', 100), 'key', 111, 10), /age 11 > 10 seconds/);\n});\n";
const SIGNER_PHASES: &str = "# Phases\n\n## Phase 0 — maxAge as a duration\n\n**Objective:** `maxAge` can be a \
    duration such as `{ minutes: 5 }` as well as seconds.\n\n**Scope:** `src/**`, `test/**`, `docs/**`, `CHANGES.md`\n\n\
    **Deliverables:**\n- `unsign` in `src/signer.js` takes seconds or a duration\n- tests in `test/signer.test.js`\n\
    - an entry in `CHANGES.md`\n\n**Exit criteria:**\n- seconds work as before, and durations too — review\n";

#[tokio::test(flavor = "multi_thread")]
async fn build_of_an_existing_project_takes_at_most_nine_calls() {
    let changes = "# Changes\n\n## Unreleased\n\n- Drop Node.js 18.\n";
    let docs = "# Signing\n\n`unsign(signed, key, now, maxAge)` rejects values older than `maxAge` seconds.\n\n";
    let files = [
        ("src/signer.js", signer()),
        ("test/signer.test.js", SIGNER_TESTS.to_owned()),
        ("docs/signing.md", docs.repeat(12)),
        ("CHANGES.md", changes.to_owned()),
    ];
    let duration = "const seconds = (maxAge) =>\n  typeof maxAge === 'object' ? maxAge.minutes * 60 : maxAge;\n\n\
        exports.unsign";
    let test = "\ntest('duration is accepted', () => {\n  \
        assert.throws(() => unsign(sign('a', 'key', 0), 'key', 301, { minutes: 5 }), /age 301 > 300 seconds/);\n});\n";
    let work = plan(&["Accept durations", "Test both sides of the limit", "Document it"])
        .calls("check_syntax", json!({ "path": "src/signer.js" }));
    let work = edit(work, "src/signer.js", "exports.unsign", duration);
    let work = edit(work, "src/signer.js", "Number(at) > maxAge)", "Number(at) > seconds(maxAge))");
    let work = edit(
        work,
        "src/signer.js",
        "> ${maxAge} seconds",
        "> ${seconds(maxAge).toPrecision(3)} seconds",
    );
    let work = edit(
        work,
        "test/signer.test.js",
        "10 seconds/);\n});\n",
        &format!("10.0 seconds/);\n}});\n{test}"),
    );
    let work = edit(work, "CHANGES.md", "18.\n", "18.\n- `maxAge` can be a duration.\n")
        .calls("run_tests", json!({}));
    let wrong = edit(
        Turn::says("I print the number itself."),
        "src/signer.js",
        ".toPrecision(3)",
        ".toFixed(1)",
    );
    let wrong = edit(wrong, "test/signer.test.js", "> 10.0 seconds", "> 10 seconds");
    let right =
        edit(Turn::says("The tests expect whole seconds."), "src/signer.js", ".toFixed(1)", "");
    let all = ["src/signer.js", "test/signer.test.js", "docs/signing.md", "CHANGES.md"];
    let changed = ["src/signer.js", "test/signer.test.js", "CHANGES.md"];
    let script: Script = vec![
        ("reads", Agent::Planner, reads(brief(0), &all)),
        ("plans and edits", Agent::Planner, work),
        (
            "finishes",
            Agent::Coder,
            finish(Turn::says("All tests pass."), 3, "Durations are accepted."),
        ),
        ("audits", Agent::Auditor, reads(Turn::reply(), &changed)),
        (
            "rejects",
            Agent::Auditor,
            sign_off(
                "fail",
                "src/signer.js",
                finding("src/signer.js", "large numbers lose digits"),
            ),
        ),
        ("fixes wrongly", Agent::Fixer, finish(wrong, 0, "Numbers keep their digits.")),
        ("fixes", Agent::Fixer, finish(right, 0, "Whole seconds are printed.")),
        ("audits", Agent::Auditor, reads(Turn::reply(), &changed)),
        ("signs off", Agent::Auditor, sign_off("pass", "src/signer.js", fixed("src/signer.js"))),
    ];
    let requests = play(&files, &[("phases", SIGNER_PHASES)], script).await;
    println!("existing project: {} calls, {} tokens", requests.calls, requests.tokens());
    assert!(requests.calls <= 9, "{} calls", requests.calls);
    assert!(requests.tokens() <= 40_000, "{} tokens", requests.tokens());
}
