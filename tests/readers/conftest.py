"""What tests of readers share: archives that Python's zipfile cannot write."""

import io
import zipfile
import zlib

import pyarrow as pa
import pytest

ZSTD_METHOD = 93


def zstd(data):
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(data)
    return sink.getvalue().to_pybytes()


@pytest.fixture
def zip_zstd():
    """Make a zip file of members (name to content), each a zstd stream."""

    def make(members):
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            for name, data in members.items():
                member = zipfile.ZipInfo(name)
                archive.writestr(member, zstd(data))
                # What the central directory will say.
                member.compress_type, member.file_size = ZSTD_METHOD, len(data)
                member.CRC = zlib.crc32(data)
        return buffer.getvalue()

    return make
