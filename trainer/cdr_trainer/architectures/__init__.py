"""Models that `transformers` does not have, as classes of its kind: trained, saved, loaded, sampled like its own."""

from transformers import AutoConfig, AutoModelForCausalLM

from .cdrmix import CdrmixConfig, CdrmixForCausalLM
from .rwkv7 import Rwkv7Config, Rwkv7ForCausalLM

__all__ = ["CdrmixConfig", "CdrmixForCausalLM", "Rwkv7Config", "Rwkv7ForCausalLM"]


def register() -> None:
    """Checkpoints name the type of their model, by which `AutoModelForCausalLM` finds the class."""
    for config, model in ((CdrmixConfig, CdrmixForCausalLM), (Rwkv7Config, Rwkv7ForCausalLM)):
        AutoConfig.register(config.model_type, config, exist_ok=True)
        AutoModelForCausalLM.register(config, model, exist_ok=True)
