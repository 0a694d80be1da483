"""Optional dependencies, loaded when something needs them."""

from importlib import import_module
from typing import Any

from lcstats.errors import MissingExtraError, describe


def load_extra(module: str, *, extra: str, purpose: str) -> Any:
    """Import an optional dependency.

    Parameters
    ----------
    module : str
        Name of the module.
    extra : str
        The extra of lcstats that brings it.
    purpose : str
        What it is needed for.

    Returns
    -------
    module

    Raises
    ------
    MissingExtraError
        If it is not installed; the message names the extra.

    Examples
    --------
    >>> load_extra("json.decoder", extra="parquet", purpose="reading JSON").__name__
    'json.decoder'
    """
    try:
        return import_module(module)
    except ImportError:
        raise MissingExtraError(
            describe(
                f"{purpose} needs {module.partition('.')[0]}, which is not installed",
                f"expected the extra {extra!r}",
                f"install it with: python -m pip install 'lcstats[{extra}]'",
            )
        ) from None
