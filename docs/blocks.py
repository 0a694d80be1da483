"""Run the code blocks of a page, and hold what they print against what the page shows."""

import re
import shlex
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO

from click.testing import CliRunner

from lcstats.cli import cli

FENCED = re.compile(
    r"^```(sh|python)\n(.*?)^```\n(?:<!--.*?-->\n)?(?:\n```text\n(.*?)^```)?",
    re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Block:
    """A block of Python, or one line for the shell.

    Attributes
    ----------
    language : {"sh", "python"}
    code : str
    shown : str
        What the page shows as its output; empty if nothing.
    """

    language: str
    code: str
    shown: str = ""

    @property
    def exit_codes(self) -> set[int]:
        """Those that the block may have: a gate may stop a change, a shown error is one."""
        if re.search("^Error:", self.shown, flags=re.MULTILINE):
            return {2}
        return {0, 1} if "--gate" in self.code else {0}

    def run(self) -> tuple[int, str]:
        """Return the exit code and what was printed."""
        if self.language == "python":
            with redirect_stdout(StringIO()) as printed:
                exec(self.code, {})
            return 0, printed.getvalue()
        done = CliRunner().invoke(cli, shlex.split(self.code)[1:])
        if done.exception and not isinstance(done.exception, SystemExit):
            raise done.exception
        return done.exit_code, done.output

    def faults(self, *, compare: bool = True) -> Iterator[str]:
        """Run it, and yield what went wrong: the exit code, or lines that were not printed."""
        exit_code, printed = self.run()
        if exit_code not in self.exit_codes:
            yield f"{self.code}\nexit code {exit_code}\n{printed}"
        elif compare:
            for line in self.shown.splitlines():
                if not re.search(_pattern(line), printed):
                    yield f"{self.code}\ndid not print\n{line}"


def find_blocks(page: str) -> Iterator[Block]:
    """Yield the blocks of a page in order; lines for the shell one by one."""
    for language, code, shown in FENCED.findall(page):
        if language == "python":
            yield Block(language, code, shown)
            continue
        *others, last = code.splitlines()
        yield from (Block(language, line) for line in others)
        yield Block(language, last, shown)


def _pattern(line: str) -> str:
    """Match the line anywhere; an ellipsis stands for anything."""
    return re.escape(line.strip()).replace(re.escape("..."), ".*")
