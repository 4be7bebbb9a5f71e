"""No orphans: children die with their parent, and whatever is left of a tree can be ended."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import time

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
PARENT_VARIABLE = "CDR_PARENT"


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


def die_with_parent() -> None:
    """The kernel kills this process when its parent dies, by whatever signal.

    The parent writes its process id into `CDR_PARENT`: one that died before the call above is noticed here.
    """
    _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    parent = os.environ.get(PARENT_VARIABLE)
    if parent and os.getppid() != int(parent):
        os._exit(1)


def obey_only_parent() -> None:
    """SIGTERM of the parent ends this process; that of a scheduler, which every process of a job gets, does not.

    To be called before other threads start. A thread waits for it: a process that hangs in a collective dies as well.
    """
    if not hasattr(signal, "sigwaitinfo"):
        return
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    signal.signal(signal.SIGTERM, signal.SIG_DFL)

    def wait() -> None:
        while signal.sigwaitinfo({signal.SIGTERM}).si_pid != os.getppid():
            pass
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait, daemon=True).start()


def adopt_orphans() -> None:
    """Grandchildren whose parent died become children of this process, so that `end_descendants` finds them."""
    _prctl(PR_SET_CHILD_SUBREAPER, 1)


def descendants(root: int) -> list[int]:
    """Process ids below `root`, parents first. Zombies are left out."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc") if os.path.isdir("/proc") else []:
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                fields = file.read().rpartition(b")")[2].split()
        except OSError:
            continue
        if fields[0] != b"Z":
            children.setdefault(int(fields[1]), []).append(int(name))
    found: list[int] = []
    queue = [root]
    while queue:
        below = children.get(queue.pop(0), [])
        found += below
        queue += below
    return found


def end_descendants(patience: float = 10.0) -> None:
    """Kills everything below this process and reaps it."""
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        left = descendants(os.getpid())
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        while True:
            try:
                if os.waitpid(-1, os.WNOHANG)[0] == 0:
                    break
            except ChildProcessError:
                break
        if not left:
            return
        time.sleep(0.02)
