/** `cdrc sweep`, as it is called: its points, its refusals, and what it reads of runs. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { renderRanked } from "../../cli/sweep/render.ts";
import type { PointRun } from "../../cli/sweep/run-point.ts";
import { runPoints } from "../../cli/sweep/run-points.ts";
import type { SweepPoint } from "../../compiler/sweeps.ts";
import type { RunState } from "../../runtime/target.ts";
import { secondsSpent } from "../../runtime/watch/spent.ts";
import { metricIn, readingOf } from "../../cli/sweep/reading.ts";

const root = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "cdr-sweep-"));
afterAll(() => rmSync(folder, { recursive: true }));

interface Point {
  readonly set: readonly string[];
}

function cdrc(...words: string[]) {
  const run = spawnSync(process.execPath, [join(root, "cli/cdrc.ts"), ...words], {
    cwd: folder,
    encoding: "utf8",
  });
  return { code: run.status, out: run.stdout, err: run.stderr };
}

const pointsOf = (out: string) => (JSON.parse(out) as { readonly points: readonly Point[] }).points;

mkdirSync(join(folder, "x"));
writeFileSync(join(folder, "x/a.txt"), "All that is gold does not glitter.\n".repeat(400));
writeFileSync(
  join(folder, "main.cdr"),
  `/// A stage with sweeps.
param width: Int = 32
param name: "a" | "b" = "a"
data web { from = "x/*.txt", split { val = 10% } }
model m { family = llama, layers = 1, d_model = width, heads = 2, context = 32 tokens }
stage s {
  model = m, data = web, length = 6 steps, batch = 2 samples
  optimizer = adamw(lr = 1e-3)
  log  { every = 1 steps }
  eval { every = 2 steps }
}
overlay short { s.length = 2 steps }
sweep rates { stage = s, overlays = [short], best = min(val.loss), vary { optimizer.lr in [x * 1e-3 for x in [1, 3]] } }
sweep kinds {
  stage = s
  vary { width in [32, 64], name in ["a", "b"], clip in [none, 0.5], schedule in [constant, cosine(warmup = 1 steps)] }
}
sweep few { stage = s, runs = 3, vary { seed in 1..20 } }
sweep unmeasured { stage = s, best = max(reward), vary { seed in 1..2 } }
sweep priced { stage = s, parallel = 2, time <= 90 min, cost <= 4 usd, vary { seed in 1..2 } }
`,
);

it("lists points as `--set` takes them, the last variation fastest", () => {
  const points = pointsOf(cdrc("sweep", "main.cdr", "kinds", "--list", "--json").out);
  expect(points).toHaveLength(16);
  expect(points.slice(0, 3).map((point) => point.set)).toEqual([
    ["width=32", 'name="a"', "s.clip=none", "s.schedule=constant"],
    ["width=32", 'name="a"', "s.clip=none", "s.schedule=cosine(warmup = 1 steps)"],
    ["width=32", 'name="a"', "s.clip=0.5", "s.schedule=constant"],
  ]);
  for (const { set } of points.slice(0, 3)) {
    const checked = cdrc("check", "main.cdr", ...set.flatMap((word) => ["--set", word]));
    expect(checked.code, checked.err).toBe(0);
  }
});

it("says what is wrong at points before any of them runs", () => {
  const file = readFileSync(join(folder, "main.cdr"), "utf8");
  const sweep = `sweep splits { stage = s, vary { layout.micro_batch in [1 samples, 3 samples, 5 samples], seed in 1..2 } }\n`;
  writeFileSync(join(folder, "points.cdr"), `${file}${sweep}`);
  const { code, out, err } = cdrc("sweep", "points.cdr", "splits", "--dry-run");
  expect([code, out]).toEqual([1, ""]);
  expect(err.match(/points\.cdr:\d+:\d+: error/g)).toHaveLength(2);
  expect(err).toContain("splits 3/6: s.layout.micro_batch = 3 samples, s.seed = 1\npoints.cdr:");
  expect(err).toContain("sweep splits does not run: 4 of 6 points have errors");
  const refused = cdrc("sweep", "points.cdr", "splits", "--json");
  expect([refused.code, JSON.parse(refused.out)]).toMatchObject([1, { summary: { errors: 2 } }]);
  const listed = cdrc("sweep", "points.cdr", "splits", "--list", "--json");
  expect([listed.code, pointsOf(listed.out).length]).toEqual([1, 6]);
});

it("draws the same few points each time", () => {
  const [first, again] = [1, 2].map(() => pointsOf(cdrc("sweep", "main.cdr", "few", "--list", "--json").out));
  expect(first).toHaveLength(3);
  expect(again).toEqual(first);
});

it.each([
  [["sweep", "main.cdr"], 2, "several sweeps: name one of rates, kinds, few, unmeasured, priced"],
  [["sweep", "main.cdr", "rate"], 2, 'has no sweep "rate"'],
  [["sweep", "main.cdr", "unmeasured"], 2, "cannot be ranked by max(reward) yet"],
  [["sweep", "main.cdr", "priced"], 2, "the price of a GPU-hour is unknown"],
  [["run", "main.cdr", "rates", "s"], 2, "name it alone"],
  [["run", "main.cdr", "rates", "--detach"], 2, "is not detached"],
] as const)("%s", (words, code, message) => {
  const refused = cdrc(...words);
  expect(refused.code, refused.err).toBe(code);
  expect(refused.err.replaceAll(/\s+/g, " ")).toContain(message);
});

it("says how many at once, and within what", () => {
  expect(cdrc("sweep", "main.cdr", "priced", "--list").out).toContain(
    "priced: s at 2 points, 2 at once, in at most 1 h 30 min, for at most 4 usd",
  );
});

describe("points", () => {
  const points = [1, 2, 3, 4, 5].map((n) => ({ sets: [`seed=${n}`], at: { seed: String(n) }, values: [] }));
  const ended = (point: SweepPoint, more: Partial<PointRun> = {}): PointRun => ({
    ...{ point, exitCode: 0, id: "a", directory: "/r", state: "done", reading: null, seconds: 10, cost: 2 },
    ...more,
  });
  const free = { time: null, cost: null };

  it("run as many at once as asked, and keep their order", async () => {
    let [now, most] = [0, 0];
    const { runs, spent } = await runPoints({ points, parallel: 2, limits: free }, async (point, index) => {
      most = Math.max(most, (now += 1));
      await sleep(index === 0 ? 30 : 5);
      now -= 1;
      return ended(point);
    });
    expect(most).toBe(2);
    expect(runs.map(({ point }) => point)).toEqual(points);
    expect(spent).toBeNull();
  });

  it.each([
    [{ time: 35, cost: null }, 1, 3, "time"],
    [{ time: 30, cost: null }, 1, 3, "time"],
    [{ time: null, cost: 4.5 }, 1, 2, "cost"],
    [{ time: 1000, cost: 9 }, 1, 4, "cost"],
    [{ time: 1, cost: null }, 1, 1, "time"],
    [{ time: 50, cost: 10 }, 1, 5, null],
  ] as const)("stay within %o", async (limits, parallel, count, why) => {
    const { runs, spent } = await runPoints({ points, parallel, limits }, (point) => Promise.resolve(ended(point)));
    expect([runs.length, spent]).toEqual([count, why]);
    const said = renderRanked({ ...sweep, points, limits }, { runs, spent }, null);
    if (why !== null) expect(said).toMatch(new RegExp(`${5 - count} of 5 points not started: the runs (took|cost)`));
    for (const { at } of points.slice(count)) expect(said).toContain(`    seed = ${at.seed}`);
  });

  it("count what is under way", async () => {
    const { runs } = await runPoints(
      { points, parallel: 2, limits: { time: 35, cost: null } },
      async (point, index) => {
        await sleep(index === 1 ? 60 : 5);
        return ended(point);
      },
    );
    expect(runs.map(({ point }) => point.at["seed"])).toEqual(["1", "2", "3"]);
  });

  it("end where the user stops one", async () => {
    const { runs, spent } = await runPoints({ points, parallel: 1, limits: free }, (point, index) =>
      Promise.resolve(ended(point, { exitCode: index === 1 ? 130 : 0 })),
    );
    expect([runs.length, spent]).toEqual([2, null]);
    const said = renderRanked({ ...sweep, points, limits: free }, { runs, spent }, null);
    expect(said).toContain("3 of 5 points not started; the same command continues");
  });

  const sweep = { name: "w", stage: "s", overlays: [], best: null, parallel: 1 };
});

it("counts the seconds of every attempt, and none of a queue", () => {
  const change = (time: number, attempt: number, state: RunState) =>
    ({ kind: "state", time, attempt, state, reason: "", raw: "" }) as const;
  const changes = [
    change(0, 0, "queued"),
    change(100, 0, "starting"),
    change(130, 0, "requeued"),
    change(500, 1, "starting"),
    change(505, 1, "running"),
    change(520, 1, "done"),
  ];
  expect(secondsSpent({ changes, train: [] })).toBe(50);
  expect(secondsSpent({ changes: [], train: [] })).toBe(0);
});

it("reads what a run wrote down", () => {
  const row = (step: number, rest: object) => ({ step, attempt: 0, ...rest });
  const progress = {
    train: [row(1, { loss: 5, memory: 7 }), row(2, { loss: 4, memory: 6 }), row(3, { loss: null })],
    evals: [row(1, { val_loss: 3 }), row(2, { val_loss: 3.5 })],
  };
  const read = (name: string, at?: number) => {
    const metric = metricIn(at === undefined ? { name } : { name, at });
    return metric === null ? undefined : readingOf(metric, progress);
  };
  expect(read("val.loss")).toBe(3.5);
  expect(read("best.loss")).toBe(3);
  expect(read("loss")).toBe(4);
  expect(read("loss", 1)).toBe(5);
  expect(read("loss", 9)).toBeNull();
  expect(read("memory.peak")).toBe(7);
  expect(read("lr")).toBeNull();
  expect(read("reward")).toBeUndefined();
  expect(metricIn({ op: "+", of: [{ name: "loss" }, 1] })).toBeNull();
});
