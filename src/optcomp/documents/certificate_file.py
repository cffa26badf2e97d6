"""Certificates from files."""

from __future__ import annotations

from typing import BinaryIO

from optcomp.composition import Certificate, certificate_from_json
from optcomp.documents.reading import parse, read_bytes
from optcomp.errors import DocumentError, InvalidParameterError

__all__ = ["read_certificate"]


def read_certificate(path: str, *, standard_input: BinaryIO) -> Certificate:
    """Read a certificate file (JSON), or standard input for ``-``.

    Raises:
        DocumentError: When it is no certificate, or was altered.
    """
    content = parse(read_bytes(path, standard_input=standard_input), path=path, format="json")
    try:
        return certificate_from_json(content)
    except InvalidParameterError as error:
        raise DocumentError(
            where="standard input" if path == "-" else path,
            field=error.field,
            value=error.value,
            condition=error.condition,
            remedy=error.remedy,
        ) from None
