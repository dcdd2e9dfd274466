"""Python itself: tracebacks of programs, and its own unittest."""

from case import Case

NEEDS = ["venv/bin/python"]
RUN = "python main.py"
TEST = "python -m unittest"

PROGRAMS = {
    "name": "print(total)\n",
    "name-other": "print(discount)\n",
    "key": "book = {}\nprint(book['title'])\n",
    "attribute": "import math\nprint(math.shelf)\n",
    "type": "print('a' + 1)\n",
    "module": "import no_such_shelf\n",
    "import": "from math import shelf\n",
    "zero": "pages = 0\nprint(1 / pages)\n",
    "index": "books = []\nprint(books[3])\n",
    "syntax": "def open(:\n    pass\n",
    "indent": "def open():\npass\n",
    "tab": "if True:\n        a = 1\n\tb = 2\n",
    "unclosed": "print((1, 2)\n",
    "assertion": "assert 1 == 2, 'one is not two'\n",
    "recursion": "def deeper(n):\n    return deeper(n + 1)\n\n\ndeeper(1)\n",
    "chained": "try:\n    {}['title']\nexcept KeyError as error:\n    raise ValueError('no title') from error\n",
    "context": "try:\n    {}['title']\nexcept KeyError:\n    print(total)\n",
    "own": "class ShelfError(Exception):\n    pass\n\n\nraise ShelfError('it is locked')\n",
    "group": "raise ExceptionGroup('many', [ValueError('one'), TypeError('two')])\n",
    "exit-text": "import sys\nsys.exit('no shelf at all')\n",
    "file": "open('shelf.txt')\n",
    "json": "import json\njson.loads('{')\n",
    "unicode": "b'\\xff'.decode('utf-8')\n",
}
FAILS = """
    def test_adds(self):
        self.assertEqual(price(2), 30)
"""
OTHER = """
    def test_subtracts(self):
        self.assertLess(price(1), 5)
"""
ERRORS = """
    def test_reads(self):
        read({})
"""
PASSES = """
    def test_passes(self):
        pass
"""
SUBTESTS = """
    def test_many(self):
        for count in (1, 2):
            with self.subTest(count=count):
                self.assertEqual(price(count), 0)
"""
SOURCE = "def price(count):\n    return count * 10\n\n\ndef read(book):\n    return book['title']\n"
HEAD = "import unittest\n\nfrom shelf import price, read\n\n\nclass ShelfTest(unittest.TestCase):"


def program(name, text, run=RUN, **more):
    return Case(name, run, {"main.py": text, **more})


def tests(name, *methods, run=TEST, before="", **more):
    return Case(name, run, {"shelf.py": SOURCE, "test_shelf.py": before + HEAD + "".join(methods), **more})


def cases():
    for name, text in PROGRAMS.items():
        case = program(name, text)
        yield case
        if name in ("name", "syntax", "chained", "zero"):
            yield case.moved("main.py", "#")
    yield program("name", PROGRAMS["name"]).coloured()
    yield program("name-in-module", "import shelf\n", **{"shelf.py": PROGRAMS["name"]})
    yield program("absolute", PROGRAMS["name"], 'python "$PWD/main.py"')
    yield program("compile-all", PROGRAMS["syntax"], "python -m compileall -q .")
    yield program("no-file", "", "python nothing.py")
    yield program("no-module", "", "python -m nothing")

    yield program("assertion-two-ways", "import sys\npages = len(sys.argv)\nassert pages == 5, f'{pages} pages'\n", "python main.py a; python main.py a b")
    yield tests("unittest-adds", FAILS, PASSES)
    yield tests("unittest-adds-moved", PASSES, FAILS, before="# one\n# two\n")
    yield tests("unittest-adds-verbose", FAILS, PASSES, run=TEST + " -v")
    yield tests("unittest-adds-other-number", FAILS, PASSES, **{"shelf.py": SOURCE.replace("10", "11")})
    yield tests("unittest-two", FAILS, OTHER)
    yield tests("unittest-two-one-fixed", FAILS, OTHER, **{"shelf.py": SOURCE.replace("10", "15")})
    yield tests("unittest-errors", ERRORS)
    yield tests("unittest-errors-other", ERRORS, **{"shelf.py": SOURCE.replace("'title'", "'author'")})
    yield tests("unittest-subtests", SUBTESTS)
    yield tests("unittest-documented", FAILS.replace("(self):\n", '(self):\n        """It adds."""\n'))
    yield tests("unittest-failfast", FAILS, OTHER, run=TEST + " --failfast")
    yield tests("unittest-buffer", FAILS, run=TEST + " --buffer")
    yield tests("unittest-import", FAILS, **{"shelf.py": "def other():\n    pass\n"})
    yield tests("unittest-syntax", FAILS, **{"test_shelf.py": "def open(:\n    pass\n"})
    yield tests("unittest-setup", "\n    def setUp(self):\n        raise RuntimeError('no shelf')\n", FAILS)
    yield tests("unittest-setup-class", "\n    @classmethod\n    def setUpClass(cls):\n        raise RuntimeError('no shelf')\n", FAILS)
    yield tests("unittest-none", run=TEST + " nowhere", **{"test_shelf.py": ""})
    yield tests("unittest-unexpected-success", "\n    @unittest.expectedFailure\n    def test_known(self):\n        pass\n")
    yield tests("unittest-long", "\n    def test_lists(self):\n        self.assertEqual([1, 2, 3], [1, 2, 4])\n")
