"""Shell cells of tutorials print what the shell prints, byte for byte and in one piece."""

import io
import json
import subprocess
import warnings
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from docs import shell_cells

DOCS = Path(__file__).resolve().parents[2] / "docs"
CELL = """
for i in $(seq 400); do printf 'word%s ' $i; done
printf '\\n\\n  indented, after an empty line\\n'
echo "a warning" >&2
printf 'no newline at the end, µ'
"""


class Pieces(io.StringIO):
    """Standard output that counts how often it is written to."""

    def __init__(self):
        super().__init__()
        self.n_writes = 0

    def write(self, text):
        self.n_writes += 1
        return super().write(text)


def printed(cell):
    """Return what a cell prints, once it has printed it."""
    with redirect_stdout(Pieces()) as pieces:
        shell_cells.bash("", cell)
    return pieces


def test_output_is_what_the_shell_printed_in_one_piece(tmp_path):
    script = tmp_path / "cell.sh"
    script.write_text(CELL, encoding="utf-8")
    with (tmp_path / "terminal").open("w+b") as terminal:
        subprocess.run(["bash", script], stdout=terminal, stderr=terminal, check=True)
        terminal.seek(0)
        expected = terminal.read().decode()
    pieces = printed(CELL)
    assert max(map(len, expected.splitlines())) > 2000
    assert pieces.getvalue() == expected
    assert pieces.n_writes == 1


def test_a_cell_that_fails_fails_and_shows_what_it_printed():
    with redirect_stdout(Pieces()) as pieces, pytest.raises(subprocess.CalledProcessError):
        shell_cells.bash("", "echo before; false")
    assert pieces.getvalue() == "before\n"


def test_a_cell_cannot_wait_for_input():
    assert printed("cat; echo done").getvalue() == "done\n"


class Shell:
    """What IPython hands to an extension."""

    def __init__(self):
        self.magics = {}

    def register_magic_function(self, function, kind):
        self.magics[kind, function.__name__] = function


def test_warnings_name_no_place():
    text = shell_cells.format_warning("few cases", UserWarning, "/tmp/cell.py", 1, line="x")
    assert text == "UserWarning: few cases\n"


def test_the_kernel_of_the_pages_loads_it(monkeypatch):
    monkeypatch.setattr("warnings.formatwarning", None)
    kernel = json.loads((DOCS / "kernels/python3/kernel.json").read_text("utf-8"))
    assert f"--ext={shell_cells.__name__}" in kernel["argv"]
    shell = Shell()
    with redirect_stdout(Pieces()) as pieces:
        shell_cells.load_ipython_extension(shell)
    assert shell.magics == {("cell", "bash"): shell_cells.bash}
    assert pieces.flush_interval == shell_cells.AT_THE_END
    assert warnings.formatwarning is shell_cells.format_warning
