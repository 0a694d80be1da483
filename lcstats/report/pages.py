"""Templates and the words they use."""

import base64
import hashlib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

import jinja2
import pandas as pd

from lcstats.report.contents import (
    METHOD_WORDS,
    SET_MEANINGS,
    SMALLEST_SHARE,
    length_table,
    mass_table,
    percent,
    point_in_words,
    set_in_words,
)
from lcstats.report.fits import (
    coefficient_table,
    crossing_words,
    dispersion_words,
    verdict,
)
from lcstats.report.needles import needle_lines, needle_rows
from lcstats.report.patterns import conclude
from lcstats.report.settings import EVERY_OTHER
from lcstats.report.spec_sheet import set_name
from lcstats.report.tables import markdown_text

MOST_FILES_NAMED = 5
SMALLEST_P = 0.0001


def render_page(template: str, **values: Any) -> str:
    """Fill a template of ``templates/``; in HTML every value is escaped."""
    return _environment().get_template(template).render(**values)


def unscored_in_words(group: Any) -> str:
    """Say how many trials carry no score, and at which lengths."""
    words = f"{group.n_unscored} of {group.n_trials} trials"
    by_length = group.answer.unscored_by_length
    if not group.n_unscored:
        return words
    places = [f"{count} at {length}" for length, count in by_length.items() if count]
    more = f" and {len(places) - 5} more lengths" if len(places) > 5 else ""
    return f"{words}, left out and never counted as wrong: {', '.join(places[:5])}{more}"


def setting_in_words(value: object) -> str:
    """Write the value of a setting.

    Examples
    --------
    >>> setting_in_words({"": 131072}), setting_in_words([]), setting_in_words(0.85)
    ('every other: 131072', 'none', '0.85')
    """
    if isinstance(value, Mapping):
        named = ((name if name != EVERY_OTHER else "every other", of) for name, of in value.items())
        return "; ".join(f"{name}: {of}" for name, of in named) or "none"
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    return "none" if value is None else str(value)


def files_in_words(files: list[str]) -> str:
    """Name files: all of a few, else the first and the last.

    Examples
    --------
    >>> files_in_words(["a.json", "b.json"]), files_in_words([])
    ('a.json, b.json', 'none')
    """
    if len(files) > MOST_FILES_NAMED:
        return f"{len(files)} files, {files[0]} to {files[-1]}"
    return ", ".join(files) or "none"


def as_sentence(words: str) -> str:
    """Return words with a capital and a full stop.

    Examples
    --------
    >>> as_sentence("no length is certified")
    'No length is certified.'
    """
    return f"{words[:1].upper()}{words[1:]}." if words else words


def p_words(p_value: float | None) -> str:
    """Write a p-value to two digits, and no smaller than anyone needs it.

    Examples
    --------
    >>> p_words(0.01234), p_words(1e-33), p_words(None)
    ('= 0.012', 'below 0.0001', 'none')
    """
    if p_value is None:
        return "none"
    return f"= {p_value:.2g}" if p_value >= SMALLEST_P else f"below {SMALLEST_P:.4f}"


def content_hash(script: str) -> str:
    """Return what a content security policy lets this script alone run by."""
    digest = hashlib.sha256(script.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"


def rows_of(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return a table as rows for a template; what is missing is None."""
    plain = table.astype(object).where(table.notna(), None)
    return [{str(name): value for name, value in row.items()} for row in plain.to_dict("records")]


def shown_masses(answer: Any) -> list[dict[str, Any]]:
    """Return the rows of the mass table with a share worth showing."""
    kinds = list(answer.quoted.masses)
    return [
        row
        for row in rows_of(mass_table(answer))
        if any(row[kind] >= SMALLEST_SHARE for kind in kinds)
    ]


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("lcstats.report"),
        autoescape=jinja2.select_autoescape(["html.j2"]),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(
        md=markdown_text,
        point=point_in_words,
        as_set=set_in_words,
        percent=percent,
        unscored=unscored_in_words,
        setting=setting_in_words,
        files_in_words=files_in_words,
        length_rows=lambda answer: rows_of(length_table(answer)),
        mass_rows=shown_masses,
        coefficient_rows=lambda fit: rows_of(coefficient_table(fit)),
        verdict=verdict,
        dispersion=dispersion_words,
        crossing=crossing_words,
        conclude=conclude,
        needle_lines=needle_lines,
        needle_rows=needle_rows,
        set_name=set_name,
        sentence=as_sentence,
        p_words=p_words,
    )
    script = resources.files("lcstats.report").joinpath("templates/filter.js").read_text("utf-8")
    environment.globals.update(
        SET_MEANINGS=SET_MEANINGS,
        METHOD_WORDS=METHOD_WORDS,
        FILTER=script,
        FILTER_HASH=content_hash(script),
    )
    return environment
