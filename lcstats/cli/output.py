"""What commands print: one JSON object, text for people, warnings; and how they write files."""

import os
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from lcstats.errors import Notice, OptionError, describe

EVERY_GROUP = "every language model and task"
"""Stands before a warning that is said once for all groups."""


@contextmanager
def working_on(what: str) -> Iterator[None]:
    """Say on a terminal what takes its time, and take it back when it is done."""
    if not sys.stderr.isatty():
        yield
        return
    click.echo(f"{printable(what)} ...", nl=False, err=True)
    try:
        yield
    finally:
        click.echo("\r\033[K", nl=False, err=True)


def print_json(document: Mapping[str, Any]) -> None:
    """Print one JSON object on standard output."""
    from lcstats.report.documents import to_json

    click.echo(to_json(document))


def print_text(text: str = "") -> None:
    """Print text for people on standard output; what could move a terminal's cursor is spelled."""
    click.echo(printable(text))


def print_notices(notices: Iterable[Notice], *, group: str = "") -> None:
    """Print notices as warnings on standard error, each once."""
    for notice in dict.fromkeys(notices):
        print_warning(notice.message, group=group)


def print_common(table: Iterable[Notice], groups: Iterable[Iterable[Notice]]) -> list[Notice]:
    """Print what is to be said once: notices on the table, and those that all of its groups have.

    Returns
    -------
    list of Notice
        All that were printed; the groups' own ones are left to be.
    """
    printed = list(dict.fromkeys(table))
    print_notices(printed)
    first, *others = map(list, groups)
    shared = [n for n in first if others and all(n in o for o in others) and n not in printed]
    print_notices(shared, group=EVERY_GROUP)
    return printed + shared


def print_groups(
    table: Iterable[Notice], groups: Sequence[tuple[str, Iterable[str], Sequence[Notice]]]
) -> None:
    """Print the lines of every group, an empty one between them, and notices where they belong.

    Parameters
    ----------
    table : iterable of Notice
        On the table as a whole; these, and those that all groups have, come first and once.
    groups : sequence of (str, iterable of str, sequence of Notice)
        The group's name, which its notices have where there are several, its lines, and notices.
    """
    said = print_common(table, (notices for _, _, notices in groups))
    for number, (name, lines, notices) in enumerate(groups):
        if number:
            print_text()
        for line in lines:
            print_text(line)
        own = (notice for notice in notices if notice not in said)
        print_notices(own, group=name if len(groups) > 1 else "")


def print_warning(message: str, *, group: str = "") -> None:
    """Print one warning on standard error."""
    prefix = f"{group}: " if group else ""
    click.echo(printable(f"Warning: {prefix}{message}"), err=True)


def printable(text: str) -> str:
    r"""Spell out control characters, which names and outputs of language models can hold.

    Examples
    --------
    >>> print(printable("a\x1b[2Jb"))
    a\x1b[2Jb
    """
    return "".join(
        c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape").decode() for c in text
    )


def columns_of_text(rows: Iterable[Iterable[object]]) -> str:
    """Set rows in columns: the first to the left, the others to the right.

    Examples
    --------
    >>> print(columns_of_text([["length", "n"], [4096, 20]]))
    length   n
    4096    20
    """
    table = [[str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = []
    for first, *others in table:
        cells = [first.ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def check_file(path: str, allowed: Iterable[str], *, flag: str = "-o") -> None:
    """Refuse an output file that cannot be: by its suffix, or because its folder is not there.

    Raises
    ------
    OptionError
        Before anything is read, so that no work is lost.
    """
    allowed = tuple(allowed)
    if not path.lower().endswith(allowed):
        raise OptionError(
            describe(
                f"{flag} is {path}",
                f"expected a file name ending in {', '.join(allowed)}",
                f"write {flag} {Path(path).stem or 'file'}{allowed[0]}, say",
            )
        )
    folder = Path(path).parent
    if not folder.exists():
        raise OptionError(
            describe(
                f"{flag} is {path}, and there is no folder {folder}",
                "expected a file in a folder that exists",
                f"make it with: mkdir -p {shlex.quote(str(folder))}",
            )
        )


@contextmanager
def whole_files(folder: Path) -> Iterator[Path]:
    """Give a folder to write files in; at the end they are moved to `folder`, over older ones.

    If the block fails, nothing is left behind.
    """
    aside = Path(tempfile.mkdtemp(prefix=".lcstats-partial-", dir=folder))
    try:
        yield aside
        for path in sorted(aside.iterdir()):
            os.replace(path, folder / path.name)
    except BaseException:
        shutil.rmtree(aside)
        raise
    shutil.rmtree(aside)
