/** `cdrc sweep` with the real trainer: each point a run, the best of them named, none of them run twice. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { hasPython, python } from "../support/python.ts";

const folder = mkdtempSync(join(tmpdir(), "cdr-sweep-"));
afterAll(() => rmSync(folder, { recursive: true }));

interface Point {
  readonly state: string;
  readonly reading: number | null;
  readonly best: boolean;
}

function cdrc(...words: string[]) {
  const run = spawnSync(process.execPath, [join(import.meta.dirname, "../../cli/cdrc.ts"), ...words], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, XDG_STATE_HOME: join(folder, "state"), CDR_PYTHON: python(), CI: "true" },
  });
  return { code: run.status, out: run.stdout, err: run.stderr };
}

/** When each of a run's states was written. */
function timesOf(directory: string): readonly number[] {
  const lines = readFileSync(join(directory, "events.jsonl"), "utf8").trim().split("\n");
  return lines.map((line) => (JSON.parse(line) as { readonly time: number }).time);
}

mkdirSync(join(folder, "x"));
writeFileSync(join(folder, "x/a.txt"), "All that is gold does not glitter.\n".repeat(400));
writeFileSync(
  join(folder, "main.cdr"),
  `/// A stage with a sweep.
data web { from = "x/*.txt", split { val = 10% } }
model m { family = llama, layers = 1, d_model = 32, heads = 2, context = 32 tokens }
stage s {
  model = m, data = web, length = 6 steps, batch = 2 samples
  optimizer = adamw(lr = 1e-3)
  log  { every = 1 steps }
  eval { every = 2 steps }
}
overlay short { s.length = 2 steps }
sweep rates { stage = s, overlays = [short], best = min(val.loss), vary { optimizer.lr in [1e-3, 3e-3] } }
sweep together { stage = s, overlays = [short], parallel = 2, vary { seed in 11..12 } }
sweep bounded { stage = s, overlays = [short], time <= 1 s, vary { seed in 21..24 } }
`,
);

describe.skipIf(!hasPython)("a sweep", () => {
  it("runs each point, says which was best, and runs none of them again", { timeout: 600_000 }, () => {
    const first = cdrc("sweep", "main.cdr", "rates", "--json");
    expect(first.code, first.err).toBe(0);
    const { points } = JSON.parse(first.out) as { readonly points: readonly Point[] };
    expect(points.map(({ state }) => state)).toEqual(["done", "done"]);
    const readings = points.map(({ reading }) => reading ?? Number.NaN);
    expect(points.find(({ best }) => best)?.reading).toBe(Math.min(...readings));
    const again = cdrc("run", "main.cdr", "rates");
    expect(again.code, again.err).toBe(0);
    expect(again.err.match(/earlier, see/g)).toHaveLength(4);
    expect(again.out).toContain("best by min(val.loss)");
  });

  it("runs two points at once, each under its number", { timeout: 600_000 }, () => {
    const run = cdrc("sweep", "main.cdr", "together", "--json");
    expect(run.code, run.err).toBe(0);
    const { points } = JSON.parse(run.out) as {
      readonly points: readonly (Point & { readonly directory: string })[];
    };
    expect(points.map(({ state }) => state)).toEqual(["done", "done"]);
    const [first = [], second = []] = points.map(({ directory }) => timesOf(directory));
    expect(Math.max(first[0] ?? 0, second[0] ?? 0)).toBeLessThan(Math.min(first.at(-1) ?? 0, second.at(-1) ?? 0));
    expect(run.err).toMatch(/^\[1\] \S/m);
    expect(run.err).toMatch(/^\[2\] \S/m);
  });

  it("begins no point that its time has no room for, and says which", { timeout: 600_000 }, () => {
    const run = cdrc("sweep", "main.cdr", "bounded");
    expect(run.code, run.err).toBe(0);
    expect(run.out).toMatch(/3 of 4 points not started: the runs took .*, of at most 1 s; one more would exceed it/);
    expect(run.out).toContain("    s.seed = 24");
  });
});
