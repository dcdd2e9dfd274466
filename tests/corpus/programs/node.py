"""Node: its own test runner in each of its formats, errors nobody caught, and npm."""

from case import Case

NEEDS = ["node", "npm"]

SOURCE = "export const price = (count) => count * 10;\nexport const title = (book) => book.title.length;\n"
HEAD = "import assert from 'node:assert/strict';\nimport { before, describe, it, test } from 'node:test';\nimport { price, title } from './shelf.js';\n"
ADDS = "\ntest('adds', () => {\n  assert.equal(price(2), 30);\n});\n"
SUBTRACTS = "\ntest('subtracts', () => {\n  assert.ok(price(1) < 5);\n});\n"
PASSES = "\ntest('passes', () => {});\n"
THROWS = "\ntest('reads', () => {\n  title({});\n});\n"
GROUP = "\ndescribe('shelf', () => {\n  describe('price', () => {\n    it('adds', () => {\n      assert.equal(price(2), 30);\n    });\n    it('passes', () => {});\n  });\n});\n"

TESTS = {
    "adds": ([ADDS, PASSES], {}),
    "adds-moved": (["// one\n// two\n", PASSES, ADDS], {}),
    "adds-other-number": ([ADDS, PASSES], {"shelf.js": SOURCE.replace("10", "11")}),
    "two": ([ADDS, SUBTRACTS, PASSES], {}),
    "two-turned": ([SUBTRACTS, PASSES, ADDS], {}),
    "two-one-fixed": ([ADDS, SUBTRACTS], {"shelf.js": SOURCE.replace("10", "15")}),
    "group": ([GROUP], {}),
    "group-and-plain": ([ADDS, GROUP], {}),
    "throws": ([THROWS], {}),
    "two-files": ([ADDS], {"deep/more.test.js": HEAD.replace("./shelf", "../shelf") + ADDS}),
    "objects": (["\ntest('same', () => {\n  assert.deepEqual({ a: 1, b: [1, 2] }, { a: 1, b: [1, 3] });\n});\n"], {}),
    "refuses": (["\ntest('refuses', () => {\n  assert.throws(() => price(1), /empty/);\n});\n"], {}),
    "rejects": (["\ntest('rejects', async () => {\n  await Promise.reject(new Error('the shelf is locked'));\n});\n"], {}),
    "message": (["\ntest('says', () => {\n  assert.equal(price(1), 1, 'a book costs one');\n});\n"], {}),
    "timeout": (["\ntest('waits', { timeout: 200 }, () => new Promise((done) => setTimeout(done, 5000)));\n"], {}),
    "hook": (["\nbefore(() => {\n  throw new Error('no shelf');\n});\n", PASSES], {}),
    "subtests": (["\ntest('outer', async (t) => {\n  await t.test('inner', () => {\n    assert.equal(price(1), 1);\n  });\n});\n"], {}),
    "module": (["\nimport './nowhere.js';\n", PASSES], {}),
    "syntax": (["\ntest('open', () => {\n  const a = ;\n});\n"], {}),
    "syntax-in-source": ([ADDS], {"shelf.js": "export const price = (count => 1;\n"}),
    "throws-at-top": (["\nthrow new Error('not ready');\n", PASSES], {}),
    "missing-export": (["\nimport { nothing } from './shelf.js';\n", PASSES], {}),
    "exits": (["\ntest('exits', () => {\n  process.exit(3);\n});\n"], {}),
    "logs": (["\ntest('logs', () => {\n  console.error('error: only logged');\n  console.log('not ok 9 - only logged');\n  assert.equal(price(1), 1);\n});\n"], {}),
    "todo": (["\ntest('later', { todo: true }, () => {\n  assert.equal(1, 2);\n});\n", ADDS], {}),
    "due": (["\nfor (const days of [1, 2]) {\n  test(`due in ${days} days`, () => {\n    assert.equal(days, 0);\n  });\n}\n"], {}),
}

PROGRAMS = {
    "uncaught": "console.log(1);\nconst book = {};\nbook.open();\n",
    "uncaught-name": "console.log(total);\n",
    "uncaught-name-other": "console.log(discount);\n",
    "uncaught-thrown": "function open() {\n  throw new Error('the shelf is locked');\n}\n\nopen();\n",
    "uncaught-syntax": "const a = ;\n",
    "uncaught-rejection": "async function open() {\n  throw new RangeError('too many books');\n}\n\nopen();\n",
    "uncaught-text": "throw 'just text';\n",
    "uncaught-module": "import './nowhere.js';\n",
    "uncaught-package": "import 'no-such-shelf';\n",
    "uncaught-export": "import { nothing } from 'node:fs';\n",
    "uncaught-assert": "import assert from 'node:assert/strict';\n\nassert.equal(1 + 1, 3);\n",
    "uncaught-file": "import { readFileSync } from 'node:fs';\n\nreadFileSync('shelf.txt');\n",
    "uncaught-cause": "try {\n  JSON.parse('{');\n} catch (cause) {\n  throw new Error('no settings', { cause });\n}\n",
    "uncaught-json": "JSON.parse('{\"a\": }');\n",
}


def test_case(name, tests, more, reporter):
    run = "node --test" if reporter == "tap" else f"node --test --test-reporter {reporter}"
    return Case(f"{reporter}-{name}", run, {
        "package.json": '{"name": "shelf", "type": "module"}\n', "shelf.js": SOURCE,
        "shelf.test.js": HEAD + "".join(tests), **more})


def cases():
    for reporter in ("tap", "spec"):
        for name, (tests, more) in TESTS.items():
            yield test_case(name, tests, more, reporter)
        yield test_case("adds", [ADDS], {}, reporter).coloured()
        yield test_case("colour", [ADDS], {}, reporter).called(f"{reporter}-colour", env={"FORCE_COLOR": "1"})
    yield test_case("two", [ADDS, SUBTRACTS], {}, "dot")
    yield test_case("no-file", [PASSES], {}, "tap").called("no-file", run="node --test nowhere.js")
    package = '{"name": "shelf", "version": "1.0.0", "type": "module", "scripts": {"test": "node --test"}}\n'
    yield test_case("by-npm", [ADDS], {"package.json": package}, "tap").called("by-npm", run="npm test")
    yield test_case("one-file", [ADDS], {}, "tap").called("plain-file", run="node shelf.test.js")
    for name, text in PROGRAMS.items():
        case = Case(name, "node main.js", {"package.json": '{"type": "module"}\n', "main.js": text})
        yield case
        if name in ("uncaught", "uncaught-rejection", "uncaught-syntax"):
            yield case.moved("main.js", "//")
    yield Case("require-module", "node main.js", {"main.js": "require('./nowhere');\n"})
    yield Case("require-syntax", "node main.js", {"main.js": "const a = ;\n"})
    yield Case("check", "node --check main.js", {"main.js": "const a = ;\n"})
    yield Case("no-script", "node nowhere.js", {})
    yield Case("option", "node --nonsense", {})
    yield Case("npm-no-script", "npm test", {"package.json": '{"name": "shelf", "version": "1.0.0", "scripts": {}}\n'})
    yield Case("npm-unknown-script", "npm run tidy", {"package.json": '{"name": "shelf", "version": "1.0.0", "scripts": {"test": "true"}}\n'})
    yield Case("npm-broken-package", "npm test", {"package.json": '{"name": "shelf", }\n'})
    yield Case("npm-no-package", "npm test", {"a.txt": ""})
    yield Case("npm-no-command", "npm test", {"package.json": '{"name": "shelf", "version": "1.0.0", "scripts": {"test": "no-such-tool"}}\n'})
    yield Case("npm-ci-no-lock", "npm ci --offline", {"package.json": '{"name": "shelf", "version": "1.0.0"}\n'})
    yield Case("npm-offline", "npm install --offline", {"package.json": '{"name": "shelf", "version": "1.0.0", "dependencies": {"no-such-shelf-at-all": "1"}}\n'})
    yield Case("out-of-memory", "node --max-old-space-size=20 main.js", {"main.js": "const all = [];\nfor (;;) all.push({ a: [1, 2, 3] });\n"})
