"""What a terminal is told while something takes its time."""

import io
import sys

import pytest

from lcstats.cli.output import working_on


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_is_told_and_the_line_is_taken_back(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with working_on("Reading big.csv"):
        assert terminal.getvalue() == "Reading big.csv ..."
    assert terminal.getvalue().endswith("\r\033[K")


def test_it_is_taken_back_after_a_failure_too(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with pytest.raises(ValueError, match="no"), working_on("Reading"):
        raise ValueError("no")
    assert terminal.getvalue().endswith("\r\033[K")


def test_a_file_gets_nothing(monkeypatch):
    file = io.StringIO()
    monkeypatch.setattr(sys, "stderr", file)
    with working_on("Reading"):
        pass
    assert file.getvalue() == ""
