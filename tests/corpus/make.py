#!/usr/bin/env python3
"""Makes the corpus anew: runs real tools on small broken programs and stores what they print.

    tests/corpus/make.py [TOOL ...]

Each file in programs/ names its cases; each case is run in a fresh folder /tmp/work-…; what it
prints goes to outputs/<tool>.txt. A tool that is not installed leaves its file as it is.
README.md says what has to be installed, and what is done with the results.
"""

import importlib
import os
import pty
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOOLS = Path(os.environ.get("CORPUS_TOOLS", "/tmp/corpus-tools"))
LONGEST_S = 180
# What stands for the characters that a text file should not hold.
SHOWN = {"\x1b": "␛", "\r": "␍", "\x00": "␀", "\x08": "␈"}


def environment(case):
    home = TOOLS / "home"
    home.mkdir(parents=True, exist_ok=True)
    real = Path.home()
    folders = [TOOLS / "venv" / "bin", real / ".cargo" / "bin", "/usr/local/bin", "/usr/bin", "/bin"]
    return {
        "PATH": ":".join(map(str, folders)),
        "HOME": str(home),
        "CARGO_HOME": os.environ.get("CARGO_HOME", str(real / ".cargo")),
        "RUSTUP_HOME": os.environ.get("RUSTUP_HOME", str(real / ".rustup")),
        "LC_ALL": "C.UTF-8",
        "TERM": "xterm-256color" if case.tty else "dumb",
        "GOFLAGS": "-mod=mod",
        "GOPROXY": "off",
        "npm_config_update_notifier": "false",
        "PYTHONDONTWRITEBYTECODE": "1",
        **case.env,
    }


def settle(case, root):
    """Writes the case's files, and brings the packages it needs."""
    for path, text in case.files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    if case.needs:
        modules = TOOLS / "node" / case.needs / "node_modules"
        shutil.copytree(modules, root / "node_modules", copy_function=os.link, symlinks=True)


def run(case, root):
    """All that the case's command prints, both streams as they come."""
    command = ["/bin/sh", "-c", case.run]
    if not case.tty:
        done = subprocess.run(
            command, cwd=root, env=environment(case), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LONGEST_S,
        )
        return done.stdout, done.returncode
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        command, cwd=root, env=environment(case), stdin=subprocess.DEVNULL,
        stdout=theirs, stderr=theirs, start_new_session=True,
    )
    os.close(theirs)
    read, until = b"", time.monotonic() + LONGEST_S
    while time.monotonic() < until:
        ready, _, _ = select.select([ours], [], [], 0.2)
        if ready:
            try:
                piece = os.read(ours, 65536)
            except OSError:
                break
            if not piece:
                break
            read += piece
        elif process.poll() is not None:
            break
    if process.poll() is None and time.monotonic() >= until:
        os.killpg(process.pid, signal.SIGKILL)
    return read, process.wait()


def scrubbed(text):
    """Without what only this machine has."""
    real = str(Path.home())
    python = subprocess.run(
        [sys.executable, "-c", "import sys; print(sys.base_prefix)"], capture_output=True, text=True
    ).stdout.strip()
    for found, put in [
        (str(TOOLS / "venv"), "/opt/python"),
        (str(TOOLS / "home"), "/home/dev"),
        (str(TOOLS), "/opt/tools"),
        (python, "/usr"),
        (real + "/", "/home/dev/"),
        ("registry.npmjs.org", "registry.example.org"),
    ]:
        text = text.replace(found, put)
    return text


def shown(output):
    text = scrubbed(output.decode("utf-8", "replace"))
    for character, symbol in SHOWN.items():
        text = text.replace(character, symbol)
    return text


def outputs(module):
    for case in module.cases():
        root = Path(tempfile.mkdtemp(prefix="work-", dir="/tmp"))
        try:
            settle(case, root)
            output, code = run(case, root)
        finally:
            shutil.rmtree(root, ignore_errors=True)
        print(f"  {case.name}: {len(output)} bytes, exit code {code}", flush=True)
        if code == 0 and not case.may_pass:
            sys.exit(f"{case.name} passed: it was meant to fail")
        text = shown(output)
        if text and not text.endswith("\n"):
            text += "\n"
        yield f"@@@ {case.name}\nroot {root}\nexit {code}\n$ {case.run}\n{text}"


def main():
    sys.path.insert(0, str(HERE))
    (HERE / "outputs").mkdir(exist_ok=True)
    names = sys.argv[1:] or sorted(p.stem for p in (HERE / "programs").glob("*.py"))
    for name in names:
        module = importlib.import_module(f"programs.{name}")
        if missing := [tool for tool in module.NEEDS if not (TOOLS / tool).exists() and not shutil.which(tool)]:
            print(f"{name}: left as it is, for want of {', '.join(missing)}")
            continue
        print(name)
        text = "".join(outputs(module))
        (HERE / "outputs" / f"{name}.txt").write_text(text)


if __name__ == "__main__":
    main()
