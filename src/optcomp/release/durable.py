"""Files that are there after a power cut, created by exactly one process."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
from collections.abc import Mapping
from pathlib import Path

__all__ = ["create_exclusively", "create_folder_exclusively", "replace", "temporary_beside"]

_TAKEN = {errno.EEXIST, errno.ENOTEMPTY}


def create_exclusively(path: Path, content: bytes) -> bool:
    """Create a file, or say that there is one already.

    Returns:
        Whether this call created it. Of all calls for one path, in all processes, one gets True.

    **Guarantee**: after True, the file outlives the process and the machine.

    Raises:
        OSError: When it can neither be created nor is there. A file that could not be written is removed again.
    """
    try:
        _write_new(path, content)
    except FileExistsError:
        return False
    try:
        _flush_folder(path.parent)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return True


def replace(path: Path, content: bytes) -> None:
    """Put new content into a file, all of it or none.

    Raises:
        OSError: When that failed; the old content stays.
    """
    fresh = temporary_beside(path)
    try:
        _write_new(fresh, content)
        fresh.replace(path)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise
    _flush_folder(path.parent)


def create_folder_exclusively(path: Path, files: Mapping[str, bytes], *, folders: tuple[str, ...] = ()) -> bool:
    """Create a folder with all its files at once, or say that something stands there already.

    An empty folder counts as nothing where the system can rename over it.

    Returns:
        Whether this call created it, as for `create_exclusively`.

    **Guarantee**: nobody sees the folder without its files.

    Raises:
        OSError: When it can neither be created nor is there; nothing is left then.
    """
    fresh = temporary_beside(path)
    fresh.mkdir()
    try:
        for name in folders:
            (fresh / name).mkdir()
        for name, content in files.items():
            _write_new(fresh / name, content)
        _flush_folder(fresh)
        fresh.rename(path)
    except OSError as error:
        shutil.rmtree(fresh, ignore_errors=True)
        if error.errno in _TAKEN:
            return False
        raise
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        raise
    _flush_folder(path.parent)
    return True


def temporary_beside(path: Path) -> Path:
    """A name that nobody else uses, in the same folder."""
    return path.with_name(f".{path.name[:100]}-{secrets.token_hex(8)}.part")


def _write_new(path: Path, content: bytes) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def _flush_folder(folder: Path) -> None:
    """Make the folder's list of names last; where a folder cannot be opened (Windows), the system does it."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
