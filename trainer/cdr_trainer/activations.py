"""Recomputed layers whose inputs DeepSpeed keeps: `activation_checkpointing` of its configuration."""

from __future__ import annotations

from typing import Any

from .config import Config


def section_of(engine: dict[str, Any] | None) -> dict[str, Any] | None:
    """What the configuration says of them; `None` where torch recomputes, or nobody does."""
    return (engine or {}).get("activation_checkpointing") or None


def recompute(model: Any, config: Config, engine: dict[str, Any] | None) -> None:
    """Puts the engine's function in the place of torch's. The classes of the model say where their layers begin.

    Not the reentrant form: layers whose input needs no gradient, as above frozen ones, have weights that do.
    """
    section = section_of(engine)
    if section is None or config.recompute != "full":
        return
    import torch
    from deepspeed.runtime.activation_checkpointing import checkpointing

    checkpointing.configure(
        None,
        # On a processor they lie in host memory, and the engine would empty its own copy.
        checkpoint_in_cpu=section.get("cpu_checkpointing", False) and torch.cuda.is_available(),
        synchronize=section.get("synchronize_checkpoint_boundary", False),
        profile=section.get("profile", False),
    )
    model._set_gradient_checkpointing(enable=True, gradient_checkpointing_func=checkpointing.non_reentrant_checkpoint)
