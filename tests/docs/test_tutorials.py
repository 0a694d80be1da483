"""Tutorials and gallery: commands parse, made-up data read as said, no figure is left out."""

import re
import shlex
from contextlib import nullcontext
from pathlib import Path

import click
import pytest

import lcstats as lc
from docs.tutorials import made_up
from lcstats.cli import cli

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = sorted((DOCS / "tutorials").glob("*.md"))


def commands(page):
    """Yield the command lines of a page's shell cells."""
    cells = re.findall(
        r"^```\{code-cell\}\n%%bash\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE
    )
    for line in "\n".join(cells).splitlines():
        if match := re.match(r"\s*(lcstats .*?)(?: \|\| true| \| .*| > .*|; .*)?$", line):
            yield match[1]


def test_pages_have_commands():
    assert sum(bool(list(commands(page))) for page in PAGES) >= 6


@pytest.mark.parametrize(
    "line",
    [pytest.param(line, id=f"{page.stem}: {line}") for page in PAGES for line in commands(page)],
)
def test_commands_parse(line):
    _, name, *words = shlex.split(line.replace("$name", "perfect"))
    group = click.Context(cli)
    command = cli.get_command(group, name)
    assert command is not None, f"lcstats has no command {name}"
    assert command.make_context(name, words, parent=group).args == []


@pytest.mark.parametrize(
    ("layout", "options", "format_name", "n_trials", "n_cases"),
    [
        ("kamradt", {"score_threshold": 7}, "kamradt_v1", 225, 225),
        ("ruler", {}, "ruler", 900, 900),
        ("inspect", {}, "inspect", 1296, 432),
    ],
)
def test_made_up_results_read_as_their_pages_say(
    layout, options, format_name, n_trials, n_cases, tmp_path
):
    assert made_up.main([layout, str(tmp_path / made_up.MODEL)]) == 0
    with pytest.warns(lc.errors.LcstatsWarning) if layout == "inspect" else nullcontext():
        trials = lc.read_trials(tmp_path, **options)
    assert trials.reading.format == format_name
    assert (trials.n_trials, trials.n_cases) == (n_trials, n_cases)


def test_equal_seeds_write_equal_files():
    for files in made_up.LAYOUTS.values():
        assert list(files()) == list(files())


def test_every_figure_is_in_the_gallery():
    drawn = {
        name
        for page in (DOCS / "gallery").glob("plot_*.py")
        for name in re.findall(r"lc\.plots\.(plot_\w+)\(", page.read_text("utf-8"))
    }
    assert {name for name in lc.plots.__all__ if name.startswith("plot_")} <= drawn
