"""Writes compiler/engines/deepspeed/models.json: the fields of DeepSpeed's configuration classes, as the installed package has them.

    DS_ACCELERATOR=cpu "$(sh trainer/provision.sh)" scripts/deepspeed-schema.py > compiler/engines/deepspeed/models.json
"""

import enum
import inspect
import json
import logging
import os
import sys
import types
import typing

os.environ.setdefault("DS_ACCELERATOR", "cpu")
logging.disable(logging.CRITICAL)

stdout = os.dup(1)
os.dup2(2, 1)
import deepspeed  # noqa: E402
import torch  # noqa: E402
from deepspeed.comm.config import CommsLoggerConfig  # noqa: E402
from deepspeed.compile.config import CompileConfig  # noqa: E402
from deepspeed.inference.config import WeightQuantConfig  # noqa: E402
from deepspeed.monitor.config import CometConfig, CSVConfig, TensorBoardConfig, WandbConfig  # noqa: E402
from deepspeed.runtime import lr_schedules  # noqa: E402
from deepspeed.runtime.config import DtypeEnum, HybridEngineConfig  # noqa: E402
from deepspeed.runtime.precision_config import DeepSpeedBF16Config, DeepSpeedFP16Config  # noqa: E402
from deepspeed.runtime.tensor_parallel.config import TPTrainingConfig  # noqa: E402
from deepspeed.runtime.zero.config import DeepSpeedZeroConfig  # noqa: E402
from deepspeed.utils.config import DeepSpeedThroughputTimerConfig  # noqa: E402
from pydantic import BaseModel  # noqa: E402

SECTIONS = {
    "zero_optimization": DeepSpeedZeroConfig,
    "bf16": DeepSpeedBF16Config,
    "fp16": DeepSpeedFP16Config,
    "comms_logger": CommsLoggerConfig,
    "tensorboard": TensorBoardConfig,
    "wandb": WandbConfig,
    "csv_monitor": CSVConfig,
    "comet": CometConfig,
    "hybrid_engine": HybridEngineConfig,
    "weight_quantization": WeightQuantConfig,
    "compile": CompileConfig,
    "timers.throughput": DeepSpeedThroughputTimerConfig,
    "tensor_parallel": TPTrainingConfig,
}


def type_of(annotation, models):
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        given = [each for each in arguments if each is not type(None)]
        inner = type_of(given[0], models) if len(given) == 1 else {"type": "union", "of": [type_of(each, models) for each in given]}
        return {**inner, "null": True} if type(None) in arguments else inner
    if origin is typing.Literal:
        return {"type": "literal", "values": list(arguments)}
    if origin in (list, typing.List) or annotation is list:
        return {"type": "list", **({"of": type_of(arguments[0], models)} if arguments else {})}
    if origin is dict or annotation in (dict, typing.Dict):
        return {"type": "dict"}
    if annotation is tuple:
        return {"type": "list"}
    if inspect.isclass(annotation) and issubclass(annotation, enum.Enum):
        return {"type": "enum", "values": [each.value for each in annotation]}
    if inspect.isclass(annotation) and issubclass(annotation, BaseModel):
        model(annotation, models)
        return {"type": "model", "model": annotation.__name__}
    known = {bool: "bool", int: "int", float: "float", str: "str", object: "any", typing.Any: "any", torch.dtype: "none"}
    if annotation in known:
        return {"type": known[annotation]}
    if annotation.__name__ == "Path":
        return {"type": "str"}
    raise TypeError(f"no name for {annotation}")


def model(cls, models):
    if cls.__name__ in models:
        return
    models[cls.__name__] = fields = {}
    for name, field in cls.model_fields.items():
        entry = type_of(field.annotation, models)
        for limit in field.metadata:
            for kind in ("gt", "ge", "lt", "le"):
                if getattr(limit, kind, None) is not None:
                    entry[kind] = getattr(limit, kind)
        if field.alias:
            entry["alias"] = field.alias
        default = field.default
        if isinstance(default, (bool, int, float, str)):
            entry["default"] = default.value if isinstance(default, enum.Enum) else default
        extra = field.json_schema_extra or {}
        if extra.get("deprecated"):
            entry["deprecated"] = {"use": extra.get("new_param", ""), "sets": extra.get("set_new_param", True)}
        fields[name] = entry


def parameters(cls):
    found = {}
    for name, parameter in list(inspect.signature(cls.__init__).parameters.items())[2:]:
        if parameter.kind is not parameter.VAR_KEYWORD:
            found[name] = {"required": parameter.default is parameter.empty}
    return found


def optimizers():
    from deepspeed.ops.adagrad import DeepSpeedCPUAdagrad
    from deepspeed.ops.adam import DeepSpeedCPUAdam, FusedAdam, ZenFlowCPUAdam
    from deepspeed.ops.lamb import FusedLamb
    from deepspeed.ops.lion import DeepSpeedCPULion, FusedLion

    own = (FusedAdam, DeepSpeedCPUAdam, ZenFlowCPUAdam, DeepSpeedCPUAdagrad, FusedLamb, FusedLion, DeepSpeedCPULion)
    torchs = [each for each in vars(torch.optim).values() if inspect.isclass(each) and issubclass(each, torch.optim.Optimizer)]
    return {
        **{each.__name__: parameters(each) for each in own},
        **{f"torch.{each.__name__}": parameters(each) for each in torchs if each is not torch.optim.Optimizer},
    }


def schedulers():
    own = [lr_schedules.LRRangeTest, lr_schedules.OneCycle, lr_schedules.WarmupLR, lr_schedules.WarmupDecayLR, lr_schedules.WarmupCosineLR]
    base = torch.optim.lr_scheduler.LRScheduler
    torchs = [each for each in vars(torch.optim.lr_scheduler).values() if inspect.isclass(each) and issubclass(each, base)]
    return {
        **{each.__name__: parameters(each) for each in own},
        **{f"torch.{each.__name__}": parameters(each) for each in torchs if each is not base},
    }


models = {}
for cls in SECTIONS.values():
    model(cls, models)
table = {
    "version": deepspeed.__version__.split("+")[0],
    "torch": torch.__version__.split("+")[0],
    "sections": {name: cls.__name__ for name, cls in SECTIONS.items()},
    "models": models,
    "optimizers": optimizers(),
    "schedulers": schedulers(),
    "torchOptim": sorted(name for name in vars(torch.optim) if not name.startswith("_")),
    "torchSchedulers": sorted(name for name in vars(torch.optim.lr_scheduler) if not name.startswith("_")),
    "ownSchedulers": sorted(name for name in vars(lr_schedules) if not name.startswith("_")),
    "dtypes": [value for each in DtypeEnum for value in each._all_values if isinstance(value, str)],
}
os.write(stdout, (json.dumps(table, indent=1) + "\n").encode())
sys.stdout = None
