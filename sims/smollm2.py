"""What the sweep that ships says, by every method: ``python -m sims.smollm2``.

Accuracies, points, sets, tests and plans are the library's, and the kinds of failures are told by
the values that the answers name. What was seen by hand stands in ``sims/smollm2_seen.csv``. Equal
tables give a byte-identical page.
"""

import argparse
import csv
import json
import re
import sys
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import pandas as pd

import lcstats as lc
from lcstats.errors import LcstatsWarning
from lcstats.plots import plot_heatmaps, plot_methods, save_figure
from lcstats.report.fits import verdict
from sims.coverage_table import markdown
from sims.published_needles import ask_every_method, method_rows

OUT = Path("docs/evidence/smollm2-sweep.md")
SEEN = Path(__file__).with_name("smollm2_seen.csv")
MANIFEST = "smollm2_sweep.manifest.json"

BAR = 0.85
DIFFERENT = ("distractors", "growing-distractors", "single-needle")
"""Tasks with one answer, and so with a depth."""

PLANNED = {"distractors": "distractors", "single-needle": "single-needle"}
"""Tasks, and the built-in truths that stood for them before anything was run."""

TARGETS = ("hit=0.9", "within=0.99")
_NUMBER = re.compile(r"\d{4,}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit code."""
    parser = argparse.ArgumentParser("python -m sims.smollm2", description=__doc__)
    parser.add_argument("--out", type=Path, default=OUT, help=f"page ({OUT})")
    options = parser.parse_args(arguments)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LcstatsWarning)
        trials = lc.datasets.smollm2_sweep()
        options.out.write_text(make_page(trials, options.out), encoding="utf-8")
    return 0


def accuracy_rows(trials: lc.Trials) -> list[list[str]]:
    """Return a row for each task and length: trials, accuracy of guessing, mean and by depth."""
    fixed = trials.frame[trials.frame["stage"] == 0]
    return [
        [
            str(task),
            str(length),
            str(len(row)),
            f"{row['guess_rate'].mean():.2f}",
            f"{row['score'].mean():.2f}",
            *(f"{score:.2f}" for score in row.groupby("depth")["score"].mean()),
        ]
        for (task, length), row in fixed.groupby(["task", "length"])
    ]


def several_rows(frame: pd.DataFrame) -> list[list[str]]:
    """Return a row for each length of the task with four values: share, and all four."""
    rows = frame[(frame["task"] == "several-values") & (frame["stage"] == 0)]
    return [
        [
            str(length),
            str(len(row)),
            f"{row['n_found'].sum() / row['n_needles'].sum():.2f}",
            f"{row['score'].mean():.2f}",
            f"{(row['score'] == 1).mean():.2f}",
        ]
        for length, row in rows.groupby("length")
    ]


def kind_of_failure(output: str | None, answer: str, wrong: Sequence[str]) -> str:
    """Tell what an answer that is not right names instead.

    Examples
    --------
    >>> kind_of_failure(" 7654321.", "1234567", ["7654321", "2135"])
    "another key's value"
    >>> kind_of_failure(" 1234.", "1234567", ["2135"])
    'the beginning of the value'
    """
    named = _NUMBER.findall(output or "")
    if not named:
        return "no number"
    held = [value for value in named if value in wrong]
    if any(len(value) == len(answer) for value in held):
        return "another key's value"
    if held:
        return "a number of the filler"
    return "the beginning of the value" if answer.startswith(named[0]) else "in no text"


def failure_counts(frame: pd.DataFrame) -> dict[str, Counter[str]]:
    """Count the kinds of all failures of the tasks with one answer."""
    failed = frame[frame["task"].isin(DIFFERENT) & (frame["score"] < 1)]
    kinds: dict[str, Counter[str]] = {task: Counter() for task in DIFFERENT}
    for row in failed.fillna({"output": ""}).to_dict("records"):
        (answer,) = json.loads(row["answer"])
        kind = kind_of_failure(row["output"], answer, json.loads(row["wrong"]))
        kinds[row["task"]][kind] += 1
    return kinds


def plan_rows(trials: lc.Trials) -> list[list[str]]:
    """Return what the planner asks for before, from built-in truths, and what was spent."""
    fixed = trials.frame[trials.frame["stage"] == 0]
    rows = []
    for task, truth in PLANNED.items():
        spent = fixed[fixed["task"] == task]
        lengths, depths = sorted(spent["length"].unique()), sorted(spent["depth"].unique())
        per_cell = spent.groupby(["length", "depth"]).size()
        plans = [
            lc.plan_trials(truth, lengths, depths, lc.Criterion(BAR), target) for target in TARGETS
        ]
        rows.append(
            [
                task,
                truth,
                *(_asked(plan.recommended) for plan in plans),
                f"{per_cell.min()} to {per_cell.max()}",
            ]
        )
    return rows


def _asked(recommended: int | None) -> str:
    return "no number reaches it" if recommended is None else str(recommended)


def make_page(trials: lc.Trials, out: Path) -> str:
    """Return the page as Markdown, and draw its figures beside it."""
    depths = sorted(trials.frame["depth"].dropna().unique())
    heads = ["task", "tokens", "trials", "guessing", "mean", *(f"depth {d:g}" for d in depths)]
    cells = lc.count_cells(trials)
    cells = replace(cells, grids=tuple(grid for grid in cells.grids if grid.task in DIFFERENT))
    return f"""# A real sweep: SmolLM2-135M-Instruct

    python -m sims.smollm2

{_how_it_was_run()}

The table is `lcstats.datasets.smollm2_sweep()`, and `lcstats report --demo` shows it.

- With three distractors a guess among the values in the text is right one time in four: accuracies
  of **distractors** near {1 / 4:.2f} are chance.
- **growing-distractors** has a distractor for every 256 tokens. Length and the number of
  distractors grow together there, and what a loss is due to cannot be told apart.
- **single-needle** is a control with few trials, to show that the language model reads at all.

## Accuracy

{markdown(heads, accuracy_rows(trials))}

![Accuracy by length and depth of the tasks with a depth]({_draw_heatmaps(cells, out)})

Four values of one key (**several-values**), whose places are drawn at random: the share of the
values that were named, the score, which takes one away for every wrong value beside them, and how
often all four came without a wrong one.

{markdown(["tokens", "trials", "named", "score", "all four"], several_rows(trials.frame))}

## What the methods make of it

The bar is an accuracy of {BAR}.

{"".join(_section(cells.select(task=task), out) for task in DIFFERENT)}
## Planned and spent

Before the sweep there were no results to plan with. With the built-in truths the planner asks for
this many trials per cell of the same lengths and depths, for the raw cells' effective length under
the mean over depths:

{markdown(["task", "truth", *TARGETS, "spent"], plan_rows(trials))}

{_later_words(trials.frame)}

## Failures

All failures of the tasks with one answer, by what the answer names:

{_failure_table(trials.frame)}

{_seen_words()}
"""


def _how_it_was_run() -> str:
    manifest: dict[str, Any] = json.loads(
        files("lcstats.datasets").joinpath(MANIFEST).read_text("utf-8")
    )
    versions = ", ".join(f"{name} {number}" for name, number in manifest["versions"].items())
    commands = "\n".join(f"    {line}" for line in manifest["commands"])
    return f"""Run by these commands, greedily, on {manifest["system"]} with {versions};
the manifest beside the table holds tokenizer, template, seeds and every cell:

{commands}"""


def _draw_heatmaps(cells: lc.Cells, out: Path) -> str:
    target = out.with_name(f"{out.stem}-heatmaps.svg")
    axes: Any = plot_heatmaps(cells, words="accuracy", width="double")
    save_figure(axes[0].figure, target)
    return target.name


def _section(cells: lc.Cells, out: Path) -> str:
    task = cells.grid.task
    tested, answers = ask_every_method(cells, BAR)
    target = out.with_name(f"{out.stem}-{task}.svg")
    axes: Any = plot_methods(answers[0], width="double")
    save_figure(axes.figure, target)
    heads = ["tokens", *(answer.depth_in_words() for answer in answers)]
    quotes = "\n".join(
        f"- *{answer.depth_in_words().capitalize()}*: {answer.which_to_quote()}"
        for answer in answers
    )
    return f"""### {task}

{markdown(heads, method_rows(answers))}

{quotes}

The curve: {verdict(tested.goodness)}.

![Mean over depths of {task}: points, 95% sets and masses of all methods]({target.name})

"""


def _later_words(frame: pd.DataFrame) -> str:
    """Say what ``lcstats next`` asked for, and that it stays apart."""
    later = frame[frame["stage"] > 0]
    cells = later.groupby(["task", "length", "depth"]).size().reset_index(name="trials")
    rows = [
        [str(task), str(n), f"{d:g}", str(k)] for task, n, d, k in cells.itertuples(index=False)
    ]
    return f"""When the design was complete, `lcstats next` was asked once where to spend a small
budget, and its {len(later)} trials were run. They are marked `stage` 1 and belong to no set that
takes the numbers of trials as fixed in advance.

{markdown(["task", "tokens", "depth", "trials"], rows)}"""


def _failure_table(frame: pd.DataFrame) -> str:
    counts = failure_counts(frame)
    kinds = list(dict.fromkeys(kind for counter in counts.values() for kind in counter))
    rows = [[kind, *(str(counts[task][kind]) for task in DIFFERENT)] for kind in kinds]
    return markdown(["names", *DIFFERENT], rows)


def read_seen() -> list[dict[str, str]]:
    """Return the failures that were looked at by hand: case, length, depth and what was seen."""
    with SEEN.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _seen_words() -> str:
    seen = read_seen()
    counts = Counter(row["seen"] for row in seen)
    rows = [[kind, str(count)] for kind, count in counts.most_common()]
    return f"""{len(seen)} failures of all four tasks, drawn by `lcstats failures`, were looked at
by hand (`sims/smollm2_seen.csv`). None was cut short, refused, or in a form that the scoring could
not read, and none was right:

{markdown(["seen", "failures"], rows)}"""


if __name__ == "__main__":
    sys.exit(main())
