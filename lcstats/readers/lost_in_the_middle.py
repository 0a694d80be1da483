"""Predictions of nelson-liu/lost-in-the-middle (commit 29b8a6d), JSONL, with scores or without.

``litm_qa``: questions over documents. The length is the number of ``model_documents``, the
position the index, from 0, of the first of them that ``isgold``, so depth is index / (number - 1).
No file names the position. The case and the cluster are the question: the same questions are asked
at every position and number of documents, so they pair. ``metric_best_subspan_em`` is the score, 0
or 1, and where it is missing it is worked out by the suite's rule: an answer, normalised as SQuAD
does, is in the first line of ``model_answer``. One document (oracle) is no position: its trials
have no depth, and the task ``qa_oracle``. Trials without documents (closed book) are left out.

``litm_kv``: a value looked up in a JSON object. The length is the number of pairs of
``model_ordered_kv_records``, the order that was sent (``ordered_kv_records`` is another), the
position the index of the key there; case and cluster are the key; the score is
``metric_accuracy``, or whether the value is in ``model_answer``, letter case aside.

Nobody guesses such answers. ``litm_qa`` was checked on the predictions that ViktorTorp's fork
published (commit a7a9725), ``litm_kv`` on the code of the runner.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from lcstats.errors import FormatError, Notice, describe
from lcstats.readers.fields import check_fields, require_fields
from lcstats.readers.formats import Format
from lcstats.readers.json_records import load_json
from lcstats.readers.request import ReadRequest
from lcstats.readers.samples import Sample
from lcstats.readers.squad import squad_words
from lcstats.trials import Knowledge, RawTable
from lcstats.trials.wording import counted

_QA_FIELDS = {"question", "answers", "model_documents", "model_answer"}
_KV_FIELDS = {"key", "value", "model_ordered_kv_records", "model_answer"}
_QA_LONG = ("ctxs", "model_documents", "model_prompt", "nq_annotated_gold")
_KV_LONG = ("ordered_kv_records", "model_ordered_kv_records", "model_prompt")
_COLUMNS = {
    "model": "model",
    "task": "task",
    "depth": "position of gold",
    "output": "model_answer",
}
_QA = Knowledge(
    {
        **_COLUMNS,
        "case": "question",
        "length": "documents",
        "score": "metric_best_subspan_em",
        "cluster": "question",
    },
    aliases=False,
    depth_unit="index0",
    score_scale="0-1",
    length_unit="documents",
)
_KV = Knowledge(
    {
        **_COLUMNS,
        "case": "key",
        "length": "pairs",
        "score": "metric_accuracy",
        "cluster": "key",
    },
    aliases=False,
    depth_unit="index0",
    score_scale="0-1",
    length_unit="pairs",
)

Row = Mapping[Any, Any]


def _sniff_qa(sample: Sample, columns: Mapping[str, str]) -> bool:
    return sample.record.keys() >= _QA_FIELDS


def _sniff_kv(sample: Sample, columns: Mapping[str, str]) -> bool:
    return sample.record.keys() >= _KV_FIELDS


def _load_qa(samples: Sequence[Sample], request: ReadRequest) -> list[RawTable]:
    tables = [_without_closed_books(load_json([sample], request)) for sample in samples]
    kept = [table for table in tables if len(table.frame)]
    if not kept:
        raise FormatError(
            describe(
                f"{tables[0].origin.name}: no question came with documents (closed book)",
                "expected answers from documents, whose number is the length",
                "name the files of gold_at_0 and so on",
            )
        )
    aside = [notice for table in tables if not len(table.frame) for notice in table.notices]
    first, *others = map(_qa_table, kept)
    return [replace(first, notices=(*aside, *first.notices)), *others]


def _without_closed_books(table: RawTable) -> RawTable:
    require_fields(table, {"question"}, "litm_qa", str)
    require_fields(table, {"answers", "model_documents"}, "litm_qa", list)
    kept = table.frame["model_documents"].map(bool).to_numpy(dtype=bool)
    n_left_out = int((~kept).sum())
    if not n_left_out:
        return table
    message = "without documents (closed book) left out: there is no length to it"
    notice = Notice(
        "closed-book", f"{table.origin.name}: {counted(n_left_out, 'question')} {message}"
    )
    return replace(
        table,
        frame=table.frame[kept].reset_index(drop=True),
        origin=table.origin.select(kept),
        notices=(*table.notices, notice),
    )


def _qa_table(table: RawTable) -> RawTable:
    documents = table.frame["model_documents"]
    n_documents = documents.map(len)
    found = {
        "documents": n_documents,
        "position of gold": documents.map(_gold_position).mask(n_documents < 2),
        "task": n_documents.map(lambda n: "qa_oracle" if n == 1 else "qa"),
    }
    table = _complete(table, found, _QA, is_right_qa)
    return replace(table, frame=table.frame.drop(columns=[*_QA_LONG], errors="ignore"))


def _load_kv(samples: Sequence[Sample], request: ReadRequest) -> list[RawTable]:
    return [_kv_table(load_json([sample], request)) for sample in samples]


def _kv_table(table: RawTable) -> RawTable:
    require_fields(table, {"key", "value"}, "litm_kv", str)
    require_fields(table, {"model_ordered_kv_records"}, "litm_kv", list)
    check_fields(table, {"model_ordered_kv_records[]": "list"}, "litm_kv", are_needed=True)
    frame = table.frame
    pairs = zip(frame["model_ordered_kv_records"], frame["key"], strict=True)
    found = {
        "pairs": frame["model_ordered_kv_records"].map(len),
        "position of gold": pd.Series([_key_position(*pair) for pair in pairs], dtype="Float64"),
        "task": "kv",
    }
    table = _complete(table, found, _KV, is_right_kv)
    return replace(table, frame=table.frame.drop(columns=[*_KV_LONG], errors="ignore"))


def _gold_position(documents: Sequence[Row]) -> float | None:
    gold = [isinstance(document, dict) and document.get("isgold") for document in documents]
    return next((float(i) for i, is_gold in enumerate(gold) if is_gold), None)


def _key_position(records: Sequence[Sequence[str]], key: str) -> float | None:
    return next((float(i) for i, record in enumerate(records) if record[:1] == [key]), None)


def _complete(
    table: RawTable,
    found: Mapping[str, Any],
    knowledge: Knowledge,
    is_right: Callable[[Row], bool | None],
) -> RawTable:
    """Add what was found and the scores that are missing."""
    frame = table.frame.assign(**found)
    score = knowledge.columns["score"]
    stored = frame[score] if score in frame else pd.Series(None, frame.index, dtype=object)
    scored = [is_right(row) for row in frame[stored.isna()].to_dict("records")]
    frame = frame.assign(**{score: stored.astype(object)})
    frame.loc[stored.isna(), score] = pd.Series(scored, frame.index[stored.isna()], dtype=object)
    present = {name: theirs for name, theirs in knowledge.columns.items() if theirs in frame}
    knowledge = replace(knowledge, columns=present)
    notices = (*table.notices, *_scored_notices(table, sum(hit is not None for hit in scored)))
    return replace(table, frame=frame, knowledge=knowledge, notices=notices)


def is_right_qa(row: Row) -> bool | None:
    """Tell whether an answer is right by the suite's rule; None if there is no answer.

    Examples
    --------
    >>> is_right_qa({"answers": ["The 49ers!"], "model_answer": "It was the 49ers."})
    True
    """
    answer = row.get("model_answer")
    if not isinstance(answer, str):
        return None
    first_line = _normalise(answer.split("\n")[0])
    return any(_normalise(str(gold)) in first_line for gold in row["answers"])


def is_right_kv(row: Row) -> bool | None:
    """Tell whether a value was found by the suite's rule; None if there is no answer."""
    answer = row.get("model_answer")
    return row["value"].lower() in answer.lower() if isinstance(answer, str) else None


def _normalise(text: str) -> str:
    """Normalise a text as SQuAD's evaluation does."""
    return " ".join(squad_words(text))


def _scored_notices(table: RawTable, n_scored: int) -> tuple[Notice, ...]:
    if not n_scored:
        return ()
    message = "without a score, scored by the suite's own rule"
    return (Notice("scored-here", f"{table.origin.name}: {counted(n_scored, 'answer')} {message}"),)


LITM_QA = Format(
    name="litm_qa",
    title="Lost in the Middle, questions over documents (JSONL, also .gz)",
    carries="language model, number of documents as length, position of the gold document as "
    "depth, question as case and cluster, score 0 or 1 (worked out where it is missing), output",
    lacks="tokens, failed requests, what prompting was used, and closed-book answers, which have "
    "no length",
    checked="the published predictions of ViktorTorp's fork",
    shapes=("jsonl",),
    sniff=_sniff_qa,
    load=_load_qa,
)

LITM_KV = Format(
    name="litm_kv",
    title="Lost in the Middle, key-value retrieval (JSONL, also .gz)",
    carries="language model, number of pairs as length, position of the pair as depth, key as "
    "case and cluster, score 0 or 1 (worked out where it is missing), output",
    lacks="tokens, failed requests, and whether the key was asked for before the pairs too",
    checked="the code of the runner",
    shapes=("jsonl",),
    sniff=_sniff_kv,
    load=_load_kv,
)
