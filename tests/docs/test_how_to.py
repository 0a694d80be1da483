"""The how-to pages name every format; their commands parse and their links lead somewhere."""

import ast
import re
import shlex
from pathlib import Path

import click
import pytest

import lcstats
from lcstats.cli import cli
from lcstats.readers.registry import list_formats

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = {page.name: page.read_text(encoding="utf-8") for page in (DOCS / "how-to").glob("*.md")}
BLOCK = re.DOTALL | re.MULTILINE


def blocks(language):
    """Yield page and text of every code block in a language."""
    for name, text in sorted(PAGES.items()):
        for block in re.findall(rf"^```{language}\n(.*?)^```", text, flags=BLOCK):
            yield pytest.param(block, id=f"{name}: {block.strip()[:60]}")


def prose(text):
    return re.sub(r"^```.*?^```", "", text, flags=BLOCK)


def flags_of(command):
    return {flag for option in command.params for flag in (*option.opts, *option.secondary_opts)}


def parse(line):
    """Parse a command line as the program does, without running it; missing files may pass."""
    program, name, *words = shlex.split(line)
    assert program == "lcstats"
    group = click.Context(cli)
    command = cli.get_command(group, name)
    assert command is not None, f"lcstats has no command {name}"
    return command.make_context(name, words, parent=group)


@pytest.mark.parametrize("format_name", [format.name for format in list_formats()])
def test_every_format_has_a_page(format_name):
    listed = {
        name
        for text in PAGES.values()
        for line in re.findall(r"^Formats?: (.*?)\.$", text, flags=BLOCK)
        for name in re.findall(r"`(\w+)`", line)
    }
    assert format_name in listed


@pytest.mark.parametrize("block", list(blocks("sh")))
def test_commands_parse(block):
    for line in block.splitlines():
        assert parse(line).args == []


def test_a_command_that_does_not_parse_is_seen():
    with pytest.raises(click.NoSuchOption):
        parse("lcstats read results --score-treshold 7")
    with pytest.raises(click.BadParameter):
        parse("lcstats effective-length results --threshold-rule relativ")


def test_flags_in_sentences_are_flags():
    context = click.Context(cli)
    commands = [cli.get_command(context, name) for name in cli.list_commands(context)]
    known = set().union(*(flags_of(command) for command in commands if command))
    # Flags of other programs, which the pages name.
    known |= {"--log_samples", "--save-details", "--repeat"}
    named = {flag for text in PAGES.values() for flag in re.findall(r"`(--[\w-]+)", prose(text))}
    assert named
    assert named <= known


@pytest.mark.parametrize("block", list(blocks("python")))
def test_python_names_what_is_there(block):
    names = {
        node.attr
        for node in ast.walk(ast.parse(block))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "lc"
    }
    assert names <= set(lcstats.__all__)


def targets():
    pages = {f"how-to/{name}": text for name, text in PAGES.items()}
    pages["glossary.md"] = (DOCS / "glossary.md").read_text(encoding="utf-8")
    pages["../README.md"] = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    for name, text in sorted(pages.items()):
        for target in re.findall(r"\]\(([^)#:]+)\)", prose(text)):
            yield pytest.param(DOCS / name, target, id=f"{name}: {target}")


@pytest.mark.parametrize(("page", "target"), list(targets()))
def test_links_lead_somewhere(page, target):
    assert (page.parent / target).exists()


def test_every_page_is_on_the_index():
    linked = set(re.findall(r"\]\(([\w-]+\.md)\)", PAGES["index.md"]))
    assert linked == set(PAGES) - {"index.md"}


def test_pages_name_no_place_of_a_machine():
    for text in PAGES.values():
        assert not re.search(r"(?<![\w./])/(home|tmp|work|usr|root|Users)/", text)
