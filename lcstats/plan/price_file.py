"""The price file: one TOML table per language model, kept by whoever pays."""

import tomllib
from collections.abc import Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from lcstats.errors import FormatError, OptionError, describe

FIELDS = {
    "input_usd_per_million": "input_usd",
    "output_usd_per_million": "output_usd",
    "output_tokens": "output_tokens",
    "cached_fraction": "cached_fraction",
    "cached_input_usd_per_million": "cached_discount",
    "input_tokens_per_second": "input_tokens_per_second",
    "output_tokens_per_second": "output_tokens_per_second",
    "concurrency": "concurrency",
}
"""Keys of the file and the fields of ``Prices`` that they fill."""

EXAMPLE = '[models."NAME"] and below it input_usd_per_million = 2.5'


def read_price_file(path: str | PathLike[str], model: str) -> dict[str, Any]:
    """Return the fields of ``Prices`` that the file gives for a language model.

    Raises
    ------
    FormatError
        If the file cannot be read, or holds keys that mean nothing.
    OptionError
        If it has no table for the language model.
    """
    name = fspath(path)
    models = _load(name).get("models")
    if not isinstance(models, Mapping):
        raise FormatError(
            describe(f"{name} has no table of models", "expected one or more", f"write {EXAMPLE}")
        )
    entry = models.get(model)
    if not isinstance(entry, Mapping):
        known = ", ".join(map(repr, models)) or "none"
        raise OptionError(
            describe(
                f"{name} has no prices for {model!r}",
                f"expected one of its language models: {known}",
                f"choose one of them, or add [models.{_quoted(model)}] to the file",
            )
        )
    unknown = [key for key in entry if key not in FIELDS]
    if unknown:
        raise FormatError(
            describe(
                f"{name}, {model!r}: {', '.join(map(repr, unknown))} means nothing here",
                f"expected keys among {', '.join(FIELDS)}",
                "mend the spelling, or take the key out",
            )
        )
    return _fields_of(entry, f"{name}, {model!r}")


def _load(name: str) -> dict[str, Any]:
    try:
        return tomllib.loads(Path(name).read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:
        raise FormatError(
            describe(
                f"{name} cannot be read ({error})",
                "expected a TOML file with prices",
                f"write {EXAMPLE}",
            )
        ) from error


def _quoted(model: str) -> str:
    escaped = model.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _fields_of(entry: Mapping[str, Any], where: str) -> dict[str, Any]:
    fields = {FIELDS[key]: value for key, value in entry.items()}
    if "cached_discount" in fields:
        fields["cached_discount"] = _discount(entry, where)
    return fields


def _discount(entry: Mapping[str, Any], where: str) -> float:
    cached = entry["cached_input_usd_per_million"]
    full = entry.get("input_usd_per_million")
    are_numbers = isinstance(cached, int | float) and isinstance(full, int | float)
    if not are_numbers or not 0 <= cached <= full:
        raise FormatError(
            describe(
                f"{where}: a cached token costs {cached!r} per million, another {full!r}",
                "expected two numbers, the first no larger than the second",
                "give input_usd_per_million and cached_input_usd_per_million",
            )
        )
    return float(1.0 - cached / full) if full else 0.0
