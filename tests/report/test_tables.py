import re

import numpy as np
import pandas as pd
import pytest

from lcstats.report.tables import latex_table, latex_text, markdown_table, text_rows, value_text

TABLE = pd.DataFrame(
    {
        "model": ["a_b & c", "<x>"],
        "effective_length": [">=131072", "<4096"],
        "share": [1 / 3, np.nan],
        "n": [20, 5],
        "headline": [True, False],
    }
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (r"a\b", r"a\textbackslash{}b"),
        ("{x}~^", r"\{x\}\textasciitilde{}\textasciicircum{}"),
        ("5% of $1 & #2_3", r"5\% of \$1 \& \#2\_3"),
        (">=4 <4 >4", r"$\geq$4 $<$4 $>$4"),
        ("a\nb", "a b"),
    ],
)
def test_latex_takes_text_as_text(text, shown):
    assert latex_text(text) == shown


def test_the_same_values_stand_in_latex_and_markdown():
    latex = latex_table(TABLE, "All.", label="tab:x")
    rows = [line[:-3].split(" & ") for line in latex.splitlines() if line.endswith(r"\\")]
    assert len(rows) == 1 + len(TABLE)
    assert rows[1][1:] == [r"$\geq$131072", "0.3333", "20", "yes"]
    markdown = markdown_table(TABLE, "All.").splitlines()
    assert markdown[-2] == r"| a_b & c | >=131072 | 0.3333 | 20 | yes |"
    assert markdown[-1] == r"| \<x> | \<4096 | - | 5 | no |"
    assert text_rows(TABLE)[1] == ["<x>", "<4096", "-", "5", "no"]


def test_latex_is_booktabs_with_balanced_environments():
    latex = latex_table(TABLE, "50% of all.", label="tab:x")
    assert re.findall(r"\\begin{(\w+)}", latex) == re.findall(r"\\end{(\w+)}", latex)[::-1]
    assert [latex.count(rf"\{rule}rule") for rule in ("top", "mid", "bottom")] == [1, 1, 1]
    assert r"\begin{tabular}{llrrl}" in latex
    assert r"\caption{50\% of all.}" in latex


def test_whole_floats_are_whole_and_long_ones_keep_four_digits():
    assert [value_text(v) for v in (220.0, 0.990909, 1.1e-33, pd.NA)] == [
        "220", "0.9909", "1.1e-33", "-",
    ]  # fmt: skip
