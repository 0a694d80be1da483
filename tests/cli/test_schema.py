"""Every object that a command prints is what the JSON Schema says, with no field more or less."""

import copy
import json
from importlib.resources import files
from typing import get_args

import click
import jsonschema
import pandas as pd
import pytest
from click.testing import CliRunner
from jsonschema.exceptions import best_match

from lcstats import options
from lcstats.cli import cli
from lcstats.runner import Design, parse_task, run_sweep
from lcstats.truths import simulate_needles, simulate_trials

SCHEMA = json.loads((files("lcstats") / "schemas/lcstats.schema.json").read_text("utf-8"))
LENGTHS = (4096, 8192, 16384)
SETS = "default,certified,jeffreys,hybrid,strict,anytime"
JOINT = ("--joint", "single-needle", "--joint", "distractors:intercept,length")


def checker(name):
    """Return the validator of one command's object."""
    parts = {"$ref": f"#/$defs/{name}", "$defs": SCHEMA["$defs"]}
    return jsonschema.Draft202012Validator(parts)


def check(name, document):
    """Fail with the place and the words of the fault that says most."""
    fault = best_match(checker(name).iter_errors(document))
    assert fault is None, f"{fault.json_path}: {fault.message}"


def write_table(path, accuracies, *, depths=(0, 0.5, 1), model="alpha", case="", n_cases=10):
    """Write trials with one accuracy for each length; a depth of None is left empty."""
    lines = ["model,task,case,length,depth,score,status"]
    for length, accuracy in zip(LENGTHS, accuracies, strict=True):
        for depth in depths:
            for number in range(n_cases):
                place = "" if depth is None else depth
                score = int(number < round(accuracy * n_cases))
                lines.append(f"{model},needle,{case}{number},{length},{place},{score},ok")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """Small tables, by name: both ends of the lengths, and all that a table may lack."""
    folder = tmp_path_factory.mktemp("tables")
    made = {
        "falls": write_table(folder / "falls.csv", (1, 0.9, 0.4)),
        "new": write_table(folder / "new.csv", (1, 0.7, 0.3), model="beta"),
        "third": write_table(folder / "third.csv", (0.9, 0.9, 0.9), model="gamma"),
        "nothing-passes": write_table(folder / "low.csv", (0.5, 0.3, 0.2)),
        "beyond": write_table(folder / "high.csv", (1, 1, 1)),
        "no-depth": write_table(folder / "flat.csv", (1, 0.8, 0.5), depths=(None,), n_cases=30),
        "one-depth": write_table(folder / "one.csv", (1, 0.8, 0.5), depths=(0.5,), n_cases=30),
    }
    made["unscored"] = folder / "unscored.csv"
    text = made["falls"].read_text("utf-8")
    made["unscored"].write_text(text.replace(",16384,1,0,ok", ",16384,1,,timeout"), "utf-8")
    made["tasks"] = folder / "tasks.csv"
    head, *rows = text.splitlines()
    other = [row.replace(",needle,", ",other,") for row in rows]
    made["tasks"].write_text("\n".join([head, *rows, *other]) + "\n", "utf-8")
    made["counts"] = folder / "counts.csv"
    made["counts"].write_text(
        "model,length,depth,n,correct\n"
        "alpha,4096,0,20,20\nalpha,4096,0.5,20,19\nalpha,8192,0,20,12\nalpha,8192,0.5,20,14\n"
    )
    made["means"] = folder / "wide.csv"
    made["means"].write_text(",2048,4096\nLlama-2-7b,1.0,0.35\nYarn,0.9,0.8\n")
    singles = [
        simulate_trials(truth, LENGTHS, [0.0, 0.5, 1.0], n_trials=10, seed=1).frame
        for truth in ("single-needle", "distractors")
    ]
    made["joint"] = folder / "joint.jsonl"
    pd.concat(singles).to_json(made["joint"], orient="records", lines=True)
    trials = simulate_needles([1024, 65536], [0.0, 0.5, 1.0], n_trials=5, seed=1).frame
    for name, dropped in (
        ("needles", []),
        ("needle-counts", ["needle_found"]),
        ("all-or-not", ["needle_found", "n_found", "needle_depths"]),
    ):
        made[name] = folder / f"{name}.jsonl"
        trials.drop(columns=dropped).to_json(made[name], orient="records", lines=True)
    made["trials"] = folder / "trials.jsonl"
    design = Design.grid([parse_task("single-needle")], [512, 1024], [0.0, 1.0], n_trials=2)
    run_sweep("simulated:echo", design, made["trials"])
    return made


GRIDS = ("falls", "nothing-passes", "beyond", "no-depth", "one-depth", "unscored", "counts")
PLAN = ("--truth", "single-needle", "--lengths", "1K..8K", "--depths", 3)
RUN = ("--model", "simulated:curve", "--task", "single-needle", "--lengths", "512,1K")
CASES = [
    *(("read", name) for name in (*GRIDS, "tasks", "means", "needles")),
    *(("fit", name) for name in GRIDS),
    ("fit", "tasks", "--penalty", "none"),
    ("fit", "joint", *JOINT),
    *(("effective-length", name) for name in GRIDS),
    *(("effective-length", name, "--depth", "worst") for name in ("falls", "no-depth", "beyond")),
    ("effective-length", "falls", "--set", SETS, "--method", "observed,curve,flexible"),
    ("effective-length", "nothing-passes", "--method", "curve,flexible"),
    ("effective-length", "tasks", "--average-tasks", "--threshold-rule", "relative"),
    *(("needles", name) for name in ("needles", "needle-counts", "all-or-not")),
    ("compare", "falls", "new", "--gate", "regression"),
    ("compare", "nothing-passes", "beyond", "--gate", "noninferiority"),
    ("compare", "tasks", "tasks", "--gate", "regression"),
    ("compare", "counts", "counts", "--gate", "regression"),
    ("compare", "no-depth", "no-depth"),
    ("compare", "falls", "new", "third"),
    ("plan", *PLAN, "--trials", "5,20"),
    ("plan", *PLAN, "--target", "hit=0.8", "--price-in", 2, "--price-out", 8),
    ("plan", *PLAN, "--budget-tokens", "2M"),
    ("plan", *PLAN, "--method", "curve", "--trials", 5, "--simulations", 20),
    ("plan", "--target", "power=0.8", "--difference", 0.1, "--correlation", 0.5),
    ("plan", "--target", "half-width=0.1"),
    ("plan", "--target", "certify"),
    ("next", "falls", "--budget-tokens", "1M"),
    (
        "next",
        "no-depth",
        "--budget-usd",
        2,
        "--price-in",
        2,
        "--price-out",
        8,
        "--output-tokens",
        9,
    ),
    ("next", "beyond", "--budget-tokens", "1M", "--until", "set-size=9"),
    ("run", *RUN, "--trials", 2, "--depths", 2, "-o", "OUT.jsonl"),
    ("run", *RUN, "--trials", 1, "--depths", 2, "-o", "OUT.jsonl", "--price-in", 2),
    ("run", *RUN, "--trials", 2, "--depths", 2, "--dry-run"),
    ("rescore", "trials", "-o", "OUT.jsonl", "--scoring", "contains"),
    *(("failures", name) for name in ("falls", "beyond", "trials", "needles")),
    ("simulate", "--lengths", "1K,2K", "--depths", 2, "--trials", 2, "-o", "OUT.csv"),
    ("formats",),
    ("plot", "heatmap", "tasks", "-o", "OUT.svg"),
    *(("report", name, "-o", "OUT") for name in ("unscored", "needles", "no-depth", "trials")),
]


@pytest.fixture(scope="module")
def printed(tables, tmp_path_factory):
    """Return the object that a command prints, once for all tests that look at it."""
    kept = {}

    def call(case):
        if case not in kept:
            folder = tmp_path_factory.mktemp("out")
            words = [str(word).replace("OUT", str(folder / "out")) for word in case[1:]]
            words = [str(tables.get(word, word)) for word in words]
            done = CliRunner().invoke(cli, [case[0], *words, "--json"])
            # A gate that fails the change has printed its object all the same.
            assert done.exit_code in (0, 1), done.output
            kept[case] = json.loads(done.stdout)
        return kept[case]

    return call


@pytest.mark.slow
@pytest.mark.usefixtures("svg_only")
@pytest.mark.parametrize("case", CASES, ids=lambda case: " ".join(map(str, case)))
def test_what_a_command_prints_is_what_the_schema_says(case, printed):
    check(case[0], printed(case))


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_every_command_with_json_is_described_and_run():
    context = click.Context(cli)
    commands = [cli.get_command(context, name) for name in cli.list_commands(context)]
    with_json = {c.name for c in commands if any("--json" in p.opts for p in c.params)}
    assert with_json == {case[0] for case in CASES}
    assert with_json == {part["$ref"].removeprefix("#/$defs/") for part in SCHEMA["anyOf"]}


def test_no_object_may_have_further_fields():
    objects = [part for part in SCHEMA["$defs"].values() if "anyOf" not in part]
    assert all(part["additionalProperties"] is False for part in objects)


ANSWER = ("effective-length", "nothing-passes")


def spoil_length(document):
    document["groups"][0]["estimates"][0]["length"] = 0


def spoil_end(document):
    document["groups"][0]["estimates"][0]["sets"][0]["lower"] = 0


def spoil_mass(document):
    document["groups"][0]["estimates"][0]["masses"]["bootstrap"]["<4096"] = 1.5


def leave_out(document):
    del document["groups"][0]["headline"]


def add(document):
    document["groups"][0]["estimates"][0]["mean_length"] = 4096


def rename_status(document):
    document["groups"][0]["estimates"][0]["status"] = "below"


def raise_version(document):
    document["schema_version"] = 2


@pytest.mark.parametrize(
    ("spoil", "path"),
    [
        (spoil_length, "$.groups[0].estimates[0].length"),
        (spoil_end, "$.groups[0].estimates[0].sets[0].lower"),
        (spoil_mass, "$.groups[0].estimates[0].masses.bootstrap['<4096']"),
        (leave_out, "$.groups[0]"),
        (add, "$.groups[0].estimates[0]"),
        (rename_status, "$.groups[0].estimates[0].status"),
        (raise_version, "$.schema_version"),
    ],
)
def test_a_wrong_object_is_refused_where_it_is_wrong(spoil, path, printed):
    document = copy.deepcopy(printed(ANSWER))
    spoil(document)
    (fault,) = checker("effective-length").iter_errors(document)
    assert fault.json_path == path


def test_a_length_that_does_not_exist_is_null(printed):
    (estimate,) = printed(ANSWER)["groups"][0]["estimates"][:1]
    assert (estimate["length"], estimate["display"]) == (None, "<4096")


@pytest.mark.parametrize(
    ("part", "field", "words"),
    [
        ("estimate", "method", options.Method),
        ("criterion", "rule", options.ThresholdRule),
        ("fit_group", "penalty", options.Penalty),
        ("compared_task", "verdict", options.Verdict),
        ("gate", "kind", options.GateKind),
        ("plan", "engine", options.Engine),
        ("target", "kind", options.TargetKind),
        ("term_test", "kind", options.TermTestKind),
        ("sheet_task", "kind", options.TaskKind),
        ("settings", "axis", options.Axis),
        ("settings", "repeats", options.Repeats),
    ],
)
def test_words_are_those_that_the_options_know(part, field, words):
    assert set(SCHEMA["$defs"][part]["properties"][field]["enum"]) == set(get_args(words))
