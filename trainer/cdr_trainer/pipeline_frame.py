"""The code of a family around its layers, without them: probes stand in their place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from transformers.modeling_outputs import BaseModelOutputWithPastAndCrossAttentions

from .adapters import layers_of
from .errors import UserError


class Frame:
    """What it hands to a layer depends on the shape of a batch alone, so it is asked once for each."""

    def __init__(self, model: Any) -> None:
        self.model, self.base = model, model.base_model
        if hasattr(model.config, "output_router_logits"):
            raise uncut(model, "the loss of its routers is that of all layers together")
        self.prefix, layers = layers_of(model)
        parent, _, name = self.prefix.rpartition(".")
        if model.get_submodule(parent) is not self.base:
            raise uncut(model, f"its layers are `{self.prefix}`, inside of another module")
        self.blocks = list(layers)
        self.base._modules[name] = nn.ModuleList(Probe(self, at, block) for at, block in enumerate(self.blocks))
        self._tuples = False
        self.before, self.after = self._around(name)
        base_name = next(child for child, module in model.named_children() if module is self.base)
        self.head = {child: one for child, one in model.named_children() if one is not self.base and _holds(one)}
        model._modules[base_name] = _Given(self)
        self._hidden: Any = None
        self._calls: dict[Any, list[Any]] = {}

    def opened(self, embedded: Any) -> Any:
        """What the first layer reads."""
        try:
            self._run(embedded, lambda at, hidden, words: _leave(hidden))
        except _Left as left:
            return left.hidden
        raise uncut(self.model, "it runs none of its layers")

    def closed(self, hidden: Any) -> Any:
        """What the last layer gives, as the head reads it."""
        last = len(self.blocks) - 1
        run = self._run(torch.zeros_like(hidden), lambda at, passed, words: hidden if at == last else passed)
        return run.last_hidden_state

    def logits(self, hidden: Any) -> Any:
        self._hidden = hidden
        logits = self.model(inputs_embeds=hidden, use_cache=False).logits
        self._hidden = None
        return logits

    def loss(self, logits: Any, labels: Any) -> Any:
        """Mean cross-entropy; the labels are shifted already."""
        return self.model.loss_function(
            logits=logits, labels=labels, vocab_size=self.model.config.vocab_size, shift_labels=labels
        )

    def words(self, at: int, hidden: Any) -> Any:
        """The arguments of a layer besides what the one before it gave."""
        key = hidden.shape, hidden.dtype, hidden.device
        if key not in self._calls:
            found: list[Any] = []

            def note(at: int, passed: Any, words: Any) -> Any:
                found.append(words)
                return passed if at < len(self.blocks) - 1 else _leave(passed)

            # The dropout of embeddings draws numbers that a run which is continued would draw again.
            with torch.no_grad(), torch.random.fork_rng([hidden.device] if hidden.is_cuda else []):
                try:
                    self._run(torch.zeros_like(hidden), note)
                except _Left:
                    pass
            self._calls = {key: found}
        return self._calls[key][at]

    def keep(self, held: list[nn.Module], device: Any) -> None:
        """Lets go of the modules that other ranks run."""
        for owner in (self.base, self.model):
            for name, module in owner.named_children():
                if _holds(module) and not any(module is one for one in held):
                    owner._modules[name] = _Absent()
        self.blocks = [None] * len(self.blocks)
        self.base.to(device)
        self.model.to(device)

    def _run(self, embedded: Any, answer: Callable[[int, Any, Any], Any]) -> Any:
        self._answer = answer
        try:
            return self.base(inputs_embeds=embedded, use_cache=False)
        finally:
            # It may hold activations.
            self._answer = None

    def _around(self, layers: str) -> tuple[dict[str, nn.Module], dict[str, nn.Module]]:
        """The modules with weights that run before the layers and after them, but for the table of tokens."""
        table, passed = self.model.get_input_embeddings(), [False]
        if any(one is not None for one in self.base._parameters.values()):
            raise uncut(self.model, "it has weights beside its layers that belong to none of its modules")
        children = {
            name: one
            for name, one in self.base.named_children()
            if name != layers and one is not table and _holds(one)
        }
        seen: dict[str, set[bool]] = {name: set() for name in children}
        hooks = [
            one.register_forward_pre_hook(lambda module, words, name=name: seen[name].add(passed[0]))
            for name, one in children.items()
        ]

        def note(at: int, hidden: Any, words: Any) -> Any:
            if at == 0:
                self._tuples = isinstance(self.blocks[0](hidden, *words[0], **words[1]), tuple)
            passed[0] = True
            return hidden

        self._answer = note
        with torch.no_grad(), torch.random.fork_rng([]):
            self.base(input_ids=torch.zeros(1, 2, dtype=torch.long), use_cache=False)
        self._answer = None
        for hook in hooks:
            hook.remove()
        for name, times in seen.items():
            if len(times) != 1:
                raise uncut(self.model, f"`{name}` does not run once before or after all layers")
        before = {name: one for name, one in children.items() if seen[name] == {False}}
        return before, {name: one for name, one in children.items() if name not in before}


class Probe(nn.Module):
    """Stands where a layer was, with what the code around it may ask of that."""

    def __init__(self, frame: Frame, at: int, block: nn.Module) -> None:
        super().__init__()
        plain = {name: one for name, one in vars(block).items() if isinstance(one, (str, int)) and name != "training"}
        vars(self).update(plain | {"_ask": frame, "_at": at})

    def forward(self, hidden: Any, *words: Any, **named: Any) -> Any:
        given = self._ask._answer(self._at, hidden, (words, named))
        return (given,) if self._ask._tuples else given


class _Given(nn.Module):
    """Stands where the layers with all around them were: the head runs behind it."""

    def __init__(self, frame: Frame) -> None:
        super().__init__()
        vars(self)["_ask"] = frame

    def forward(self, *words: Any, **named: Any) -> Any:
        return BaseModelOutputWithPastAndCrossAttentions(last_hidden_state=self._ask._hidden)


class _Absent(nn.Module):
    """Another rank runs this one. A norm passes on what it gets, a table of positions adds nothing."""

    def forward(self, given: Any, *words: Any, **named: Any) -> Any:
        return given if given.is_floating_point() else torch.zeros((), device=given.device)


class _Left(Exception):
    def __init__(self, hidden: Any) -> None:
        super().__init__()
        self.hidden = hidden


def _leave(hidden: Any) -> Any:
    raise _Left(hidden)


def _holds(module: nn.Module) -> bool:
    return next(module.parameters(), None) is not None


def uncut(model: Any, why: str) -> UserError:
    return UserError(f"{type(model).__name__} cannot be cut into stages of a pipeline: {why}")
