"""Rows of a sweep's file, and what tells a trial from others."""

import json
from pathlib import Path
from typing import Any


def rows_of(path: Path) -> list[dict[str, Any]]:
    """Read the rows of a sweep, every line of which has to be whole."""
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def key_of(row: dict[str, Any]) -> tuple[Any, ...]:
    """Return what tells a trial from others."""
    return tuple(row[name] for name in ("task", "length", "depth", "case", "repeat"))
