"""The file of a sweep: one line per trial, on disk before the next is asked for.

Lines are only ever appended. A process that is killed leaves at most one torn line, which the next
one cuts off; a trial whose line is whole is never asked again, unless it failed for want of luck.
"""

import asyncio
import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from types import TracebackType
from typing import IO, Any

from lcstats.errors import FormatError, OptionError, describe

if sys.platform != "win32":
    import fcntl

TRY_AGAIN = frozenset(("error", "timeout", "rate_limited", "skipped"))
"""Statuses of trials that are asked again when a sweep goes on."""

COLUMNS = (
    *("task", "length", "depth", "case", "repeat", "status", "stage"),
    *("tokens_asked", "tokens_counted", "output_tokens"),
)
"""What a row needs for a sweep to go on."""

BLOCK = 2**16
"""Bytes that are looked at together for the end of the last line."""

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Line:
    """A line to be written, and who waits for it."""

    data: bytes
    waiting: "asyncio.Future[None] | None" = None


class Ledger:
    """A file of trials that is appended to, by a thread that waits for the disk.

    What is written while the disk is busy goes there together, so that a slow disk does not hold
    up requests.

    Parameters
    ----------
    path : path

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "trials.jsonl"
    >>> with Ledger(path) as ledger:
    ...     ledger.append({"case": "a", "status": "ok"})
    >>> [row["case"] for row in read_rows(path)]
    ['a']
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._lines: SimpleQueue[_Line | None] = SimpleQueue()
        self._thread: Thread | None = None
        self._error: OSError | None = None

    def __enter__(self) -> "Ledger":
        """Cut off a torn last line, and begin to write.

        Raises
        ------
        OptionError
            If another process writes to the file.
        """
        # Without a buffer: what a full disk refuses is not written once more at the end.
        file = open(self.path, "ab", buffering=0)
        try:
            _claim(file, self.path)
            cut_torn_line(self.path)
        except BaseException:
            file.close()
            raise
        self._thread = Thread(target=self._write_all, args=(file,))
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Wait until all is on disk."""
        self._lines.put(None)
        if self._thread is not None:
            self._thread.join()
        if self._error is not None and error is None:
            raise self._error

    def append(self, row: Row) -> None:
        """Write a row, and do not wait."""
        self._lines.put(_Line(line_of(row)))

    async def keep(self, row: Row) -> None:
        """Write a row and wait until it is on disk.

        Raises
        ------
        OSError
            If the disk refuses it.
        """
        waiting = asyncio.get_running_loop().create_future()
        self._lines.put(_Line(line_of(row), waiting))
        await waiting
        if self._error is not None:
            raise self._error

    def _write_all(self, file: IO[bytes]) -> None:
        with file:
            while lines := self._take():
                if self._error is None:
                    self._write(file, lines)
                _wake([line.waiting for line in lines if line.waiting is not None])

    def _take(self) -> list[_Line]:
        """Return all lines that wait, at least one; none at the end."""
        lines: list[_Line] = []
        while not lines or not self._lines.empty():
            line = self._lines.get()
            if line is None:
                self._lines.put(None)
                break
            lines.append(line)
        return lines

    def _write(self, file: IO[bytes], lines: list[_Line]) -> None:
        try:
            data = memoryview(b"".join(line.data for line in lines))
            while data:
                data = data[file.write(data) :]
            os.fsync(file.fileno())
        except OSError as error:
            self._error = error


def _wake(waiting: list["asyncio.Future[None]"]) -> None:
    """Tell all whose lines went to the disk together at once: every call wakes their loop up."""
    if waiting:
        waiting[0].get_loop().call_soon_threadsafe(_finish, waiting)


def _finish(waiting: list["asyncio.Future[None]"]) -> None:
    for future in waiting:
        if not future.done():
            future.set_result(None)


_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def line_of(row: Row) -> bytes:
    """Return the line of a row; half a character, which UTF-8 cannot hold, is spelled out."""
    return f"{_encode(row)}\n".encode("utf-8", "backslashreplace")


def _claim(file: IO[bytes], path: Path) -> None:
    """Keep other processes from writing to a file for as long as it is open here."""
    if sys.platform == "win32":
        return
    # Some network disks know no locks: there, nobody is kept away.
    with suppress(OSError):
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise OptionError(
                describe(
                    f"another process is writing to {path}",
                    "expected one run for each file",
                    "wait for it to end, or write to another file with -o",
                )
            ) from None


def cut_torn_line(path: Path) -> None:
    """Cut off what stands after the last end of a line."""
    if not path.exists():
        return
    with open(path, "r+b") as file:
        end = file.seek(0, os.SEEK_END)
        whole = _end_of_lines(file, end)
        if whole < end:
            file.truncate(whole)
            os.fsync(file.fileno())


def _end_of_lines(file: IO[bytes], end: int) -> int:
    """Return where the last whole line ends, looked for from the end of the file."""
    while end:
        start = max(end - BLOCK, 0)
        file.seek(start)
        found = file.read(end - start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0


def read_trial_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a sweep's file that can be gone on with.

    Raises
    ------
    FormatError
        If a row lacks what it takes.
    """
    for number, row in enumerate(read_rows(path), start=1):
        missing = [name for name in COLUMNS if name not in row]
        if missing:
            raise FormatError(
                describe(
                    f"{path} line {number} has no {' and no '.join(missing)}",
                    "expected one trial per line, as 'lcstats run' writes them",
                    "take the line out, or write to another file with -o",
                )
            )
        yield row


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a sweep's file, but for a torn last line.

    Raises
    ------
    FormatError
        If a whole line is no JSON object.
    """
    if not path.exists():
        return
    with open(path, "rb") as file:
        for number, line in enumerate(file, start=1):
            if not line.endswith(b"\n"):
                return
            try:
                row = json.loads(line)
            except ValueError:
                row = None
            if not isinstance(row, dict):
                raise FormatError(
                    describe(
                        f"{path} line {number} is no JSON object",
                        "expected one trial per line, as 'lcstats run' writes them",
                        "take the line out, or write to another file with -o",
                    )
                )
            yield row
