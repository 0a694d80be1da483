"""What the folders of a file say: runners keep language models and lengths in their names."""

import os
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import takewhile

from lcstats.errors import Notice
from lcstats.readers.samples import Sample
from lcstats.readers.sources import STANDARD_INPUT


def folders_above(sample: Sample) -> tuple[str, ...]:
    """Return the names of the folders that a file lies in, the nearest first.

    Examples
    --------
    >>> from lcstats.readers.sources import Source
    >>> folders_above(Sample(Source("a", "/r/m/4096/pred/vt.jsonl", b""), "jsonl"))
    ('pred', '4096', 'm', 'r')
    """
    given = sample.source.given
    if given == STANDARD_INPUT:
        return ()
    place = os.path.dirname(os.path.abspath(given.replace("!", os.sep)))
    return tuple(name for name in reversed(place.split(os.sep)) if name)


def folder_notices(names: Iterable[str]) -> tuple[Notice, ...]:
    """Say that language models were named after folders; nothing where there are none.

    Examples
    --------
    >>> [notice.code for notice in folder_notices(["llama"])], folder_notices([])
    (['model-from-folder'], ())
    >>> "'kimi', 'yarn' were taken from" in folder_notices(["yarn", "kimi"])[0].message
    True
    """
    distinct = sorted(set(names))
    if not distinct:
        return ()
    listed = ", ".join(map(repr, distinct[:5]))
    taken = "was taken" if len(distinct) == 1 else "were taken"
    return (
        Notice(
            "model-from-folder",
            f"files do not name the language model: {listed} {taken} from the name of their "
            "folder; pass model_name='NAME' (--model-name NAME) to correct it",
        ),
    )


def folder_names(samples: Sequence[Sample]) -> dict[Sample, str]:
    """Name the nearest folder of each file, with those above it where one name means several.

    Folders of one name are several where files of one name lie in them, as where runners keep a
    language model's files below its organisation's. Other folders of one name are one: they hold
    other parts of the same thing.

    Parameters
    ----------
    samples : sequence of Sample
        Files of one format.

    Returns
    -------
    dict of Sample to str
        Empty names for files that lie in no folder.

    Examples
    --------
    >>> from lcstats.readers.sources import Source
    >>> paths = "/o1/m/qa1.csv", "/o2/m/qa1.csv", "/o2/n/qa1.csv"
    >>> list(folder_names([Sample(Source("a", path, b""), "csv") for path in paths]).values())
    ['o1/m', 'o2/m', 'n']
    """
    places = {sample: folders_above(sample) for sample in samples}
    return name_places(places, lambda sample: sample.source.stem)


def name_places(
    places: Mapping[Sample, tuple[str, ...]], content: Callable[[Sample], Hashable]
) -> dict[Sample, str]:
    """Name folders by the nearest, and by those above it where one name means several.

    Parameters
    ----------
    places : mapping of Sample to tuple of str
        Folders of each file, the nearest first.
    content : callable
        What a file holds: two of the same do not lie in one folder.

    Returns
    -------
    dict of Sample to str
    """
    alike: dict[tuple[Hashable, ...], set[tuple[str, ...]]] = {}
    for sample, place in places.items():
        alike.setdefault((*place[:1], content(sample)), set()).add(place)
    depths = dict.fromkeys(places.values(), 1)
    for group in alike.values():
        for place in group if len(group) > 1 else ():
            shared = max(_n_shared(place, other) for other in group if other != place)
            depths[place] = max(depths[place], shared + 1)
    return {sample: "/".join(reversed(place[: depths[place]])) for sample, place in places.items()}


def _n_shared(place: Sequence[str], other: Sequence[str]) -> int:
    """Return how many folders, the nearest first, have the same names."""
    pairs = zip(place, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
