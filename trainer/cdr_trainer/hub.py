"""The Hugging Face Hub, by its own client, whose cache and environment hold here (`HF_HOME`, `HF_HUB_OFFLINE`)."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from .errors import PREFLIGHT, UserError

_ADVICE = {
    "GatedRepoError": "accept its terms on the Hub, and name a token of that account as `key`",
    "RepositoryNotFoundError": "look at its name; a private one needs a `key`",
    "RevisionNotFoundError": "look at what stands behind the `@`",
    "OfflineModeIsEnabled": "unset HF_HUB_OFFLINE, or download it into the cache (HF_HOME) beforehand",
    "LocalEntryNotFoundError": "this node reaches no Hub: download it into the cache (HF_HOME) on one that does",
}


def is_repository(name: str) -> bool:
    """`owner/name`, or the bare name of an old one: anything else is a path."""
    return re.fullmatch(r"\w[\w.-]*(/\w[\w.-]*)?", name) is not None


def token_of(variable: str | None) -> str | None:
    """The access token in an environment variable; `None` leaves it to the client's own login."""
    token = os.environ.get(variable) if variable else None
    if variable and not token:
        raise UserError(f"the environment variable {variable} with the access token is not set here", PREFLIGHT)
    return token


def download(repository: str, revision: str | None, token: str | None, patterns: Sequence[str]) -> Path:
    """The folder of the client's cache with those files; what is there already is not downloaded again."""
    from huggingface_hub import snapshot_download

    try:
        return Path(snapshot_download(repository, revision=revision, token=token, allow_patterns=list(patterns)))
    except Exception as error:
        raise refused(f"`{repository}`", error) from error


def refused(what: str, error: Exception) -> UserError:
    """What the Hub refused, in one line, with what helps."""
    reason = next((line for line in str(error).splitlines() if line.strip()), type(error).__name__).rstrip(".")
    advice = next((_ADVICE[kind.__name__] for kind in type(error).__mro__ if kind.__name__ in _ADVICE), None)
    return UserError(f"{what} cannot be loaded from the Hub: {reason}" + (f"; {advice}" if advice else ""), PREFLIGHT)
