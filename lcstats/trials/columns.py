"""Names of columns: the canonical ones, their aliases, and how a table's header is matched."""

import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from types import MappingProxyType
from typing import Literal

from lcstats.errors import OptionError, TableError, describe
from lcstats.options import DepthUnit

ALIASES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "model": ("model", "model_name", "model_id", "language_model", "llm"),
        "task": ("task", "task_name", "benchmark"),
        "case": (
            "case",
            "case_id",
            "item",
            "item_id",
            "id",
            "sample_id",
            "doc_id",
            "question_id",
        ),
        "repeat": ("repeat", "rep", "repetition", "epoch", "replicate"),
        "length": (
            "length",
            "context_length",
            "context_len",
            "context_size",
            "ctx_length",
            "ctx_len",
            "token_limit",
            "length_nominal",
            "target_length",
            "target_context_length",
            "max_length",
            "seq_len",
            "sequence_length",
            "approximate_input_length",
        ),
        "tokens_received": (
            "tokens_received",
            "prompt_tokens",
            "input_tokens",
            "n_prompt_tokens",
            "length_actual",
        ),
        "depth": (
            "depth",
            "depth_percent",
            "depth_pct",
            "depth_fraction",
            "needle_depth",
            "needle_depth_percent",
            "document_depth",
            "document_depth_percent",
            "target_depth_percent",
            "relative_depth",
            "insertion_percent",
        ),
        "score": (
            "score",
            "correct",
            "is_correct",
            "passed",
            "grade",
            "acc",
            "accuracy",
            "metric",
            "exact_match",
            "judge_score",
            "llm_judge_output",
        ),
        "status": ("status", "trial_status"),
        "guess_rate": ("guess_rate", "chance_rate", "chance_level"),
        "n_documents": ("n_documents", "num_documents", "total_documents", "n_docs", "num_docs"),
        "n_needles": ("n_needles", "num_needles", "total_needles"),
        "n_found": ("n_found", "num_found", "needles_found", "retrieved_needles"),
        "needle_depths": ("needle_depths",),
        "needle_found": ("needle_found",),
        "cluster": ("cluster", "cluster_id", "haystack_id"),
        "stage": ("stage",),
        "latency_s": ("latency_s", "latency", "duration_seconds", "test_duration_seconds"),
        "ttft_s": ("ttft_s", "ttft", "time_to_first_token"),
        "output": (
            "output",
            "response",
            "model_response",
            "pred",
            "prediction",
            "completion",
        ),
        "filter": ("filter", "filter_name"),
        "length_unit": ("length_unit",),
        "n_cases": ("n", "n_cases", "n_trials", "trials"),
        "successes": ("k", "successes", "n_correct", "n_right"),
    }
)
"""Canonical name to the names it goes by, in normal spelling."""

LAST_RESORTS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "repeat": ("version", "trial"),
        "depth": ("document_index", "doc_index", "gold_index", "gold_document_index"),
    }
)
"""Names that are taken only where no alias of the column is present."""

STANDS_IN: Mapping[str, tuple[tuple[str, ...], ...]] = MappingProxyType(
    {"score": (("needle_found",), ("n_found", "n_needles"))}
)
"""Columns from which a required one follows."""

COUNT_COLUMNS = ("n_cases", "successes")
DESIGN_COLUMNS = ("model", "task", "length", "depth")
TRIAL_COLUMNS = tuple(name for name in ALIASES if name not in COUNT_COLUMNS)
NUMBER_COLUMNS = frozenset(
    {
        "length",
        "tokens_received",
        "depth",
        "score",
        "n_documents",
        "n_needles",
        "n_found",
        "latency_s",
        "ttft_s",
        "guess_rate",
        "repeat",
        "stage",
        *COUNT_COLUMNS,
    }
)
_LABEL_COLUMNS = frozenset({"model", "task", "status", "filter", "length_unit"})

ColumnKind = Literal["number", "id", "label", "text", "other"]
"""How cells are to be taken: as numbers, ids, words of which there are few, text, or as they are.
"""

_SIDE_COLUMNS = frozenset({"output", "latency_s", "ttft_s"})


def normalise_name(name: object) -> str:
    """Return a column name in normal spelling: case, spaces, ``_`` and ``-`` do not matter.

    Examples
    --------
    >>> normalise_name("Context Length"), normalise_name("depth %")
    ('context_length', 'depth_percent')
    """
    text = str(name).strip().casefold().replace("%", " percent ")
    return re.sub(r"[\s_-]+", "_", text).strip("_")


def depth_unit_of_name(name: str) -> DepthUnit | None:
    """Return the unit that a depth column's own name declares, if it does.

    Examples
    --------
    >>> depth_unit_of_name("Depth Percent"), depth_unit_of_name("needle_depth")
    ('percent', None)
    """
    spelled = normalise_name(name)
    if spelled.endswith(("percent", "pct")):
        return "percent"
    if spelled.endswith("fraction") or spelled == "relative_depth":
        return "fraction"
    return None


def is_place_name(name: str) -> bool:
    """Tell whether a depth column's own name says that it counts places in a list of documents.

    Examples
    --------
    >>> is_place_name("Document Index"), is_place_name("document_depth")
    (True, False)
    """
    return normalise_name(name) in LAST_RESORTS["depth"]


def match_columns(
    names: Sequence[object],
    wanted: Iterable[str] = TRIAL_COLUMNS,
    *,
    overrides: Mapping[str, str] = MappingProxyType({}),
    table: str = "table",
) -> dict[str, str]:
    """Find the canonical columns of a table among its own names.

    Columns that only accompany a trial (output, latencies) stay under their own names
    where two candidates make them unclear.

    Parameters
    ----------
    names : sequence
        The table's header.
    wanted : iterable of str
        Canonical columns to look for.
    overrides : mapping of str to str
        Canonical name to the table's own; wins over aliases.
    table : str
        The table's name, for messages.

    Returns
    -------
    dict of str to str
        Canonical name to the table's own, for the columns that were found.

    Raises
    ------
    TableError
        If two columns are candidates for one, or an override names an absent column.
    OptionError
        If an override's canonical name is not one.

    Examples
    --------
    >>> match_columns(["Token Limit", "needle_depth", "Correct"])
    {'length': 'Token Limit', 'depth': 'needle_depth', 'score': 'Correct'}
    """
    own = [str(name) for name in names]
    wanted = tuple(wanted)
    given = _given_columns(own, overrides, table)
    mapping = {canonical: theirs for canonical, theirs in given.items() if canonical in wanted}
    taken = set(given.values())
    free = [name for name in own if name not in taken]
    clashes = []
    for canonical in wanted:
        candidates = _candidates(free, canonical)
        if canonical in mapping or not candidates:
            continue
        if len(candidates) == 1:
            mapping[canonical] = candidates[0]
        elif canonical not in _SIDE_COLUMNS:
            clashes.append(_clash(table, canonical, candidates))
        elif canonical in candidates:
            mapping[canonical] = canonical
    if clashes:
        raise TableError("\n".join(clashes))
    return {canonical: mapping[canonical] for canonical in ALIASES if canonical in mapping}


def kinds_of_columns(
    names: Sequence[str], overrides: Mapping[str, str] = MappingProxyType({})
) -> dict[str, ColumnKind]:
    """Tell how the cells of each column are to be taken.

    Examples
    --------
    >>> kinds_of_columns(["item_id", "Token Limit", "response", "note"])
    {'item_id': 'id', 'Token Limit': 'number', 'response': 'text', 'note': 'other'}
    """
    canonical_of = {
        alias: canonical
        for aliases in (ALIASES, LAST_RESORTS)
        for canonical, spellings in aliases.items()
        for alias in spellings
    }
    canonical_of |= {normalise_name(theirs): canonical for canonical, theirs in overrides.items()}
    return {name: _kind_of(canonical_of.get(normalise_name(name))) for name in names}


def _kind_of(canonical: str | None) -> ColumnKind:
    if canonical is None or canonical in ("needle_depths", "needle_found"):
        return "other"
    if canonical == "case":
        return "id"
    if canonical in NUMBER_COLUMNS:
        return "number"
    return "label" if canonical in _LABEL_COLUMNS else "text"


def require_columns(
    mapping: Mapping[str, str], names: Sequence[object], required: Sequence[str], table: str
) -> None:
    """Refuse a table that lacks required columns, naming all of them.

    Raises
    ------
    TableError
        If a required column was not matched.
    """
    missing = [name for name in required if not _is_there(name, mapping)]
    if not missing:
        return
    found = ", ".join(str(name) for name in names) or "none"
    accepted = " and ".join(f"{name} (or {', '.join(ALIASES[name][1:5])})" for name in missing)
    maps = " ".join(f"--map {name}=THEIRS" for name in missing)
    mend = f"name it with {maps} (columns={{{missing[0]!r}: 'THEIRS'}})"
    if "length" in missing and "n_documents" in mapping:
        theirs = mapping["n_documents"]
        mend += f"; if documents are the length: --map length={theirs} --length-unit documents"
    raise TableError(
        describe(
            f"{table}: no column for {' and '.join(missing)}; columns found: {found}",
            f"expected one named {accepted}",
            mend,
        )
    )


def _is_there(name: str, mapping: Mapping[str, str]) -> bool:
    """Tell whether a column was matched, or others from which it follows."""
    return name in mapping or any(mapping.keys() >= set(few) for few in STANDS_IN.get(name, ()))


def is_count_header(names: Sequence[object], overrides: Mapping[str, str]) -> bool:
    """Tell whether a header is that of a table of counts: ``n`` and ``k``, and no score.

    Examples
    --------
    >>> is_count_header(["length", "n", "k"], {})
    True
    """
    given = _known_overrides(overrides)
    spelled = {normalise_name(name) for name in names} - {
        normalise_name(theirs) for theirs in given.values()
    }

    def present(canonical: str) -> bool:
        return canonical in given or not spelled.isdisjoint(ALIASES[canonical])

    return present("n_cases") and present("successes") and not present("score")


def is_trial_header(names: Sequence[object], overrides: Mapping[str, str]) -> bool:
    """Tell whether a header has at least a length or a score of trials.

    Examples
    --------
    >>> is_trial_header(["ctx_len", "note"], {}), is_trial_header(["name", "age"], {})
    (True, False)
    """
    spelled = {normalise_name(name) for name in names}
    known = {name for canonical in ("length", "score") for name in ALIASES[canonical]}
    given = {normalise_name(theirs) for theirs in _known_overrides(overrides).values()}
    return not spelled.isdisjoint(known | given)


def _known_overrides(overrides: Mapping[str, str]) -> Mapping[str, str]:
    for canonical in overrides:
        if canonical not in ALIASES:
            near = get_close_matches(canonical, ALIASES, n=1) or ["length"]
            raise OptionError(
                describe(
                    f"columns names {canonical!r}",
                    f"expected one of {', '.join(ALIASES)}",
                    f"write --map {near[0]}=THEIRS (columns={{{near[0]!r}: 'THEIRS'}})",
                )
            )
    return overrides


def _given_columns(own: list[str], overrides: Mapping[str, str], table: str) -> dict[str, str]:
    given: dict[str, str] = {}
    for canonical, theirs in _known_overrides(overrides).items():
        same = [name for name in own if name == theirs] or [
            name for name in own if normalise_name(name) == normalise_name(theirs)
        ]
        if len(same) > 1:
            raise TableError(_clash(table, canonical, same))
        if not same:
            raise TableError(
                describe(
                    f"{table}: no column {theirs!r}; columns found: {', '.join(own) or 'none'}",
                    f"expected the column that holds {canonical}",
                    f"correct --map {canonical}={theirs}",
                )
            )
        given[canonical] = same[0]
    return given


def _candidates(own: list[str], canonical: str) -> list[str]:
    found = [name for name in own if normalise_name(name) in ALIASES[canonical]]
    last_resorts = LAST_RESORTS.get(canonical, ())
    return found or [name for name in own if normalise_name(name) in last_resorts]


def _clash(table: str, canonical: str, candidates: list[str]) -> str:
    return describe(
        f"{table}: {canonical} could be any of the columns "
        f"{' and '.join(repr(name) for name in candidates)}",
        "expected one candidate",
        f"choose with --map {canonical}={candidates[0]} "
        f"(columns={{{canonical!r}: {candidates[0]!r}}})",
    )
