"""Java: javac, and programs that end with an exception."""

from case import Case

NEEDS = ["javac", "java"]
BUILD = "javac -d out src/Shelf.java"
RUN = "javac -d out src/Shelf.java && java -cp out Shelf"


def main(body, more=""):
    return f"public class Shelf {{\n{more}    public static void main(String[] words) {{\n        {body}\n    }}\n}}\n"


BROKEN = {
    "symbol": main("total = 1;"),
    "symbol-other": main("discount = 1;"),
    "method": main("open();"),
    "types": main('int pages = "many";'),
    "semicolon": main("int pages = 1"),
    "class": main("Book book = null;"),
    "package": "import com.example.Nowhere;\n\n" + main(""),
    "arguments": main("Math.abs(1, 2);"),
    "return": "public class Shelf {\n    int pages() {\n    }\n}\n",
    "unreported": main('throw new Exception("x");'),
    "unreachable": main("return; int a = 1;"),
    "abstract": "public class Shelf implements Runnable {\n}\n",
    "final": main("final int pages = 1; pages = 2;"),
    "unclosed": "public class Shelf {\n    void open() {\n",
    "two-classes": "public class Book {\n}\n",
    "uninitialised": main("int pages; System.out.println(pages);"),
}
THROWN = {
    "null": main("String title = null; title.length();"),
    "index": main("int[] books = {}; int b = books[words.length];"),
    "own": main('throw new IllegalStateException("it is locked");'),
    "cause": main('try { Integer.parseInt("x"); } catch (NumberFormatException e) { throw new RuntimeException("no number", e); }'),
    "assert": main('assert words.length == 3 : "too few";'),
    "deep": main("open(1);", "    static void open(int n) { throw new IllegalArgumentException(\"book \" + n); }\n"),
    "stack": main("open(1);", "    static int open(int n) { return open(n + 1) + 1; }\n"),
    "exit": main("System.exit(3);"),
}


def program(name, text, run=BUILD, **more):
    return Case(name, run, {"src/Shelf.java": text, **more})


def cases():
    for name, text in BROKEN.items():
        case = program(name, text)
        yield case
        if name in ("symbol", "method", "types", "abstract"):
            yield case.moved("src/Shelf.java", "//")
    yield program("two", main("total = 1; int pages = \"many\";"))
    yield program("two-turned", main("int pages = \"many\"; total = 1;"))
    yield program("two-files", BROKEN["symbol"], "javac -d out src/Shelf.java src/Book.java",
                  **{"src/Book.java": BROKEN["symbol"].replace("Shelf", "Book")})
    yield program("absolute", BROKEN["symbol"], 'javac -d out "$PWD/src/Shelf.java"')
    deprecated = main("new Integer(1); java.util.List list = new java.util.ArrayList(); list.add(1);")
    yield program("warnings", deprecated, BUILD + " -Xlint:all").called("warnings", may_pass=True)
    yield program("warnings-moved", "// one\n" + deprecated, BUILD + " -Xlint:all").called("warnings-moved", may_pass=True)
    yield program("werror", deprecated, BUILD + " -Xlint:all -Werror")
    yield program("notes", deprecated + "class Broken { Nowhere n; }\n", BUILD)
    yield program("no-file", "", "javac -d out src/Nowhere.java")
    yield program("option", "", "javac --nonsense src/Shelf.java")
    for name, text in THROWN.items():
        run = RUN.replace("java -cp", "java -ea -XX:MaxJavaStackTraceDepth=6 -cp")
        case = program(f"thrown-{name}", text, run)
        yield case
        if name in ("null", "deep"):
            yield case.moved("src/Shelf.java", "//")
    yield program("no-main", "public class Shelf {\n}\n", RUN)
    yield program("no-class", "public class Shelf {\n}\n", "java Nowhere")
    yield program("source-launcher", BROKEN["symbol"], "java src/Shelf.java")
