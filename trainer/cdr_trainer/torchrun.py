"""`torchrun` with one addition: which ranks failed, and how, is left in a file.

A rank that was killed writes nothing itself; only torchrun knows its exit code.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from .files import write_json
from .processes import PARENT_VARIABLE, die_with_parent


def main() -> None:
    die_with_parent()
    os.environ[PARENT_VARIABLE] = str(os.getpid())
    # Schedulers signal every process of a job, and the agent decides what that means. Ranks inherit this at first.
    for number in (signal.SIGUSR1, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    record = Path(sys.argv[1])

    from torch.distributed import run
    from torch.distributed.elastic.multiprocessing.errors import ChildFailedError

    try:
        run.run(run.parse_args(sys.argv[2:]))
    except ChildFailedError as error:
        failures = [
            {"rank": rank, "code": failure.exitcode, "pid": failure.pid, "time": failure.timestamp}
            for rank, failure in error.failures.items()
        ]
        write_json(record, failures, durable=False)
        print(error, file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
