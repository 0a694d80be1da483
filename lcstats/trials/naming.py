"""Raw tables put one below the other under canonical names; values not yet understood."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from lcstats.errors import Notice, OptionError, describe
from lcstats.trials.columns import (
    LAST_RESORTS,
    TRIAL_COLUMNS,
    is_place_name,
    match_columns,
    normalise_name,
    require_columns,
)
from lcstats.trials.origin import Origin
from lcstats.trials.raw import Knowledge, RawTable
from lcstats.trials.records import TableOptions
from lcstats.trials.values import Kind, parse_column, texts_of
from lcstats.trials.wording import flag

_OR = " or "
"""Between the names of one column in files that do not agree on it."""


@dataclass(frozen=True, slots=True, eq=False)
class NamedTable:
    """One table under canonical names, values as the files have them.

    Attributes
    ----------
    frame : DataFrame, shape (n_rows, n_columns)
        Matched columns under canonical names, extras under their own.
    mapping : mapping of str to str
        Canonical name to the files' own.
    origin : Origin
        Where the rows came from.
    knowledge : Knowledge
        What the format knows about the columns.
    notices : tuple of Notice
        What happened while reading the files.
    """

    frame: pd.DataFrame
    mapping: Mapping[str, str]
    origin: Origin
    knowledge: Knowledge
    notices: tuple[Notice, ...]

    def column(self, name: str) -> pd.Series | None:
        """Return a column by its canonical name, or None."""
        return self.frame[name] if name in self.mapping else None

    def named(self, name: str) -> str:
        """Return the name of a column in messages: the files' own, if they agree on it."""
        theirs = self.mapping.get(name, name)
        return name if _OR in theirs else theirs

    @property
    def extras(self) -> list[str]:
        """Columns without a canonical meaning."""
        return [name for name in self.frame.columns if name not in self.mapping]


def name_columns(
    tables: Sequence[RawTable],
    options: TableOptions,
    *,
    wanted: Sequence[str] = TRIAL_COLUMNS,
    required: Sequence[str] = ("length", "score"),
) -> NamedTable:
    """Put raw tables of one format one below the other under canonical names.

    Parameters
    ----------
    tables : sequence of RawTable
        At least one.
    options : TableOptions
        What the call asked for: ``columns``, ``axis`` and ``filter_name`` matter here.
    wanted, required : sequence of str
        Canonical columns to look for, and those that must be there.

    Returns
    -------
    NamedTable

    Raises
    ------
    TableError
        If a table lacks a required column or has two candidates for one.
    OptionError
        If the rows belong to several filters and none was chosen.
    """
    mappings: dict[tuple[str, ...], dict[str, str]] = {}
    frames = []
    for table in tables:
        header = tuple(str(name) for name in table.frame.columns)
        if header not in mappings:
            mappings[header] = _match(table, header, options, wanted)
            require_columns(mappings[header], header, required, table=table.origin.name)
        frames.append(_rename(table.frame, mappings[header]))
    named = NamedTable(
        frames[0] if len(frames) == 1 else pd.concat(frames, ignore_index=True),
        _join_mappings(list(mappings.values())),
        Origin.join(table.origin for table in tables),
        tables[0].knowledge,
        tuple(notice for table in tables for notice in table.notices),
    )
    named = _release_places(_release_stage(_release_last_resort(named), options), options)
    return _keep_filter(named, options.filter_name)


def _match(
    table: RawTable, header: tuple[str, ...], options: TableOptions, wanted: Sequence[str]
) -> dict[str, str]:
    knowledge = table.knowledge
    known = {**knowledge.columns, **options.columns}
    if not knowledge.aliases:
        known = {name: name for name in wanted if name in header} | known
        wanted = tuple(known)
    mapping = match_columns(header, wanted, overrides=known, table=table.origin.name)
    if options.axis == "received" and "length" not in mapping and "tokens_received" in mapping:
        mapping["length"] = mapping["tokens_received"]
    return mapping


def _rename(frame: pd.DataFrame, mapping: Mapping[str, str]) -> pd.DataFrame:
    """Name matched columns canonically; an extra that bears such a name steps aside."""
    canonical_of = {theirs: canonical for canonical, theirs in mapping.items()}
    aside = {name: f"{name}_in_file" for name in mapping if name not in canonical_of}
    renamed = frame.rename(columns=str).rename(columns=aside | canonical_of)
    for canonical, theirs in mapping.items():
        if canonical_of[theirs] != canonical:
            renamed[canonical] = renamed[canonical_of[theirs]]
    return renamed.loc[:, ~renamed.columns.duplicated()].reset_index(drop=True)


def _join_mappings(mappings: Sequence[Mapping[str, str]]) -> dict[str, str]:
    joined: dict[str, str] = {}
    for mapping in mappings:
        for canonical, theirs in mapping.items():
            known = joined.get(canonical, theirs)
            joined[canonical] = known if theirs in known.split(_OR) else f"{known}{_OR}{theirs}"
    return joined


def _release_last_resort(named: NamedTable) -> NamedTable:
    """Give a column back its own name if it only might have counted repeats, and does not.

    A ``version`` may number runs, or be that of some software.
    """
    theirs = named.mapping.get("repeat", "repeat")
    if normalise_name(theirs) not in LAST_RESORTS["repeat"] or theirs in named.frame:
        return named
    parsed = parse_column(named.frame["repeat"])
    if not parsed.is_kind(Kind.BAD).any():
        return named
    return _released(named, "repeat")


def _release_stage(named: NamedTable, options: TableOptions) -> NamedTable:
    """Give a column ``stage`` back its own name if it is one of words, unless it was asked for."""
    column = named.column("stage")
    if column is None or "stage" in options.columns:
        return named
    is_of_words = parse_column(column).is_kind(Kind.BAD).any()
    return _released(named, "stage") if is_of_words else named


def _release_places(named: NamedTable, options: TableOptions) -> NamedTable:
    """Give an index of documents back its own name where nothing says how many there were."""
    theirs = named.mapping.get("depth", "depth")
    unit = options.length_unit or named.knowledge.length_unit_of(options.columns)
    says_how_many = {"n_documents", "length_unit"} & named.mapping.keys()
    is_asked_for = "depth" in options.columns or options.depth_unit is not None
    if not is_place_name(theirs) or theirs in named.frame or is_asked_for:
        return named
    if says_how_many or unit in ("documents", "pairs"):
        return named
    notice = Notice(
        "places-unused",
        f"{theirs} gives no depth, as no column says how many documents there were; name it with "
        "columns={'n_documents': 'THEIRS'} (--map n_documents=THEIRS), or, if lengths are their "
        f"number, pass {flag('length_unit', 'documents')}",
    )
    return replace(_released(named, "depth"), notices=(*named.notices, notice))


def _released(named: NamedTable, canonical: str) -> NamedTable:
    """Give a column back its own name."""
    mapping = {name: own for name, own in named.mapping.items() if name != canonical}
    frame = named.frame.rename(columns={canonical: named.mapping[canonical]})
    return replace(named, frame=frame, mapping=mapping)


def _keep_filter(named: NamedTable, filter_name: str | None) -> NamedTable:
    """Keep the rows of one filter, where the same answers were scored through several."""
    column = named.column("filter")
    if column is None:
        if filter_name is not None:
            raise OptionError(
                describe(
                    f"filter_name is {filter_name!r} and {named.origin.name} has no column filter",
                    "expected a table whose answers were scored through several filters",
                    "leave out --filter, or name the column with --map filter=THEIRS",
                )
            )
        return named
    texts = texts_of(column)
    if filter_name is None and len(texts.uniques) < 2:
        return named
    if filter_name not in texts.uniques:
        raise OptionError(
            describe(
                f"{named.origin.name}: the filters are {', '.join(texts.uniques)}"
                + ("" if filter_name is None else f", not {filter_name!r}"),
                "expected one filter: every answer was scored once per filter",
                f"pass filter_name={texts.uniques[0]!r} (--filter {texts.uniques[0]})",
            )
        )
    kept = texts.codes == texts.uniques.index(filter_name)
    return replace(
        named,
        frame=named.frame[kept].reset_index(drop=True),
        origin=named.origin.select(kept),
    )
