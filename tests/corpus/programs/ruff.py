"""ruff: lints and formatting."""

from case import Case

NEEDS = ["venv/bin/ruff"]
CHECK = "ruff check --no-cache --select E,F"

BROKEN = {
    "unused": "import os\n",
    "unused-other": "import sys\n",
    "undefined": "print(total)\n",
    "undefined-other": "print(discount)\n",
    "f-string": "print(f'nothing here')\n",
    "star": "from os import *\n\nprint(getcwd())\n",
    "lambda": "f = lambda: 1\n",
    "syntax": "def open(:\n    pass\n",
    "redefined": "def f():\n    pass\n\n\ndef f():\n    pass\n",
}


def program(name, text, run=CHECK, **more):
    return Case(name, run, {"shelf.py": text, **more})


def cases():
    for name, text in BROKEN.items():
        yield program(name, text)
        yield program(f"{name}-concise", text, CHECK + " --output-format concise")
        if name in ("unused", "redefined"):
            yield program(name, text).moved("shelf.py", "#")
    yield program("two", BROKEN["unused"] + BROKEN["undefined"])
    yield program("two-turned", BROKEN["undefined"] + BROKEN["unused"])
    yield program("two-grouped", BROKEN["unused"] + BROKEN["undefined"], CHECK + " --output-format grouped")
    yield program("two-pylint", BROKEN["unused"] + BROKEN["undefined"], CHECK + " --output-format pylint")
    yield program("two-files", BROKEN["unused"], **{"src/page.py": BROKEN["unused"]})
    yield program("unused", BROKEN["unused"]).coloured()
    yield program("no-file", "", CHECK + " nowhere.py")
    yield program("no-rule", "", CHECK + " --select NONSENSE")
    yield program("config", "", **{"ruff.toml": "line-length = 'long'\n"})
    yield program("format", "a = [1,2]\n", "ruff format --check --no-cache")
    yield program("format-two", "a = [1,2]\n", "ruff format --check --no-cache", **{"page.py": "b=1\n"})
