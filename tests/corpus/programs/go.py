"""Go: build, vet and test."""

from case import Case

NEEDS = ["go"]
MODULE = "module example.com/shelf\n\ngo 1.19\n"
BUILD = "go build ./..."
TEST = "go test ./..."

BROKEN = {
    "undefined": "package shelf\n\nfunc Price() int {\n\treturn total\n}\n",
    "undefined-other": "package shelf\n\nfunc Price() int {\n\treturn discount\n}\n",
    "mismatched": 'package shelf\n\nfunc Price() int {\n\treturn "many"\n}\n',
    "unused": "package shelf\n\nfunc Price() int {\n\ttotal := 1\n\treturn 2\n}\n",
    "import-unused": 'package shelf\n\nimport "os"\n\nfunc Price() int {\n\treturn 2\n}\n',
    "import-missing": 'package shelf\n\nimport "example.com/nowhere"\n\nvar Price = nowhere.Price\n',
    "import-standard": 'package shelf\n\nimport "no/such/shelf"\n\nvar Price = shelf.Price\n',
    "arguments": "package shelf\n\nfunc add(a, b int) int {\n\treturn a + b\n}\n\nvar Three = add(1, 2, 3)\n",
    "method": "package shelf\n\ntype Book struct{}\n\nvar Pages = Book{}.Pages()\n",
    "interface": "package shelf\n\ntype Reader interface {\n\tRead() int\n}\n\ntype Book struct{}\n\nvar R Reader = Book{}\n",
    "syntax": "package shelf\n\nfunc Price( int {\n\treturn 1\n}\n",
    "missing-return": "package shelf\n\nfunc Price() int {\n}\n",
    "redeclared": "package shelf\n\nfunc Price() int {\n\treturn 1\n}\n\nfunc Price() int {\n\treturn 2\n}\n",
}
SOURCE = "package shelf\n\nfunc Price(count int) int {\n\treturn count * 10\n}\n"
HEAD = 'package shelf\n\nimport "testing"\n'
ADDS = '\nfunc TestAdds(t *testing.T) {\n\tif got := Price(2); got != 30 {\n\t\tt.Errorf("got %d, want 30", got)\n\t}\n}\n'
SUBTRACTS = '\nfunc TestSubtracts(t *testing.T) {\n\tif Price(1) >= 5 {\n\t\tt.Fatal("too dear")\n\t}\n}\n'
PASSES = "\nfunc TestPasses(t *testing.T) {}\n"
PANICS = '\nfunc TestPanics(t *testing.T) {\n\tvar books []int\n\t_ = books[Price(0)]\n}\n'
NIL = '\ntype book struct{ pages int }\n\nfunc TestNil(t *testing.T) {\n\tvar b *book\n\t_ = b.pages\n}\n'
TABLE = '\nfunc TestTable(t *testing.T) {\n\tfor _, name := range []string{"one", "two", "with space"} {\n\t\tt.Run(name, func(t *testing.T) {\n\t\t\tif name != "two" {\n\t\t\t\tt.Error("it is " + name)\n\t\t\t}\n\t\t})\n\t}\n}\n'
NOTHING = "\nfunc TestNothing(t *testing.T) {\n\tt.Fail()\n}\n"


def package(name, text, run=BUILD, **more):
    return Case(name, run, {"go.mod": MODULE, "shelf.go": text, **more})


def tests(name, *tests, run=TEST, before="", **more):
    return package(name, SOURCE, run, **{"shelf_test.go": before + HEAD + "".join(tests), **more})


def cases():
    for name, text in BROKEN.items():
        case = package(name, text)
        yield case
        if name in ("undefined", "arguments", "interface"):
            yield case.moved("shelf.go", "//")
    both = BROKEN["undefined"] + "\ntype Book struct{}\n\nvar Pages = Book{}.Pages()\n"
    yield package("two", both)
    yield package("two-packages", BROKEN["undefined"], **{"deep/deep.go": BROKEN["undefined"].replace("shelf", "deep")})
    yield package("vet", 'package shelf\n\nimport "fmt"\n\nfunc Show() {\n\tfmt.Printf("%d books\\n", "many")\n}\n', "go vet ./...")
    yield package("vet-moved", '// one\npackage shelf\n\nimport "fmt"\n\nfunc Show() {\n\tfmt.Printf("%d books\\n", "many")\n}\n', "go vet ./...")
    yield package("vet-broken", BROKEN["undefined"], "go vet ./...")
    yield package("vet-in-test", SOURCE, TEST, **{"shelf_test.go": 'package shelf\n\nimport (\n\t"fmt"\n\t"testing"\n)\n\nfunc TestShow(t *testing.T) {\n\tfmt.Printf("%d books\\n", "many")\n}\n'})
    yield package("build-failed-in-test", BROKEN["undefined"], TEST, **{"shelf_test.go": HEAD + PASSES})
    yield package("test-does-not-build", SOURCE, TEST, **{"shelf_test.go": HEAD + "\nfunc TestOpen(t *testing.T) {\n\tOpen()\n}\n"})
    yield Case("no-module", BUILD, {"shelf.go": SOURCE})
    yield Case("no-files", "go build ./nowhere", {"go.mod": MODULE})
    yield package("bad-module", SOURCE, **{"go.mod": "modul example.com/shelf\n"})
    yield package("bad-command", SOURCE, "go biuld")
    yield package("format", "package shelf\nfunc  Price( ) int { return 1 }\n", 'test -z "$(gofmt -l .)" || { gofmt -l . ; exit 1; }')
    yield tests("test-adds", ADDS, PASSES)
    yield tests("test-adds-moved", PASSES, ADDS, before="// one\n// two\n")
    yield tests("test-adds-other-number", ADDS, PASSES, **{"shelf.go": SOURCE.replace("10", "11")})
    yield tests("test-adds-verbose", ADDS, PASSES, run="go test -v ./...")
    yield tests("test-adds-cover", ADDS, PASSES, run="go test -cover ./...")
    yield tests("test-adds-race-order", ADDS, PASSES, run="go test -shuffle=1 ./...")
    yield tests("test-two", ADDS, SUBTRACTS)
    yield tests("test-two-turned", SUBTRACTS, ADDS)
    yield tests("test-two-verbose", ADDS, SUBTRACTS, run="go test -v ./...")
    yield tests("test-two-one-fixed", ADDS, SUBTRACTS, **{"shelf.go": SOURCE.replace("10", "15")})
    yield tests("test-table", TABLE)
    yield tests("test-table-verbose", TABLE, run="go test -v ./...")
    yield tests("test-panics", PANICS, PASSES)
    yield tests("test-panics-moved", PASSES, PANICS)
    yield tests("test-panics-verbose", PASSES, PANICS, run="go test -v ./...")
    yield tests("test-nil", NIL)
    yield tests("test-nothing-said", NOTHING)
    yield tests("test-two-packages", ADDS, **{
        "deep/deep.go": SOURCE.replace("package shelf", "package deep"),
        "deep/deep_test.go": (HEAD + ADDS).replace("package shelf", "package deep")})
    yield tests("test-timeout", '\nfunc TestSlow(t *testing.T) {\n\tselect {}\n}\n', run="go test -timeout 1s ./...")
    yield tests("test-sleeps", '\nfunc TestSleeps(t *testing.T) {\n\ttime.Sleep(time.Minute)\n}\n', run="go test -timeout 1s ./...",
                before="").called("test-sleeps", files={
                    "go.mod": MODULE, "shelf.go": SOURCE,
                    "shelf_test.go": 'package shelf\n\nimport (\n\t"testing"\n\t"time"\n)\n\nfunc TestSleeps(t *testing.T) {\n\ttime.Sleep(time.Minute)\n}\n'})
    yield tests("test-exits", '\nfunc TestExits(t *testing.T) {\n\tos.Exit(3)\n}\n').called("test-exits", files={
        "go.mod": MODULE, "shelf.go": SOURCE,
        "shelf_test.go": 'package shelf\n\nimport (\n\t"os"\n\t"testing"\n)\n\nfunc TestExits(t *testing.T) {\n\tos.Exit(3)\n}\n'})
    yield tests("test-prints", '\nfunc TestPrints(t *testing.T) {\n\tprintln("error: only printed")\n\tt.Log("a log line")\n\tt.Error("after printing")\n}\n')
    yield tests("test-lines", '\nfunc TestLines(t *testing.T) {\n\tt.Error("first\\nsecond\\nthird")\n}\n')
    yield tests("test-example", "\nfunc ExamplePrice() {\n\tprintln(Price(1))\n\t// Output: 11\n}\n")
    main = 'package main\n\nfunc main() {\n\tpanic("the shelf is locked")\n}\n'
    yield Case("run-panics", "go run .", {"go.mod": MODULE, "main.go": main})
    yield Case("run-panics-moved", "go run .", {"go.mod": MODULE, "main.go": "// one\n" + main})
    yield Case("run-deadlock", "go run .", {"go.mod": MODULE, "main.go": "package main\n\nfunc main() {\n\tc := make(chan int)\n\t<-c\n}\n"})
