"""Results of chroma-core/context-rot's needle experiment (commit 1091346): CSV, one row per trial.

``approximate_input_length`` is the length asked for in tokens, ``needle_depth`` the depth in
percent, ``llm_judge_output`` the judge's true or false, which only ``*_evaluated.csv`` has: files
without it (``*_results.csv``) hold nothing scored and are left out beside others that have it.
``token_count`` is the tokens of the prompt as the runner counted them, but the judge's script
overwrites it with 100 on every row, and then it is left out. A request that failed or timed out
leaves ``ERROR...`` in ``output``, and the judge calls that false: such rows have no score here, nor
have rows where the judge failed. A case is a question; the file has no repeats of it.

Checked on the published GPT-4.1 files (88 trials). Not recovered: the language model (it may be in
the name of the file) and prompts that were left out for being too long.

Nobody guesses such an answer: the guess rate is 0.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pandas as pd

from lcstats.errors import FormatError, Notice, describe
from lcstats.readers.csv_table import load_csv
from lcstats.readers.formats import Format
from lcstats.readers.request import ReadRequest
from lcstats.readers.samples import Sample
from lcstats.trials import Knowledge, RawTable
from lcstats.trials.wording import counted

_JUDGE, _TOKENS = "llm_judge_output", "token_count"
_FIELDS = {"approximate_input_length", "needle_depth", "question", "answer", "output"}
_COLUMNS = {
    "case": "question",
    "length": "approximate_input_length",
    "tokens_received": _TOKENS,
    "depth": "needle_depth",
    "score": _JUDGE,
    "status": "failure",
    "output": "output",
}
_OVERWRITTEN = 100
_FAILED = r"^(?:FUTURE_)?ERROR"
_TIMED_OUT = r"^ERROR_TIMEOUT"


def _sniff(sample: Sample, columns: Mapping[str, str]) -> bool:
    return set(sample.columns) >= _FIELDS


def _load(samples: Sequence[Sample], request: ReadRequest) -> list[RawTable]:
    judged = [sample for sample in samples if _JUDGE in sample.columns]
    if not judged:
        raise FormatError(
            describe(
                f"{samples[0].name} has no column {_JUDGE}: its outputs were not judged",
                "expected the file that the judge's script wrote",
                "run evaluate_niah_extension.py on it, and read the *_evaluated.csv",
            )
        )
    tables = [_complete(load_csv(sample, request)) for sample in judged]
    notices = _unjudged_notices([sample for sample in samples if sample not in judged])
    return [replace(tables[0], notices=(*notices, *tables[0].notices)), *tables[1:]]


def _complete(table: RawTable) -> RawTable:
    frame, notices = table.frame, table.notices
    if _is_overwritten(frame):
        message = f"{table.origin.name}: token_count is {frame[_TOKENS].iloc[0]} on every row, "
        message += "whatever the length: the judge's script overwrote it, and it was left out"
        notices = (*notices, Notice("tokens-overwritten", message))
        frame = frame.drop(columns=_TOKENS)
    frame = frame.assign(failure=_failures_of(frame))
    if _JUDGE in frame:
        judge_failed = frame[_JUDGE].astype("str").str.contains(_FAILED, na=False)
        frame = frame.assign(**{_JUDGE: frame[_JUDGE].astype(object).mask(judge_failed)})
    known = {name: theirs for name, theirs in _COLUMNS.items() if theirs in frame}
    knowledge = Knowledge(known, aliases=False, depth_unit="percent", score_scale="0-1")
    return replace(table, frame=frame, knowledge=knowledge, notices=notices)


def _is_overwritten(frame: pd.DataFrame) -> bool:
    """Tell whether the token counts are one number that cannot be right for all rows."""
    if _TOKENS not in frame or frame[_TOKENS].nunique() != 1:
        return False
    lengths = frame.get("approximate_input_length", pd.Series(dtype=object))
    return bool((frame[_TOKENS] == _OVERWRITTEN).all()) or lengths.nunique() > 1


def _failures_of(frame: pd.DataFrame) -> pd.Series:
    """Return what became of requests that failed; missing where one did not."""
    if "output" not in frame:
        return pd.Series(None, index=frame.index, dtype=object)
    outputs = frame["output"].astype("str")
    failures = pd.Series(None, index=frame.index, dtype=object)
    failures = failures.mask(outputs.str.contains(_FAILED, na=False), "error")
    failures = failures.mask(outputs.str.contains(_TIMED_OUT, na=False), "timeout")
    return failures.mask(frame["output"].isna() | (frame["output"] == ""), "empty")


def _unjudged_notices(samples: Sequence[Sample]) -> tuple[Notice, ...]:
    if not samples:
        return ()
    names = ", ".join(sample.name for sample in samples[:3]) + (", ..." if samples[3:] else "")
    return (
        Notice("unjudged-files", f"{counted(len(samples), 'file')} not judged, left out: {names}"),
    )


CONTEXT_ROT = Format(
    name="context_rot",
    title="Chroma's context-rot needle experiment, judged CSV",
    carries="length asked for, depth, judge's verdict, failed and timed-out requests as unscored "
    "trials, question as case, output, tokens counted by the runner unless they were overwritten",
    lacks="language model, trials left out for their length, tokens the server counted",
    checked="the published GPT-4.1 files, 88 trials",
    shapes=("csv",),
    sniff=_sniff,
    load=_load,
)
