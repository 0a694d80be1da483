"""Needle lists of LargeWorldModel/LWM (commit f45d2b7) and microsoft/MInference (fb56c91).

One JSON list per run, one object per trial. ``context_length`` is the length asked for in tokens
(about 200 of them are kept free), ``depth_percent`` the nominal depth in percent, ``correct``
whether the number is in the response. ``lwm_needle`` is one needle, written alike by both runners;
``lwm_needles`` is LWM's ``eval_needle_multi.py``: ``needles_info`` gives city, number and depth of
all needles, ``answer`` the numbers asked for, ``correct`` whether each was found, in that order.
Its depths are drawn at random for each trial, so a trial has needle depths and no depth.

``seed`` is the number of the round: it names the case within its cell, and the text of the
haystack, which all lengths and depths of a round share and which is the cluster.

Written from the runners' code and tried on files made for the tests; neither repository holds
results. Not recovered: the language model (MInference has it in the name of the file, in a form
that cannot be taken apart), tokens received, where the needle really went, failed requests.

Nobody guesses a number of several digits: the guess rate is 0.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from lcstats.readers.fields import FieldKind, check_fields
from lcstats.readers.formats import Format
from lcstats.readers.json_records import load_json
from lcstats.readers.nested import nested_values
from lcstats.readers.request import ReadRequest
from lcstats.readers.samples import Sample
from lcstats.trials import Knowledge, RawTable
from lcstats.trials.wording import counted

_ROUND = "seed"
_ONE_FIELDS = {"context_length", "depth_percent", "response", "answer", "correct", _ROUND}
_SEVERAL_FIELDS = {"context_length", "needles_info", "answer", "correct", _ROUND}
_NEEDLE_KINDS: Mapping[str, FieldKind] = {
    "needles_info{}": "list",
    "needles_info{}[0]": "plain",
    "needles_info{}[1]": "number",
    "answer[]": "plain",
    "correct[]": "mark",
}
_ONE_COLUMNS = {
    "case": _ROUND,
    "length": "context_length",
    "depth": "depth_percent",
    "score": "correct",
    "cluster": "haystack",
    "output": "response",
}
_SEVERAL_COLUMNS = {
    "task": "number of answers",
    "case": _ROUND,
    "length": "context_length",
    "score": "share of correct",
    "n_needles": "needles asked for",
    "n_found": "needles found",
    "needle_depths": "needles_info",
    "needle_found": "correct",
    "cluster": "haystack",
    "output": "response",
}
_WORKED_OUT = (
    *("number of answers", "share of correct", "needles asked for"),
    *("needles found", "needles_info", "correct"),
)


def _sniff_one(sample: Sample, columns: Mapping[str, str]) -> bool:
    return sample.record.keys() >= _ONE_FIELDS


def _sniff_several(sample: Sample, columns: Mapping[str, str]) -> bool:
    return sample.record.keys() >= _SEVERAL_FIELDS


def _load_one(samples: Sequence[Sample], request: ReadRequest) -> list[RawTable]:
    return [_complete(load_json(samples, request), _ONE_COLUMNS, {})]


def _load_several(samples: Sequence[Sample], request: ReadRequest) -> list[RawTable]:
    table = load_json(samples, request)
    check_fields(table, {_ROUND: "plain", "context_length": "plain"}, "lwm_needles")
    check_fields(table, _NEEDLE_KINDS, "lwm_needles", are_needed=True)
    fields = ("needles_info", "answer", "correct")
    rows = zip(*(nested_values(table.frame, field) for field in fields), strict=True)
    trials = [_needles_of(*row) for row in rows]
    added = {name: [trial.get(name) for trial in trials] for name in _WORKED_OUT}
    return [_complete(table, _SEVERAL_COLUMNS, added)]


def _needles_of(info: object, answers: object, correct: object) -> dict[str, Any]:
    """Match the numbers asked for with their depths; a trial that does not add up has no score."""
    if not (isinstance(info, dict) and isinstance(answers, list) and isinstance(correct, list)):
        return {"number of answers": "needles"}
    depth_of = {str(number): float(depth) for number, depth, *_ in info.values()}
    places = [depth_of.get(str(answer)) for answer in answers]
    n_needles = len(answers)
    named = {"number of answers": counted(n_needles, "needle"), "needles asked for": n_needles}
    depths = [round(place / 100, 9) for place in places if place is not None]
    if len(depths) == n_needles:
        named["needles_info"] = depths
    if len(correct) == n_needles > 0:
        found = [int(mark) for mark in correct]
        named |= {"correct": found, "needles found": sum(found)}
        named["share of correct"] = sum(found) / n_needles
    return named


def _complete(table: RawTable, columns: Mapping[str, str], added: dict[str, Any]) -> RawTable:
    frame = table.frame.assign(**added)
    if _ROUND in frame:
        frame["haystack"] = frame[_ROUND].map("round {}".format, na_action="ignore")
    known = {name: theirs for name, theirs in columns.items() if theirs in frame}
    knowledge = Knowledge(known, aliases=False, depth_unit="percent", score_scale="0-1")
    return replace(table, frame=frame, knowledge=knowledge)


LWM_NEEDLE = Format(
    name="lwm_needle",
    title="needle lists of LWM and MInference, one needle per trial",
    carries="length asked for, depth, right or wrong, round as case, haystack as cluster, output",
    lacks="language model, tokens received, real needle position, failed requests",
    checked="the runners' code; neither publishes results",
    shapes=("json",),
    sniff=_sniff_one,
    load=_load_one,
)

LWM_NEEDLES = Format(
    name="lwm_needles",
    title="needle lists of LWM, several needles per trial",
    carries="length asked for, needles asked for as task, share of them found, their depths and "
    "which were found, round as case, haystack as cluster, output",
    lacks="language model, tokens received, real needle positions, failed requests",
    checked="the runner's code; it publishes no results",
    shapes=("json",),
    sniff=_sniff_several,
    load=_load_several,
)
