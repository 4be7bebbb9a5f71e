/** `cdrc sweep` with the real trainer: each point a run, the best of them named, none of them run twice. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
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
`,
);

describe.skipIf(!hasPython)("a sweep", () => {
  it("runs each point, says which was best, and runs none of them again", { timeout: 600_000 }, () => {
    const first = cdrc("sweep", "main.cdr", "--json");
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
});
