"""A causal language model in stages: DeepSpeed's `PipelineModule`, its parts run by the family's own classes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from deepspeed.pipe import PipelineModule, TiedLayerSpec
from torch import nn

from .pipeline_frame import Frame, uncut

# Layers as evenly as they go, the first stages taking what is left: the plan deals them out alike.
PARTITION = "type:^Block$"


@dataclass(frozen=True)
class Stage:
    """What a rank holds, its part of the model's weights by their names there, and what describes the model."""

    module: PipelineModule
    saved: dict[str, nn.Module]
    settings: list[Any]


@dataclass(frozen=True)
class Part:
    """A layer of the pipeline, the modules of the model that it runs, and those that only it saves, by name."""

    layer: Any
    modules: list[nn.Module]
    saved: dict[str, nn.Module] = field(default_factory=dict)


def cut(model: Any, stages: int) -> Stage:
    """This rank's stage. The model is of no use afterwards."""
    settings = [model.config, *([model.generation_config] if model.can_generate() else [])]
    # Where weights are read from there, the name of the class is among what is saved.
    model.config.architectures = [type(model).__name__]
    parts, frame = parts_of(model)
    made = PipelineModule(
        [part.layer for part in parts],
        num_stages=stages,
        loss_fn=frame.loss,
        partition_method=PARTITION,
        checkpointable_layers=[Block.__name__],
    )
    mine = parts[made._local_start : made._local_stop]
    # Norms leave out what a rank but the first holds without this mark, and the copy of a shared table with it.
    for weight in made.parameters():
        weight.model_parallel = not weight.ds_pipe_replicated
    # It would keep the layers of all other ranks.
    made._layer_specs = []
    frame.keep([module for part in mine for module in part.modules], next(made.parameters()).device)
    return Stage(made, {name: module for part in mine for name, module in part.saved.items()}, settings)


def parts_of(model: Any) -> tuple[list[Part], Frame]:
    """The layers of the pipeline, from the tokens to the logits."""
    table = model.get_input_embeddings()
    names = {module: name for name, module in model.named_modules()}
    frame = Frame(model)
    around = [*frame.before.values(), *frame.after.values(), *frame.head.values(), *frame.blocks]
    named = {module: names[module] for module in around}

    def saved(modules: list[nn.Module]) -> dict[str, nn.Module]:
        return {named[module]: module for module in modules}

    def run(layer: nn.Module, modules: list[nn.Module]) -> Part:
        return Part(layer, modules, saved(modules))

    heads = list(frame.head.values())
    weights = [weight for module in heads for weight in module.parameters()]
    tied = any(weight is table.weight for weight in weights)
    if tied and len(weights) > 1:
        raise uncut(model, "its head has weights of its own beside the table that it shares with the embedding")
    # Without a function of its own its layer is the table, which DeepSpeed saves.
    first = Part(Tied(table, None) if tied else table, [table], {names[table]: table})
    last = Part(Tied(table, lambda module, hidden: frame.logits(hidden)), heads) if tied else None
    return [
        first,
        run(Around(frame.opened, frame.before), list(frame.before.values())),
        *(run(Block(frame, at, block), [block]) for at, block in enumerate(frame.blocks)),
        run(Around(frame.closed, frame.after), list(frame.after.values())),
        last or run(Around(frame.logits, frame.head), heads),
    ], frame


class Block(nn.Module):
    """A layer of the family, with what the code around it hands to it."""

    def __init__(self, frame: Frame, at: int, block: nn.Module) -> None:
        super().__init__()
        self.block, self._at = block, at
        self._words = frame.words

    def forward(self, hidden: Any) -> Any:
        words, named = self._words(self._at, hidden)
        result = self.block(hidden, *words, **named)
        return result[0] if isinstance(result, tuple) else result


class Around(nn.Module):
    """What the family does before its layers, after them, or for the logits."""

    def __init__(self, work: Callable[[Any], Any], modules: dict[str, nn.Module]) -> None:
        super().__init__()
        self._work = work
        for name, module in modules.items():
            self.add_module(name, module)

    def forward(self, given: Any) -> Any:
        return self._work(given)


class Tied(TiedLayerSpec):
    """The table that embedding and head share: DeepSpeed keeps their copies alike. The module is there already."""

    def __init__(self, table: nn.Module, forward: Callable[[Any, Any], Any] | None) -> None:
        super().__init__("table", type(table), forward_fn=forward)
        self.table = table

    def build(self, log: bool = False) -> nn.Module:
        return self.table
