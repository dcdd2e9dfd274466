"""Whatever else a gate may run: shells, make, and tools that nobody made a reader for."""

from case import Case

NEEDS = ["make", "git"]


def cases():
    yield Case("no-command", "no-such-tool --check", {})
    yield Case("no-command-other", "another-tool --check", {})
    yield Case("no-command-bash", "bash -c 'no-such-tool --check'", {})
    yield Case("no-script", "./check.sh", {})
    yield Case("no-permission", "./check.sh", {"check.sh": "#!/bin/sh\n"})
    yield Case("shell-syntax", "sh check.sh", {"check.sh": "if true; then\n  echo a\n"})
    yield Case("bash-syntax", "bash check.sh", {"check.sh": "for a in 1 2; do\n  echo a\ndone )\n"})
    yield Case("unset", "sh -u check.sh", {"check.sh": "echo $SHELF_HOME\n"})
    yield Case("make-no-rule", "make shelf", {"Makefile": "all:\n\techo a\n"})
    yield Case("make-no-file", "make", {"a.txt": ""})
    yield Case("make-separator", "make", {"Makefile": "all:\n    echo a\n"})
    yield Case("make-failed", "make", {"Makefile": "all:\n\t@echo checking the shelf\n\t@false\n"})
    yield Case("make-silent-failed", "make -s", {"Makefile": "all:\n\t@exit 3\n"})
    yield Case("silent", "exit 1", {})
    yield Case("one-line", "echo 'the shelf is crooked'; exit 1", {})
    yield Case("counts", "echo 'checked 10 shelves'; echo '3 of 10 shelves failed in 1.2s'; exit 1", {})
    yield Case("counts-other", "echo 'checked 12 shelves'; echo '4 of 12 shelves failed in 2.5s'; exit 1", {})
    yield Case("fine-words-first", "echo '0 errors, 0 failed'; echo 'error: the shelf is crooked'; exit 1", {})
    yield Case("place", "echo 'shelf.txt:3:5: error: crooked board'; exit 1", {})
    yield Case("place-moved", "echo 'shelf.txt:7:1: error: crooked board'; exit 1", {})
    yield Case("place-other", "echo 'shelf.txt:3:5: error: missing board'; exit 1", {})
    yield Case("place-warning", "echo 'shelf.txt:3:5: warning: dusty board'; exit 1", {})
    yield Case("diff", "diff -u a.txt b.txt", {"a.txt": "one\ntwo\n", "b.txt": "one\n2\n"})
    yield Case("grep", "! grep -rn TODO src", {"src/a.txt": "one\nTODO two\n"})
    yield Case("git", "git log", {})
    yield Case("cat", "cat nowhere.txt", {})
    yield Case("killed", "sh -c 'kill -9 $$'", {})
    yield Case("segfault", "sh -c 'kill -SEGV $$'; exit 1", {})
    yield Case("python-and-node", "python -c 'print(total)'; node -e 'open()'", {})
    yield Case("shellcheck-like", "printf 'In check.sh line 3:\\necho $a\\n     ^-- SC2086: Double quote to prevent globbing.\\n'; exit 1", {})
    yield Case("colours", "printf '\\033[31merror\\033[0m: the shelf is \\033[1mcrooked\\033[0m\\n'; exit 1", {})
    yield Case("windows-lines", "printf 'error: the shelf is crooked\\r\\n'; exit 1", {})
    yield Case("progress", "printf 'working 10%%\\rworking 90%%\\rerror: the shelf is crooked\\n'; exit 1", {})
