"""The record beside a sweep's file: all that it took to make it, and never a key."""

import json
import os
import platform
from collections.abc import Iterable, Iterator, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

from lcstats.errors import FormatError, OptionError, describe
from lcstats.records import SCHEMA_VERSION

LIBRARIES = ("lcstats", "numpy", "openai", "tiktoken", "tokenizers", "torch", "transformers")
"""Versions that are recorded, of those that are installed."""

FIXED = ("model", "backend", "tokenizer", "filler", "decoding", "scoring")
"""Parts that have to be the same when a sweep goes on."""

Manifest = dict[str, Any]


def manifest_path(output: Path) -> Path:
    """Return where the record of a sweep's file is.

    Examples
    --------
    >>> manifest_path(Path("trials.jsonl")).name
    'trials.manifest.json'
    """
    return output.with_name(f"{output.name.removesuffix('.jsonl')}.manifest.json")


def read_manifest(output: Path) -> Manifest | None:
    """Return the record of a sweep's file, None where there is none.

    Raises
    ------
    FormatError
        If it cannot be read.
    """
    path = manifest_path(output)
    if not path.exists():
        return None
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        version = document["schema_version"] if document["stages"][0] else None
    except (ValueError, LookupError, TypeError):
        version = None
    if version != SCHEMA_VERSION:
        raise FormatError(
            describe(
                f"{path} is no record of a sweep of this version",
                "expected what 'lcstats run' writes beside its output",
                "write to another file with -o",
            )
        )
    manifest: Manifest = document
    return manifest


def write_manifest(output: Path, manifest: Manifest) -> None:
    """Write the record, whole."""
    document = json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
    write_whole(manifest_path(output), [document.encode()])


def write_whole(path: Path, lines: Iterable[bytes]) -> None:
    """Write a file beside its place and move it there, so that it is whole or not at all."""
    partial = path.with_name(f".{path.name}.part")
    with partial.open("wb") as file:
        file.writelines(lines)
    os.replace(partial, path)


def installed_versions() -> dict[str, str]:
    """Return the version of Python and of the libraries that a sweep may use."""
    versions = {"python": platform.python_version()}
    for name in LIBRARIES:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return versions


def refuse_changes(output: Path, before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Refuse to go on with a sweep that is another one by now.

    Raises
    ------
    OptionError
        If a part of the record that has to be the same is not; it names all of them.
    """
    changed = list(_changes({name: before.get(name) for name in FIXED}, now, ""))
    if changed:
        raise OptionError(
            describe(
                f"{output} was begun with other settings: {'; '.join(changed[:5])}",
                "expected the same language model, tokenizer, filler, decoding and scoring",
                "run with the old settings, or write to another file with -o",
            )
        )


def _changes(before: Mapping[str, Any], now: Mapping[str, Any], at: str) -> Iterator[str]:
    """Yield what differs, by its place in the record."""
    for name, value in before.items():
        other = now.get(name)
        if isinstance(value, Mapping) and isinstance(other, Mapping):
            yield from _changes(value, other, f"{at}{name}.")
        elif value != other:
            yield f"{at}{name} was {value!r} and is {other!r}"
