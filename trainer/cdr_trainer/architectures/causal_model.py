"""What the models of this folder share: loss, sampling, tied tables, initial weights."""

from __future__ import annotations

from typing import Any, ClassVar

import torch
from torch import nn
from transformers import GenerationMixin, PreTrainedModel
from transformers.modeling_layers import GradientCheckpointingLayer
from transformers.modeling_outputs import CausalLMOutput

Layer = GradientCheckpointingLayer
"""A layer that recomputation may run again."""


class CausalModel(PreTrainedModel, GenerationMixin):
    """A subclass has the tables `emb` and `head`, and gives `hidden_states(tokens)`: `(batch, time, width)`."""

    supports_gradient_checkpointing = True
    _tied_weights_keys: ClassVar[dict[str, str]] = {"head.weight": "emb.weight"}

    emb: nn.Embedding
    head: nn.Linear

    def hidden_states(self, tokens: torch.Tensor) -> torch.Tensor:
        raise NotImplementedError

    def auxiliary_loss(self) -> torch.Tensor | None:
        """What the last pass adds to the loss of the tokens."""
        return None

    def forward(
        self,
        input_ids: torch.Tensor,
        attention_mask: torch.Tensor | None = None,
        labels: torch.Tensor | None = None,
        **kwargs: Any,
    ) -> CausalLMOutput:
        """Of tokens `(batch, time)`. No row is padded, so a mask says nothing."""
        logits = self.head(self.hidden_states(input_ids))
        loss = None
        if labels is not None:
            loss = self.loss_function(logits, labels, self.config.vocab_size, shift_labels=kwargs.get("shift_labels"))
            extra = self.auxiliary_loss()
            loss = loss if extra is None else loss + extra
        return CausalLMOutput(loss=loss, logits=logits)

    def prepare_inputs_for_generation(self, input_ids: torch.Tensor, **kwargs: Any) -> dict[str, Any]:
        """No state is kept between tokens: each is computed from the whole text."""
        return {"input_ids": input_ids}

    def get_input_embeddings(self) -> nn.Module:
        return self.emb

    def set_input_embeddings(self, value: nn.Module) -> None:
        self.emb = value

    def get_output_embeddings(self) -> nn.Module:
        return self.head

    def set_output_embeddings(self, value: nn.Module) -> None:
        self.head = value

    def _init_weights(self, module: nn.Module) -> None:
        initialize = getattr(module, "initialize", None)
        if initialize is not None:
            initialize()
        else:
            super()._init_weights(module)
