"""What the how-to pages are run on: made-up files, published ones; and what cannot be run."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pandas as pd

import lcstats as lc
from docs.tutorials import made_up
from lcstats.cli import cli
from lcstats.truths import mirrored_places, simulate_needles

LENGTHS = (4096, 8192, 16384, 32768)
DEPTHS = (0.0, 0.25, 0.5, 0.75, 1.0)

Maker = Callable[[Path], object]


def simulated(
    truth: str = "single-needle",
    *,
    model: str | None = None,
    task: str | None = None,
    seed: int = 1,
    n_trials: int = 8,
    columns: Mapping[str, str] | None = None,
) -> Maker:
    """Return what writes a table of simulated trials, under the names of columns that are given."""

    def write(path: Path) -> None:
        frame = lc.simulate_trials(truth, LENGTHS, DEPTHS, n_trials=n_trials, seed=seed).to_frame()
        given = {"model": model, "task": task}
        frame = frame.assign(**{name: text for name, text in given.items() if text is not None})
        write_frame(frame.rename(columns=columns or {}), path)

    return write


def write_frame(frame: pd.DataFrame, path: Path) -> None:
    """Write a table as its suffix says."""
    if path.suffix == ".jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_csv(path, index=False)


def both(first: Maker, second: Maker) -> Maker:
    """Return what writes two tables into one file."""

    def write(path: Path) -> None:
        parts = []
        for maker in (first, second):
            maker(path)
            parts.append(path.read_text(encoding="utf-8").splitlines(keepends=True))
        header = 0 if path.suffix == ".jsonl" else 1
        path.write_text("".join(parts[0] + parts[1][header:]), encoding="utf-8")

    return write


def text(content: str) -> Maker:
    """Return what writes a text."""
    return lambda path: path.write_text(content, encoding="utf-8")


def printed(*words: str) -> Maker:
    """Return what writes the object that a command prints with --json."""
    from click.testing import CliRunner

    def write(path: Path) -> None:
        path.write_text(CliRunner().invoke(cli, [*words, "--json"]).stdout, encoding="utf-8")

    return write


def layout(name: str) -> Maker:
    """Return what writes a folder in another program's layout."""
    return lambda path: made_up.main([name, str(path)])


def marks(path: Path) -> None:
    """Write judge's marks from 1 to 10, with the names of columns that a page shows."""
    frame = lc.simulate_trials("single-needle", LENGTHS, DEPTHS, n_trials=8, seed=1).to_frame()
    table = pd.DataFrame(
        {
            "ctx_len": [f"{length // 1024}K" for length in frame["length"]],
            "Depth %": 100 * frame["depth"],
            "judge_score": [9 if score else 1 for score in frame["score"]],
            "question_id": [f"q{number}" for number in range(len(frame))],
            "finish_reason": "stop",
        }
    )
    write_frame(table, path)


def failed(path: Path) -> None:
    """Write trials of which the longest length lost some to timeouts, and some were cut."""
    frame = lc.simulate_trials("single-needle", LENGTHS, DEPTHS, n_trials=8, seed=1).to_frame()
    frame["tokens_received"] = frame["length"]
    lost = frame.index[frame["length"] == LENGTHS[-1]]
    frame.loc[lost[::4], ["score", "status"]] = [None, "timeout"]
    frame.loc[lost[1::9], "tokens_received"] = 20000
    write_frame(frame, path)


def ends(path: Path) -> None:
    """Write trials at the two ends of the context."""
    frame = lc.simulate_trials("single-needle", LENGTHS, [0.0, 1.0], n_trials=20, seed=1).to_frame()
    write_frame(frame.assign(depth=frame["depth"].astype(int))[["length", "depth", "score"]], path)


def documents(path: Path) -> None:
    """Write trials whose evidence is one of several documents."""
    rows = [
        {"num_documents": number, "document_index": index, "correct": int(case < 8)}
        for number in (10, 20, 40)
        for index in (0, number // 2, number - 1)
        for case in range(10)
    ]
    write_frame(pd.DataFrame(rows), path)


def table_of_counts(names: str, *, share: bool = False) -> Maker:
    """Return what writes counts of 40 cases in a cell, or their means."""

    def write(path: Path) -> None:
        right = {4096: 40, 8192: 39, 16384: 37, 32768: 27}
        rows = [
            f"{length},{depth}{'' if names.count(',') == 2 else ',40'},{k / 40 if share else k}"
            for length, k in right.items()
            for depth in (0, 0.5, 1)
        ]
        path.write_text("\n".join([names, *rows]) + "\n", encoding="utf-8")

    return write


def needles(path: Path) -> None:
    """Write a folder of a task with four needles, one of distractors and one of two hops."""
    path.mkdir()
    for task in ("single-needle", "distractors"):
        simulated(task)(path / f"{task}.jsonl")
    hops = lc.simulate_trials("two-hop", LENGTHS, DEPTHS, n_trials=8, seed=1).to_frame()
    places = dict(zip(DEPTHS, mirrored_places(np.array(DEPTHS)).T.tolist(), strict=True))
    hops = hops.assign(n_needles=2, needle_depths=[places[depth] for depth in hops["depth"]])
    write_frame(hops, path / "two-hop.jsonl")
    several = simulate_needles([4096, 16384], [0.0, 0.5, 1.0], n_trials=8, seed=1)
    write_frame(several.frame, path / "needles.jsonl")


def timed(path: Path) -> None:
    """Write trials with the seconds and tokens that answers took."""
    frame = lc.simulate_trials("single-needle", LENGTHS, DEPTHS, n_trials=8, seed=1).to_frame()
    seconds = frame["length"] / 4000
    used = {"tokens_received": frame["length"], "output_tokens": 12}
    write_frame(frame.assign(ttft_s=seconds, latency_s=seconds + 0.5, **used), path)


def cases(path: Path) -> None:
    """Write two cases of one's own, with the text that they ask about."""
    lines = [
        {"id": f"own-{n}", "context": "The sky is blue. " * 40 * n, "question": "Which colour?"}
        for n in (1, 2)
    ]
    texts = [json.dumps({**line, "answers": ["blue"]}) for line in lines]
    path.write_text("\n".join(texts) + "\n", encoding="utf-8")


def graded(maker: Maker) -> Maker:
    """Return what writes the same table with marks from 1 to 10."""

    def write(path: Path) -> None:
        maker(path)
        frame = pd.read_csv(path)
        marked = frame.assign(score=1 + 8 * frame["score"]).rename(columns={"score": "judge_score"})
        write_frame(marked, path)

    return write


def folder_of(**files: Maker) -> Maker:
    """Return what writes a folder of tables."""

    def write(path: Path) -> None:
        path.mkdir(parents=True)
        for name, maker in files.items():
            maker(path / f"{name}.csv")

    return write


TWO_MODELS = both(
    simulated(model="A", task="needle"), simulated("distractors", model="B", task="needle")
)
PRICES = """[models."my-model"]
input_usd_per_million = 2.5
output_usd_per_million = 10
"""
LANGSMITH = "gpt4_retrieval_per_needle"
HEATMAP = "depth,4000,8000,16000,32000\n" + "".join(
    f"{depth},{means}\n"
    for depth, means in ((0, "1,0.95,0.95,0.8"), (50, "1,1,0.9,0.7"), (100, "0.95,0.95,0.95,0.75"))
)

MADE_UP: Mapping[str, Mapping[str, Maker]] = {
    "averages": {"two_tasks.csv": both(simulated(task="qa1"), simulated(task="qa2", seed=2))},
    "compare-two-models": {
        **{f"{name}.jsonl": simulated(model=name, seed=n) for n, name in enumerate("abc")},
        "old.jsonl": simulated(model="old", task="needle"),
        "new.jsonl": simulated("distractors", model="new", task="needle"),
        "old.csv": simulated(model="old", columns={"case": "question_id"}),
        "new.csv": simulated(model="new", seed=2, columns={"case": "question_id"}),
        "both.csv": TWO_MODELS,
        "all.csv": TWO_MODELS,
        "main.jsonl": simulated(model="main"),
        "change.jsonl": simulated(model="change"),
    },
    "figures": {
        "results": layout("kamradt"),
        "a": folder_of(a=graded(simulated(model="a"))),
        "b": folder_of(b=graded(simulated(model="b", seed=2))),
        "sweep.jsonl": timed,
    },
    "how-many-trials": {
        "pilot.csv": simulated(n_trials=4),
        "accuracies.csv": table_of_counts("length,depth,accuracy", share=True),
        "prices.toml": text(PRICES),
        "fit.json": lambda path: _fit(path),
        "plan.json": printed("plan", "--trials", "5,20"),
    },
    "missing-and-failed-trials": {"failed.jsonl": failed},
    "own-tables": {
        "marks.csv": marks,
        "ends.csv": ends,
        "documents.jsonl": documents,
        "counts.csv": table_of_counts("length,depth,n,k"),
        "means.csv": table_of_counts("length,depth,n,accuracy", share=True),
        "means-alone.csv": table_of_counts("length,depth,accuracy", share=True),
        "heatmap.csv": text(HEATMAP),
    },
    "report": {"results": folder_of(qa1=simulated(task="qa1"), notes=simulated(task="notes"))},
    "ruler": {"my-model": layout("ruler")},
    "run-a-sweep": {"cases.jsonl": cases},
    "several-needles": {"results": needles},
    "what-to-run-next": {"trials.jsonl": simulated(n_trials=4)},
}
"""By page and name: what writes the file or folder."""

PUBLISHED: Mapping[str, Mapping[str, str]] = {
    "babilong": {"babilong_evals": "babilong"},
    "compare-two-models": {"results": "infinitebench/results", "babilong": "babilong"},
    "evalscope": {
        "iq/reviews/qwen3-max/iquiz_IQ.jsonl": "evalscope/reviews_qwen3-max_iquiz_IQ.jsonl"
    },
    "infinitebench": {"ib_results": "infinitebench/results"},
    "inspect": {"logs": "inspect/generated"},
    "lm-evaluation-harness": {"lm_results": "lm_eval/generated"},
    "longbench": {"pred": "longbench_v1/pred", "results": "longbench_v2/results"},
    "needle-runners": {
        "claude_2_1": "kamradt_v1/claude_2_1",
        "context_rot": "context_rot",
        "kamradt_v2": "kamradt_v2_generated",
        "predictions": "longeval/lines/predictions",
        "langsmith": "kamradt_v1/multi_needle_langsmith",
        "original_position_scores.csv": "litm/viktortorp/gpt/original_position_scores.csv",
    },
    "ruler": {"llama3_8b_262k": "ruler/llama3_8b_262k"},
    "several-needles": {f"{LANGSMITH}.csv": f"kamradt_v1/multi_needle_langsmith/{LANGSMITH}.csv"},
}
"""By page and name: where it lies among the published results beside a clone."""

NO_FILES = "files of a program that are neither published nor made up here"
NOT_RUN: Mapping[tuple[str, str], str] = {
    ("evalscope", "outputs"): NO_FILES,
    ("inspect", "samples.csv.gz"): NO_FILES,
    ("lighteval", "details"): NO_FILES,
    ("longbench", "lv_eval/llama"): NO_FILES,
    ("longbench", "coursera.pred.jsonl"): NO_FILES,
    ("longbench", "topic_retrieval.pred.jsonl"): NO_FILES,
    ("longbench", "nq --filter"): NO_FILES,
    ("needle-runners", "nq-open-20_total"): NO_FILES,
    ("nolima-helmet-mrcr", "results_my-model"): NO_FILES,
    ("nolima-helmet-mrcr", "lcstats effective-length output"): NO_FILES,
    ("nolima-helmet-mrcr", "mrcr.jsonl"): NO_FILES,
    ("nolima-helmet-mrcr", "data_sample.json"): NO_FILES,
    ("nolima-helmet-mrcr", "flenqa.csv"): NO_FILES,
    ("nolima-helmet-mrcr", "gpt-x.jsonl"): NO_FILES,
    ("openai-evals", "evallogs"): NO_FILES,
    ("promptfoo", "promptfoo.json"): NO_FILES,
    ("ruler", "eval-results"): NO_FILES,
    ("compare-two-models", "--model openai:NAME"): "needs a server",
    ("compare-two-models", "--design regression --gate"): "needs the run of a server",
    ("run-a-sweep", "--model openai:my-model"): "needs a server",
    ("run-a-sweep", "--model hf:"): "needs the weights of a language model",
}
"""By page and words of the block: why it is not run."""


def _fit(path: Path) -> None:
    table = path.with_name("fitted.csv")
    simulated()(table)
    printed("fit", str(table))(path)
    table.unlink()
