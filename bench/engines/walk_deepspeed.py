"""Random walks over configurations that DeepSpeed accepts: each step edits a key or two, and is kept where that is accepted.

    walk_deepspeed.py SEED COUNT [--build] < TABLE

TABLE is {keys, optimizers, schedulers} of the compiler's own tables. Prints COUNT rows with the verdict, as `bench truth` reads
them. Without `--build` it is that of DeepSpeedConfig, for any number of ranks; with it, of one rank that builds an engine and takes its
first steps.
"""

from __future__ import annotations

import contextlib
import copy
import io
import json
import logging
import os
import random
import signal
import sys
import traceback
import warnings
from collections.abc import Iterator
from typing import Any

import deepspeed_words as words

Config = dict[str, Any]

# Steps that are kept of a walk, and those that are tried; seconds that an engine may take.
KEPT, TRIED, LONGEST = 6, 14, 30


def main() -> None:
    pick = random.Random(int(sys.argv[1]))
    count, builds = int(sys.argv[2]), "--build" in sys.argv
    os.environ.update(
        RANK="0", WORLD_SIZE="1", LOCAL_RANK="0", MASTER_ADDR="127.0.0.1", DS_ACCELERATOR="cpu", DS_BUILD_OPS="0"
    )
    os.environ.setdefault("MASTER_PORT", str(29000 + pick.randrange(900)))
    logging.disable(50)
    warnings.filterwarnings("ignore")
    # Before anything is started that may read from it too.
    editor = Editor(json.load(sys.stdin), pick)
    if builds:
        import deepspeed

        with contextlib.redirect_stdout(io.StringIO()):
            deepspeed.init_distributed("gloo")
    basis = "initialize" if builds else "config"
    for number, row in zip(range(count), walks(editor, builds), strict=False):
        shown = {
            "id": f"walk-{sys.argv[1]}-{number}",
            "model": "dense",
            "client_optimizer": None,
            "basis": basis,
            "ignored": [],
        }
        print(json.dumps({**shown, **row}), flush=True)
    sys.stdout.flush()
    # Threads of an engine may outlive it.
    os._exit(0)


def walks(editor: Editor, builds: bool) -> Iterator[dict[str, Any]]:
    pick = editor.pick
    while True:
        world = 1 if builds else pick.choice([1, 2, 4, 8, 16, 64])
        current: Config = {
            "train_micro_batch_size_per_gpu": pick.choice([1, 2, 4]),
            "gradient_accumulation_steps": pick.choice([1, 2]),
            "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}},
            pick.choice(["bf16", "bf16", "fp16"]): {"enabled": pick.choice([True, True, False])},
            **copy.deepcopy(pick.choice(words.BASES)),
        }
        kept = 0
        for _ in range(TRIED):
            following = copy.deepcopy(current)
            for _ in range(pick.choice([1, 1, 2])):
                editor.edit(following)
            said = verdict(following, world, builds)
            if said["verdict"] == "unjudged":
                continue
            yield {"world_size": world, "config": following, **said}
            if said["verdict"] == "ok":
                current, kept = following, kept + 1
            if kept == KEPT:
                break


class Editor:
    def __init__(self, table: dict[str, Any], pick: random.Random) -> None:
        self.pick = pick
        self.keys = table["keys"]
        self.optimizers = [name.replace("torch.", "") for name in table["optimizers"]]
        self.schedulers = [name.replace("torch.", "") for name in table["schedulers"]]
        self.sections: dict[str, list[dict[str, Any]]] = {}
        for key in self.keys:
            self.sections.setdefault(key["path"][0], []).append(key)

    def edit(self, config: Config) -> None:
        pick, roll = self.pick, self.pick.random()
        if roll < 0.08:
            for name in pick.sample(words.BATCHES, pick.choice([1, 2, 3])):
                config[name] = pick.choice(words.COUNTS)
        elif roll < 0.16:
            named = [*self.optimizers, "OneBitAdam", "lamb", "Muon", "ADAMW", "Lion", "x"]
            config["optimizer"] = self.made(named, words.OPTIMIZERS)
        elif roll < 0.22:
            config["scheduler"] = self.made([*self.schedulers, "warmuplr", "cosine", "x"], words.SCHEDULES)
            if pick.random() < 0.3:
                del config["scheduler"]["params"]
        elif roll < 0.25:
            config[pick.choice(words.OLD)] = pick.choice([{"enabled": True}, {"enabled": False}, {}, None, True])
        elif roll < 0.28 and config:
            section = pick.choice([config, *(each for each in config.values() if isinstance(each, dict) and each)])
            name = pick.choice(list(section))
            section[words.misspelt(name, pick)] = section.pop(name)
        elif roll < 0.32 and len(config) > 3:
            del config[pick.choice(list(config))]
        else:
            near = self.sections[pick.choice(list(self.sections))]
            key = pick.choice(near if pick.random() < 0.6 else self.keys)
            put(config, key["path"], words.value(key, pick))

    def made(self, names: list[str], params: dict[str, list[Any]]) -> Config:
        chosen = self.pick.sample(list(params), self.pick.choice([0, 1, 2, 3]))
        return {"type": self.pick.choice(names), "params": {name: self.pick.choice(params[name]) for name in chosen}}


def put(config: Config, path: list[str], value: Any) -> None:
    for name in path[:-1]:
        if not isinstance(config.get(name), dict):
            config[name] = {}
        config = config[name]
    config[path[-1]] = value


def verdict(config: Config, world: int, builds: bool) -> dict[str, Any]:
    text = json.dumps(config)
    said = read(json.loads(text), world)
    return build(json.loads(text)) if builds and said["verdict"] == "ok" else said


def read(config: Config, world: int) -> dict[str, Any]:
    import deepspeed.comm as dist
    from deepspeed.runtime.config import DeepSpeedConfig

    kept = (dist.get_rank, dist.get_world_size)
    dist.get_rank, dist.get_world_size = lambda *_, **__: 0, lambda *_, **__: world
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            DeepSpeedConfig(config)
        return {"verdict": "ok", "phase": None, "message": ""}
    except (Exception, SystemExit) as error:
        return {"verdict": "error", "phase": "config", "message": f"{type(error).__name__}: {error}"[:300]}
    finally:
        dist.get_rank, dist.get_world_size = kept


class Late(Exception):
    pass


# What this machine lacks is no fault of a configuration.
MISSING = (
    "implemented on CPU",
    "NVIDIA driver",
    "shared object",
    "failed to build",
    "CROSS_SIZE",
    "No module named",
    "aio",
    "Unable to JIT",
)


def late(*_: Any) -> None:
    raise Late


def build(config: Config) -> dict[str, Any]:
    import deepspeed
    import torch

    torch.set_num_threads(1)
    net = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, 8))
    phase = "initialize"
    signal.signal(signal.SIGALRM, late)
    signal.alarm(LONGEST)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            engine, *_ = deepspeed.initialize(model=net, config=config)
            phase = "step"
            passes = engine.gradient_accumulation_steps()
            for _ in range(passes + 1 if passes < 8 else 1):
                width = next(engine.module.parameters()).dtype
                engine.backward(engine(torch.randn(2, 8, dtype=width)).float().pow(2).mean())
                engine.step()
        return {"verdict": "ok", "phase": None, "message": ""}
    except Late:
        return {"verdict": "late", "phase": phase, "message": f"no end after {LONGEST} s"}
    except (Exception, SystemExit) as error:
        if any(word in str(error) for word in MISSING):
            return {"verdict": "unjudged"}
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{os.path.basename(place.filename)}:{place.lineno} {place.name}"
        return {"verdict": "error", "phase": phase, "message": f"{type(error).__name__} {where}: {error}"[:300]}
    finally:
        signal.alarm(0)


if __name__ == "__main__":
    main()
