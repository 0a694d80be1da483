"""The folder of a report: built aside, moved into place when whole, and never over other things."""

import json
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from lcstats.errors import OptionError, describe

MANIFEST = "report.json"
"""The file that says, under ``files``, which files a report wrote."""

_ASIDE = ".lcstats-partial-"


def check_folder(folder: Path) -> None:
    """Refuse a folder that holds things which no report wrote.

    A new or an empty folder is free. In the folder of an earlier report that report's own files
    are replaced or removed, and whatever else lies there stays.

    Raises
    ------
    OptionError
        If it is a file, or holds files and none of them is a report's.
    """
    if folder.exists() and not folder.is_dir():
        raise OptionError(
            describe(
                f"{folder} is a file",
                "expected a folder for the report",
                "name another folder with -o",
            )
        )
    if folder.is_dir() and _contents(folder) and read_manifest(folder) is None:
        raise OptionError(
            describe(
                f"{folder} holds other things",
                "expected a new or empty folder, or one that an earlier report wrote",
                "name another folder with -o",
            )
        )


def read_manifest(folder: Path) -> tuple[str, ...] | None:
    """Return the files that an earlier report wrote, or None where there was none.

    Only plain relative names are believed: a manifest that points outside is none.
    """
    try:
        document = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        document["schema_version"], document["effective_length"]
        names = [PurePosixPath(name) for name in document["files"]]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    if any(name.is_absolute() or ".." in name.parts for name in names):
        return None
    return tuple(str(name) for name in names)


@contextmanager
def build_folder(folder: Path) -> Iterator[Path]:
    """Give a folder to build in; what is there at the end is moved to `folder`.

    If the block fails nothing is left behind, and `folder` is as it was.

    Parameters
    ----------
    folder : Path
        As :func:`check_folder` allows.
    """
    check_folder(folder)
    parents = _make_parents(folder)
    home = folder if folder.is_dir() else folder.parent
    try:
        aside = Path(tempfile.mkdtemp(prefix=_ASIDE, dir=home))
        # mkdtemp's folder is the owner's alone; one made inside has the usual permissions.
        inside = aside / "report"
        try:
            inside.mkdir()
            yield inside
            _move_into_place(inside, folder)
        finally:
            shutil.rmtree(aside, ignore_errors=True)
    except BaseException:
        for parent in parents:
            if not any(parent.iterdir()):
                parent.rmdir()
        raise


def _contents(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if not path.name.startswith(_ASIDE)]


def _make_parents(folder: Path) -> list[Path]:
    """Make the folders above, and return those that were made, innermost first."""
    missing = [parent for parent in folder.parents if not parent.exists()]
    folder.parent.mkdir(parents=True, exist_ok=True)
    return missing


def _move_into_place(built: Path, folder: Path) -> None:
    if not folder.exists():
        built.rename(folder)
        return
    earlier = read_manifest(folder) or ()
    written = sorted(path.relative_to(built) for path in built.rglob("*") if path.is_file())
    for name in written:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (built / name).replace(folder / name)
    _remove_stale(folder, set(earlier) - {name.as_posix() for name in written})


def _remove_stale(folder: Path, names: set[str]) -> None:
    for name in sorted(names):
        (folder / name).unlink(missing_ok=True)


def list_files(folder: Path) -> Sequence[str]:
    """Return the files below a folder, as relative names with ``/``, sorted."""
    return sorted(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
    )
