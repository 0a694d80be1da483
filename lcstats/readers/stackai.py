"""Results of StackAIDemoOrg/lost-in-the-middle-replication (commit 8d2770f), two versions.

Both are one JSON object whose ``detailed_results`` are the trials; ``position`` is the depth as a
fraction, ``correct`` is true or false. The case is the passcode to be found.

``stackai_v1`` (``results.json``): ``context_length`` is the length of the context in characters as
it was sent; the length asked for and the language model are only in the code. Making the context
sets the random generator back, so nearly all trials have the same passcode and, at a position, the
very same prompt: these are repeats of one case. An empty prediction, which a failed request also
leaves, is unscored.

``stackai_v2`` (``results_v2.json``): ``context_length_k`` is the length asked for in thousands of
tokens of cl100k, ``prompt_tokens`` what the server counted, 0 where the request failed: such trials
are unscored, though the file says wrong.

Nobody guesses such answers. Written from the code and the layout of the published files, and
checked on files made after them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from lcstats.readers.fields import check_fields, require_fields
from lcstats.readers.formats import Format, Load
from lcstats.readers.json_records import frame_of, load_json
from lcstats.readers.request import ReadRequest
from lcstats.readers.runs import number_runs
from lcstats.readers.samples import Sample
from lcstats.trials import Knowledge, Origin, Part, RawTable

_TRIALS = "detailed_results"
_BOTH_FIELDS = {"position", "trial", "passcode", "prediction", "correct"}
_V1_FIELDS = _BOTH_FIELDS | {"context_length"}
_V2_FIELDS = _BOTH_FIELDS | {"context_length_k", "prompt_tokens"}
_COLUMNS = {
    "case": "passcode",
    "repeat": "trial",
    "depth": "position",
    "score": "correct",
    "status": "failed",
    "output": "prediction",
}
_V1 = Knowledge(
    {**_COLUMNS, "length": "context_length"},
    aliases=False,
    depth_unit="fraction",
    score_scale="0-1",
    length_unit="characters",
)
_V2 = Knowledge(
    {
        **_COLUMNS,
        "model": "model",
        "length": "context_length_k",
        "tokens_received": "prompt_tokens",
    },
    aliases=False,
    depth_unit="fraction",
    score_scale="0-1",
    length_unit="k1000",
)


def _sniff_v1(sample: Sample, columns: Mapping[str, str]) -> bool:
    return _first_trial(sample).keys() >= _V1_FIELDS


def _sniff_v2(sample: Sample, columns: Mapping[str, str]) -> bool:
    return _first_trial(sample).keys() >= _V2_FIELDS


def _first_trial(sample: Sample) -> Mapping[str, Any]:
    trials = sample.record.get(_TRIALS)
    first = trials[0] if isinstance(trials, list) and trials else {}
    return first if isinstance(first, Mapping) else {}


def _load_v1(sample: Sample, request: ReadRequest) -> RawTable:
    table = _trials_of(sample, request, "stackai_v1", _V1_FIELDS)
    frame = table.frame
    frame["failed"] = ["empty" if text == "" else "ok" for text in frame["prediction"]]
    return RawTable(frame, table.origin, _V1)


def _load_v2(sample: Sample, request: ReadRequest) -> RawTable:
    table = _trials_of(sample, request, "stackai_v2", _V2_FIELDS)
    frame = table.frame
    answers = zip(frame["prediction"], frame["prompt_tokens"], strict=True)
    frame["failed"] = ["ok" if text or tokens else "error" for text, tokens in answers]
    known = {name: theirs for name, theirs in _V2.columns.items() if theirs in frame}
    return RawTable(frame, table.origin, replace(_V2, columns=known))


def _trials_of(
    sample: Sample, request: ReadRequest, format_name: str, fields: set[str]
) -> RawTable:
    """Return the trials of a file, with their repeats numbered."""
    table = load_json([sample], request)
    require_fields(table, {_TRIALS}, format_name, list)
    check_fields(table, {"model": "plain"}, format_name)
    runs = table.frame.to_dict("records")
    rows = [row if isinstance(row, dict) else {} for run in runs for row in run[_TRIALS]]
    frame = frame_of(rows)
    origin = Origin((Part(sample.name, len(frame), "trial"),))
    require_fields(RawTable(frame, origin), fields, format_name)
    check_fields(RawTable(frame, origin), dict.fromkeys(fields, "plain"), format_name)
    length = "context_length" if "context_length" in fields else "context_length_k"
    frame["trial"] = number_runs(frame[[length, "position", "passcode"]], frame["trial"])
    if "model" in table.frame and table.frame["model"].notna().any():
        frame["model"] = [run["model"] for run in runs for _ in run[_TRIALS]]
    return RawTable(frame, origin)


def _each(load_one: Callable[[Sample, ReadRequest], RawTable]) -> Load:
    def load(samples: Sequence[Sample], request: ReadRequest) -> list[RawTable]:
        return [load_one(sample, request) for sample in samples]

    return load


STACKAI_V1 = Format(
    name="stackai_v1",
    title="StackAI's replication of Lost in the Middle, first version, one JSON file",
    carries="length of the context in characters, depth, passcode as case, same prompts as "
    "repeats, right or wrong, output",
    lacks="language model (pass its name), length asked for, tokens, how requests failed",
    checked="files made after the published one",
    shapes=("json", "jsonl"),
    sniff=_sniff_v1,
    load=_each(_load_v1),
)

STACKAI_V2 = Format(
    name="stackai_v2",
    title="StackAI's replication of Lost in the Middle, second version, one JSON file",
    carries="language model, length asked for, tokens received, depth, passcode as case, right or "
    "wrong, failed requests as unscored trials, output",
    lacks="how requests failed, where the needle really went",
    checked="files made after the published one",
    shapes=("json", "jsonl"),
    sniff=_sniff_v2,
    load=_each(_load_v2),
)
