"""A seeded permutation of 0..n-1 that needs no memory: any position of any epoch is computed on its own."""

from __future__ import annotations

_MASK = (1 << 64) - 1
_ROUNDS = 6


def _mix(value: int) -> int:
    """The finalizer of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014, figure 17)."""
    value = (value + 0x9E3779B97F4A7C15) & _MASK
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & _MASK
    return value ^ (value >> 31)


class Permutation:
    """A Feistel network over the smallest even number of bits that covers n, walked until the result is below n.

    Cycle walking keeps it a permutation (Black and Rogaway, "Ciphers with Arbitrary Finite Domains", 2002); it takes
    fewer than four walks on average.
    """

    def __init__(self, count: int, seed: int, epoch: int) -> None:
        self.count = count
        self._half = max(1, ((count - 1).bit_length() + 1) // 2)
        self._low = (1 << self._half) - 1
        key = _mix(_mix(seed & _MASK) ^ epoch)
        self._keys = [_mix(key ^ number) for number in range(_ROUNDS)]

    def __getitem__(self, index: int) -> int:
        value = index
        while True:
            value = self._once(value)
            if value < self.count:
                return value

    def _once(self, value: int) -> int:
        left, right = value >> self._half, value & self._low
        for key in self._keys:
            left, right = right, left ^ (_mix(right ^ key) & self._low)
        return (left << self._half) | right
