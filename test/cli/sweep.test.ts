/** `cdrc sweep`, as it is called: its points, its refusals, and what it reads of runs. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
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
sweep unready { stage = s, parallel = 2, vary { seed in 1..2 } }
`,
);

it("lists points as `--set` takes them, the last variation fastest", () => {
  const points = pointsOf(cdrc("sweep", "main.cdr", "kinds", "--list", "--json").out);
  expect(points).toHaveLength(16);
  expect(points.slice(0, 3).map((point) => point.set)).toEqual([
    ["width=32", "name=a", "s.clip=none", "s.schedule=constant"],
    ["width=32", "name=a", "s.clip=none", "s.schedule=cosine(warmup = 1 steps)"],
    ["width=32", "name=a", "s.clip=0.5", "s.schedule=constant"],
  ]);
  for (const { set } of points.slice(0, 3)) {
    const checked = cdrc("check", "main.cdr", ...set.flatMap((word) => ["--set", word]));
    expect(checked.code, checked.err).toBe(0);
  }
});

it("draws the same few points each time", () => {
  const [first, again] = [1, 2].map(() => pointsOf(cdrc("sweep", "main.cdr", "few", "--list", "--json").out));
  expect(first).toHaveLength(3);
  expect(again).toEqual(first);
});

it.each([
  [["sweep", "main.cdr"], 2, "several sweeps: name one of rates, kinds, few, unmeasured, unready"],
  [["sweep", "main.cdr", "rate"], 2, 'has no sweep "rate"'],
  [["sweep", "main.cdr", "unmeasured"], 2, "cannot be ranked by max(reward) yet"],
  [["sweep", "main.cdr", "unready"], 1, "does not carry out `parallel`"],
  [["run", "main.cdr", "rates", "s"], 2, "name it alone"],
  [["run", "main.cdr", "rates", "--detach"], 2, "is not detached"],
] as const)("%s", (words, code, message) => {
  const refused = cdrc(...words);
  expect(refused.code, refused.err).toBe(code);
  expect(refused.err.replaceAll(/\s+/g, " ")).toContain(message);
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
