"""mypy: types that do not fit."""

from case import Case

NEEDS = ["venv/bin/mypy"]
CHECK = "mypy --no-incremental --cache-dir /dev/null shelf.py"

BROKEN = {
    "assign": "pages: int = 'many'\n",
    "assign-other": "title: str = 12\n",
    "return": "def pages() -> int:\n    return 'many'\n",
    "argument": "def add(a: int) -> int:\n    return a\n\n\nadd('one')\n",
    "attribute": "class Book:\n    pages = 1\n\n\nBook().count\n",
    "undefined": "print(total)\n",
    "count": "def add(a: int) -> int:\n    return a\n\n\nadd(1, 2)\n",
    "module": "import no_such_shelf\n",
    "optional": "def length(name: str | None) -> int:\n    return len(name)\n",
    "override": "class Base:\n    def open(self) -> int:\n        return 1\n\n\nclass Book(Base):\n    def open(self) -> str:\n        return ''\n",
    "syntax": "def open(:\n    pass\n",
    "note": "def f(a):\n    reveal_type(a)\n    return a.b\n\n\nx: int = f('')\ny: str = 1\n",
}


def program(name, text, run=CHECK, **more):
    return Case(name, run, {"shelf.py": text, **more})


def cases():
    for name, text in BROKEN.items():
        yield program(name, text)
        if name in ("assign", "override"):
            yield program(name, text).moved("shelf.py", "#")
    yield program("two", BROKEN["assign"] + BROKEN["undefined"])
    yield program("two-turned", BROKEN["undefined"] + BROKEN["assign"])
    yield program("columns", BROKEN["assign"], CHECK + " --show-column-numbers")
    yield program("ends", BROKEN["assign"], CHECK + " --show-error-end")
    yield program("no-codes", BROKEN["assign"], CHECK + " --hide-error-codes")
    yield program("pretty", BROKEN["argument"], CHECK + " --pretty")
    yield program("coloured", BROKEN["assign"], CHECK).called("coloured", tty=True, env={"MYPY_FORCE_COLOR": "1"})
    yield program("strict", "def f(a):\n    return a\n", CHECK + " --strict")
    yield program("no-file", "", "mypy nowhere.py")
    yield program("two-files", BROKEN["assign"], CHECK + " page.py", **{"page.py": BROKEN["assign"]})
    yield program("folder", "", "mypy --cache-dir /dev/null src", **{"src/deep/page.py": BROKEN["assign"]})
