"""NoCha (marzenakrp/nocha, commit e796c15): one JSON list of claims, a column per language model.

``response-MODEL`` holds what a language model said of a claim, which is true or false (``type``).
Two claims of one book under one ``index`` are a pair, one of them true; the case is named after
book and index. There are two tasks: ``nocha_claims``, guessed with one half, and ``nocha_pairs``,
the suite's own measure, right only if both claims are, guessed with a quarter. The length is the
book's in tokens of cl100k. The cluster is the book: 63 pairs on four of them are fewer than they
seem.

The answer is ``<answer>TRUE</answer>``, the first of several; of prompts named ``-simple``, the
first word that is true or false. ``SKIPPED`` (the book does not fit) and ``PROHIBITED_CONTENT`` are
unscored, as is an answer without a verdict. A pair with an unscored claim is unscored: counting it
wrong where the other claim is would leave out right pairs alone.

Written from rows of the published sample, and checked on files made after them.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lcstats.errors import Notice
from lcstats.readers.fields import require_fields
from lcstats.readers.formats import Format
from lcstats.readers.json_records import frame_of, load_json
from lcstats.readers.request import ReadRequest
from lcstats.readers.samples import Sample
from lcstats.trials import Knowledge, Origin, Part, RawTable
from lcstats.trials.wording import counted

CLAIMS, PAIRS = "nocha_claims", "nocha_pairs"
GUESS_RATES = {CLAIMS: 0.5, PAIRS: 0.25}

_FIELDS = {"book_title", "claim", "type", "index", "length"}
_RESPONSE, _SIMPLE = "response-", "-simple"
_TAGGED = re.compile(r"<answer>\s*(true|false)\b", re.IGNORECASE)
_PLAIN = re.compile(r"\b(true|false)\b", re.IGNORECASE)
_MARKS = {"SKIPPED": "skipped", "PROHIBITED_CONTENT": "refused"}
_COLUMNS = {
    "model": "response",
    "task": "task",
    "case": "index",
    "length": "length",
    "score": "right",
    "status": "outcome",
    "guess_rate": "guess_rate",
    "cluster": "book_title",
    "output": "answer",
}
_KNOWLEDGE = Knowledge(_COLUMNS, aliases=False, score_scale="0-1")


def _sniff(sample: Sample, columns: Mapping[str, str]) -> bool:
    has_responses = any(name.startswith(_RESPONSE) for name in sample.columns)
    return has_responses and sample.record.keys() >= _FIELDS


def _load(samples: Sequence[Sample], request: ReadRequest) -> list[RawTable]:
    return [_load_one(sample, request) for sample in samples]


def _load_one(sample: Sample, request: ReadRequest) -> RawTable:
    table = load_json([sample], request)
    require_fields(table, _FIELDS, "nocha")
    names = [str(name) for name in table.frame if str(name).startswith(_RESPONSE)]
    claims = table.frame.to_dict("records")
    rows = [row for name in names for row in _claims_of(claims, name)]
    pairs, n_alone = _pairs_of(rows)
    parts = (
        *(Part(sample.name, len(claims), "item") for _ in names),
        Part(sample.name, len(pairs), "pair"),
    )
    return RawTable(frame_of(rows + pairs), Origin(parts), _KNOWLEDGE, _alone_notices(n_alone))


def _claims_of(claims: Sequence[Mapping[Any, Any]], name: str) -> Iterator[dict[str, Any]]:
    model = name.removeprefix(_RESPONSE)
    for claim in claims:
        verdict, outcome = read_verdict(claim[name], is_simple=name.endswith(_SIMPLE))
        truth = str(claim["type"]).strip().lower() == "true"
        yield {
            "response": model,
            "task": CLAIMS,
            "index": f"{claim['book_title']} {claim['index']} {str(truth).lower()}",
            "pair": f"{claim['book_title']} {claim['index']}",
            "length": claim["length"],
            "right": None if verdict is None else float(verdict == truth),
            "outcome": outcome,
            "guess_rate": GUESS_RATES[CLAIMS],
            "book_title": claim["book_title"],
            "answer": claim[name],
            "claim": claim["claim"],
        }


def read_verdict(response: object, *, is_simple: bool) -> tuple[bool | None, str]:
    """Return what a language model said of a claim, and what became of the trial.

    Parameters
    ----------
    response : object
        What the file holds.
    is_simple : bool
        Whether plain true or false was asked for.

    Returns
    -------
    verdict : bool or None
        None where there is none.
    status : str
        One of :data:`lcstats.options.STATUSES`.

    Examples
    --------
    >>> read_verdict("<answer> TRUE</answer>", is_simple=False)
    (True, 'ok')
    >>> read_verdict("SKIPPED", is_simple=True), read_verdict("It is true.", is_simple=False)
    ((None, 'skipped'), (None, 'unparsed'))
    """
    if not isinstance(response, str):
        return None, "error"
    if response.strip() in _MARKS:
        return None, _MARKS[response.strip()]
    match = _TAGGED.search(response) or (_PLAIN.search(response) if is_simple else None)
    if match is None:
        return None, "unparsed" if response.strip() else "empty"
    return match[1].lower() == "true", "ok"


def _pairs_of(rows: Sequence[Mapping[str, Any]]) -> tuple[list[dict[str, Any]], int]:
    """Return the pairs of claims, and how many claims have no other of the other kind."""
    members: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for row in rows:
        members.setdefault((row["response"], row["pair"]), []).append(row)
    whole = {key: pair for key, pair in members.items() if len({r["index"] for r in pair}) == 2}
    pairs = [_pair_of(pair) for pair in whole.values()]
    return pairs, len({key[1] for key in members} - {key[1] for key in whole})


def _pair_of(pair: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    unscored = [row["outcome"] for row in pair if row["right"] is None]
    first = pair[0]
    return {
        **first,
        "task": PAIRS,
        "index": first["index"].rpartition(" ")[0],
        "right": None if unscored else float(all(row["right"] for row in pair)),
        "outcome": unscored[0] if unscored else "ok",
        "guess_rate": GUESS_RATES[PAIRS],
        "answer": None,
        "claim": None,
    }


def _alone_notices(n_alone: int) -> tuple[Notice, ...]:
    if not n_alone:
        return ()
    message = "without the claim of the other kind: only claims, and no pairs, are made of them"
    return (Notice("claims-alone", f"{counted(n_alone, 'claim')} {message}"),)


NOCHA = Format(
    name="nocha",
    title="NoCha, one JSON list with a column of responses per language model",
    carries="language models (columns), length of the book, claims and pairs as tasks with their "
    "guess rates, book as cluster, skipped and refused claims as unscored trials, output",
    lacks="depth, tokens received, what kind of error it was",
    checked="files made after rows of the published sample",
    shapes=("json", "jsonl"),
    sniff=_sniff,
    load=_load,
)
