"""Designs of sweeps from files: TOML or YAML, a grid or a list of cells, also those of ``next``."""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lcstats.cli.parameters import parse_depths, parse_lengths
from lcstats.errors import FormatError, OptionError, describe

if TYPE_CHECKING:
    from lcstats.runner import Design

SUFFIXES = (".toml", ".yaml", ".yml")
CELLS_SAY = ("tasks", "lengths", "depths", "trials")
"""Fields of a grid that a list of cells takes the place of."""

GRID_FIELDS = (*CELLS_SAY, "seed", "repeats", "order")
CELL_FIELDS = ("task", "length", "depth", "trials", "why")
NEXT_FIELDS = ("schema_version", "model", "stop", "stop_reason", "total_tokens")
"""What ``lcstats next`` writes beside its cells."""


@dataclass(frozen=True, slots=True)
class DesignFile:
    """What a file says of a design.

    Attributes
    ----------
    fields : mapping
        Of a grid: those of :data:`GRID_FIELDS` that it has.
    cells : tuple of mapping
        Empty for a grid.
    plan : str
        Digest of a plan that was made after looking at results; empty for other designs.
    """

    fields: Mapping[str, Any]
    cells: tuple[Mapping[str, Any], ...]
    plan: str


def read_design_file(path: str) -> DesignFile:
    """Read a design.

    Raises
    ------
    FormatError
        If the file is neither TOML nor YAML, or its fields mean nothing.
    OptionError
        If ``lcstats next`` wrote it to say that nothing is to be run.
    """
    document = _load(Path(path))
    cells = document.get("cells", [])
    strangers = set(document) - {*GRID_FIELDS, *NEXT_FIELDS, "cells"}
    if isinstance(cells, list) and all(isinstance(cell, dict) for cell in cells):
        strangers |= {name for cell in cells for name in set(cell) - set(CELL_FIELDS)}
    else:
        strangers |= {"cells"}
    if strangers or not document:
        named = ", ".join(sorted(map(str, strangers)))
        raise FormatError(
            describe(
                f"{path} has the fields {named or 'of nothing'}",
                f"expected {', '.join(GRID_FIELDS)}, or [[cells]] with {', '.join(CELL_FIELDS)}",
                "correct the names",
            )
        )
    if document.get("stop"):
        raise OptionError(
            describe(
                f"{path} says to stop: {document.get('stop_reason')}",
                "expected cells to run",
                "there is nothing more to run; look at the effective length",
            )
        )
    fields = {name: document[name] for name in GRID_FIELDS if name in document}
    _refuse_both(path, fields, cells)
    plan = _digest(document) if "stop" in document else ""
    return DesignFile(_parsed(fields), tuple(cells), plan)


def _digest(document: Mapping[str, Any]) -> str:
    """Return what tells a plan from others: its reasons name what was seen, and change with it."""
    written = json.dumps(document, sort_keys=True, ensure_ascii=False, default=str)
    return sha256(written.encode()).hexdigest()[:16]


def _refuse_both(path: str, fields: Mapping[str, Any], cells: list[Any]) -> None:
    beside = [name for name in CELLS_SAY if name in fields]
    if cells and beside:
        raise FormatError(
            describe(
                f"{path} has cells and {' and '.join(beside)}",
                "expected a list of cells, or a grid",
                "take one of them out",
            )
        )


def _load(path: Path) -> dict[str, Any]:
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise FormatError(
            describe(
                f"the design is {path.name}",
                f"expected quick, standard, regression or a file ending in {', '.join(SUFFIXES)}",
                "pass --design standard, say",
            )
        )
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(
            describe(
                f"{path}: not UTF-8 at byte {error.start}",
                "expected text in UTF-8",
                "convert it with: iconv -t UTF-8",
            )
        ) from None
    try:
        document = tomllib.loads(text) if suffix == ".toml" else _load_yaml(text)
    except tomllib.TOMLDecodeError as error:
        raise FormatError(
            describe(f"{path}: {error}", "expected TOML", "mend the file at that place")
        ) from None
    if not isinstance(document, dict):
        raise FormatError(
            describe(f"{path} holds no fields", "expected tasks, lengths and so on", "add them")
        )
    return document


def _load_yaml(text: str) -> Any:
    from lcstats.extras import load_extra

    yaml = load_extra("yaml", extra="yaml", purpose="a design in YAML")
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        first_line = " ".join(str(error).split())
        raise FormatError(
            describe(first_line, "expected YAML", "mend the file at that place")
        ) from None


def _parsed(fields: dict[str, Any]) -> dict[str, Any]:
    """Return fields with lengths and depths as numbers and tasks as a list."""
    for name, parse in (("lengths", parse_lengths), ("depths", parse_depths)):
        if name in fields:
            value = fields[name]
            written = ",".join(map(str, value)) if isinstance(value, list) else str(value)
            try:
                fields[name] = parse(written)
            except ValueError as error:
                raise FormatError(f"{name}: {error}") from None
    if "tasks" in fields:
        fields["tasks"] = _task_names(fields["tasks"])
    return fields


def _task_names(tasks: Any) -> list[str]:
    listed: Any = tasks.split(",") if isinstance(tasks, str) else tasks
    if not (isinstance(listed, list) and listed and all(isinstance(t, str) for t in listed)):
        raise FormatError(
            describe(
                f"tasks is {tasks!r}",
                "expected names of tasks",
                'write tasks = ["single-needle"], say',
            )
        )
    return listed


def design_of_cells(file: DesignFile, *, seed: int, repeats: int, order: Any) -> "Design":
    """Return the design of a list of cells; one that was chosen after looking has a stage of 1.

    Raises
    ------
    FormatError
        If a cell lacks its task, length or trials.
    """
    from lcstats.runner import Design, DesignCell, parse_task

    cells = []
    for number, cell in enumerate(file.cells, start=1):
        missing = [name for name in ("task", "length", "trials") if name not in cell]
        if missing:
            raise FormatError(
                describe(
                    f"cell {number} has no {' and no '.join(missing)}",
                    "expected task, length, trials, and depth where the task has one",
                    "add it",
                )
            )
        try:
            task, length = parse_task(str(cell["task"])), cell["length"]
            length = parse_lengths(length)[0] if isinstance(length, str) else length
            cells.append(DesignCell(task, length, cell.get("depth"), cell["trials"]))
        except ValueError as error:
            raise FormatError(f"cell {number}: {error}") from None
    return Design(tuple(cells), seed, repeats, order, stage=int(bool(file.plan)), plan=file.plan)
