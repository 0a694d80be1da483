"""Predictions of LongEval, DachengLi1/LongChat (commit 4b5faa5): one text file per length.

``predictions/MODEL/200_response.txt`` holds the answers of the language model that its folder is
named after, to prompts of 200 lines, one on a line: ``Label: 2416, Predict: it is <2416>.,
Parsed: 2416, prompt length: 4803``, and ``Accuracy: 0.98`` at the end of a finished run. The
length is the number of lines, from the file's name; ``prompt length`` is what the runner counted
in tokens, -1 where it did not. An answer is right if ``Parsed``, the last number in it (-1 for
none), is the ``Label``. The case is the number of the answer and its label: language models that
were asked the same questions pair. Nobody guesses a number of up to five digits.

Answers about topics have the same layout without ``Parsed``: their verdict is another language
model's and is not in the file, so they are refused.

Checked on the published answers of five language models to 200 to 680 lines.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pandas as pd

from lcstats.errors import FormatError, Notice, describe
from lcstats.readers.folders import folder_names, folder_notices, folders_above
from lcstats.readers.formats import Format
from lcstats.readers.huge_numbers import read_digits
from lcstats.readers.request import ReadRequest
from lcstats.readers.samples import Sample
from lcstats.trials import Knowledge, Origin, Part, RawTable
from lcstats.trials.wording import counted

_ANSWER = re.compile(
    r"Label: (?P<label>-?\d+), Predict: (?P<output>.*), Parsed: (?P<parsed>-?\d+), "
    r"prompt length: (?P<tokens>-?\d+)"
)
_WITHOUT_VERDICT = re.compile(r"Label: .*, Predict: .*, prompt length: -?\d+")
_ACCURACY = re.compile(r"Accuracy: [\d.]+")
_FILE_NAME = re.compile(r"(\d+)_response")
_PREDICTIONS = "predictions"
_N_SHOWN = 5
_COLUMNS = {
    "model": "folder name",
    "task": "task",
    "case": "line and Label",
    "length": "file name",
    "tokens_received": "prompt length",
    "score": "Parsed = Label",
    "output": "Predict",
}


def _sniff(sample: Sample, columns: Mapping[str, str]) -> bool:
    return _ANSWER.fullmatch(sample.line) is not None or _lacks_verdict(sample.line)


def _lacks_verdict(line: str) -> bool:
    return _ANSWER.fullmatch(line) is None and _WITHOUT_VERDICT.fullmatch(line) is not None


def _load(samples: Sequence[Sample], request: ReadRequest) -> list[RawTable]:
    models = folder_names(samples)
    first, *others = [_load_one(sample, models[sample], request) for sample in samples]
    doubtful = [name for sample, name in models.items() if not _is_runners_folder(sample, name)]
    notices = (*folder_notices(filter(None, doubtful)), *first.notices)
    return [replace(first, notices=notices), *others]


def _load_one(sample: Sample, model: str, request: ReadRequest) -> RawTable:
    if _lacks_verdict(sample.line):
        raise _without_verdict(sample)
    lines = [line.removesuffix("\r") for line in sample.text().split("\n")]
    filled = [(number, line) for number, line in enumerate(lines, 1) if line.strip(" \ufeff")]
    is_finished = _ACCURACY.fullmatch(filled[-1][1]) is not None
    body = filled[:-1] if is_finished else filled
    matches = [(number, _ANSWER.fullmatch(line.lstrip("\ufeff"))) for number, line in body]
    bad = [number for number, match in matches if match is None]
    cut = [] if is_finished else [number for number in bad if number == body[-1][0]]
    bad = bad[: len(bad) - len(cut)]
    if bad and not request.skip_bad_lines:
        raise _bad_lines(sample, bad)
    answers = [(number, match) for number, match in matches if match is not None]
    numbers = [number for number, _ in answers]
    frame = pd.DataFrame([_row(number, match) for number, match in answers])
    frame["file name"] = _n_lines(sample)
    frame["folder name"] = model or "model"
    frame["task"] = "lines"
    return RawTable(
        frame,
        Origin((Part(sample.name, len(frame), "line", numbers.__getitem__),)),
        Knowledge(_COLUMNS, aliases=False, score_scale="0-1", length_unit="lines"),
        _line_notices(sample, bad, is_finished=is_finished),
    )


def _row(number: int, match: re.Match[str]) -> dict[str, object]:
    tokens = read_digits(match["tokens"])
    return {
        "line and Label": f"{number} ({match['label']})",
        "prompt length": tokens if tokens > 0 else None,
        "Parsed = Label": read_digits(match["parsed"]) == read_digits(match["label"]),
        "Predict": match["output"],
    }


def _n_lines(sample: Sample) -> int:
    match = _FILE_NAME.fullmatch(sample.source.stem)
    if match is None:
        raise FormatError(
            describe(
                f"{sample.name} does not say in its name how many lines its prompts had",
                "expected a name such as 200_response.txt",
                "give it back the name that LongEval gave it",
            )
        )
    return read_digits(match[1])


def _without_verdict(sample: Sample) -> FormatError:
    return FormatError(
        describe(
            f"{sample.name} holds answers about topics, without a verdict",
            "expected answers about lines, which have Parsed beside Label",
            "have the answers judged, and read a table with a score for each",
        )
    )


def _bad_lines(sample: Sample, bad: Sequence[int]) -> FormatError:
    n_more = len(bad) - _N_SHOWN
    messages = [
        describe(
            f"{sample.name} line {number}: no answer of LongEval",
            "expected Label, Predict, Parsed, prompt length",
            "mend it, or pass skip_bad_lines=True (--skip-bad-lines) to leave it out and count it",
        )
        for number in bad[:_N_SHOWN]
    ]
    return FormatError("\n".join(messages + [f"and {n_more} more lines"] * (n_more > 0)))


def _line_notices(sample: Sample, bad: Sequence[int], *, is_finished: bool) -> tuple[Notice, ...]:
    notices = []
    if bad:
        notices.append(
            Notice("bad-lines", f"{sample.name}: {counted(len(bad), 'bad line')} left out")
        )
    if not is_finished:
        message = "no Accuracy at its end: the run was cut off, and an incomplete line is left out"
        notices.append(Notice("cut-line", f"{sample.name}: {message}"))
    return tuple(notices)


def _is_runners_folder(sample: Sample, model: str) -> bool:
    return "/" not in model and folders_above(sample)[1:2] == (_PREDICTIONS,)


LONGEVAL = Format(
    name="longeval",
    title="LongEval's lines, one text file per length",
    carries="language model (its folder's name), number of lines as length, tokens received, "
    "number of the answer and label as case, right or wrong, output",
    lacks="depth (which line was asked for), failed requests; verdicts about topics",
    checked="1400 published answers of five language models",
    shapes=("text",),
    sniff=_sniff,
    load=_load,
)
