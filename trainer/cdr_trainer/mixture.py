"""Which documents go where: the split into training and validation, and the shares of a mix."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Part:
    """A source's documents on one side of the split."""

    documents: np.ndarray  # indices into the source
    lengths: np.ndarray  # tokens of each
    share: float
    max_epochs: int | None

    @property
    def tokens(self) -> int:
        return int(self.lengths.sum())


def split(count: int, share: float, seed: int, source: int) -> tuple[np.ndarray, np.ndarray]:
    """Indices of training and of validation documents, both ascending; the same for the same seed and count."""
    order = np.random.default_rng([seed, source]).permutation(count)
    held_out = round(count * share)
    return np.sort(order[held_out:]), np.sort(order[:held_out])


def quotas(parts: list[Part]) -> list[int]:
    """Training tokens to take of each source.

    With shares w, tokens t and epochs e, source i can feed a mix of at most t_i e_i / w_i tokens. The mix is as large
    as the tightest of the limited sources allows, and never larger than it takes to use every source once:
    T = min(min_i t_i e_i / w_i over limited sources, max_i t_i / w_i); source i gives w_i T.
    """
    used = [part for part in parts if part.share > 0]
    whole = max(part.tokens / part.share for part in used)
    limits = [part.tokens * part.max_epochs / part.share for part in used if part.max_epochs is not None]
    total = min([whole, *limits])
    return [round(part.share * total) for part in parts]


def choose(part: Part, quota: int, seed: int, source: int, shuffle: bool) -> np.ndarray:
    """Documents (with repeats over several epochs) whose tokens come closest to `quota`, in order of passes."""
    if part.tokens == 0 or quota == 0:
        return part.documents[:0]
    if quota >= part.tokens and quota % part.tokens == 0:
        return np.tile(part.documents, quota // part.tokens)
    passes, rest = divmod(quota, part.tokens)
    order = np.arange(len(part.documents))
    if shuffle:
        order = np.random.default_rng([seed, source, passes]).permutation(order)
    sums = np.cumsum(part.lengths[order])
    count = int(np.searchsorted(sums, rest))
    before = sums[count - 1] if count else 0
    if count < len(sums) and sums[count] - rest <= rest - before:
        count += 1
    return np.concatenate([np.tile(part.documents, passes), part.documents[order[:count]]])


def ordered(chosen: list[np.ndarray], seed: int | None) -> np.ndarray:
    """Pairs (source, document), shape [documents, 2]; shuffled across sources where a seed is given."""
    pairs = np.concatenate([np.column_stack([np.full(len(one), n), one]) for n, one in enumerate(chosen)])
    return pairs if seed is None else np.random.default_rng([seed, 1]).permutation(pairs)
