"""pytest: failing tests, broken fixtures, files that cannot be collected."""

from case import Case

NEEDS = ["venv/bin/pytest"]
TEST = "pytest"

PASSES = "\n\ndef test_passes():\n    assert True\n"
ADDS = "\n\ndef test_adds():\n    assert price(2) == 30\n"
SUBTRACTS = '\n\ndef test_subtracts():\n    assert price(1) < 5, "too dear"\n'
RAISES = "\n\ndef test_reads():\n    assert read({})\n"
TYPE = "\n\ndef test_joins():\n    assert 'a' + 1\n"
CLASS = "\n\nclass TestShelf:\n    def test_adds(self):\n        assert price(3) == 1\n"
SOURCE = "def price(count):\n    return count * 10\n\n\ndef read(book):\n    return book['title']\n"
IMPORT = "from shelf import price, read\n"


def program(name, *tests, run=TEST, before="", **more):
    return Case(name, run, {"shelf.py": SOURCE, "test_shelf.py": before + IMPORT + "".join(tests), **more})


def cases():
    yield program("adds", ADDS, PASSES)
    yield program("adds-moved", PASSES, ADDS, before="# one\n# two\n")
    yield program("adds-other-number", ADDS, PASSES, **{"shelf.py": SOURCE.replace("10", "11")})
    yield program("adds-quiet", ADDS, PASSES, run="pytest -q")
    yield program("adds-verbose", ADDS, PASSES, run="pytest -vv")
    yield program("adds-short", ADDS, PASSES, run="pytest --tb=short")
    yield program("adds-long", ADDS, PASSES, run="pytest --tb=long")
    yield program("adds-line", ADDS, PASSES, run="pytest --tb=line")
    yield program("adds-native", ADDS, PASSES, run="pytest --tb=native")
    yield program("adds-no-summary", ADDS, PASSES, run="pytest --no-summary")
    yield program("adds-no-tb", ADDS, PASSES, run="pytest --tb=no")
    yield program("adds-by-module", ADDS, PASSES, run="python -m pytest -q")
    yield program("adds-narrow", ADDS, PASSES).called("adds-narrow", env={"COLUMNS": "40"})
    yield program("adds", ADDS, PASSES).coloured()
    yield program("two-coloured", ADDS, SUBTRACTS, run="pytest --color=yes")
    yield program("two", ADDS, SUBTRACTS, PASSES)
    yield program("two-turned", SUBTRACTS, PASSES, ADDS)
    yield program("two-one-fixed", ADDS, SUBTRACTS, PASSES, **{"shelf.py": SOURCE.replace("10", "15")})
    yield program("two-stop-first", ADDS, SUBTRACTS, run="pytest -x")
    yield program("raises", RAISES)
    yield program("raises-moved", PASSES, RAISES, before="# one\n")
    yield program("raises-other", RAISES, **{"shelf.py": SOURCE.replace("'title'", "'author'")})
    yield program("raises-short", RAISES, run="pytest --tb=short")
    yield program("type", TYPE)
    yield program("class", CLASS)
    yield program("same-name-in-class", ADDS, CLASS)
    yield program("two-files", ADDS, **{"tests/test_more.py": "import sys\nsys.path.insert(0, '.')\n" + IMPORT + ADDS})
    yield program("custom", "\n\ndef test_says():\n    import pytest\n    pytest.fail('no shelf here')\n")
    yield program("did-not-raise", "\n\ndef test_refuses():\n    import pytest\n    with pytest.raises(KeyError):\n        price(1)\n")
    yield program("parameters", "\nimport pytest\n\n\n@pytest.mark.parametrize('count', [1, 2, 3])\ndef test_even(count):\n    assert count % 2 == 0\n")
    yield program("parameters-moved", "\nimport pytest\n\n\n# moved\n@pytest.mark.parametrize('count', [1, 2, 3])\ndef test_even(count):\n    assert count % 2 == 0\n")
    yield program("fixture-missing", "\n\ndef test_opens(shelf):\n    assert shelf\n")
    yield program("fixture-raises", "\nimport pytest\n\n\n@pytest.fixture\ndef shelf():\n    raise RuntimeError('no shelf')\n\n\ndef test_opens(shelf):\n    assert shelf\n")
    yield program("teardown", "\nimport pytest\n\n\n@pytest.fixture\ndef shelf():\n    yield 1\n    raise RuntimeError('it stays open')\n\n\ndef test_opens(shelf):\n    assert shelf\n")
    yield program("import", "from shelf import nothing\n", PASSES)
    yield program("import-moved", "# one\n# two\nfrom shelf import nothing\n", PASSES)
    yield program("module", "import no_such_shelf\n", PASSES)
    yield program("module-summary", "import no_such_shelf\n", PASSES, run="pytest --tb=no")
    yield program("syntax", "\n\ndef test_open(:\n    pass\n")
    yield program("syntax-in-source", ADDS, **{"shelf.py": "def price(count:\n    return 1\n"})
    yield program("name-at-top", "\nprint(total)\n", PASSES)
    yield program("conftest", PASSES, **{"conftest.py": "import no_such_plugin\n"})
    yield program("nothing", **{"test_shelf.py": "x = 1\n"})
    yield program("no-file", PASSES, run="pytest nowhere.py")
    yield program("no-option", PASSES, run="pytest --nonsense")
    yield program("bad-config", PASSES, **{"pytest.ini": "[pytest]\naddopts = --nonsense\n"})
    yield program("printed", "\n\ndef test_prints():\n    print('error: only printed')\n    print('E   looks like one')\n    assert 1 == 2\n")
    yield program("chained", "\n\ndef test_chained():\n    try:\n        read({})\n    except KeyError as error:\n        raise ValueError('no title') from error\n")
    yield program("timeout", "\nimport time\n\n\ndef test_slow():\n    time.sleep(30)\n", run="pytest --timeout 1")
    yield program("exit", "\n\ndef test_exits():\n    import os\n    os._exit(3)\n")
    yield program("temporary", "\n\ndef test_writes(tmp_path):\n    assert (tmp_path / 'a.txt').exists()\n")
    yield program("temporary-raises", "\n\ndef test_reads_file(tmp_path):\n    (tmp_path / 'a.txt').read_text()\n")
    yield program("strings", "\n\ndef test_text():\n    assert 'one\\ntwo\\nthree' == 'one\\n2\\nthree'\n")
    yield program("lists", "\n\ndef test_lists():\n    assert [1, 2, 3] == [1, 2, 4]\n")
    yield program("unittest-style", "\nimport unittest\n\n\nclass ShelfTest(unittest.TestCase):\n    def test_adds(self):\n        self.assertEqual(price(1), 3)\n")
    yield program("strict-warning", "\nimport warnings\n\n\ndef test_warns():\n    warnings.warn('old shelf', DeprecationWarning)\n", run="pytest -W error")
    yield program("warned-and-failed", "\nimport warnings\n\n\ndef test_warns():\n    warnings.warn('old shelf', DeprecationWarning)\n    assert price(1) == 1\n")
    yield program("expected-to-fail", "\nimport pytest\n\n\n@pytest.mark.xfail(strict=True)\ndef test_known():\n    pass\n")
    yield program("deep", "\n\ndef check(n):\n    assert price(n) == 0\n\n\ndef test_deep():\n    check(2)\n")
