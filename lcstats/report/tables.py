"""Tables as LaTeX and Markdown, with the same words and numbers in both."""

import re
from collections.abc import Callable, Sequence

import pandas as pd

DIGITS = 4
"""Significant digits of numbers that are not whole."""

NOTHING = "-"
"""Stands for a value that there is none of."""

_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    ">=": r"$\geq$",
    "<": "$<$",
    ">": "$>$",
    **{sign: f"\\{sign}" for sign in "#$%&_"},
}
_LATEX_SIGNS = re.compile("|".join(re.escape(sign) for sign in sorted(_LATEX, reverse=True)))
_MARKDOWN_SIGNS = re.compile(r"[\\`*\[\]<|#~]|(?<![^\W_])_|_(?![^\W_])")


def latex_text(text: object) -> str:
    r"""Write text so that LaTeX takes it as text, on one line.

    Examples
    --------
    >>> print(latex_text("a_b >=131072 50%"))
    a\_b $\geq$131072 50\%
    """
    plain = " ".join(str(text).split())
    return _LATEX_SIGNS.sub(lambda sign: _LATEX[sign[0]], plain)


def markdown_text(text: object) -> str:
    r"""Write text so that Markdown takes it as text, on one line.

    Examples
    --------
    >>> print(markdown_text("a|b_c <d>"))
    a\|b_c \<d>
    """
    return _MARKDOWN_SIGNS.sub(r"\\\g<0>", " ".join(str(text).split()))


def value_text(value: object) -> str:
    """Write a value of a table: whole numbers whole, others to four digits.

    Examples
    --------
    >>> [value_text(value) for value in (131072, 0.85, 1 / 3, True, None, float("nan"), "<4096")]
    ['131072', '0.85', '0.3333', 'yes', '-', '-', '<4096']
    """
    if value is None or value is pd.NA or value != value:
        return NOTHING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else f"{value:.{DIGITS}g}"
    return str(value)


def text_rows(table: pd.DataFrame) -> list[list[str]]:
    """Return the values of a table as they are written, row by row."""
    columns = [table[name].astype(object) for name in table]
    return [[value_text(value) for value in row] for row in zip(*columns, strict=True)]


def markdown_table(table: pd.DataFrame, caption: str) -> str:
    r"""Return a table in Markdown.

    Examples
    --------
    >>> print(markdown_table(pd.DataFrame({"task": ["a|b"], "accuracy": [0.5]}), "All."), end="")
    All.
    <BLANKLINE>
    | task | accuracy |
    |---|---:|
    | a\|b | 0.5 |
    """
    rules = ["---:" if is_number else "---" for is_number in _numeric(table)]
    body = _lines(table, markdown_text, "| ", " | ", " |")
    head = f"| {' | '.join(_titles(table))} |"
    return "\n".join([markdown_text(caption), "", head, f"|{'|'.join(rules)}|", *body, ""])


def latex_table(table: pd.DataFrame, caption: str, *, label: str) -> str:
    r"""Return a table in LaTeX, for the package booktabs.

    Examples
    --------
    >>> print(latex_table(pd.DataFrame({"task": ["a_b"], "n": [5]}), "All.", label="t"), end="")
    % Needs \usepackage{booktabs}
    \begin{table}
    \caption{All.}
    \label{t}
    \begin{tabular}{lr}
    \toprule
    task & n \\
    \midrule
    a\_b & 5 \\
    \bottomrule
    \end{tabular}
    \end{table}
    """
    alignment = "".join("r" if is_number else "l" for is_number in _numeric(table))
    lines = [
        r"% Needs \usepackage{booktabs}",
        r"\begin{table}",
        rf"\caption{{{latex_text(caption)}}}",
        rf"\label{{{label}}}",
        rf"\begin{{tabular}}{{{alignment}}}",
        r"\toprule",
        " & ".join(map(latex_text, _titles(table))) + r" \\",
        r"\midrule",
        *_lines(table, latex_text, "", " & ", r" \\"),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _lines(
    table: pd.DataFrame, write: Callable[[object], str], start: str, between: str, end: str
) -> list[str]:
    return [start + between.join(map(write, row)) + end for row in text_rows(table)]


def _titles(table: pd.DataFrame) -> Sequence[str]:
    return [str(name).replace("_", " ") for name in table]


def _numeric(table: pd.DataFrame) -> Sequence[bool]:
    kinds = (table[name].dtype for name in table)
    return [
        pd.api.types.is_numeric_dtype(kind) and not pd.api.types.is_bool_dtype(kind)
        for kind in kinds
    ]
