"""What the installed Megatron says of launches, without starting them.

Reads one JSON list of {argv, env, world, architecture} from stdin and writes one of {verdict, phase, message, values}: `ok`, or the phase
that refused (`parse`, `validate`, `config`, `optimizer`) with its words.
"""

from __future__ import annotations

import contextlib
import copy
import io
import json
import os
import sys
import traceback
from typing import Any

import emulate


def judge(launch: dict[str, Any]) -> dict[str, Any]:
    from megatron.training import arguments
    from megatron.training.training import get_megatron_ddp_config, get_megatron_optimizer_config

    emulate.gpu(launch["architecture"])
    kept = dict(os.environ)
    os.environ.pop("CUDA_DEVICE_MAX_CONNECTIONS", None)
    os.environ.update(launch["env"], WORLD_SIZE=str(launch["world"]), RANK="0", LOCAL_RANK="0")
    sys.argv = ["pretrain", *launch["argv"]]
    said = io.StringIO()
    phase = "parse"
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            parsed = arguments.parse_args(None, False)
            # Lists that are nobody's but the parser's are changed by the checks.
            parsed = copy.deepcopy(parsed)
            values = {name: plain(value) for name, value in vars(parsed).items()}
            phase = "validate"
            arguments.validate_args(parsed, {})
            phase = "config"
            arguments.core_transformer_config_from_args(parsed)
            phase = "optimizer"
            get_megatron_optimizer_config(parsed)
            get_megatron_ddp_config(parsed)
        return {"verdict": "ok", "phase": None, "message": "", "values": values}
    except SystemExit:
        return {"verdict": "error", "phase": phase, "message": said.getvalue()[-400:]}
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        message = f"{type(error).__name__} {os.path.basename(place.filename)}:{place.lineno} {error}"
        return {"verdict": "error", "phase": phase, "message": message[:400]}
    finally:
        os.environ.clear()
        os.environ.update(kept)


def parse_by_one_parser() -> None:
    """Makes the parser once for all launches: most of the time goes into that."""
    from megatron.training import arguments

    if not hasattr(arguments, "add_megatron_arguments"):
        return
    make, made = arguments.add_megatron_arguments, []

    def once(parser: Any) -> Any:
        if not made:
            made.append(make(parser))
        return made[0]

    arguments.add_megatron_arguments = once


def plain(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return [plain(item) for item in value]
    return value if isinstance(value, (str, int, float, bool, type(None))) else getattr(value, "name", str(value))


if __name__ == "__main__":
    emulate.gpu("9.0")
    emulate.transformer_engine()
    parse_by_one_parser()
    print(json.dumps([judge(launch) for launch in json.load(sys.stdin)]))
