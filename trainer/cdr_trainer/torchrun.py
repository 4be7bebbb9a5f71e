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
    # Schedulers send USR1 to every process of a job. Ranks inherit this until they install their own handler.
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
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
