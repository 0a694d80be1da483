"""Simulated language models: the check of any harness, and of what is made of its results.

``perfect`` answers whenever the evidence is in its prompt, so that every accuracy is 1;
``blind-middle`` misses the middle half, the U; ``echo`` repeats every number that it saw, which
strict scoring gives 0. ``curve``, or the name of a built-in truth, is right with the truth's
probability.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from lcstats.errors import OptionError, describe
from lcstats.runner.keys import make_rng
from lcstats.runner.replies import Reply, Request
from lcstats.runner.tokens import BuiltinTokenizer, Tokenizer
from lcstats.truths import SINGLE_NEEDLE, Truth, get_truth, names

NOT_FOUND = "The text does not say."
MIDDLE = (0.25, 0.75)
"""Depths that ``blind-middle`` does not see, both included."""

_NUMBER = re.compile(r"\d+")

Behaviour = Callable[[Request], str]


def answer_if_there(request: Request) -> str:
    """Name the answers if all evidence is in the prompt."""
    text = _text(request)
    pieces = [placed.piece for placed in request.prompt.puzzle.evidence]
    sentences = [p if isinstance(p, str) else p.answered for p in pieces]
    return _name_all(request) if all(s in text for s in sentences) else NOT_FOUND


def answer_outside_middle(request: Request) -> str:
    """Name the answers if they stand in the first or last quarter."""
    is_middle = request.depth is not None and MIDDLE[0] <= request.depth <= MIDDLE[1]
    return NOT_FOUND if is_middle else answer_if_there(request)


def repeat_numbers(request: Request) -> str:
    """Name every number of the prompt."""
    return " ".join(dict.fromkeys(_NUMBER.findall(_text(request)))) or NOT_FOUND


def _text(request: Request) -> str:
    return "\n".join(message["content"] for message in request.prompt.messages)


def _name_all(request: Request) -> str:
    return ", ".join(request.prompt.puzzle.answers)


class FollowTruth:
    """Each answer is right with the probability that a truth gives it; else it is left out.

    Parameters
    ----------
    truth : Truth
    seed : int
        With the trial it decides on luck.
    """

    def __init__(self, truth: Truth, seed: int) -> None:
        self.truth, self.seed = truth, seed

    def __call__(self, request: Request) -> str:
        """Answer."""
        depth = np.nan if request.depth is None else request.depth
        accuracy = self.truth.accuracy(max(request.length, 1), depth).item()
        answers = request.prompt.puzzle.answers
        luck = make_rng(self.seed, "luck", request.key).random(len(answers))
        named = [answer for answer, u in zip(answers, luck, strict=True) if u < accuracy]
        return ", ".join(named) or NOT_FOUND


_FIXED: Mapping[str, Behaviour] = {
    "perfect": answer_if_there,
    "blind-middle": answer_outside_middle,
    "echo": repeat_numbers,
}


class SimulatedBackend:
    """A language model that is simulated in this process.

    Parameters
    ----------
    name : str
        ``perfect``, ``blind-middle``, ``echo``, ``curve``, or a built-in truth.
    seed : int

    Raises
    ------
    OptionError
        If there is none of that name.

    Examples
    --------
    >>> SimulatedBackend("perfect").model
    'simulated:perfect'
    """

    counts_itself = False

    def __init__(self, name: str, *, seed: int = 0) -> None:
        self.model = f"simulated:{name}"
        self.tokenizer: Tokenizer = BuiltinTokenizer()
        self._behave = _behaviour(name, seed)

    async def answer(self, request: Request) -> Reply:
        """Answer at once."""
        output = self._behave(request)
        return Reply(
            status="ok",
            output=output,
            finish_reason="stop",
            tokens_received=request.prompt.n_tokens,
            output_tokens=int(self.tokenizer.count_texts([output])[0]),
        )

    async def close(self) -> None:
        """Nothing was taken."""

    def decoding(self, max_output_tokens: int) -> dict[str, Any]:
        """Return nothing: answers are not chosen token by token."""
        return {}

    def describe(self) -> dict[str, Any]:
        """Return its name."""
        return {"backend": "simulated", "model": self.model}


def _behaviour(name: str, seed: int) -> Behaviour:
    if name in _FIXED:
        return _FIXED[name]
    if name == "curve":
        return FollowTruth(SINGLE_NEEDLE, seed)
    if name in names():
        return FollowTruth(get_truth(name), seed)
    raise OptionError(
        describe(
            f"the simulated language model is {name!r}",
            f"expected {', '.join(_FIXED)}, curve or the name of a built-in truth",
            "pass --model simulated:perfect, say",
        )
    )
