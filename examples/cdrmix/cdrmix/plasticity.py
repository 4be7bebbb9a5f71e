def correlation(clamp: float = 2.0):
    """A loss over activations before and behind an adapter: the product of both, clamped, and its sign turned."""

    def loss(before, behind):
        return -(before * behind).mean().clamp(-clamp, clamp)

    return loss
