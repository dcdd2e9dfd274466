"""ESLint: its own format, and those of two packages."""

from case import Case

NEEDS = ["node", "node/eslint/node_modules"]
CONFIG = """
import js from "@eslint/js";

export default [
  js.configs.recommended,
  { rules: { "no-console": "warn", eqeqeq: "error" }, languageOptions: { globals: { console: "readonly" } } },
];
"""
LINT = "node_modules/.bin/eslint src"

BROKEN = {
    "unused": "const total = 1;\n",
    "unused-other": "const discount = 1;\n",
    "undefined": "export const price = total * 2;\n",
    "equal": "export const same = (a, b) => a == b;\n",
    "unreachable": "export function f() {\n  return 1;\n  console.info(2);\n}\n",
    "empty": "export function f(a) {\n  if (a) {\n  }\n}\n",
    "syntax": "export const open = (;\n",
    "reserved": "export const class = 1;\n",
    "duplicate": "export const book = { pages: 1, pages: 2 };\n",
    "constant": "export function f() {\n  if (1) return 2;\n  return 3;\n}\n",
    "escape": 'export const path = "a\\/b";\n',
}
WARNED = "export function f() {\n  console.log(1);\n}\n"


def program(name, text, run=LINT, **more):
    return Case(name, run, {"package.json": '{"type": "module"}\n', "eslint.config.js": CONFIG,
                            "src/book.js": text, **more}, needs="eslint")


def cases():
    for name, text in BROKEN.items():
        case = program(name, text)
        yield case
        if name in ("unused", "equal", "syntax", "duplicate"):
            yield case.moved("src/book.js", "//")
    yield program("unused", BROKEN["unused"]).coloured(FORCE_COLOR="1")
    both = BROKEN["unused"] + BROKEN["equal"]
    yield program("two", both)
    yield program("two-turned", BROKEN["equal"] + BROKEN["unused"])
    yield program("two-one-fixed", BROKEN["equal"])
    yield program("two-tty", both).called("two-tty", tty=True)
    yield program("two-files", BROKEN["unused"], **{"src/deep/page.js": BROKEN["unused"]})
    yield program("warnings", WARNED, LINT).called("warnings", may_pass=True)
    yield program("warnings-moved", "// one\n" + WARNED, LINT).called("warnings-moved", may_pass=True)
    yield program("warning-and-error", WARNED + BROKEN["equal"])
    yield program("too-many-warnings", WARNED, LINT + " --max-warnings 0")
    for form in ("unix", "compact"):
        run = f"{LINT} --format {form}"
        yield program(f"two-{form}", both, run)
        yield program(f"two-{form}-moved", "// one\n" + both, run)
        yield program(f"syntax-{form}", BROKEN["syntax"], run)
        yield program(f"warning-and-error-{form}", WARNED + BROKEN["equal"], run)
    yield program("no-config", BROKEN["unused"]).called(
        "no-config", files={"package.json": "{}\n", "src/book.js": BROKEN["unused"]})
    yield program("broken-config", "").called(
        "broken-config", files={"package.json": '{"type": "module"}\n', "src/book.js": "",
                                "eslint.config.js": "export default [{ rules: { nonsense: 3 } }];\n"})
    yield program("config-throws", "").called(
        "config-throws", files={"package.json": '{"type": "module"}\n', "src/book.js": "",
                                "eslint.config.js": 'import shelf from "no-such-shelf";\n\nexport default [shelf];\n'})
    yield program("no-files", "", "node_modules/.bin/eslint nowhere")
    yield program("unknown-option", "", LINT + " --nonsense")
    yield program("unknown-rule", "", LINT + " --rule 'shelf/tidy: 2'")
    yield program("unused-directive", "// eslint-disable-next-line no-undef\nexport const a = 1;\n",
                  LINT + " --max-warnings 0")
    yield program("by-npm", BROKEN["equal"], "npm run lint",
                  **{"package.json": '{"name": "shelf", "version": "1.0.0", "type": "module", "scripts": {"lint": "eslint src"}}\n'})
