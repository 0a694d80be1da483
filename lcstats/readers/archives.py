"""What archives hold: zstd streams, and members of a zip file however they are compressed."""

import io
import struct
import zipfile
import zlib
from typing import BinaryIO, cast

from lcstats.extras import load_extra

_ZSTD_METHOD = 93
"""Compression method of zip members that Python's zipfile knows only from 3.14 on."""

_LOCAL_HEADER = 30
"""Bytes of a member's local header before its name; the last four are two lengths."""

_ENCRYPTED = 0x1
_BUFFER = 1 << 20


def decompress_zstd(name: str, data: bytes) -> bytes:
    """Decompress a zstd stream.

    Parameters
    ----------
    name : str
        The file's name, for the message.
    data : bytes

    Returns
    -------
    bytes

    Raises
    ------
    MissingExtraError
        If pyarrow is not installed.
    OSError
        If the stream is damaged.
    """
    pyarrow = load_extra("pyarrow", extra="parquet", purpose=f"opening {name} (zstd)")
    stream = pyarrow.CompressedInputStream(pyarrow.py_buffer(data), "zstd")
    content: bytes = stream.read()
    return content


def open_zstd(name: str, path: str) -> BinaryIO:
    """Open a zstd stream on disk for reading, part by part.

    Parameters
    ----------
    name : str
        The file's name, for the message.
    path : str

    Returns
    -------
    file object
        Of bytes.

    Raises
    ------
    MissingExtraError
        If pyarrow is not installed.
    OSError
        If the stream is damaged, also in reading.
    """
    pyarrow = load_extra("pyarrow", extra="parquet", purpose=f"opening {name} (zstd)")
    stream = pyarrow.CompressedInputStream(pyarrow.OSFile(path), "zstd")
    return cast(BinaryIO, io.BufferedReader(stream, _BUFFER))


def read_member(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, data: bytes, *, name: str
) -> bytes:
    """Return the content of a zip file's member, also where it is a zstd stream.

    Parameters
    ----------
    archive : ZipFile
        The opened archive.
    member : ZipInfo
        One of its members.
    data : bytes
        The whole archive.
    name : str
        The archive's name, for the message.

    Returns
    -------
    bytes

    Raises
    ------
    BadZipFile
        If the member is damaged.
    MissingExtraError
        If it is a zstd stream and pyarrow is not installed.
    OSError, RuntimeError
        If it cannot be decompressed, or needs a password.

    Notes
    -----
    A local header is 30 bytes, the name and an extra field, whose lengths are its last four bytes;
    the member's sizes are taken from the central directory (PKWARE, APPNOTE 6.3.10, 4.3.7, 4.4.5).
    """
    if member.compress_type != _ZSTD_METHOD or member.flag_bits & _ENCRYPTED:
        return archive.read(member)
    header = data[member.header_offset : member.header_offset + _LOCAL_HEADER]
    name_size, extra_size = struct.unpack_from("<HH", header, _LOCAL_HEADER - 4)
    start = member.header_offset + _LOCAL_HEADER + name_size + extra_size
    content = decompress_zstd(name, data[start : start + member.compress_size])
    if zlib.crc32(content) != member.CRC:
        raise zipfile.BadZipFile(f"bad CRC-32 for {member.filename!r}")
    return content
