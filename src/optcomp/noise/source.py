"""Where random bits come from: the operating system, or, for tests only, a seed."""

from __future__ import annotations

import os
import threading
from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from optcomp.errors import InvalidParameterError
from optcomp.quantities import count as whole_number

__all__ = ["RandomSource", "SeededSourceForTests", "SystemSource", "Words", "source_or_system"]

Words = npt.NDArray[np.uint64]
"""Random words of 64 independent fair bits each."""

_POOL_BYTES = 128
_WORD_BYTES = 8


class RandomSource(ABC):
    """Independent fair bits.

    Every sampler takes its randomness through the two methods, and never takes the same bit twice.
    """

    is_secret: ClassVar[bool]
    """Whether nobody who knows the program can predict the bits. Only a secret source protects anybody."""

    @abstractmethod
    def bits(self, count: int) -> int:
        """The next bits, as a whole number below ``2^count``; the first bit is the highest."""

    @abstractmethod
    def words(self, count: int) -> Words:
        """The next words, as a new array of unsigned 64-bit numbers."""


class _Pool(threading.local):
    """Bits that were fetched and not yet used, of one thread of one process."""

    def __init__(self) -> None:
        self.value, self.left, self.owner = 0, 0, (0, 0)


class _Forks:
    """How many forks lie between the process that loaded this module and the present one."""

    count: ClassVar[int] = 0

    @classmethod
    def note(cls) -> None:
        """Called in every child."""
        cls.count += 1


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_Forks.note)


class SystemSource(RandomSource):
    """The operating system's cryptographic generator, `os.urandom`.

    **Guarantee**: bits are fair and independent as far as the operating system's are. Single bits are fetched
    1,024 at a time. No two threads share what was fetched, and a child process drops what its parent had fetched, so
    the same bit is never handed out twice.

    Not protected: unused bits stay in memory until they are overwritten, and a snapshot of a running machine that is
    started twice repeats the bits that it had fetched.
    """

    is_secret: ClassVar[bool] = True

    def __init__(self) -> None:
        self._pool = _Pool()

    def bits(self, count: int) -> int:
        """The next bits, as a whole number below ``2^count``."""
        pool, owner = self._pool, (os.getpid(), _Forks.count)
        if pool.owner != owner:
            pool.value, pool.left, pool.owner = 0, 0, owner
        if count > pool.left:
            size = max(_POOL_BYTES, (count + 7) // 8)
            pool.value, pool.left = int.from_bytes(os.urandom(size), "big"), 8 * size
        pool.left -= count
        taken = pool.value >> pool.left
        pool.value &= (1 << pool.left) - 1
        return taken

    def words(self, count: int) -> Words:
        """The next words; nothing is kept back."""
        return np.frombuffer(os.urandom(_WORD_BYTES * count), dtype=np.uint64).copy()


class SeededSourceForTests(RandomSource):
    """The same bits in every run, from a seed: for tests only.

    Whoever knows or guesses the seed knows the noise, and can take it off again. Noise from this source protects
    nobody.

    Args:
        seed: A whole number of at least 0.
    """

    is_secret: ClassVar[bool] = False

    def __init__(self, seed: int) -> None:
        self._generator = np.random.PCG64(whole_number(seed, field="seed"))
        self._value, self._left = 0, 0

    def bits(self, count: int) -> int:
        """The next bits, as a whole number below ``2^count``."""
        while count > self._left:
            self._value = self._value << 64 | int(self._generator.random_raw())
            self._left += 64
        self._left -= count
        taken = self._value >> self._left
        self._value &= (1 << self._left) - 1
        return taken

    def words(self, count: int) -> Words:
        """The next words."""
        return np.asarray(self._generator.random_raw(count), dtype=np.uint64)


_SYSTEM = SystemSource()


def source_or_system(source: object) -> RandomSource:
    """The source itself, the operating system's for None, or an error for anything else."""
    if source is None:
        return _SYSTEM
    if not isinstance(source, RandomSource):
        raise InvalidParameterError(
            field="source",
            value=source,
            condition="must be a RandomSource",
            remedy="Leave it out to use the operating system's randomness.",
        )
    return source
