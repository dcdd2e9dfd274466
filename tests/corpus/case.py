"""What a case of the corpus is, and the usual ways to vary one."""

from dataclasses import dataclass, field, replace
from textwrap import dedent


@dataclass
class Case:
    """A broken program and the command that stumbles over it."""

    name: str
    run: str
    files: dict
    needs: str = ""
    env: dict = field(default_factory=dict)
    tty: bool = False
    may_pass: bool = False

    def __post_init__(self):
        self.files = {path: dedent(text).lstrip("\n") for path, text in self.files.items()}

    def called(self, name, **changes):
        return replace(self, name=name, **changes)

    def moved(self, path, comment, lines=4):
        """The same program, some lines further down."""
        text = f"{comment} moved\n" * lines + self.files[path]
        return self.called(f"{self.name}-moved", files={**self.files, path: text})

    def coloured(self, **env):
        """The same on a terminal: colours, and carriage returns at the ends of lines."""
        return self.called(f"{self.name}-tty", tty=True, env={**self.env, **env})
