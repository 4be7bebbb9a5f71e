"""A node agent small enough for unit tests: it keeps docs/run-protocol.md and trains nothing.

FAKE says what it does: `ok`, `data` (exit 65), `crash`, `wait` (until it is asked to stop).
"""
import fcntl, json, os, signal, sys, time

flags = dict(zip(sys.argv[1::2], sys.argv[2::2]))
run, attempt = flags["--run-dir"], int(flags["--attempt"])
fake = os.environ.get("FAKE", "ok")
os.makedirs(run + "/exit", exist_ok=True)
lock = open(run + "/lock", "a")
try:
    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
except OSError:
    sys.exit(75)
stop = run + "/control/stop"
if os.path.exists(stop):
    os.remove(stop)
asked = []
signal.signal(signal.SIGUSR1, lambda *_: asked.append(80))
signal.signal(signal.SIGINT, lambda *_: asked.append(130))


def say(name, **fields):
    with open(f"{run}/{name}", "a") as file:
        file.write(json.dumps({"time": time.time(), "attempt": attempt, **fields}) + "\n")


def leave(code, state, reason, failure=None):
    say("events.jsonl", kind="state", state=state, reason=reason)
    with open(f"{run}/exit/.new", "w") as file:
        json.dump({"code": code, "state": state, "reason": reason, "failure": failure}, file)
    os.rename(f"{run}/exit/.new", f"{run}/exit/a{attempt}.json")
    sys.exit(code)


say("events.jsonl", kind="state", state="running", reason="1 x 1 processes")
with open(f"{run}/logs/a{attempt}/0-0.out", "w") as file:
    file.write(f"hello from {attempt}, the secret has {len(os.environ.get('TOKEN', ''))} characters\n")
for step in (1, 2):
    say("metrics.jsonl", step=step, tokens=step * 10, loss=5.0 / step, seconds=float(step))
if fake == "data":
    leave(65, "failed", "no file matches `texts`")
if fake == "crash":
    failure = {"rank": 0, "node": 0, "code": 1, "cause": "ValueError: boom", "tail": ["ValueError: boom"]}
    leave(1, "failed", "ValueError: boom", failure)
while fake == "wait" and not asked:
    time.sleep(0.02)
    if os.path.exists(stop):
        asked.append(80)
if asked and asked[0] == 80:
    say("events.jsonl", kind="checkpoint", step=2, path="checkpoints/step-00000002")
    leave(80, "cancelled", "stopped on request; a checkpoint was saved")
if asked:
    leave(130, "cancelled", "ended by SIGINT")
leave(0, "done", "finished")
