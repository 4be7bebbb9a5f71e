"""A checkpoint counts only when every byte of it is right."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from cdr_trainer import checkpoints, inputs


def save(run_dir: Path, step: int, val_loss: float | None = None) -> Path:
    staging = checkpoints.staging_path(run_dir, step)
    (staging / "deep").mkdir(parents=True)
    (staging / "model.safetensors").write_bytes(bytes([step % 256]) * 1000)
    (staging / "deep" / "state.pt").write_bytes(b"state" * 100)
    files = {name: checkpoints.digest(staging / name, True) for name in checkpoints.contents(staging)}
    return checkpoints.commit(staging, {"step": step, "val_loss": val_loss}, files)


def flip(path: Path, at: int = 7) -> None:
    content = bytearray(path.read_bytes())
    content[at] ^= 1
    path.write_bytes(content)


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def edit_manifest(path: Path) -> None:
    manifest = json.loads(path.read_text())
    path.write_text(json.dumps(manifest | {"tokens": 1}))


DAMAGES: list[tuple[str, Callable[[Path], None], str]] = [
    ("model.safetensors", flip, "checksum"),
    ("model.safetensors", truncate, "999 bytes instead of 1000"),
    ("deep/state.pt", Path.unlink, "missing"),
    (checkpoints.MANIFEST, Path.unlink, "no MANIFEST"),
    (checkpoints.MANIFEST, truncate, "MANIFEST"),
    (checkpoints.MANIFEST, edit_manifest, "own checksum"),
]


@pytest.mark.parametrize(("name", "damage", "reason"), DAMAGES)
def test_damage_is_named_and_the_previous_one_used(
    tmp_path: Path, name: str, damage: Callable[[Path], None], reason: str
) -> None:
    good, bad = save(tmp_path, 5), save(tmp_path, 10)
    if damage is truncate and name == checkpoints.MANIFEST:
        (bad / name).write_bytes((bad / name).read_bytes()[:40])
    else:
        damage(bad / name)
    told: list[tuple[str, str]] = []
    assert checkpoints.find_resume(tmp_path, lambda *words: told.append(words)) == good
    assert [entry[0] for entry in told] == ["step-00000010"]
    assert reason in told[0][1]
    assert not bad.exists()


def test_half_written_ones_are_named_and_removed(tmp_path: Path) -> None:
    good = save(tmp_path, 5)
    staging = checkpoints.staging_path(tmp_path, 10)
    staging.mkdir()
    (staging / "model.safetensors").write_bytes(b"half")
    told: list[str] = []
    assert checkpoints.find_resume(tmp_path, lambda name, reason: told.append(reason)) == good
    assert "half written" in told[0] and not staging.exists()


def test_a_renamed_checkpoint_is_refused(tmp_path: Path) -> None:
    moved = save(tmp_path, 5).rename(tmp_path / "checkpoints" / "step-00000009")
    assert "step 5" in (checkpoints.verify(moved) or "")


def test_nothing_valid(tmp_path: Path) -> None:
    flip(save(tmp_path, 5) / "model.safetensors")
    assert checkpoints.newest_valid(tmp_path) is None
    assert checkpoints.find_resume(tmp_path, lambda *_: None) is None


def test_saving_a_step_again_replaces_it(tmp_path: Path) -> None:
    save(tmp_path, 5)
    assert checkpoints.verify(save(tmp_path, 5)) is None
    assert [path.name for path in (tmp_path / "checkpoints").iterdir()] == ["step-00000005"]


@pytest.mark.parametrize(
    ("keep_last", "keep_best", "left"),
    [(None, False, [1, 2, 3, 4]), (2, False, [3, 4]), (1, True, [2, 4]), (0, False, [4])],
)
def test_retention(tmp_path: Path, keep_last: int | None, keep_best: bool, left: list[int]) -> None:
    losses = {1: 3.0, 2: 1.0, 3: 2.0, 4: None}
    saved = [checkpoints.load(save(tmp_path, step, loss)) for step, loss in losses.items()]
    kept = checkpoints.retain(tmp_path, saved, keep_last, keep_best)
    assert [one.step for one in kept] == left
    assert [checkpoints.load(path).step for path in reversed(checkpoints.present(tmp_path))] == left


def test_retention_drops_what_was_set_aside(tmp_path: Path) -> None:
    save(tmp_path, 5)
    flip(save(tmp_path, 10) / "model.safetensors")
    checkpoints.find_resume(tmp_path, lambda *_: None)
    assert (tmp_path / "checkpoints" / "rejected-step-00000010").exists()
    checkpoints.retain(tmp_path, [checkpoints.load(save(tmp_path, 15))], 1, False)
    assert not (tmp_path / "checkpoints" / "rejected-step-00000010").exists()


def test_the_command_prints_json(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch) -> None:
    save(tmp_path, 5)
    truncate(save(tmp_path, 10) / "model.safetensors")
    monkeypatch.setattr("sys.argv", ["checkpoints", str(tmp_path)])
    assert checkpoints.main() == 0
    rows = json.loads(capsys.readouterr().out)["checkpoints"]
    assert [(row["step"], row["valid"]) for row in rows] == [(10, False), (5, True)]


def test_an_input_is_the_checkpoint_of_its_step_and_no_other(tmp_path: Path) -> None:
    for step in (5, 10):
        save(tmp_path, step)
    rejected: dict[str, str] = {}
    found = inputs.locate(Path(f"{tmp_path}@step-5"), rejected.__setitem__)
    assert found == tmp_path / "checkpoints" / "step-00000005"
    assert inputs.locate(Path(f"{tmp_path}@step-7"), rejected.__setitem__) is None
    assert rejected == {}
    flip(tmp_path / "checkpoints" / "step-00000005" / "model.safetensors")
    assert inputs.locate(Path(f"{tmp_path}@step-5"), rejected.__setitem__) is None
    assert list(rejected) == ["step-00000005"]
