"""Text of a file: UTF-8, or what a byte order mark or the caller says; never guessed."""

import codecs
import re

from lcstats.errors import FormatError, describe

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)

_SURROGATES = re.compile(
    r"\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|(?P<lone>\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
)
"""A backslash, a pair of surrogates, or half of one."""


def codec_of(head: bytes, encoding: str | None) -> str:
    r"""Return the codec of a file from its first bytes and the declared encoding.

    Examples
    --------
    >>> codec_of(b"model,score", None), codec_of(b"\xff\xfem\x00", None)
    ('utf-8', 'utf-16')
    """
    if encoding is not None and codecs.lookup(encoding).name != "utf-8":
        return encoding
    return next((codec for mark, codec in _MARKS if head.startswith(mark)), "utf-8")


def decode_text(data: bytes, codec: str, *, name: str, start: int = 0) -> str:
    r"""Decode the bytes of a file; a character cut off at the very end is left out.

    `data` begins at the byte `start` of the file.

    Raises
    ------
    FormatError
        If they are not in that encoding; the message names the byte and its offset.

    Examples
    --------
    >>> decode_text(b"caf\xc3\xa9", "utf-8", name="a.csv")
    'café'
    """
    try:
        return data.decode(codec)
    except UnicodeDecodeError as error:
        if error.end == len(data) and "end of data" in error.reason:
            return data[: error.start].decode(codec)
        raise FormatError(
            describe(
                f"{name}: byte 0x{data[error.start]:02x} at offset {start + error.start} is not "
                f"{error.encoding}",
                "expected UTF-8, or UTF-16 with a byte order mark",
                "name the encoding, such as encoding='cp1252' (--encoding cp1252)",
            )
        ) from None


def escape_lone_surrogates(text: str) -> str:
    r"""Let JSON name half a character, which no text can hold, in place of holding it.

    Writers that cut an answer in the middle of an emoji leave such halves. They stay different
    from each other, and all else as it is.

    Examples
    --------
    >>> print(escape_lone_surrogates(r'["a\ud83d", "\ud83d\ude00"]'))
    ["a\\ud83d", "\ud83d\ude00"]
    """
    # One character is found much faster than two, and most long prompts have no such escapes.
    if "\\" not in text or "\\u" not in text:
        return text
    if "\\ud" not in text and "\\uD" not in text:
        return text
    return _SURROGATES.sub(lambda match: "\\" * (match["lone"] is not None) + match[0], text)


def decode_head(head: bytes, codec: str) -> str:
    """Decode the first bytes of a file for a look at them, whatever they are."""
    return head.decode(codec, errors="replace")
