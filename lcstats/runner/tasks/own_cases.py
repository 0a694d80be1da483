"""Cases of your own: prompts with their answers from a JSONL file, natural documents among them.

A line has a ``prompt``, or a ``context`` and a ``question``; ``answers`` (one or several), and for
multiple choice ``choices``, of which the answer is a letter or the text. ``id`` names the case.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from string import ascii_uppercase
from typing import Any, ClassVar

from numpy.random import Generator

from lcstats.errors import FormatError, OptionError, TableError, describe
from lcstats.runner.tasks.puzzle import Puzzle, Scorer

_N_SHOWN = 5


@dataclass(frozen=True, slots=True)
class OwnCase:
    """One case of a file: a task whose only puzzle it is.

    Attributes
    ----------
    label : str
        Task in the table: the field ``task``, or the file's name.
    case_id : str
    puzzle : Puzzle
    file_digest : str
        Of the file, for the manifest.
    """

    takes_depth: ClassVar[bool] = False
    takes_length: ClassVar[bool] = False

    label: str
    case_id: str
    puzzle: Puzzle
    file_digest: str

    def make(self, rng: Generator, length: int) -> Puzzle:
        """Return the puzzle."""
        return self.puzzle

    def describe(self) -> dict[str, Any]:
        """Return name and digest of the file."""
        return {"name": self.label, "file_digest": self.file_digest}


def read_own_cases(path: str | Path) -> tuple[OwnCase, ...]:
    """Read cases from a JSONL file.

    Raises
    ------
    FormatError
        If a line is no JSON object.
    TableError
        If cases lack what they need, or two have one id; all faults at once.
    """
    place = Path(path)
    data = place.read_bytes()
    file_digest = sha256(data).hexdigest()[:16]
    cases, faults = [], []
    for number, fields in _lines(data, place):
        try:
            cases.append(_case(fields, number, place.stem, file_digest))
        except OptionError as error:
            faults.append(f"{place.name} line {number}: {error}")
    counts = Counter((case.label, case.case_id) for case in cases)
    faults += [_twice(place, name, n) for (_, name), n in counts.items() if n > 1]
    if faults or not cases:
        more = f"\nand {len(faults) - _N_SHOWN} more" if len(faults) > _N_SHOWN else ""
        raise TableError(("\n".join(faults[:_N_SHOWN]) + more) or _no_cases(place))
    return tuple(cases)


def _lines(data: bytes, place: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in enumerate(data.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            fields = json.loads(line)
        except ValueError:
            fields = None
        if not isinstance(fields, dict):
            raise FormatError(
                describe(
                    f"{place} line {number} is no JSON object",
                    "expected one case per line: prompt (or context and question) and answers",
                    "mend the line or take it out",
                )
            )
        yield number, fields


def _case(fields: Mapping[str, Any], number: int, stem: str, file_digest: str) -> OwnCase:
    choices = _texts(fields, "choices", ())
    answers = _texts(fields, "answers", ("answer",))
    prompt, question = _prompt(fields, choices)
    if not prompt or not answers:
        raise OptionError(
            describe(
                f"the fields are {', '.join(fields) or 'none'}",
                "expected prompt, or context and question, and answers",
                "add what is missing",
            )
        )
    letters = _letters(fields, choices)
    if choices:
        answers = tuple(_letter(answer, choices) for answer in answers)
    puzzle = Puzzle(
        question=question,
        answers=answers,
        wrong=tuple(letter for letter in letters if letter not in answers),
        scorer=_scorer(choices, answers),
        guess_rate=1.0 / len(choices) if choices else 0.0,
        is_filled=False,
        prompt=prompt,
    )
    label, name = fields.get("task") or stem, fields.get("id")
    return OwnCase(str(label), str(number if name is None else name), puzzle, file_digest)


def _texts(fields: Mapping[str, Any], name: str, others: tuple[str, ...]) -> tuple[str, ...]:
    """Return one or several values as texts, under the first of some names that is there."""
    value = next((fields[n] for n in (name, *others) if fields.get(n) is not None), None)
    if value is None:
        return ()
    return tuple(_text(v, name) for v in (value if isinstance(value, list) else [value]))


def _text(value: Any, name: str) -> str:
    """Return a text or a number as text; refuse what is neither, and what is blank."""
    if not isinstance(value, str | int | float) or not (text := str(value)).strip():
        raise OptionError(
            describe(
                f"{name} has {str(value)[:40]!r}",
                "expected text, or a number",
                f"write {name} as text",
            )
        )
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        raise OptionError(
            describe(f"{name} holds half a character", "expected Unicode text", "write it again")
        )
    return text


def _letters(fields: Mapping[str, Any], choices: tuple[str, ...]) -> str:
    """Return the letters of the choices; refuse choices that cannot be told apart, or no list."""
    named = [name for name in fields if name.lower().startswith("choice") and name != "choices"]
    is_wrong = choices and not 2 <= len(set(choices)) == len(choices) <= len(ascii_uppercase)
    if named or is_wrong:
        raise OptionError(
            describe(
                f"there is {named[0]}" if named else f"choices has {', '.join(choices)[:80]}",
                f"expected choices, a list of 2 to {len(ascii_uppercase)} different texts",
                'write "choices": ["...", "..."]',
            )
        )
    return ascii_uppercase[: len(choices)]


def _prompt(fields: Mapping[str, Any], choices: tuple[str, ...]) -> tuple[str, str]:
    """Return the prompt, and what of it is shown as the question."""
    given, context, question = (
        _text(fields[name], name) if fields.get(name) not in (None, "") else ""
        for name in ("prompt", "context", "question")
    )
    listed = "\n".join(
        f"{letter}. {choice}" for letter, choice in zip(ascii_uppercase, choices, strict=False)
    )
    asked = "Answer with the letter only." if choices else ""
    parts = [context, question, listed, asked]
    whole = given or ("\n\n".join(part for part in parts if part) if question else "")
    return whole, question or given[-200:]


def _letter(answer: str, choices: tuple[str, ...]) -> str:
    """Return the letter of a choice that is given by its letter or its text."""
    letters = ascii_uppercase[: len(choices)]
    if len(answer) == 1 and answer.upper() in letters:
        return answer.upper()
    if answer in choices:
        return letters[choices.index(answer)]
    raise OptionError(
        describe(
            f"the answer is {answer[:40]!r}",
            f"expected one of {', '.join(letters)}, or the text of a choice",
            "write the letter",
        )
    )


def _scorer(choices: tuple[str, ...], answers: tuple[str, ...]) -> Scorer:
    if choices:
        return "choice"
    return "number" if all(answer.isdecimal() for answer in answers) else "words"


def _twice(place: Path, name: str, count: int) -> str:
    return describe(
        f"{place.name}: {count} cases have the id {name!r}",
        "expected an id of its own for each",
        "number them, or leave ids out",
    )


def _no_cases(place: Path) -> str:
    return describe(f"{place} has no cases", "expected one per line", "name another file")
