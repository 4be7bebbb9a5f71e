"""Formulas over metrics."""

from __future__ import annotations

from cdr_trainer.config import Config
from cdr_trainer.expectations import Expectations


def expect(metric: str, op: str, value: float, at_step: int | None = None, otherwise: str = "warn") -> Config:
    source = f"{metric} {op} {value}"
    return Config(source=source, metric=metric, op=op, value=value, at_step=at_step, otherwise=otherwise)


def test_judged_once_at_its_step() -> None:
    watching = Expectations([expect("loss", "<=", 3.2, at_step=10)])
    assert watching.judge({"step": 5, "loss": 9.0}) == []
    assert watching.judge({"step": 12, "val_loss": 9.0}) == []
    (broken,) = watching.judge({"step": 12, "loss": 4.0})
    assert broken[1] == "`loss <= 3.2` does not hold: loss is 4 at step 12"
    assert watching.judge({"step": 13, "loss": 5.0}) == []


def test_judged_always_without_a_step() -> None:
    watching = Expectations([expect("grad_norm", "<", 10)])
    assert watching.judge({"step": 1, "grad_norm": 1.0}) == []
    assert len(watching.judge({"step": 2, "grad_norm": 11.0})) == 1


def test_no_number_breaks_it() -> None:
    assert len(Expectations([expect("loss", ">", 0)]).judge({"step": 1, "loss": float("nan")})) == 1
