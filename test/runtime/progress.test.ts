import { expect, test } from "vitest";
import { eventOf, metricOf, type Event, type Metric } from "../../runtime/watch/lines.ts";
import { advance, nothing, type Progress } from "../../runtime/watch/progress.ts";
import { reconcile } from "../../runtime/watch/reconcile.ts";

const events = (...list: object[]): Event[] =>
  list.flatMap((value) => eventOf(JSON.stringify({ time: 1, attempt: 0, ...value })) ?? []);
const metrics = (...list: object[]): Metric[] => list.flatMap((value) => metricOf(JSON.stringify(value)) ?? []);

test("steps that a later attempt repeats are its own", () => {
  const first = metrics(
    { step: 1, loss: 5, attempt: 0 },
    { step: 2, loss: 4, attempt: 0 },
    { step: 3, loss: 3, attempt: 0 },
  );
  const second = metrics({ step: 2, loss: 4.5, attempt: 1 });
  const { train } = advance(advance(nothing, [], first), [], second);
  expect(train.map((row) => [row.step, row.loss, row.attempt])).toEqual([
    [1, 5, 0],
    [2, 4.5, 1],
  ]);
});

test("a loss that is no number is no loss, and not a broken line", () => {
  expect(metricOf('{"step": 3, "loss": NaN, "grad_norm": Infinity}')).toMatchObject({
    step: 3,
    loss: null,
    grad_norm: null,
  });
  expect(metricOf('{"step": 3, "lo')).toBeNull();
  expect(eventOf('{"kind": "party", "time": 1, "attempt": 0}')).toBeNull();
});

test("a rejected checkpoint is none, a failure belongs to its attempt", () => {
  const before = advance(
    nothing,
    events(
      { kind: "checkpoint", step: 10, path: "checkpoints/step-10" },
      { kind: "checkpoint", step: 20, path: "checkpoints/step-20" },
      { kind: "failure", rank: 1, node: 0, code: -9, cause: "killed", tail: [] },
    ),
    [],
  );
  expect(before.failure?.rank).toBe(1);
  const after = advance(
    before,
    events({ attempt: 1, kind: "rejected_checkpoint", path: "checkpoints/step-20", reason: "torn" }),
    [],
  );
  expect(after.failure).toBeNull();
  expect(after.checkpoints.map((saved) => saved.step)).toEqual([10]);
});

const running: Progress = advance(nothing, events({ kind: "state", state: "running", reason: "" }), []);
const failed: Progress = advance(nothing, events({ kind: "state", state: "failed", reason: "disk" }), []);
const alive = { state: "running", reason: "", raw: "process 7" } as const;
const gone = { state: "lost", reason: "gone", raw: "no process 7" } as const;
const queued = { state: "queued", reason: "Priority", raw: "PENDING" } as const;
const requeued = { state: "requeued", reason: "Priority", raw: "PENDING" } as const;
const cancelled = { state: "cancelled", reason: "", raw: "CANCELLED" } as const;
const saved = { code: 80, state: "cancelled", reason: "a checkpoint was saved" } as const;
const done = { code: 0, state: "done", reason: "finished" } as const;

test.each([
  [
    "the agent's result wins over everything",
    { exit: done, observation: gone, progress: running, attempt: 0 },
    "done",
  ],
  ["alive: what was written last", { exit: null, observation: alive, progress: running, attempt: 0 }, "running"],
  ["alive and silent yet", { exit: null, observation: alive, progress: nothing, attempt: 0 }, "starting"],
  ["alive in a later attempt", { exit: null, observation: alive, progress: failed, attempt: 1 }, "starting"],
  ["gone without a result", { exit: null, observation: gone, progress: running, attempt: 0 }, "lost"],
  ["gone, but it could say how", { exit: null, observation: gone, progress: failed, attempt: 0 }, "failed"],
  ["a scheduler that queues it", { exit: null, observation: queued, progress: nothing, attempt: 0 }, "queued"],
  [
    "a scheduler's word that it is done is not enough",
    { exit: null, observation: { ...gone, state: "done" }, progress: running, attempt: 0 },
    "lost",
  ],
  [
    "saved because its time was up, and the job is not over",
    { exit: saved, observation: alive, progress: running, attempt: 0 },
    "saving",
  ],
  [
    "back in the queue",
    { exit: { ...saved, state: "requeued" }, observation: requeued, progress: running, attempt: 0 },
    "requeued",
  ],
  [
    "cancelled in the queue",
    { exit: { ...saved, state: "requeued" }, observation: cancelled, progress: running, attempt: 0 },
    "cancelled",
  ],
  ["saved and gone", { exit: saved, observation: gone, progress: running, attempt: 0 }, "cancelled"],
  ["never started", { exit: null, observation: null, progress: nothing, attempt: 0 }, "draft"],
] as const)("%s", (_, witnesses, state) => {
  expect(reconcile(witnesses).state).toBe(state);
});
