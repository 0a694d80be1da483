"""What the folders of a file say: runners keep language models and lengths in their names."""

import os
from collections.abc import Iterable

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
    """
    listed = ", ".join(map(repr, sorted(set(names))[:5]))
    if not listed:
        return ()
    return (
        Notice(
            "model-from-folder",
            f"files do not name the language model: {listed} was taken from the name of their "
            "folder; pass model_name='NAME' (--model-name NAME) to correct it",
        ),
    )
