"""Scoring stored outputs again, without asking any language model."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from lcstats.errors import FormatError, OptionError, describe
from lcstats.runner.answers import read_numbers
from lcstats.runner.ledger import line_of, read_rows
from lcstats.runner.manifest import manifest_path, read_manifest, write_manifest, write_whole
from lcstats.runner.scoring import (
    AnswerKey,
    Strictness,
    describe_scoring,
    score_output,
    scorer_name,
)
from lcstats.runner.tasks.puzzle import Scorer

JUDGED = frozenset(("ok", "refused", "empty", "unparsed", "budget_exhausted"))
"""Statuses that come from an output, and can change with its scoring."""

NEEDED = ("status", "answer", "wrong", "output", "finish_reason", "scorer")


@dataclass(frozen=True, slots=True)
class Rescored:
    """What a second scoring changed.

    Attributes
    ----------
    output : Path
    n_trials, n_scored : int
        Rows, and those with a score now.
    n_changed : int
        Rows whose score or status is another one.
    n_up, n_down : int
        Scores that rose and fell.
    """

    output: Path
    n_trials: int
    n_scored: int
    n_changed: int
    n_up: int
    n_down: int


def rescore(path: str | Path, output: str | Path, *, strictness: Strictness) -> Rescored:
    """Score the outputs of a sweep again and write them to another file.

    Failed requests and cut prompts stay what they were.

    Parameters
    ----------
    path : path
        What ``lcstats run`` wrote.
    output : path
        Where to; whole or not at all.
    strictness : {"strict", "contains"}

    Raises
    ------
    OptionError
        If the two files are one.
    FormatError
        If rows lack the output or the answers.
    """
    source, target = Path(path), Path(output)
    if source.resolve() == target.resolve():
        raise OptionError(
            describe(
                f"-o is {target}, the file that is read",
                "expected another one, so that the first scores are kept",
                f"write -o {target.stem}-rescored.jsonl",
            )
        )
    os.stat(source)
    before = list(read_rows(source))
    if not before:
        raise FormatError(
            describe(f"{source} has no trials", "expected the file of a sweep", "name another file")
        )
    after = [_rescored(row, number, source, strictness) for number, row in enumerate(before, 1)]
    write_whole(target, map(line_of, after))
    _write_record(source, target, strictness)
    return _compare(target, before, after)


def _rescored(
    row: Mapping[str, Any], number: int, source: Path, strictness: Strictness
) -> dict[str, Any]:
    scorer = str(row.get("scorer")).partition("-")[0]
    missing = [name for name in NEEDED if name not in row] or _unlike(row, scorer)
    if missing:
        raise FormatError(
            describe(
                f"{source} line {number} has no {' and no '.join(missing)}",
                "expected a line that 'lcstats run' wrote",
                "name the file of a sweep",
            )
        )
    if row["status"] not in JUDGED:
        return dict(row)
    kind: Scorer = scorer  # type: ignore[assignment]
    key = AnswerKey(tuple(row["answer"]), tuple(row["wrong"]), kind)
    scored = score_output(
        row["output"], key, finish_reason=row["finish_reason"], strictness=strictness
    )
    changed: dict[str, Any] = {
        "score": scored.score,
        "status": scored.status,
        "n_found": scored.n_found,
        "scorer": scorer_name(kind, strictness),
    }
    if row.get("needle_depths"):
        changed["needle_found"] = scored.marks
    return {**row, **changed}


def _unlike(row: Mapping[str, Any], scorer: str) -> list[str]:
    """Return what of a row is not as a sweep writes it."""
    answers, wrong = row["answer"], row["wrong"]
    is_known = {
        "known scorer": scorer in get_args(Scorer),
        "known status": isinstance(row["status"], str),
        "list of answers": _are_texts(answers) and bool(answers),
        "list of wrong values": _are_texts(wrong),
        "output that is text": row["output"] is None or isinstance(row["output"], str),
    }
    unlike = [name for name, is_so in is_known.items() if not is_so]
    if not unlike and scorer == "number" and not all(map(read_numbers, answers)):
        return ["number in each answer"]
    return unlike


def _are_texts(values: Any) -> bool:
    return isinstance(values, list) and all(isinstance(value, str) for value in values)


def _write_record(source: Path, target: Path, strictness: Strictness) -> None:
    manifest = read_manifest(source)
    if manifest is not None:
        scoring = describe_scoring(strictness)
        record = {**manifest, "scoring": scoring, "rescored_from": manifest_path(source).name}
        write_manifest(target, record)


def _compare(target: Path, before: list[dict[str, Any]], after: list[dict[str, Any]]) -> Rescored:
    pairs = [(b["score"], a["score"]) for b, a in zip(before, after, strict=True)]
    both = [(b, a) for b, a in pairs if b is not None and a is not None]
    changed = (
        (b["score"], b["status"]) != (a["score"], a["status"])
        for b, a in zip(before, after, strict=True)
    )
    return Rescored(
        output=target,
        n_trials=len(after),
        n_scored=sum(a is not None for _, a in pairs),
        n_changed=sum(changed),
        n_up=sum(a > b for b, a in both),
        n_down=sum(a < b for b, a in both),
    )
