"""Exit codes of the run protocol and the error that becomes one clear sentence for the user."""

from __future__ import annotations

OK = 0
FAILED = 1
WRONG_INPUT = 65
PREFLIGHT = 69
NO_SPACE = 73
IN_USE = 75
STOPPED = 80


class UserError(Exception):
    """Something the user can mend: shown as its message alone, without a traceback.

    The message says what is wrong and then how to mend it.
    """

    def __init__(self, message: str, code: int = WRONG_INPUT) -> None:
        super().__init__(message)
        self.code = code


def is_no_space(error: BaseException) -> bool:
    """True when `error`, or what caused it, is a full disk (ENOSPC, EDQUOT), whichever library worded it."""
    import errno

    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, OSError) and seen.errno in (errno.ENOSPC, errno.EDQUOT):
            return True
        text = str(seen)
        if "No space left on device" in text or "os error 28" in text or "Disk quota exceeded" in text:
            return True
        seen = seen.__cause__ or seen.__context__
    return False
