"""Jest: failing tests, suites that do not load, snapshots."""

from case import Case

NEEDS = ["node", "node/jest/node_modules"]
RUN = "node_modules/.bin/jest --no-cache"

SOURCE = "exports.price = (count) => count * 10;\nexports.title = (book) => book.title.length;\n"
HEAD = "const { price, title } = require('./shelf');\n"
ADDS = "\ntest('adds', () => {\n  expect(price(2)).toBe(30);\n});\n"
SUBTRACTS = "\ntest('subtracts', () => {\n  expect(price(1)).toBeLessThan(5);\n});\n"
PASSES = "\ntest('passes', () => {});\n"
THROWS = "\ntest('reads', () => {\n  title({});\n});\n"
GROUP = "\ndescribe('shelf', () => {\n  describe('price', () => {\n    test('adds', () => {\n      expect(price(2)).toBe(30);\n    });\n  });\n});\n"


def program(name, *tests, run=RUN, before="", **more):
    return Case(name, run, {"package.json": '{"name": "shelf"}\n', "shelf.js": SOURCE,
                            "shelf.test.js": before + HEAD + "".join(tests), **more}, needs="jest")


def cases():
    yield program("adds", ADDS, PASSES)
    yield program("adds-moved", PASSES, ADDS, before="// one\n// two\n")
    yield program("adds-other-number", ADDS, PASSES, **{"shelf.js": SOURCE.replace("10", "11")})
    yield program("adds-verbose", ADDS, PASSES, run=RUN + " --verbose")
    yield program("adds-silent", ADDS, PASSES, run=RUN + " --silent")
    yield program("adds-coloured", ADDS, PASSES, run=RUN + " --colors")
    yield program("adds", ADDS, PASSES).coloured()
    yield program("adds-expanded", ADDS, PASSES, run=RUN + " --expand --coverage")
    yield program("two", ADDS, SUBTRACTS, PASSES)
    yield program("two-turned", SUBTRACTS, PASSES, ADDS)
    yield program("two-one-fixed", ADDS, SUBTRACTS, **{"shelf.js": SOURCE.replace("10", "15")})
    yield program("group", GROUP)
    yield program("group-moved", PASSES, GROUP)
    yield program("group-and-plain", ADDS, GROUP)
    yield program("throws", THROWS)
    yield program("throws-moved", PASSES, THROWS)
    yield program("throws-other", THROWS, **{"shelf.js": SOURCE.replace("book.title", "book.author")})
    yield program("two-files", ADDS, **{"deep/more.test.js": HEAD.replace("./", "../") + ADDS})
    yield program("many-files", ADDS, **{f"part{n}.test.js": HEAD + SUBTRACTS for n in range(20)})
    yield program("objects", "\ntest('same', () => {\n  expect({ a: 1, b: [1, 2] }).toEqual({ a: 1, b: [1, 3] });\n});\n")
    yield program("calls", "\ntest('calls', () => {\n  const f = jest.fn();\n  f(1);\n  expect(f).toHaveBeenCalledWith(2);\n});\n")
    yield program("refuses", "\ntest('refuses', () => {\n  expect(() => price(1)).toThrow('empty');\n});\n")
    yield program("rejects", "\ntest('rejects', async () => {\n  await Promise.reject(new Error('the shelf is locked'));\n});\n")
    yield program("timeout", "\ntest('waits', (done) => {}, 200);\n")
    yield program("timeout-other", "\ntest('waits', (done) => {}, 300);\n")
    yield program("hook", "\nbeforeAll(() => {\n  throw new Error('no shelf');\n});\n", PASSES)
    yield program("each", "\ntest.each([1, 2, 3])('%d is even', (n) => {\n  expect(n % 2).toBe(0);\n});\n")
    yield program("snapshot", "\ntest('draws', () => {\n  expect({ pages: 2 }).toMatchSnapshot();\n});\n", **{
        "__snapshots__/shelf.test.js.snap": '// Jest Snapshot v1, https://jestjs.io/docs/snapshot-testing\n\nexports[`draws 1`] = `\n{\n  "pages": 1,\n}\n`;\n'})
    yield program("snapshot-new", "\ntest('draws', () => {\n  expect({ pages: 2 }).toMatchSnapshot();\n});\n", run=RUN + " --ci")
    yield program("inline-snapshot", "\ntest('draws inline', () => {\n  expect(price(1)).toMatchInlineSnapshot(`11`);\n});\n")
    yield program("module", "\nrequire('./nowhere');\n", PASSES)
    yield program("module-moved", PASSES, "\nrequire('./nowhere');\n")
    yield program("package", "\nrequire('no-such-shelf');\n", PASSES)
    yield program("syntax", "\ntest('open', () => {\n  const a = ;\n});\n")
    yield program("syntax-in-source", ADDS, **{"shelf.js": "exports.price = (count => 1;\n"})
    yield program("throws-at-top", "\nthrow new Error('not ready');\n", PASSES)
    yield program("empty", **{"shelf.test.js": "const a = 1;\n"})
    yield program("no-tests", **{"shelf.test.js": "const a = 1;\n"}, run=RUN + " nowhere")
    yield program("logs", "\ntest('logs', () => {\n  console.error('error: only logged');\n  expect(price(1)).toBe(1);\n});\n")
    yield program("threshold", "\ntest('covers', () => {\n  price(1);\n});\n", run=RUN + " --coverage",
                  **{"jest.config.js": "module.exports = { coverageThreshold: { global: { functions: 90 } } };\n"})
    yield program("config", PASSES, **{"jest.config.js": "module.exports = { preset: 'no-such-preset' };\n"})
    yield program("own-error", "\nclass ShelfError extends Error {}\n\ntest('own', () => {\n  throw new ShelfError('it is locked');\n});\n")
    yield program("string", "\ntest('throws text', () => {\n  throw 'just text';\n});\n")
    yield program("bail", ADDS, SUBTRACTS, run=RUN + " --bail")
    yield program("by-npm", ADDS, run="npm test",
                  **{"package.json": '{"name": "shelf", "version": "1.0.0", "scripts": {"test": "jest"}}\n'})
    yield program("exits", "\ntest('exits', () => {\n  process.exit(3);\n});\n")
