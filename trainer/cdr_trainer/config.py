"""The configuration of a step: the JSON of compiler/bundle/*programs.ts, read into attributes."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from .errors import UserError

FORMAT = 1


class Config(SimpleNamespace):
    """Attribute access to a JSON object; a missing key is named together with the object it is missing from."""

    def get(self, name: str, default: Any) -> Any:
        """For keys that only some variants have."""
        return vars(self).get(name, default)

    def __getattr__(self, name: str) -> Any:
        raise UserError(f"the configuration has no `{name}` beside {', '.join(sorted(vars(self))) or 'nothing'}")


def load(path: Path) -> Config:
    """Reads a configuration and refuses one of a format that this trainer does not know."""
    try:
        config = json.loads(path.read_text(encoding="utf-8"), object_hook=lambda fields: Config(**fields))
    except OSError as error:
        raise UserError(f"cannot read the configuration {path}: {error.strerror}") from error
    except ValueError as error:
        raise UserError(f"{path} is not JSON: {error}") from error
    if not isinstance(config, Config) or config.format != FORMAT:
        raise UserError(f"{path} has another format than {FORMAT}; compile again with the `cdrc` that runs it")
    return config
