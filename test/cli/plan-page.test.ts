/** `cdrc plan --html`. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cdrc } from "../support/cdrc.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "cdrc-page-"));
  writeFileSync(
    join(folder, "a<b.cdr"),
    `import "std/clusters" { dgx_h100 }
import "std/data" { python_docs }
data docs extends python_docs {}
model big { family = llama, layers = 32, d_model = 4096 }
stage pretrain {
  model     = big
  data      = docs
  engine    = megatron
  layout    { pipeline_parallel = 4 }
  length    = 100B tokens
  batch     = 4Mi tokens
  optimizer = adamw(lr = 3e-4)
}
cluster c extends dgx_h100 { nodes = 16 }
launch hpc on c { target = slurm(time = 3 h) }
`,
  );
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe("the page of a plan", () => {
  it("draws every stage's memory, a step's parts, speed and scaling, with a row for each number of devices", () => {
    const page = join(folder, "plan.html");
    const { code, out, err } = cdrc(["plan", "a<b.cdr", "--html", page, "--json"], { cwd: folder });
    expect({ code, err }).toEqual({ code: 0, err: `${page}\n` });
    const html = readFileSync(page, "utf8");
    expect(html).toContain("<title>Plan of a&lt;b.cdr</title>");
    expect(html.match(/<svg/g)).toHaveLength(5);
    for (const word of [
      "stage 0",
      "stage 3",
      "activations",
      "pipeline bubble",
      "nothing lost",
      "failures to be expected",
    ])
      expect(html).toContain(word);
    expect(html).not.toMatch(/<(?:script|link|img)|https?:\/\/(?!www\.w3\.org)/);
    const devices = [...html.matchAll(/<tr><td class="figure">([\d,]+)<\/td>/g)].map(([, count]) => count);
    expect(devices).toEqual(["1", "2", "4", "8", "16", "32", "64", "128", "256", "512"]);
    const {
      stages: [{ memory }],
    } = JSON.parse(out) as { stages: [{ memory: Memory }] };
    expect(memory.ranks).toHaveLength(4);
    for (const { peak, parts } of memory.ranks) expect(Object.values(parts).reduce((a, b) => a + b, 0)).toBe(peak);
    expect(Math.max(...memory.ranks.map(({ peak }) => peak))).toBe(memory.peak);
  });

  it("has the numbers of nodes beside the one that was chosen", () => {
    const open = join(folder, "open.cdr");
    const text = readFileSync(join(folder, "a<b.cdr"), "utf8").replace(
      "nodes = 16",
      "nodes in [8, 16], prefer = fewest",
    );
    writeFileSync(open, text);
    const page = join(folder, "open.html");
    expect(cdrc(["plan", open, "--html", page], { cwd: folder })).toMatchObject({ code: 0 });
    const html = readFileSync(page, "utf8");
    expect(html).toContain("<h1>8 nodes</h1>");
    expect(html).toContain("the fewest nodes of 8, 16 nodes");
    expect(html).toMatch(/<td class="figure">16<\/td>.*<td>more nodes<\/td>/);
  });

  it("says where it cannot be written", () => {
    const { code, err } = cdrc(["plan", "a<b.cdr", "--html", "nowhere/plan.html"], { cwd: folder });
    expect(code).toBe(2);
    expect(err).toContain("cannot write nowhere/plan.html");
  });
});

interface Memory {
  readonly peak: number;
  readonly ranks: readonly { readonly peak: number; readonly parts: Readonly<Record<string, number>> }[];
}
