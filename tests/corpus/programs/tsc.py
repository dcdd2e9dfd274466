"""TypeScript: what tsc says."""

from case import Case

NEEDS = ["node", "node/ts/node_modules"]
CONFIG = '{"compilerOptions": {"strict": true, "noEmit": true, "target": "es2022", "module": "nodenext", "types": []}, "include": ["src"]}\n'
TSC = "node_modules/.bin/tsc --pretty false"

BROKEN = {
    "assign": 'export const pages: number = "many";\n',
    "assign-other": 'export const title: string = 12;\n',
    "undeclared": "export const price = total * 2;\n",
    "undeclared-other": "export const price = discount * 2;\n",
    "property": "interface Book {\n  pages: number;\n}\n\nexport const count = (book: Book) => book.pageCount;\n",
    "module": 'import { shelf } from "./shelf.js";\n\nexport const all = shelf;\n',
    "package": 'import { shelf } from "no-such-shelf";\n\nexport const all = shelf;\n',
    "arguments": "const add = (a: number, b: number) => a + b;\n\nexport const three = add(1, 2, 3);\n",
    "arguments-four": "const add = (a: number, b: number) => a + b;\n\nexport const three = add(1, 2, 3, 4);\n",
    "implicit-any": "export function twice(value) {\n  return value * 2;\n}\n",
    "null": "export const length = (name?: string) => name.length;\n",
    "syntax": "export const open = (;\n",
    "unclosed": "export function open() {\n  if (true) {\n    return 1;\n}\n",
    "overload": 'export const day = new Date({ day: 1 });\n',
    "object": "interface Book {\n  title: string;\n  author: { name: string; born: number };\n}\n\nexport const book: Book = { title: \"a\", author: { name: \"b\", born: \"c\" } };\n",
    "missing": "interface Book {\n  title: string;\n  pages: number;\n}\n\nexport const book: Book = { title: \"a\" };\n",
    "return": "export function pages(open: boolean): number {\n  if (open) return 1;\n}\n",
    "readonly": "const shelf: readonly number[] = [1];\nshelf.push(2);\nexport {};\n",
}


def program(name, text, run=TSC, **more):
    return Case(name, run, {"tsconfig.json": CONFIG, "src/book.ts": text, **more}, needs="ts")


def cases():
    for name, text in BROKEN.items():
        case = program(name, text)
        yield case
        if name in ("assign", "property", "object", "arguments", "overload"):
            yield case.moved("src/book.ts", "//")
    for name in ("assign", "object", "arguments"):
        yield program(f"{name}-pretty", BROKEN[name], "node_modules/.bin/tsc --pretty")
        yield program(name, BROKEN[name], "node_modules/.bin/tsc").coloured()
    both = BROKEN["assign"] + BROKEN["undeclared"]
    yield program("two", both)
    yield program("two-turned", BROKEN["undeclared"] + BROKEN["assign"])
    yield program("two-one-fixed", 'export const pages: number = 3;\n' + BROKEN["undeclared"])
    yield program("two-pretty", both, "node_modules/.bin/tsc --pretty")
    yield program("two-files", BROKEN["assign"], **{"src/page.ts": BROKEN["assign"]})
    yield program("two-files-pretty", BROKEN["assign"], "node_modules/.bin/tsc --pretty",
                  **{"src/page.ts": BROKEN["assign"]})
    yield program("unused", "export function f(a: number) {\n  const b = 1;\n  return 1;\n}\n",
                  TSC + " --noUnusedLocals --noUnusedParameters")
    yield program("no-input", "", TSC).called(
        "no-input", files={"tsconfig.json": CONFIG})
    yield Case("no-project", TSC + " -p nowhere", {"a.txt": ""}, needs="ts")
    yield program("option", "export {};\n", TSC).called(
        "option", files={"tsconfig.json": CONFIG.replace('"strict"', '"strickt"'), "src/book.ts": "export {};\n"})
    yield program("broken-config", "export {};\n", TSC).called(
        "broken-config", files={"tsconfig.json": CONFIG.replace('"strict": true,', '"strict" true'), "src/book.ts": "export {};\n"})
    yield program("nested", "export {};\n", **{"src/deep/er/page.ts": BROKEN["assign"]})
    yield program("build-mode", BROKEN["assign"], "node_modules/.bin/tsc -b --pretty false")
    yield program("by-npm", BROKEN["assign"], "npm run --silent check",
                  **{"package.json": '{"scripts": {"check": "tsc --pretty false"}}\n'})
    yield program("by-npm-loud", BROKEN["assign"], "npm run check",
                  **{"package.json": '{"name": "shelf", "version": "1.0.0", "scripts": {"check": "tsc --pretty false"}}\n'})
    many = "".join(f"export const page{n}: number = lost{n};\n" for n in range(60))
    yield program("sixty", many)
