"""A checkpoint of another step, for the programs that only read one."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def load_model(path: Path, precision: str) -> tuple[Any, Any]:
    """The model in evaluation mode and its device."""
    import torch
    from transformers import AutoModelForCausalLM
    from transformers.utils import logging

    from . import adapters, architectures

    architectures.register()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    types = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

    def whole(folder: Path, dtype: torch.dtype) -> Any:
        return AutoModelForCausalLM.from_pretrained(str(folder), dtype=dtype, local_files_only=True)

    if adapters.is_adapters(path):
        model = adapters.merged(whole(adapters.base_of(path), torch.float32), path).to(types[precision])
    else:
        model = whole(path, types[precision])
    return model.to(device).eval(), device
