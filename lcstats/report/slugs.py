"""File names made from names that come from files, which may hold ``/``, ``..`` or worse."""

import hashlib
import re
from collections import Counter
from collections.abc import Sequence

_HASH = re.compile(r"-[0-9a-f]{8}$")

LONGEST_SLUG = 60
"""Characters of a slug before its hash; leaves room for suffixes on every file system."""


def slug_of(*names: str) -> str:
    """Return a file name for some names, the same for the same names and different for others.

    Letters, digits, ``-``, ``_`` and ``.``; a short hash is added wherever something
    was left out or looks like one, so that two groups never share a file.

    Parameters
    ----------
    *names : str
        A language model's and a task's, say.

    Examples
    --------
    >>> slug_of("gpt-4.1", "single-needle")
    'gpt-4.1--single-needle'
    >>> slug_of("../../x", "a/b")
    'x--a-b-e4c340be'
    """
    parts = [re.sub(r"[^A-Za-z0-9._-]+|-{2,}", "-", name).strip("-.") for name in names]
    slug = "--".join(part or "unnamed" for part in parts)
    is_exact = tuple(parts) == names and all(parts) and len(slug) <= LONGEST_SLUG
    return slug if is_exact and not _HASH.search(slug) else _with_hash(slug, names)


def slugs_of(groups: Sequence[tuple[str, str]]) -> list[str]:
    """Return a slug per (model, task), different also where upper and lower case are the same.

    Examples
    --------
    >>> slugs_of([("A", "t"), ("b", "t")])
    ['A--t', 'b--t']
    >>> slugs_of([("A", "t"), ("a", "t")])
    ['A--t-2d8dbc58', 'a--t-a084032a']
    """
    slugs = [slug_of(*names) for names in groups]
    uses = Counter(slug.lower() for slug in slugs)
    return [
        _with_hash(slug, names) if uses[slug.lower()] > 1 else slug
        for slug, names in zip(slugs, groups, strict=True)
    ]


def _with_hash(slug: str, names: Sequence[str]) -> str:
    code = hashlib.sha256("\0".join(names).encode("utf-8", "backslashreplace")).hexdigest()[:8]
    return f"{slug[:LONGEST_SLUG].rstrip('-.')}-{code}"
