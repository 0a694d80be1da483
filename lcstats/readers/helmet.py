"""Results of princeton-nlp/HELMET (commit 4526dfb): one JSON file per data set and length.

``output/MODEL/DATASET_TAG_TEST_in131072_size100_....json`` holds ``args``, ``data`` (an item per
trial, with its metrics), ``metrics`` and ``averaged_metrics``. The length is the ``in`` of the
file's name, the most tokens that a prompt may have; ``args.input_max_length`` is taken where the
name was changed, less the 32768 tokens that thinking adds. ``input_len`` is what the prompt had, in
the tokens of the language model: it stays under its own name, for prompts are meant to be shorter.
The task is the data set as the suite sums it up (``json_kv``, ``narrativeqa``), and the score that
data set's own metric: recall of a list, exact match, NDCG, F1 of ROUGE. ``gpt-4-score`` is from 0
to 3, fluency times correctness, and is divided by 3; such scores are in ``-gpt4eval_o.json``, which
is read in place of the file it was made from. ``depth`` is that of the item, where it has one.

Choices and classes have a guess rate: 1/4, or one over the number of classes. The case is a digest
of question, answer and depth; files that ask the same, of several seeds say, are repeats, which is
said with what else they differ in. A request that gave nothing is not written, and a notice says
how many are missing. ``.json.score`` files hold means alone and are left out, as are data sets
whose metric is not known here; both are named. Written from the
runner's code: not checked on a real file.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from lcstats.errors import FormatError, LcstatsWarning, Notice, UnscoredWarning, describe
from lcstats.readers.fields import require_fields
from lcstats.readers.formats import Format
from lcstats.readers.json_records import frame_of, load_json
from lcstats.readers.request import ReadRequest
from lcstats.readers.runs import number_runs_of_files, short_digest
from lcstats.readers.samples import Sample
from lcstats.trials import Knowledge, Origin, Part, RawTable
from lcstats.trials.wording import counted

_FIELDS = {"args", "data", "averaged_metrics"}
_MEANS = {"input_len", "output_len"}
_IN = re.compile(r"_in(\d+)_size")
_JUDGED = "-gpt4eval_o"
_THOUGHTS = 32_768
_GPT_4_MARKS = "gpt4-scores"
_HIGHEST_MARK = 3
_RULER = (
    *("niah_s_1", "niah_s_2", "niah_s_3", "niah_mk_1", "niah_mk_2", "niah_mk_3"),
    *("niah_mq", "niah_mv", "fwe", "cwe", "vt"),
)
METRICS: Mapping[str, str] = {
    **dict.fromkeys(("json_kv", "nq", "popqa", "triviaqa", "hotpotqa"), "substring_exact_match"),
    **{f"ruler_{name}": "ruler_recall" for name in _RULER},
    **dict.fromkeys(("ruler_qa_1", "ruler_qa_2"), "substring_exact_match"),
    "msmarco_rerank_psg": "NDCG@10",
    **dict.fromkeys(("trec_coarse", "trec_fine", "banking77", "clinic150", "nlu"), "exact_match"),
    "narrativeqa": "gpt-4-score",
    "infbench_qa": "rougeL_f1",
    "infbench_choice": "exact_match",
    **dict.fromkeys(("infbench_sum", "multi_lexsum"), "gpt-4-f1"),
    "alce_asqa": "str_em",
    "alce_qampari": "qampari_rec_top5",
}
"""The metric by which the suite sums up a data set; of several, the first."""

_GUESS_RATES = {
    "infbench_choice": 1 / 4,
    "trec_coarse": 1 / 6,
    "trec_fine": 1 / 50,
    "banking77": 1 / 77,
    "clinic150": 1 / 151,
    "nlu": 1 / 68,
}
_LONG = frozenset({"input_text", "question", "answer", "demos", "ctxs", _GPT_4_MARKS})
_MEANS_ALONE = "means alone"
_IN_ANOTHER_FILE = "items that are judged in another file"
_UNKNOWN = "items of a data set that is not among those with a known metric"
_UNJUDGED = "no item with the metric of its data set (a judge may have to be run)"
_PLACES = ("output_dir", "config", "overwrite", "debug", "count_tokens", "num_workers", "tag")
"""Arguments that do not bear on the answers."""

_SWEEP = ["args.model_name_or_path", "dataset", "input_max_length"]
_COLUMNS = {
    "model": "args.model_name_or_path",
    "task": "dataset",
    "case": "question and answer",
    "length": "input_max_length",
    "depth": "depth",
    "score": "score by its metric",
    "guess_rate": "guess rate",
    "output": "output",
}


@dataclass(frozen=True, slots=True, eq=False)
class _Loaded:
    """A file, what tells its run from others, and the arguments that bear on its answers."""

    table: RawTable
    run: str
    args: Mapping[str, Any]


def _sniff(sample: Sample, columns: Mapping[str, str]) -> bool:
    record = sample.record
    if _is_means(sample):
        return True
    return record.keys() >= _FIELDS and isinstance(record["data"], list)


def _is_means(sample: Sample) -> bool:
    values = sample.record.values()
    return sample.record.keys() >= _MEANS and all(isinstance(v, int | float) for v in values)


def _load(samples: Sequence[Sample], request: ReadRequest) -> list[RawTable]:
    judged = {sample.source.given for sample in samples if _JUDGED in sample.source.given}
    aside: dict[str, list[Sample]] = {}
    loaded: list[_Loaded] = []
    for sample in samples:
        found = _load_one(sample, request, judged)
        if isinstance(found, _Loaded):
            loaded.append(found)
        else:
            aside.setdefault(found, []).append(sample)
    if not loaded:
        raise _without_scores(aside)
    tables, run_notices = number_runs_of_files(
        [one.table for one in loaded], [one.run for one in loaded], request
    )
    notices = (*_aside_notices(aside), *run_notices)
    if run_notices:
        notices = (*notices, *_difference_notices(loaded))
    return [replace(tables[0], notices=(*notices, *tables[0].notices)), *tables[1:]]


def _load_one(sample: Sample, request: ReadRequest, judged: Collection[str]) -> _Loaded | str:
    """Load a file; the reason, if it is left out."""
    if _is_means(sample):
        return _MEANS_ALONE
    if sample.source.given.replace(".json", f"{_JUDGED}.json") in judged:
        return _IN_ANOTHER_FILE
    table = load_json([sample], request)
    require_fields(table, {"args"}, "helmet", dict)
    require_fields(table, {"data"}, "helmet", list)
    run = table.frame.iloc[0]
    args = run["args"]
    items = [item if isinstance(item, dict) else {} for item in run["data"]]
    dataset = _dataset_of(str(args.get("datasets") or sample.source.stem))
    metric = METRICS.get(dataset or "", "")
    scores = [_score_of(item, metric) for item in items]
    if dataset is None:
        return _UNKNOWN
    if all(score is None for score in scores):
        return _UNJUDGED
    frame = frame_of([{k: v for k, v in item.items() if k not in _LONG} for item in items])
    added: dict[str, Any] = {
        "args.model_name_or_path": str(args.get("model_name_or_path") or sample.source.folder),
        "dataset": dataset,
        "question and answer": _cases_of(items),
        "input_max_length": _length_of(sample, args),
        "score by its metric": scores,
        "guess rate": _GUESS_RATES.get(dataset, 0.0),
    }
    frame = frame.assign(**added)
    known = {name: theirs for name, theirs in _COLUMNS.items() if theirs in frame}
    table = replace(
        table,
        frame=frame,
        origin=Origin((Part(sample.name, len(frame), "item"),)),
        knowledge=Knowledge(known, aliases=False, score_scale="0-1"),
        notices=(*table.notices, *_missing_notices(sample, args, len(items))),
    )
    args = {name: value for name, value in args.items() if name not in _PLACES}
    return _Loaded(table, short_digest(args, run["data"]), args)


def _dataset_of(name: str) -> str | None:
    """Return the data set as the suite sums it up: ``narrativeqa`` of ``narrativeqa_130772``."""
    return next((dataset for dataset in METRICS if dataset in name), None)


def _score_of(item: Mapping[str, Any], metric: str) -> float | None:
    """Return the score of an item in [0, 1]; None if it has none."""
    marks = item.get(_GPT_4_MARKS)
    if metric == "gpt-4-score" and isinstance(marks, dict):
        fluency, correctness = marks.get("fluency"), marks.get("correctness")
        if isinstance(fluency, int | float) and isinstance(correctness, int | float):
            return fluency * correctness / _HIGHEST_MARK
    value = item.get(metric)
    return float(value) if isinstance(value, int | float) else None


def _cases_of(items: Sequence[Mapping[str, Any]]) -> pd.Series:
    """Name the items by question, answer and depth, and number those that share them."""
    fields = ("id", "qid", "question", "answer", "depth")
    digests = pd.Series([short_digest(*map(item.get, fields)) for item in items])
    occurrence = digests.groupby(digests).cumcount()
    return digests.where(occurrence == 0, digests + "-" + (occurrence + 1).astype("str"))


def _length_of(sample: Sample, args: Mapping[str, Any]) -> int:
    match = _IN.search(sample.source.stem)
    if match is not None:
        return int(match[1])
    try:
        length = int(args["input_max_length"])
    except (KeyError, TypeError, ValueError):
        raise FormatError(
            describe(
                f"{sample.name} does not say its length, in its name or as args.input_max_length",
                "expected a name such as json_kv_eval_test_k1800_dep6_in131072_size100_....json",
                "give it back the name that HELMET gave it",
            )
        ) from None
    return length - _THOUGHTS if args.get("thinking") else length


def _missing_notices(sample: Sample, args: Mapping[str, Any], n_items: int) -> tuple[Notice, ...]:
    wanted = args.get("max_test_samples")
    if not isinstance(wanted, int) or wanted <= n_items:
        return ()
    message = f"{n_items} of up to {wanted} items there: requests that gave nothing are not written"
    return (Notice("items-missing", f"{sample.name}: {message}", UnscoredWarning),)


def _difference_notices(loaded: Sequence[_Loaded]) -> Iterator[Notice]:
    """Say in what else than the seed the runs of a data set at a length differ."""
    groups: dict[tuple[object, ...], list[Mapping[str, Any]]] = {}
    for one in loaded:
        groups.setdefault(tuple(one.table.frame.iloc[0][_SWEEP]), []).append(one.args)
    for (_, task, length), (first, *others) in groups.items():
        names = {name for args in others for name in _different(first, args)} - {"seed"}
        if names:
            message = f"{task} at {length}: runs differ in {', '.join(sorted(names))}"
            yield Notice("runs-differ", f"{message}; name fewer files if they are no repeats")


def _different(one: Mapping[str, Any], other: Mapping[str, Any]) -> set[str]:
    return {name for name in {*one, *other} if one.get(name) != other.get(name)}


def _without_scores(aside: Mapping[str, Sequence[Sample]]) -> FormatError:
    why, (sample, *_) = min(aside.items(), key=lambda item: item[0] == _MEANS_ALONE)
    return FormatError(
        describe(
            f"{sample.name} holds {why}",
            f"expected items of {', '.join(METRICS)} with their metric",
            "read the .json that eval.py writes, or the -gpt4eval_o.json of the judge",
        )
    )


def _aside_notices(aside: Mapping[str, Sequence[Sample]]) -> Iterator[Notice]:
    for why, samples in aside.items():
        names = ", ".join(sample.name for sample in samples[:3]) + ", ..." * (len(samples) > 3)
        category = LcstatsWarning if why in (_MEANS_ALONE, _IN_ANOTHER_FILE) else UnscoredWarning
        message = f"{counted(len(samples), 'file')} left out, with {why}: {names}"
        yield Notice("other-files", message, category)


HELMET = Format(
    name="helmet",
    title="HELMET, one JSON file per data set and length",
    carries="language model, data set as task, most tokens of a prompt as length, depth where the "
    "item has one, score by the data set's metric, guess rate, digest of question and answer as "
    "case, files that ask the same as repeats, metrics, tokens of the prompt (input_len), output",
    lacks="requests that gave nothing (never written: how many is said), scores that need a judge "
    "before it was run, marks of single summaries",
    checked="the code of the runner; not checked on a real file",
    shapes=("json", "jsonl"),
    sniff=_sniff,
    load=_load,
)
