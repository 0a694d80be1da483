"""What the README says is what its commands give: chances, blocks, and the table of commands."""

import re
import shlex
from pathlib import Path

import click
import pytest

import lcstats as lc
from docs.blocks import find_blocks
from docs.figures.readme import answers, sentences
from lcstats.cli import cli

README = Path(__file__).resolve().parents[2] / "README.md"
TEXT = README.read_text(encoding="utf-8")
BLOCKS = [block for block in find_blocks(TEXT) if block.code.startswith(("lcstats ", "import "))]


def prose(text):
    """Return the text without code, on one line."""
    return " ".join(re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE).split())


def quoted_chances(text):
    """Return {trials per cell: hits of 100 attempts} as the text quotes them."""
    found = re.search(
        r"in (\d+) of 100 attempts with (\d+) trials per cell((?:,? (?:and )?in \d+ with \d+)*)",
        prose(text),
    )
    if found is None:
        return {}
    hits, trials, others = found.groups()
    pairs = [(hits, trials), *re.findall(r"in (\d+) with (\d+)", others)]
    return {int(trials): int(hits) for hits, trials in pairs}


def simulated_design(text):
    """Return truth, lengths and depths of the README's ``lcstats simulate``."""
    (line,) = [block.code for block in find_blocks(text) if "lcstats simulate" in block.code]
    command = cli.get_command(click.Context(cli), "simulate")
    given = command.make_context("simulate", shlex.split(line)[2:]).params
    return given["truth"], given["lengths"], given["depths"]


def computed_chances(text):
    """Return {trials per cell: hits of 100 attempts} as planning computes them."""
    trials = list(quoted_chances(text))
    plan = lc.plan_trials(*simulated_design(text), lc.Criterion(0.85), trials=trials)
    return {row.trials_per_cell: round(100 * row.hit_probability) for row in plan.rows}


def test_quoted_chances_are_the_computed_ones():
    assert len(quoted_chances(TEXT)) >= 2, (
        "the README quotes no chances; take this test out with them"
    )
    assert quoted_chances(TEXT) == computed_chances(TEXT)


def test_another_number_in_the_text_is_another_number_in_the_check():
    changed = re.sub(r"(\d+)(\s+of\s+100\s+attempts)", r"1\2", TEXT)
    assert quoted_chances(changed) != computed_chances(changed)


def test_the_quoted_true_length_is_that_of_the_design():
    (quoted,) = re.findall(
        r"true effective length, for a mean accuracy of 0\.85, is (\d+)K", prose(TEXT)
    )
    truth, lengths, depths = simulated_design(TEXT)
    plan = lc.plan_trials(truth, lengths, depths, lc.Criterion(0.85), trials=[5])
    assert list(plan.true_lengths) == [str(1024 * int(quoted))]


@pytest.mark.filterwarnings("ignore")
def test_blocks_run_in_order_and_print_what_is_shown(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert len(BLOCKS) >= 2
    assert [fault for block in BLOCKS for fault in block.faults()] == []


def test_the_table_has_every_command_and_only_flags_that_are():
    group = click.Context(cli)
    lines = re.findall(r"^\| `lcstats ([^`]+)` \|", TEXT, flags=re.MULTILINE)
    named = dict(line.partition(" ")[::2] for line in lines)
    assert named.keys() == set(cli.list_commands(group))
    for name, words in named.items():
        flags = {flag for option in cli.get_command(group, name).params for flag in option.opts}
        assert {word for word in words.split() if word.startswith("-")} <= flags


def test_the_sentences_under_the_figure_are_those_of_the_sweep():
    _, found = answers()
    assert " ".join(sentences(found).split()) in prose(TEXT)
