"""C and C++: gcc, g++, clang and clang++, their linkers, and programs that crash."""

from case import Case

NEEDS = ["gcc", "g++", "clang", "clang++"]

BROKEN = {
    "undeclared": "int main(void) {\n    total = 1;\n    return 0;\n}\n",
    "undeclared-other": "int main(void) {\n    discount = 1;\n    return 0;\n}\n",
    "implicit": "int main(void) {\n    open_shelf();\n    return 0;\n}\n",
    "types": "int main(void) {\n    int *page = 3.5;\n    return *page;\n}\n",
    "missing-semicolon": "int main(void) {\n    int a = 1\n    return a;\n}\n",
    "header": '#include "shelf.h"\n\nint main(void) {\n    return 0;\n}\n',
    "arguments": "static int add(int a, int b) {\n    return a + b;\n}\n\nint main(void) {\n    return add(1, 2, 3);\n}\n",
    "arguments-four": "static int add(int a, int b) {\n    return a + b;\n}\n\nint main(void) {\n    return add(1, 2, 3, 4);\n}\n",
    "member": "struct book {\n    int pages;\n};\n\nint main(void) {\n    struct book b = {1};\n    return b.page_count;\n}\n",
    "redefined": "int price(void) {\n    return 1;\n}\n\nint price(void) {\n    return 2;\n}\n\nint main(void) {\n    return price();\n}\n",
    "unclosed": "int main(void) {\n    if (1) {\n        return 0;\n}\n",
    "directive": "#if WIDE\nint main(void) {\n    return 0;\n}\n",
    "unknown-type": "shelf_t open_all(void);\n\nint main(void) {\n    return 0;\n}\n",
}
WARNED = "int main(void) {\n    int unused = 1;\n    return 2 + 3 == 4 & 1;\n}\n"
CPLUSPLUS = {
    "cpp-undeclared": "int main() {\n    total = 1;\n}\n",
    "cpp-method": "struct Book {\n    int pages;\n};\n\nint main() {\n    Book book{1};\n    return book.count();\n}\n",
    "cpp-template": "#include <algorithm>\n#include <list>\n\nint main() {\n    std::list<int> books{3, 1, 2};\n    std::sort(books.begin(), books.end());\n}\n",
    "cpp-convert": '#include <string>\n\nint main() {\n    std::string title = "shelf";\n    int pages = title;\n    return pages;\n}\n',
    "cpp-private": "class Book {\n    int pages = 1;\n};\n\nint main() {\n    return Book{}.pages;\n}\n",
    "cpp-override": "struct Base {\n    virtual void open();\n};\n\nstruct Book : Base {\n    void open(int) override;\n};\n\nint main() {}\n",
    "cpp-const": "int main() {\n    const int pages = 1;\n    pages = 2;\n}\n",
}
CRASHES = {
    "assert": '#include <assert.h>\n\nint main(void) {\n    int pages = 1;\n    assert(pages == 2);\n    return 0;\n}\n',
    "overflow": "#include <stdlib.h>\n\nint main(void) {\n    int *pages = malloc(4);\n    pages[1] = 3;\n    return pages[0];\n}\n",
    "use-after-free": "#include <stdlib.h>\n\nint main(void) {\n    int *pages = malloc(4);\n    *pages = 1;\n    free(pages);\n    return *pages;\n}\n",
    "undefined": "#include <limits.h>\n\nint main(int count, char **words) {\n    (void)words;\n    int pages = INT_MAX;\n    pages += count;\n    return pages > 0;\n}\n",
    "segfault": "int main(void) {\n    int *volatile page = 0;\n    return *page;\n}\n",
}


def cases():
    for tool, plus in (("gcc", "g++"), ("clang", "clang++")):
        for name, text in BROKEN.items():
            case = Case(f"{tool}-{name}", f"{tool} -c main.c", {"main.c": text})
            if name == "implicit":
                case.run = f"{tool} -Werror=implicit-function-declaration -c main.c"
            yield case
            if name in ("undeclared", "arguments", "member"):
                yield case.moved("main.c", "//")
            if name in ("undeclared", "missing-semicolon"):
                yield case.coloured()
        for name, text in CPLUSPLUS.items():
            case = Case(f"{tool}-{name}", f"{plus} -std=c++17 -c main.cc", {"main.cc": text})
            if name == "cpp-template":
                # The whole of it is fifty kilobytes.
                case.run += " 2>&1 | head -n 24; exit 1"
            yield case
        both = BROKEN["undeclared"].replace("main", "first") + BROKEN["member"]
        turned = BROKEN["member"].replace("main", "second") + BROKEN["undeclared"]
        yield Case(f"{tool}-two", f"{tool} -c main.c", {"main.c": both})
        yield Case(f"{tool}-two-turned", f"{tool} -c main.c", {"main.c": turned})
        yield Case(f"{tool}-two-files", f"{tool} -c main.c other.c",
                   {"main.c": BROKEN["undeclared"], "other.c": BROKEN["undeclared"]})
        yield Case(f"{tool}-in-header", f"{tool} -c main.c",
                   {"main.c": '#include "shelf.h"\n\nint main(void) {\n    return 0;\n}\n',
                    "shelf.h": "book_t first(void);\n"})
        yield Case(f"{tool}-warnings", f"{tool} -Wall -c main.c", {"main.c": WARNED}, may_pass=True)
        yield Case(f"{tool}-warnings-moved", f"{tool} -Wall -c main.c", {"main.c": "//\n" + WARNED}, may_pass=True)
        yield Case(f"{tool}-werror", f"{tool} -Wall -Werror -c main.c", {"main.c": WARNED})
        yield Case(f"{tool}-warning-and-error", f"{tool} -Wall -c main.c",
                   {"main.c": WARNED.replace("int main", "int other") + BROKEN["undeclared"]})
        link = "int shelf_open(void);\n\nint main(void) {\n    return shelf_open();\n}\n"
        yield Case(f"{tool}-link", f"{tool} main.c", {"main.c": link})
        yield Case(f"{tool}-link-moved", f"{tool} main.c", {"main.c": "// one\n" + link})
        yield Case(f"{tool}-link-twice", f"{tool} main.c other.c",
                   {"main.c": "int main(void) {\n    return 0;\n}\n",
                    "other.c": "int main(void) {\n    return 1;\n}\n"})
        yield Case(f"{tool}-no-library", f"{tool} main.c -lshelf", {"main.c": "int main(void) {\n    return 0;\n}\n"})
        yield Case(f"{tool}-no-file", f"{tool} -c nothing.c", {})
        yield Case(f"{tool}-no-option", f"{tool} --not-an-option -c main.c", {"main.c": "int a;\n"})
        yield Case(f"{tool}-absolute", f'{tool} -c "$PWD/src/main.c"', {"src/main.c": BROKEN["undeclared"]})
        for name, text in CRASHES.items():
            flags = "-g"
            if name in ("overflow", "use-after-free"):
                flags += " -fsanitize=address"
            if name == "undefined":
                flags += " -fsanitize=undefined -fno-sanitize-recover"
            yield Case(f"{tool}-{name}", f"{tool} {flags} -o app main.c && ./app", {"main.c": text})
    yield Case("gcc-old-locale", "gcc -c main.c", {"main.c": BROKEN["undeclared"]}, env={"LC_ALL": "C"})
    make = "all: main.o other.o\n%.o: %.c\n\tgcc -c $<\n"
    files = {"Makefile": make, "main.c": BROKEN["undeclared"], "other.c": BROKEN["member"]}
    yield Case("make", "make", files)
    yield Case("make-keep-going", "make --keep-going", files)
    yield Case("make-at-once", "make --keep-going --jobs 2", files)
