"""Random keys, names and values: nobody can guess them, and none occurs twice in a puzzle."""

from collections.abc import Sequence
from itertools import islice
from math import perm

from numpy.random import Generator

from lcstats.errors import OptionError, describe

DIGITS = 7
"""Of a value: one in nine million is guessed."""

_FIRST = (
    "amber",
    "brass",
    "cedar",
    "copper",
    "coral",
    "crimson",
    "cobalt",
    "dusty",
    "ember",
    "frosty",
    "golden",
    "hazel",
    "indigo",
    "ivory",
    "jade",
    "linen",
    "maple",
    "marble",
    "misty",
    "mossy",
    "olive",
    "pearl",
    "pine",
    "quartz",
    "rusty",
    "saffron",
    "silver",
    "slate",
    "stormy",
    "sunny",
    "velvet",
    "willow",
)
_SECOND = (
    "anchor",
    "badger",
    "beacon",
    "bridge",
    "candle",
    "castle",
    "comet",
    "cricket",
    "falcon",
    "feather",
    "garden",
    "harbor",
    "heron",
    "island",
    "kettle",
    "ladder",
    "lantern",
    "meadow",
    "mirror",
    "otter",
    "parcel",
    "pebble",
    "pigeon",
    "rabbit",
    "ribbon",
    "rocket",
    "saddle",
    "sparrow",
    "tunnel",
    "turtle",
    "valley",
    "wagon",
)
_SYLLABLES = (
    "ba",
    "bre",
    "dal",
    "do",
    "fen",
    "gar",
    "hel",
    "ika",
    "jo",
    "kel",
    "la",
    "lin",
    "mar",
    "mi",
    "nor",
    "ola",
    "pet",
    "qui",
    "ra",
    "ren",
    "sal",
    "se",
    "tam",
    "ti",
    "ulo",
    "van",
    "ve",
    "wes",
    "yar",
    "zo",
)


def new_numbers(rng: Generator, count: int, *, digits: int = DIGITS) -> list[str]:
    """Return different numbers without leading zeros.

    Examples
    --------
    >>> from lcstats.runner.keys import make_rng
    >>> len(set(new_numbers(make_rng(1), 50)))
    50
    """
    found: dict[int, None] = {}
    while len(found) < count:
        found |= dict.fromkeys(rng.integers(10 ** (digits - 1), 10**digits, size=count).tolist())
    return [str(number) for number in islice(found, count)]


def new_keys(rng: Generator, count: int) -> list[str]:
    """Return different keys of two words each, such as ``amber falcon``."""
    _check_enough(count, len(_FIRST) * len(_SECOND), "keys")
    chosen = rng.choice(len(_FIRST) * len(_SECOND), size=count, replace=False)
    return [f"{_FIRST[i // len(_SECOND)]} {_SECOND[i % len(_SECOND)]}" for i in chosen.tolist()]


def new_names(rng: Generator, count: int) -> list[str]:
    """Return different made-up names of three syllables, none of which holds another."""
    _check_enough(count, perm(len(_SYLLABLES), 3), "names")
    found: dict[str, None] = {}
    while len(found) < count:
        found["".join(pick_some(rng, _SYLLABLES, 3)).capitalize()] = None
    return list(found)


def _check_enough(count: int, n_there: int, what: str) -> None:
    if count > n_there:
        raise OptionError(
            describe(
                f"{count} different {what} are asked for",
                f"expected at most {n_there}, which is all there are",
                "ask for fewer distractors, values or chains, or for shorter texts",
            )
        )


def pick_some(rng: Generator, words: Sequence[str], count: int) -> list[str]:
    """Return different words of a list, in random order."""
    return [words[i] for i in rng.choice(len(words), size=count, replace=False).tolist()]


def new_places(rng: Generator, count: int) -> list[float]:
    """Return places from 0 to 1, ascending."""
    return sorted(rng.random(count).tolist())


def in_words(items: Sequence[str]) -> str:
    """Join items as a sentence does.

    Examples
    --------
    >>> in_words(["a", "b", "c"]), in_words(["a"])
    ('a, b and c', 'a')
    """
    return f"{', '.join(items[:-1])} and {items[-1]}" if len(items) > 1 else items[0]
