"""What is heard of Megatron, and its checkpoints as this run's."""

from __future__ import annotations

import io
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from helpers import read_lines

from cdr_trainer import checkpoints
from cdr_trainer.errors import UserError
from cdr_trainer.megatron_checkpoints import BRIDGE_TRACKER, TRACKER, Keeper, newest, offer, point
from cdr_trainer.megatron_words import Words, read, without_first
from cdr_trainer.tokens import TokenReader, TokenWriter

STEP = (
    " [2026-11-21 17:00:00.1] iteration        5/      10 | consumed samples:           20 | elapsed time per "
    "iteration (ms): 12.3 | learning rate: 1.000000E-04 | global batch size:     4 | lm loss: 5.123400E+00 | "
    "load_balancing_loss: 1.1E+00 | loss scale: 1.0 | grad norm: 1.234 | number of nan iterations:   0 |"
)


def test_a_step_is_heard() -> None:
    heard = read(STEP)
    assert heard == {
        "kind": "step",
        "step": 5,
        "samples": 20,
        "milliseconds": 12.3,
        "lr": 1e-4,
        "loss": 5.1234,
        "grad_norm": 1.234,
        "skipped": 0,
    }


def line(step: int, losses: list[float], milliseconds: float, skipped: int = 0) -> dict[str, Any]:
    """As Megatron prints it: means over what was not skipped, with six digits after the point."""
    heard = read(
        f" iteration {step}/ 100 | consumed samples: {4 * step} | "
        f"elapsed time per iteration (ms): {milliseconds:.1f} | "
        f"lm loss: {sum(losses) / max(1, len(losses)):.6E} | number of skipped iterations: {skipped} |"
    )
    assert heard is not None
    return heard


def test_the_first_iteration_of_a_start_is_told_once() -> None:
    losses = [5.567162, 5.566014, 5.116313]
    second = without_first(line(5, losses[:2], 510.0), line(4, losses[:1], 1000.0))
    assert second["loss"] == pytest.approx(losses[1], abs=2e-6) and second["milliseconds"] == pytest.approx(20.0)
    tenth = without_first(line(10, losses, 30.0), line(8, losses[:1], 50.0))
    assert tenth["loss"] == pytest.approx(sum(losses[1:]) / 2, abs=2e-6)
    assert tenth["milliseconds"] == pytest.approx(20.0)


def test_what_overflowed_is_in_no_mean() -> None:
    first = line(1, [], 50.0, skipped=1)
    assert without_first(line(2, [3.0], 30.0, skipped=1), first)["loss"] == 3.0
    assert without_first(line(2, [], 30.0, skipped=2), first)["loss"] == 0.0
    kept = without_first(line(3, [3.0, 2.0], 30.0, skipped=1), line(1, [3.0], 50.0))
    assert kept["loss"] == pytest.approx(2.0)


def test_other_words() -> None:
    evaluated = read(" validation loss at iteration 10 | lm loss value: 2.0E+00 | lm loss PPL: 7.4E+00 | ")
    assert evaluated is not None and (evaluated["step"], evaluated["val_loss"]) == (10, 2.0)
    assert read(" validation loss at iteration 10 on validation set | lm loss value: 2.0E+00 |") is None
    assert read("  [x] successfully saved checkpoint from iteration      10 to /x [ t 1/2 ]") == {
        "kind": "saved",
        "step": 10,
    }
    assert read("building GPT model ...") is None


def test_lines_are_whole_and_pass_through() -> None:
    heard: list[str] = []
    below = io.StringIO()
    words = Words(below, heard.append)
    for part in ("one", " line\ntwo", " lines\n\n"):
        words.write(part)
    assert heard == ["one line", "two lines", ""]
    assert below.getvalue() == "one line\ntwo lines\n\n"


def keeper(run_dir: Path, last: int | None = 2, best: str | None = None) -> Keeper:
    config = SimpleNamespace(
        world=2,
        batch=SimpleNamespace(global_batch=4, sequence=8),
        checkpoint=SimpleNamespace(keep_last=last, keep_best=best),
    )
    return Keeper(run_dir, 0, config)


def save(run_dir: Path, step: int, tracked: bool = True) -> Path:
    """As Megatron does: the shards, then the name of the newest."""
    folder = checkpoints.folder(run_dir) / f"iter_{step:07d}"
    folder.mkdir(parents=True)
    (folder / "__0_0.distcp").write_bytes(bytes([step]) * 100)
    if tracked:
        point(checkpoints.folder(run_dir), step)
    return folder


def names(run_dir: Path) -> list[str]:
    return sorted(path.name for path in checkpoints.folder(run_dir).iterdir())


def test_saves_are_sealed_and_kept_as_asked(tmp_path: Path) -> None:
    one = keeper(tmp_path, best="val_loss")
    for step, loss in ((1, 3.0), (2, 2.0), (3, 2.5), (4, 2.7), (5, 2.6)):
        save(tmp_path, step)
        with open(tmp_path / "metrics.jsonl", "a", encoding="utf-8") as file:
            file.write(json.dumps({"step": step, "val_loss": loss}) + "\n")
        one.adopt(step)
    one.finish()
    left = [f"{kind}_{step:07d}" for kind in ("iter",) for step in (2, 4, 5)]
    assert names(tmp_path) == sorted([*left, TRACKER, *(checkpoints.name_of(step) for step in (2, 4, 5))])
    assert [checkpoints.verify(path) for path in checkpoints.present(tmp_path)] == [None] * 3
    assert [event["step"] for event in read_lines(tmp_path / "events.jsonl")] == [1, 2, 3, 4, 5]


def test_before_a_start_what_is_damaged_or_half_written_goes(tmp_path: Path) -> None:
    first = keeper(tmp_path, last=None)
    for step in (1, 2):
        save(tmp_path, step)
        first.adopt(step)
    first.finish()
    save(tmp_path, 3)  # killed before it was sealed
    save(tmp_path, 4, tracked=False)  # killed while it was written
    again = keeper(tmp_path, last=None)
    again.mend()
    assert [one.step for one in again.kept] == [1, 2, 3]
    assert "iter_0000004" not in names(tmp_path)

    (checkpoints.folder(tmp_path) / "iter_0000003" / "__0_0.distcp").write_bytes(b"x" * 100)
    third = keeper(tmp_path, last=None)
    third.mend()
    assert [one.step for one in third.kept] == [1, 2] and newest(tmp_path) == 2
    (rejected,) = [one for one in read_lines(tmp_path / "events.jsonl") if one["kind"] == "rejected_checkpoint"]
    assert rejected["path"].endswith("00000003") and rejected["used"].endswith("00000002")


def save_by_bridge(run_dir: Path, step: int, tracked: bool = True) -> None:
    """Its state beside the shards, a copy of that above them, then the file that Megatron has as well."""
    folder = save(run_dir, step, tracked=False)
    (folder / "train_state.pt").write_bytes(bytes([step]) * 10)
    (folder.parent / BRIDGE_TRACKER).write_bytes(bytes([step]) * 10)
    if tracked:
        (folder.parent / TRACKER).write_text(str(step))


def test_bridge_goes_on_from_what_is_whole(tmp_path: Path) -> None:
    run_dir = tmp_path / "run"
    folder = checkpoints.folder(run_dir)
    first = keeper(run_dir, last=None)
    for step in (1, 2):
        save_by_bridge(run_dir, step)
        first.adopt(step)
    first.finish()
    assert newest(run_dir) == 2
    (folder / "iter_0000002" / "__0_0.distcp").write_bytes(b"x" * 100)
    save_by_bridge(run_dir, 3, tracked=False)  # killed between its two files
    keeper(run_dir, last=None).mend()
    assert newest(run_dir) == 1 and (folder / BRIDGE_TRACKER).read_bytes() == bytes([1]) * 10

    taken = offer(tmp_path / "taker", folder / checkpoints.name_of(1)) / "checkpoints"
    assert (taken / BRIDGE_TRACKER).read_bytes() == bytes([1]) * 10

    (folder / "iter_0000001" / "__0_0.distcp").write_bytes(b"x" * 100)
    keeper(run_dir, last=None).mend()
    assert not (folder / BRIDGE_TRACKER).exists() and newest(run_dir) is None


def test_another_run_takes_exactly_the_checkpoint_that_it_names(tmp_path: Path) -> None:
    maker, taker = tmp_path / "maker", tmp_path / "taker"
    one = keeper(maker, last=None)
    for step in (1, 2):
        save(maker, step)
        one.adopt(step)
    one.finish()
    folder = offer(taker, checkpoints.folder(maker) / checkpoints.name_of(1)) / "checkpoints"
    assert (folder / TRACKER).read_text() == "1"
    assert (folder / "iter_0000001" / "__0_0.distcp").read_bytes() == bytes([1]) * 100

    foreign = tmp_path / "step-00000001"
    foreign.mkdir()
    checkpoints.seal(foreign, {"step": 1, "engine": "torch"}, {})
    with pytest.raises(UserError, match="of engine torch"):
        offer(taker, foreign)


@pytest.mark.parametrize("dtype", ["uint16", "uint32"])
def test_streams_have_megatrons_index(tmp_path: Path, dtype: str) -> None:
    documents = [[1, 2, 3], [], [40_000]]
    writer = TokenWriter(tmp_path, "train", dtype)
    for document in documents:
        writer.append(document)
    writer.close()
    reader = TokenReader(tmp_path, "train", dtype)
    assert [reader.document(n).tolist() for n in range(3)] == documents
    head = (tmp_path / "train.idx").read_bytes()
    assert head[:9] == b"MMIDIDX\0\0" and head[17] == {"uint16": 8, "uint32": 4}[dtype]
