"""What Megatron's own pretrain_gpt.py does, which its wheel does not bring, on a machine without a GPU.

Parser, validation, model, layers over ranks, DDP, optimizer, data sets, training loop, checkpoints and signals are
Megatron's; CUDA's bookkeeping is answered by the CPU, and NCCL's groups are gloo's.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

# Compiled functions ask the driver for a stream.
os.environ["TORCHDYNAMO_DISABLE"] = "1"

import emulate  # noqa: E402

emulate.gpu("9.0")

import torch  # noqa: E402
import train  # noqa: E402
from megatron.core.datasets.blended_megatron_dataset_builder import BlendedMegatronDatasetBuilder  # noqa: E402
from megatron.core.datasets.gpt_dataset import GPTDataset, GPTDatasetConfig  # noqa: E402
from megatron.core.enums import ModelType  # noqa: E402
from megatron.core.tokenizers.utils.build_tokenizer import build_tokenizer  # noqa: E402
from megatron.training import get_args, pretrain  # noqa: E402
from megatron.training.argument_utils import pretrain_cfg_container_from_args  # noqa: E402
from megatron.training.arguments import parse_and_validate_args  # noqa: E402
from megatron.training.datasets.sft_dataset import SFTDataset  # noqa: E402
from megatron.training.utils import get_blend_and_blend_per_split  # noqa: E402


def model_provider(*_: Any, **__: Any) -> Any:
    args = get_args()
    return train.model_of(args, args.padded_vocab_size)


def loss_of(mask: torch.Tensor, output: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, dict[str, torch.Tensor]]:
    loss = torch.sum(output.float().view(-1) * mask.view(-1))
    tokens = mask.sum().clone().detach().to(torch.int)
    return loss, tokens, {"lm loss": torch.cat([loss.clone().detach().view(1), tokens.view(1)])}


def forward_step(batches: Any, model: Any) -> Any:
    batch = next(batches)
    length = batch["tokens"].shape[1]
    ahead = torch.triu(torch.ones(1, 1, length, length, dtype=torch.bool), 1)
    output = model(batch["tokens"], batch["position_ids"], ahead, labels=batch["labels"])
    return output, partial(loss_of, batch["loss_mask"].float())


def datasets(samples: Any, **_: Any) -> Any:
    args = get_args()
    blend, per_split = get_blend_and_blend_per_split(args)
    config = GPTDatasetConfig(
        random_seed=args.seed,
        sequence_length=args.seq_length,
        blend=blend,
        blend_per_split=per_split,
        split=args.split,
        path_to_cache=args.data_cache_path,
        tokenizer=build_tokenizer(args),
        reset_position_ids=False,
        reset_attention_mask=False,
        eod_mask_loss=False,
        create_attention_mask=False,
        context_parallel_size=args.context_parallel_size,
    )
    return BlendedMegatronDatasetBuilder(
        SFTDataset if args.sft else GPTDataset, samples, lambda: True, config
    ).build()


datasets.is_distributed = True  # type: ignore[attr-defined]


if __name__ == "__main__":
    arguments = parse_and_validate_args()
    train.on_cpu()
    train.without_devices()
    pretrain(
        pretrain_cfg_container_from_args(arguments),
        datasets,
        ModelType.encoder_or_decoder,
        forward_step,
        model_provider,
    )
