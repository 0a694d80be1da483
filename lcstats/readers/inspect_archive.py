"""Inspect's ``.eval`` archives, put together as the ``.json`` log of the same run.

An archive has one member per sample and a header. Everything that tells nothing about a trial's
score, place or answer is left out sample by sample: messages and events are most of an archive.
"""

import json
from collections.abc import Callable, Collection
from typing import Any

_HEADER, _START = "header.json", "_journal/start.json"
"""The header, and what stands in for it while a run goes on or where it was cut off."""

_SAMPLES = "samples/"
_BULKY = frozenset({"input", "messages", "events", "events_data", "store", "attachments"})


def is_inspect_archive(names: Collection[str]) -> bool:
    """Tell whether an archive with members of these names is an Inspect log.

    Examples
    --------
    >>> is_inspect_archive(["_journal/start.json", "samples/1_epoch_1.json"])
    True
    >>> is_inspect_archive(["header.json"])
    False
    """
    return _START in names or (
        _HEADER in names and any(name.startswith(_SAMPLES) for name in names)
    )


def join_log(names: Collection[str], read: Callable[[str], bytes]) -> bytes:
    """Return the log that an archive's members make up, as JSON without its bulk.

    Parameters
    ----------
    names : collection of str
        The members' names.
    read : callable
        Returns the content of a member.

    Returns
    -------
    bytes

    Raises
    ------
    ValueError
        If a member is not JSON.
    """
    header = _object(read(_HEADER if _HEADER in names else _START))
    samples = [without_bulk(_object(read(name))) for name in names if name.startswith(_SAMPLES)]
    return json.dumps({"status": "started", **header, "samples": samples}).encode()


def _object(data: bytes) -> dict[str, Any]:
    document = json.loads(data)
    if not isinstance(document, dict):
        raise ValueError("a member of an Inspect log is no JSON object")  # noqa: TRY004
    return document


def without_bulk(sample: dict[str, Any]) -> dict[str, Any]:
    """Return a sample without its messages, events and other long fields.

    Examples
    --------
    >>> without_bulk({"id": 1, "messages": ["long"], "scores": {}})
    {'id': 1, 'scores': {}}
    """
    return {name: value for name, value in sample.items() if name not in _BULKY}
