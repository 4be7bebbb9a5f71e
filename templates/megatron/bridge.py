"""Trains what a configuration of Megatron Bridge says: torchrun bridge.py bridge.yaml"""

from __future__ import annotations

import sys

from megatron.bridge.training.config import ConfigContainer
from megatron.bridge.training.gpt_step import forward_step
from megatron.bridge.training.pretrain import pretrain
from megatron.bridge.utils.instantiate_utils import InstantiationMode


def configuration(path: str) -> ConfigContainer:
    """Unknown fields are errors."""
    return ConfigContainer.from_yaml(path, mode=InstantiationMode.STRICT)


if __name__ == "__main__":
    pretrain(config=configuration(sys.argv[1]), forward_step_func=forward_step)
