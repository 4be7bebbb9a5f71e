import * as fc from "fast-check";
import { expect, it, test } from "vitest";
import type { Snapshot } from "../../runtime/watch/snapshot.ts";
import { eventOf, metricOf } from "../../runtime/watch/lines.ts";
import { advance, nothing, type Progress } from "../../runtime/watch/progress.ts";
import { renderFailure } from "../../runtime/view/failure.ts";
import { renderLive } from "../../runtime/view/live.ts";
import type { PipelineView, RunView } from "../../runtime/view/model.ts";
import { waiting } from "../../runtime/view/model.ts";
import { ansiPaint, noPaint } from "../../runtime/view/paint.ts";
import { tellPlain, untold, type Told } from "../../runtime/view/plain.ts";
import { printable } from "../../runtime/view/printable.ts";
import { renderSummary } from "../../runtime/view/summary.ts";
import { renderRuns } from "../../runtime/view/table.ts";
import { fit, widthOf } from "../../runtime/view/width.ts";
import { tiny } from "../support/tiny.ts";

const [corpus, pretrain, sample] = tiny("/project").bundle.steps.map((step) =>
  waiting(step, "1a2b3c4d", `runs/${step.name}/1a2b3c4d`),
) as [RunView, RunView, RunView];

const line = (value: object): string => JSON.stringify({ time: 1000, attempt: 1, ...value });

const progress: Progress = advance(
  nothing,
  [
    line({ kind: "state", state: "running", reason: "1 x 1 processes" }),
    line({ kind: "warning", message: "the loss of rank 0 alone is shown" }),
    line({ kind: "checkpoint", step: 20, path: "checkpoints/step-00000020", bytes: 387_000, seconds: 0.1 }),
  ].flatMap((text) => eventOf(text) ?? []),
  Array.from({ length: 25 }, (_, i) => {
    const row = { step: i + 1, tokens: 256 * (i + 1), loss: 5.5 - i / 10, lr: 3e-3, grad_norm: 1.25, attempt: 1 };
    return metricOf(JSON.stringify({ ...row, tokens_per_second: 19_003, seconds: i * 0.125, memory: 612e6 }));
  })
    .concat(metricOf('{"step": 20, "val_loss": 3.4, "attempt": 1}'))
    .filter((row) => row !== null),
);

const state = (run: RunView, word: RunView["verdict"]["state"], reason = ""): RunView => ({
  ...run,
  verdict: { state: word, reason, raw: "" },
});

const view: PipelineView = {
  title: "tiny.cdr on here (this machine)",
  runs: [
    { ...state(corpus, "done"), before: true },
    { ...state(pretrain, "running"), attempt: 1, progress, started: 996 },
    sample,
  ],
  wish: null,
  hint: "ctrl-c: save and stop",
};

test("the picture of a run", () => {
  expect(renderLive(view, { columns: 90, now: 1003 }, noPaint).join("\n")).toMatchInlineSnapshot(`
    "
     tiny.cdr on here (this machine)

     ✔ corpus    done       earlier, see runs/corpus/1a2b3c4d
     ● pretrain  running    7 s, 2nd attempt
       62 %    ████████████████████████████▊░░░░░░░░░░░░░░░░░ 25/40 steps  1.9 s left
       loss    ██▇▇▇▇▆▆▆▅▅▅▄▄▄▄▃▃▃▂▂▂▂▁▁ 5.500 → 3.100  val 3.400
       speed   19 003 tok/s · 125 ms a step (plan 50 ms) · lr 3.0e-3 · grad 1.25
       memory  612 MB a rank, planned 500 MB
       saved   step 20, 3 s ago, 387 kB
       ! the loss of rank 0 alone is shown
     ○ sample    waits

     ctrl-c: save and stop"
  `);
});

test("no line is wider than the terminal, coloured or not", () => {
  const wide = { ...view, title: "模型の訓練 on 日本 ".repeat(8) };
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 200 }), fc.boolean(), (columns, coloured) => {
      for (const text of renderLive(wide, { columns, now: 1003 }, coloured ? ansiPaint : noPaint)) {
        expect(widthOf(text)).toBeLessThan(columns);
      }
    }),
  );
});

test("what is cut says so, counts wide characters twice and closes its colours", () => {
  expect(fit("abcdef", 6)).toBe("abcdef");
  expect(fit("abcdefg", 6)).toBe("abcde…");
  expect(fit("日本語の文", 6)).toBe("日本…");
  expect(fit(ansiPaint.red("abcdefg"), 4)).toBe("\u001B[31mabc…\u001B[0m");
});

test("in a pipe: states, then progress every few seconds, each once", () => {
  const run = { ...state(pretrain, "running", "1 x 1 processes"), attempt: 1, progress };
  const first = tellPlain(run, untold, 1003);
  expect(first.lines).toEqual([
    "pretrain: running (2nd attempt), 1 x 1 processes",
    "pretrain: warning: the loss of rank 0 alone is shown",
    "pretrain: steps 25/40  loss 3.100  lr 3.0e-3  19 003 tok/s  612 MB  1.9 s left  val 3.400  saved checkpoints/step-00000020",
  ]);
  expect(tellPlain(run, first.told, 1004).lines).toEqual([]);
  const later = metricOf('{"step": 26, "loss": 3, "attempt": 1}');
  const next = { ...run, progress: advance(progress, [], later === null ? [] : [later]) };
  expect(tellPlain(next, first.told, 1004).lines).toEqual([]);
  expect(tellPlain(next, first.told, 1009).lines).toHaveLength(1);
});

test("in a pipe: an attempt that goes on tells nothing of the one before, and its last line is of its last step", () => {
  const at = (told: Told, run: RunView, now: number) => tellPlain(run, told, now);
  const second = advance(
    progress,
    [
      line({ attempt: 2, kind: "state", state: "running", reason: "" }),
      line({
        attempt: 2,
        kind: "rejected_checkpoint",
        path: "checkpoints/step-00000020",
        reason: "a byte is wrong",
        used: null,
      }),
      line({ attempt: 2, kind: "progress", done: 40, total: 40, unit: "steps" }),
    ].flatMap((text) => eventOf(text) ?? []),
    [],
  );
  const run = { ...state(pretrain, "running"), attempt: 2, progress: second };
  const first = at(untold, run, 1010);
  expect(first.lines).toEqual([
    "pretrain: running (3rd attempt)",
    "pretrain: warning: checkpoints/step-00000020 is not used: a byte is wrong; it starts over",
    "pretrain: warning: the loss of rank 0 alone is shown",
  ]);
  const end = advance(
    second,
    [line({ attempt: 2, kind: "checkpoint", step: 40, path: "checkpoints/step-00000040" })].flatMap(
      (text) => eventOf(text) ?? [],
    ),
    [
      metricOf('{"step": 40, "loss": 2, "attempt": 2}'),
      metricOf('{"step": 40, "val_loss": 2.5, "attempt": 2}'),
    ].filter((row) => row !== null),
  );
  const last = at(first.told, { ...run, progress: end }, 1011);
  expect(last.lines).toEqual(["pretrain: steps 40/40  loss 2.000  val 2.500  saved checkpoints/step-00000040"]);
  expect(at(last.told, { ...state(run, "done"), progress: end }, 1012).lines).toEqual([]);
  expect(
    renderSummary({ runs: [{ ...run, progress: end }], samples: [], report: null }, noPaint).join("\n"),
  ).toContain("checkpoints/step-00000020 is not used");
});

function snapshot(exit: Snapshot["exit"], verdict: Snapshot["verdict"]): Snapshot {
  const record = { step: pretrain.step, attempt: 1, file: "tiny.cdr", id: "1a2b3c4d" } as Snapshot["record"];
  return { directory: "/project/runs/pretrain/1a2b3c4d", record, attempt: 1, progress, exit, verdict };
}

test("a failed run: who, why, last words, where, what next", () => {
  const failure = {
    rank: 1,
    node: 0,
    code: -9,
    cause: "rank 1 was killed: the node ran out of memory",
    tail: ["step 24", "step 25"],
  };
  const exit = { code: 1, state: "failed", reason: failure.cause, failure } as const;
  const facts = {
    snapshot: snapshot(exit, { state: "failed", reason: "", raw: "exit 1" }),
    directory: "runs/pretrain/1a2b3c4d",
    name: "pretrain",
    typed: (words: string) => `cdrc ${words}`,
    words: [],
  };
  expect(renderFailure(facts, 90, noPaint).join("\n")).toMatchInlineSnapshot(`
    "
     ✖ pretrain failed, 2nd attempt

       who    rank 1 on node 0, ended by SIGKILL (-9)
       cause  rank 1 was killed: the node ran out of memory

       │ step 24
       │ step 25

       log    runs/pretrain/1a2b3c4d/logs/a1/0-1.err
       next   cdrc resume pretrain (continues from step 20); cdrc logs pretrain
    "
  `);
});

test.each([
  [65, "cannot go on as it is described", "cdrc run tiny.cdr"],
  [69, "something is missing on the node", "provide it, then cdrc resume pretrain"],
  [73, "ran out of space", "free some space"],
])("exit %d is shown as what it is", (code, title, next) => {
  const exit = { code, state: "failed", reason: "no file matches `texts`", failure: null } as const;
  const facts = {
    snapshot: snapshot(exit, { state: "failed", reason: exit.reason, raw: "" }),
    directory: "runs/x",
    name: "pretrain",
    typed: (words: string) => `cdrc ${words}`,
    words: [],
  };
  const text = renderFailure(facts, 90, noPaint).join("\n");
  expect(text).toContain(title);
  expect(text).toContain("no file matches");
  expect(text).toContain(next);
});

test("the end: loss, checkpoint, report, sample", () => {
  const runs = [{ ...state(pretrain, "done"), progress }];
  const samples = [{ step: "sample", text: "The model\nreads" }];
  expect(renderSummary({ runs, samples, report: "runs/report.html" }, noPaint).join("\n")).toMatchInlineSnapshot(`
    " pretrain    loss 5.500 → 3.100, val 3.400
     checkpoint  runs/pretrain/1a2b3c4d/checkpoints/step-00000020
     report      runs/report.html

     sample
       The model
       reads
    "
  `);
});

test("the list of runs", () => {
  const runs = view.runs.map((run) => ({ ...run, started: 900 }));
  expect(renderRuns(runs, { columns: 200, now: 1003 }, noPaint).join("\n")).toMatchInlineSnapshot(`
    "STEP      ID        STATE    DONE   LOSS   SPEED         STARTED         DIRECTORY
    corpus    1a2b3c4d  done     0 B                         1 min 43 s ago  runs/corpus/1a2b3c4d
    pretrain  1a2b3c4d  running  25/40  3.100  19 003 tok/s  1 min 43 s ago  runs/pretrain/1a2b3c4d
    sample    1a2b3c4d  draft    0/1                         1 min 43 s ago  runs/sample/1a2b3c4d"
  `);
});

it.each([
  ["a\tb\nc", "a\tb\nc"],
  ["\u0011\u0013\u0000", "␑␓␀"],
  ["\u001B[2J\u001B]0;title\u0007", "␛[2J␛]0;title␇"],
  ["\u001B[31mred\u001B[0m", "\u001B[31mred\u001B[0m"],
  ["\u007F\u0085", "␡·"],
])("shows what a model wrote without obeying it: %j", (text, shown) => {
  expect(printable(text)).toBe(shown);
  const samples = [{ step: "q", text }];
  expect(renderSummary({ runs: [], samples, report: null }, noPaint).join("\n").replaceAll("\n   ", "\n")).toContain(
    shown,
  );
});
