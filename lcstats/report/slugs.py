"""File names made from names that come from files, which may hold ``/``, ``..`` or worse."""

import hashlib
import re

_HASH = re.compile(r"-[0-9a-f]{8}$")

LONGEST_SLUG = 60
"""Characters of a slug before its hash; leaves room for suffixes on every file system."""


def slug_of(*names: str) -> str:
    """Return a file name for some names, the same for the same names and different for others.

    Lower case letters, digits, ``-``, ``_`` and ``.``; a short hash is added wherever something
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
    parts = [re.sub(r"[^a-z0-9._-]+|-{2,}", "-", name.lower()).strip("-.") for name in names]
    slug = "--".join(part or "unnamed" for part in parts)
    is_exact = tuple(parts) == names and all(parts) and len(slug) <= LONGEST_SLUG
    if is_exact and not _HASH.search(slug):
        return slug
    code = hashlib.sha256("\0".join(names).encode("utf-8", "backslashreplace")).hexdigest()[:8]
    return f"{slug[:LONGEST_SLUG].rstrip('-.')}-{code}"
