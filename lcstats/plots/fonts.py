"""Which characters can be drawn here, and what stands in for those that cannot."""

import logging
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache

from matplotlib.font_manager import FontProperties, findfont, fontManager, get_font
from matplotlib.text import Text

from lcstats.plots.labels import character_columns

FALLBACKS = (
    "Noto Sans CJK JP",
    "Noto Sans CJK SC",
    "Noto Sans CJK KR",
    "Noto Sans JP",
    "Noto Sans SC",
    "Noto Sans KR",
    "Source Han Sans",
    "Hiragino Sans",
    "PingFang SC",
    "Apple SD Gothic Neo",
    "Yu Gothic",
    "Microsoft YaHei",
    "Malgun Gothic",
    "IPAexGothic",
    "WenQuanYi Zen Hei",
    "Droid Sans Fallback",
    "Arial Unicode MS",
)
"""Families with East Asian characters, tried in this order after the style's own."""


@contextmanager
def quiet_about_fonts() -> Iterator[None]:
    """Keep matplotlib from reporting characters and weights that fonts lack.

    Such characters are spelled out, or left to the reader's fonts; weights do not matter.
    """
    logger = logging.getLogger("matplotlib.font_manager")
    logger.addFilter(_is_not_about_weight)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Glyph .* missing from")
            yield
    finally:
        logger.removeFilter(_is_not_about_weight)


def _is_not_about_weight(record: logging.LogRecord) -> bool:
    return "font weight" not in record.getMessage()


@lru_cache(maxsize=1)
def fallback_families() -> tuple[str, ...]:
    """Return the installed ones of :data:`FALLBACKS`."""
    installed = {entry.name for entry in fontManager.ttflist}
    return tuple(family for family in FALLBACKS if family in installed)


def columns_in_font(text: Text) -> Callable[[str], int]:
    r"""Return how many columns a character takes in the fonts of `text`.

    A character that none of them has takes the room of what stands in for it, ``\u30e2``.
    """
    families = tuple(text.get_fontfamily())

    def columns_of(character: str) -> int:
        if _is_missing(character, families):
            return len(_escape(character))
        return character_columns(character)

    return columns_of


def spell_out(text: Text) -> str:
    r"""Return the words of `text`, with characters that no font has as ``\u30e2``."""
    families = tuple(text.get_fontfamily())
    return "".join(_escape(c) if _is_missing(c, families) else c for c in text.get_text())


def _escape(character: str) -> str:
    return character.encode("ascii", "backslashreplace").decode("ascii")


def _is_missing(character: str, families: tuple[str, ...]) -> bool:
    if character.isascii():
        return False
    return not any(ord(character) in _characters_of(family) for family in families)


@lru_cache(maxsize=64)
def _characters_of(family: str) -> frozenset[int]:
    return frozenset(get_font(findfont(FontProperties(family=[family]))).get_charmap())
