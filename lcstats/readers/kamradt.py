"""Files of gkamradt/LLMTest_NeedleInAHaystack: one JSON file per trial, and the list form.

``kamradt_v1`` is what the runner wrote from its first release to needlehaystack 0.1.0
(commit 7b90d28), one object a file in a folder: ``context_length`` is the length asked for in
tokens (haystack and needle together are about 200 shorter), ``depth_percent`` the nominal depth
in percent, ``score`` a judge's mark from 1 to 10, ``version`` the number of the repeat.
``kamradt_list`` is how the first GPT-4 results were published: a list of ``token_limit`` (tokens),
``depth_percent``, ``score``. Neither says which mark counts as right. Both were checked on the
published files (1376 of Claude 2.1, 330 trials of GPT-4).

A case is (needle, length, depth). Not recovered: where the needle really went (it moves back to
the end of a sentence), the tokens the server counted, failed requests (the runner writes none).

Nobody guesses the sentence asked for: the guess rate is 0.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lcstats.errors import Notice, OptionError, describe
from lcstats.readers.folders import folder_notices
from lcstats.readers.formats import Format
from lcstats.readers.json_records import load_json
from lcstats.readers.request import ReadRequest
from lcstats.readers.samples import Sample
from lcstats.trials import Knowledge, RawTable
from lcstats.trials.values import Kind, parse_column, spread, texts_of

ONLY_NEEDLE = "needle"
"""Case id where a file does not name its needle."""

HIGHEST_MARK = 10

_FILE_NAME, _FOLDER_NAME = "file name", "folder name"
_VERSIONS = "number of the version"
_NO_NEEDLE = "length and depth"
"""Where a case comes from if no file names a needle."""

_V1_COLUMNS = {
    "length": "context_length",
    "depth": "depth_percent",
    "score": "score",
    "output": "model_response",
    "latency_s": "test_duration_seconds",
}
_LIST_COLUMNS = {"length": "token_limit", "depth": "depth_percent", "score": "score"}
_V1_FILE_NAME = re.compile(r"_len_\d+_depth_\d+_results")
_V1_REPEAT = re.compile(r"_results_(\d+)$")
_LIST_REPEAT = re.compile(r"^(.+)_(\d+)$")


def is_v1_layout(record: Mapping[str, Any], stem: str) -> bool:
    """Tell whether a record has the fields of a trial, by whatever rule it was scored.

    Examples
    --------
    >>> trial = {"context_length": 1000, "depth_percent": 0.0, "score": 9.5, "needle": "Figs"}
    >>> is_v1_layout(trial, "a"), is_v1_layout({"score": 1}, "a_len_1000_depth_0_results")
    (True, False)
    """
    is_named = "needle" in record or _V1_FILE_NAME.search(stem) is not None
    return is_named and {"context_length", "depth_percent", "score"} <= record.keys()


def is_judges_mark(mark: object) -> bool:
    """Tell whether a score can be a judge's mark: a whole number up to 10, or none at all.

    The runner's judge only gives whole numbers; other scores in its layout are shares of words.

    Examples
    --------
    >>> is_judges_mark(7), is_judges_mark(None), is_judges_mark(10.0), is_judges_mark(95)
    (True, True, False, False)
    """
    return not isinstance(mark, float) and not (isinstance(mark, int) and mark > HIGHEST_MARK)


def _sniff_v1(sample: Sample, columns: Mapping[str, str]) -> bool:
    return is_v1_layout(sample.record, sample.source.stem) and is_judges_mark(
        sample.record["score"]
    )


def _sniff_list(sample: Sample, columns: Mapping[str, str]) -> bool:
    return {"token_limit", "depth_percent", "score"} <= sample.record.keys()


def _load_v1(samples: Sequence[Sample], request: ReadRequest) -> list[RawTable]:
    require_meaning_of_marks("kamradt_v1", request)
    return load_v1_layout(samples, request)


def load_v1_layout(samples: Sequence[Sample], request: ReadRequest) -> list[RawTable]:
    """Load files of one trial each, whatever their scores mean."""
    table = load_json(samples, request)
    from_names = [_number_in(_V1_REPEAT, sample.source.stem) for sample in samples]
    return [_complete(table, samples, from_names, _V1_COLUMNS)]


def _load_list(samples: Sequence[Sample], request: ReadRequest) -> list[RawTable]:
    require_meaning_of_marks("kamradt_list", request)
    table = load_json(samples, request)
    return [_complete(table, samples, _numbers_beside(samples), _LIST_COLUMNS)]


def require_meaning_of_marks(name: str, request: ReadRequest) -> None:
    """Refuse a judge's marks if the call does not say which of them count as right.

    Raises
    ------
    OptionError
        If neither a score threshold nor a score scale was given.
    """
    if request.table.score_threshold is None and request.table.score_scale is None:
        raise OptionError(
            describe(
                f"{name} files carry a judge's marks from 1 to 10, and the runner does not say "
                "which of them count as right",
                "expected a score threshold or a score scale",
                "pass score_threshold=7 (--score-threshold 7) to count marks of 7 and more as "
                "right, or score_scale='1-10' (--score-scale 1-10) to keep them as grades",
            )
        )


def _number_in(pattern: re.Pattern[str], stem: str) -> int:
    """Return the number that a file's name ends with, 1 if it has none."""
    match = pattern.search(stem)
    return int(match.groups()[-1]) if match else 1


def _numbers_beside(samples: Sequence[Sample]) -> list[int]:
    """Return 2 for ``NAME_2`` where ``NAME`` is read too, and so on; otherwise 1."""
    present = {(sample.source.folder, sample.source.stem) for sample in samples}
    numbers = []
    for sample in samples:
        match = _LIST_REPEAT.match(sample.source.stem)
        is_repeat = match is not None and (sample.source.folder, match[1]) in present
        numbers.append(_number_in(_LIST_REPEAT, sample.source.stem) if is_repeat else 1)
    return numbers


def _complete(
    table: RawTable,
    samples: Sequence[Sample],
    repeats: Sequence[int],
    columns: Mapping[str, str],
) -> RawTable:
    """Add case, repeat and language model to the rows of files."""
    frame = table.frame
    n_rows = [part.n_rows for part in table.origin.parts]
    folders = pd.Series(np.repeat([sample.source.folder or "model" for sample in samples], n_rows))
    found = {
        "case": _cases_of(frame),
        "repeat": _repeats_of(frame, np.repeat(repeats, n_rows)),
        "model": _models_of(frame, folders),
    }
    frame = frame.assign(**dict(found.values()))
    known = {name: theirs for name, (theirs, _) in found.items()} | {
        name: theirs for name, theirs in columns.items() if theirs in frame
    }
    return RawTable(
        frame,
        table.origin,
        Knowledge(known, aliases=False, depth_unit="percent"),
        (*table.notices, *_model_notices(table.frame, folders)),
    )


def _cases_of(frame: pd.DataFrame) -> tuple[str, pd.Series]:
    if "needle" not in frame:
        return _NO_NEEDLE, pd.Series(ONLY_NEEDLE, index=frame.index)
    needles = texts_of(frame["needle"])
    words = [needle.strip() or ONLY_NEEDLE for needle in needles.uniques]
    return "needle", spread(words, needles.codes).fillna(ONLY_NEEDLE)


def _repeats_of(frame: pd.DataFrame, from_names: NDArray[np.int64]) -> tuple[str, pd.Series]:
    """Return the version, or the number in the file's name where the version does not count."""
    if "version" not in frame:
        return _FILE_NAME, pd.Series(from_names)
    parsed = parse_column(frame["version"])
    versions = np.where(parsed.is_kind(Kind.MISSING), 1.0, parsed.values)
    if (versions != np.floor(versions)).any() and not np.isinf(versions).any():
        return _VERSIONS, _number_versions(frame["version"], from_names)
    return "version", pd.Series(np.where(versions == 1, from_names, versions))


def _number_versions(column: pd.Series, from_names: NDArray[np.int64]) -> pd.Series:
    """Number versions that do not count, such as ``a`` and 1.2, with the files' own numbers."""
    words = column.astype("str").where(column.notna(), "")
    pairs = pd.MultiIndex.from_arrays([words, from_names])
    return pd.Series(pairs.unique().sort_values().get_indexer(pairs) + 1)


def _models_of(frame: pd.DataFrame, folders: pd.Series) -> tuple[str, pd.Series]:
    if "model" not in frame:
        return _FOLDER_NAME, folders
    return "model", frame["model"].where(frame["model"].notna(), folders)


def _model_notices(frame: pd.DataFrame, folders: pd.Series) -> tuple[Notice, ...]:
    taken = folders[frame["model"].isna()] if "model" in frame else folders
    return folder_notices(taken)


KAMRADT_V1 = Format(
    name="kamradt_v1",
    title="Kamradt's needle in a haystack, one JSON file per trial",
    carries="language model, length asked for, depth, judge's mark from 1 to 10, needle as case, "
    "version and _results_2 files as repeats, output, duration",
    lacks="which mark counts as right, tokens received, real needle position, failed requests",
    checked="1376 published files of Claude 2.1",
    shapes=("json", "jsonl"),
    sniff=_sniff_v1,
    load=_load_v1,
)

KAMRADT_LIST = Format(
    name="kamradt_list",
    title="Kamradt's needle in a haystack, lists of token_limit, depth_percent, score",
    carries="length asked for, depth, judge's mark from 1 to 10, NAME_2 files as repeats of NAME",
    lacks="language model (its folder's name is taken), which mark counts as right, needle, "
    "tokens received, outputs, failed requests",
    checked="330 published trials of GPT-4",
    shapes=("json",),
    sniff=_sniff_list,
    load=_load_list,
)
