"""From paths to contents: folders, globs, lists and standard input; gz, zst and zip opened."""

import glob
import gzip
import io
import os
import re
import struct
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import BinaryIO, cast

from lcstats.errors import FormatError, LcstatsError, describe
from lcstats.readers.archives import decompress_zstd, open_zstd, read_member
from lcstats.readers.inspect_archive import is_inspect_archive, join_log

SMALL = 1 << 20
"""Files up to this many bytes are read at once; of longer ones, only so much is looked at."""

STANDARD_INPUT = "standard input"

_LFS_POINTER = b"version https://git-lfs.github.com/spec/"

_GZIP, _ZIP, _ZSTD = b"\x1f\x8b", b"PK\x03\x04", b"\x28\xb5\x2f\xfd"

_BROKEN = (
    EOFError,
    OSError,
    RuntimeError,
    ValueError,
    struct.error,
    zlib.error,
    zipfile.BadZipFile,
)
_SUFFIXES = re.compile(r"(\.(json|jsonl|ndjson|csv|tsv|txt|parquet|gz|zst|zip))+$", re.IGNORECASE)

PathLike = str | os.PathLike[str]

Unpack = Callable[[], BinaryIO]
"""Opens what a packed file holds."""

_BUFFER = 1 << 20
_JSON_START = re.compile(rb"(\xef\xbb\xbf)?[ \t\r\n]*\{")


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """The content of one file, decompressed.

    Attributes
    ----------
    name : str
        The file's name in messages.
    given : str
        Its path as the caller can find it again; members of an archive after ``!``.
    data : bytes
        Its content, or the first :data:`SMALL` bytes of it.
    path : str, optional
        The file on disk, where `data` is the beginning of it.
    unpack : callable, optional
        Opens the content anew, where `data` is the beginning of what a packed file holds.
    """

    name: str
    given: str
    data: bytes
    path: str | None = None
    unpack: Unpack | None = None

    @property
    def is_whole(self) -> bool:
        """Whether `data` is the whole content."""
        return self.path is None and self.unpack is None

    @property
    def folder(self) -> str:
        """Name of the folder, or the archive, that the file lies in; empty for none."""
        if self.given == STANDARD_INPUT:
            return ""
        place = os.path.dirname(self.given.replace("!", os.sep))
        return os.path.basename(place or os.getcwd())

    @property
    def stem(self) -> str:
        """The file's name without folder and suffixes."""
        return _SUFFIXES.sub("", os.path.basename(self.given))

    def content(self) -> bytes:
        """Return the whole content.

        Raises
        ------
        FormatError
            If a packed file is damaged.
        """
        return self.data if self.is_whole else b"".join(self.lines())

    def lines(self) -> Iterator[bytes]:
        """Yield line after line of the content, each with its end, without keeping any.

        Raises
        ------
        FormatError
            If a packed file is damaged.
        """
        try:
            with self._open() as file:
                yield from file
        except _BROKEN as error:
            if self.unpack is None:
                raise
            raise _broken_archive(self.name, error) from None

    def _open(self) -> BinaryIO:
        if self.unpack is not None:
            return self.unpack()
        if self.path is not None:
            return open(self.path, "rb", buffering=_BUFFER)
        return io.BytesIO(self.data)

    def tail(self, n_bytes: int) -> bytes:
        """Return the last `n_bytes` of the content, or all of it if it is shorter."""
        if self.path is None:
            return self.content()[-n_bytes:]
        with open(self.path, "rb") as file:
            file.seek(-min(n_bytes, os.path.getsize(self.path)), os.SEEK_END)
            return file.read()


def find_sources(paths: PathLike | Iterable[PathLike]) -> list[Source]:
    """Open every file that paths stand for.

    Parameters
    ----------
    paths : str, path, or iterable of them
        A file, a folder (with its subfolders), a glob, or ``-`` for standard input.

    Returns
    -------
    list of Source
        In the order of `paths`, each file once; files of a folder in the order of their names.

    Raises
    ------
    FormatError
        If a path does not exist, holds no file, or cannot be decompressed.
    """
    given = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    files: dict[str, tuple[str, str]] = {}
    for path, name in (file for each in given for file in _expand(os.fspath(each))):
        files.setdefault(os.path.abspath(path), (path, name))
    names = dict(files.values())
    if not names:
        raise FormatError(
            describe(
                "no path was given",
                "expected a file, a folder, a glob or -",
                "name what the sweep wrote",
            )
        )
    is_clear = len(set(names.values())) == len(names)
    return [
        source for path, name in names.items() for source in _open(path, name if is_clear else path)
    ]


def _expand(path: str) -> Iterator[tuple[str, str]]:
    """Yield each file that a path stands for, and the name it has in messages."""
    if path == "-":
        yield path, STANDARD_INPUT
    elif os.path.isfile(path):
        yield path, os.path.basename(path)
    elif os.path.isdir(path):
        files = list(_walk(path))
        if not files:
            raise _nothing_at(f"{path} holds no files", "expected results files in the folder")
        yield from _name_below(os.path.dirname(os.path.normpath(path)), files)
    else:
        files = sorted(file for file in glob.glob(path, recursive=True) if os.path.isfile(file))
        if not files:
            raise _nothing_at(f"{path} does not exist", "expected a file, a folder, a glob or -")
        yield from _name_below(os.path.dirname(os.path.commonpath(files)), files)


def _name_below(folder: str, files: Sequence[str]) -> Iterator[tuple[str, str]]:
    start = len(os.path.join(folder, "")) if folder else 0
    yield from ((file, file[start:]) for file in files)


def _walk(folder: str) -> Iterator[str]:
    """Yield the visible files of a folder and its subfolders, by name."""
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if _is_visible(name))
        yield from (os.path.join(place, name) for name in sorted(files) if _is_visible(name))


def _is_visible(name: str) -> bool:
    return not name.startswith((".", "__MACOSX"))


def _nothing_at(found: str, expected: str) -> FormatError:
    return FormatError(describe(found, expected, "check the path for a slip of the pen"))


def _open(path: str, name: str) -> list[Source]:
    if path == "-":
        return _unpack(name, STANDARD_INPUT, sys.stdin.buffer.read())
    try:
        with open(path, "rb", buffering=0) as file:
            head = file.read(SMALL)
            is_packed = head.startswith((_GZIP, _ZIP, _ZSTD))
            if not is_packed and os.fstat(file.fileno()).st_size > SMALL:
                return [Source(name, path, head, path)]
            begun = _begin(name, path, head)
            return [begun] if begun else _unpack(name, path, head + file.readall())
    except OSError as error:
        raise FormatError(
            describe(
                f"{name} cannot be read: {(error.strerror or str(error)).lower()}",
                "expected a readable file",
                "check its permissions",
            )
        ) from None


def _begin(name: str, path: str, head: bytes) -> Source | None:
    """Unpack the beginning of a packed file of JSON; None for any other file."""
    unpack: Unpack
    if head.startswith(_GZIP):
        unpack = partial(_open_gzip, path)
    elif head.startswith(_ZSTD):
        unpack = partial(open_zstd, name, path)
    else:
        return None
    try:
        with unpack() as file:
            data = file.read(SMALL)
    except _BROKEN as error:
        raise _broken_archive(name, error) from None
    is_more = len(data) == SMALL and _JSON_START.match(data) is not None
    return Source(name, path, data, unpack=unpack) if is_more else None


def _open_gzip(path: str) -> BinaryIO:
    return cast(BinaryIO, io.BufferedReader(gzip.open(path), _BUFFER))


def _unpack(name: str, given: str, data: bytes) -> list[Source]:
    """Return the contents of a file, decompressed as its first bytes say."""
    try:
        if data.startswith(_GZIP):
            return _unpack(name, given, gzip.decompress(data))
        if data.startswith(_ZSTD):
            return _unpack(name, given, decompress_zstd(name, data))
        if data.startswith(_ZIP):
            return list(_open_members(name, given, data))
    except LcstatsError:
        raise
    except _BROKEN as error:
        raise _broken_archive(name, error) from None
    if data.startswith(_LFS_POINTER):
        raise _lfs_pointer(name)
    return [Source(name, given, data)]


def _open_members(name: str, given: str, data: bytes) -> Iterator[Source]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        files = [member for member in archive.infolist() if not member.is_dir()]
        members = [member for member in files if all(map(_is_visible, member.filename.split("/")))]
        if not members:
            hidden = f"only {len(files)} whose path begins with a dot" if files else "no files"
            raise _nothing_at(f"{name} holds {hidden}", "expected results files in the archive")
        by_name = {member.filename: member for member in members}

        def read(member_name: str) -> bytes:
            return read_member(archive, by_name[member_name], data, name=name)

        if is_inspect_archive(by_name):
            yield Source(name, given, join_log(by_name, read))
            return
        for member_name in by_name:
            label = name if len(by_name) == 1 else f"{name}!{member_name}"
            yield from _unpack(label, f"{given}!{member_name}", read(member_name))


def _lfs_pointer(name: str) -> FormatError:
    return FormatError(
        describe(
            f"{name} is a pointer of Git LFS, which stands in for the file",
            "expected the file itself",
            "run 'git lfs pull' in the repository, or download the file from its web page",
        )
    )


def _broken_archive(name: str, error: Exception) -> FormatError:
    return FormatError(
        describe(
            f"{name} cannot be decompressed: {str(error) or type(error).__name__}",
            "expected a complete gz, zst or zip file without a password",
            "copy it again, or unpack it and pass the unpacked file",
        )
    )
