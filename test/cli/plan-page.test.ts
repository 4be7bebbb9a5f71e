/** `cdrc plan --html`. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cdrc } from "../support/cdrc.ts";
import { chromium } from "../support/chromium.ts";

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
  it("says what is missing of a file with an error, and takes the place of the page before", () => {
    const text = readFileSync(join(folder, "a<b.cdr"), "utf8");
    const page = join(folder, "wrong.html");
    const written = (name: string, source: string): string => {
      writeFileSync(join(folder, name), source);
      writeFileSync(page, "before");
      const { code, err } = cdrc(["plan", name, "--html", page], { cwd: folder });
      expect({ code, ends: err.endsWith(`${page}\n`) }).toEqual({ code: 1, ends: true });
      return readFileSync(page, "utf8");
    };
    const none = written("none.cdr", text.replace("pipeline_parallel = 4", "pipeline_parallel = 3"));
    expect(none).toContain("<h1>Nothing is planned</h1>");
    expect(none).toContain("Without a plan: stage pretrain.");
    expect(none).toMatch(/<li>none\.cdr:8: no layout satisfies pipeline_parallel = 3/);
    const second = `${text}stage tune extends pretrain { layout { tensor_parallel = 3 } }\n`;
    const some = written("some.cdr", second);
    expect(some).toContain("<h1>Errors</h1>");
    expect(some).toContain("Without a plan: stage tune.");
    expect(some).toContain("<h1>pretrain</h1>");
  });

  it("draws every stage's memory, a step's parts, speed and scaling, with a row for each number of devices", () => {
    const page = join(folder, "plan.html");
    const { code, out, err } = cdrc(["plan", "a<b.cdr", "--html", page, "--json"], { cwd: folder });
    expect({ code, err }).toEqual({ code: 0, err: `${page}\n` });
    const html = readFileSync(page, "utf8");
    expect(html).toContain("<title>Plan of a&lt;b.cdr</title>");
    // Each for a screen and for a telephone, whose lines are 350 pixels wide: what is shrunk by more cannot be read.
    const widths = (kind: string): readonly number[] =>
      [...html.matchAll(new RegExp(`<div class="${kind}"><svg[^>]*? width="(\\d+)`, "g"))].map(([, width]) =>
        Number(width),
      );
    expect(widths("broad")).toHaveLength(5);
    expect(widths("narrow")).toHaveLength(5);
    expect(Math.max(...widths("narrow"))).toBeLessThan(440);
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
    const devices = [...html.matchAll(/<tr><td class="figure">([\d,]+)(?: \(this plan\))?<\/td>/g)].map(
      ([, count]) => count,
    );
    expect(devices).toEqual(["1", "2", "4", "8", "16", "32", "64", "128", "256", "512"]);
    const {
      stages: [{ memory }],
    } = JSON.parse(out) as { stages: [{ memory: Memory }] };
    expect(memory.ranks).toHaveLength(4);
    for (const { peak, parts } of memory.ranks) expect(Object.values(parts).reduce((a, b) => a + b, 0)).toBe(peak);
    expect(Math.max(...memory.ranks.map(({ peak }) => peak))).toBe(memory.peak);
  });

  it("says a layout in the same words everywhere, and leaves out what nobody knows", () => {
    const text = readFileSync(join(folder, "a<b.cdr"), "utf8")
      .replace("pipeline_parallel = 4", "pipeline_parallel = 4, virtual_pipeline = 4, tensor_parallel = 2")
      .replace("layers = 32,", "layers = 32, vocab = 50_001,");
    const pageOf = (name: string, price: string): string => {
      writeFileSync(join(folder, `${name}.cdr`), text.replace("nodes = 16", `nodes = 16${price}`));
      const page = join(folder, `${name}.html`);
      expect(cdrc(["plan", `${name}.cdr`, "--html", page], { cwd: folder })).toMatchObject({ code: 0 });
      return readFileSync(page, "utf8");
    };
    const [free, paid] = [pageOf("free", ""), pageOf("paid", ", price = 2 usd/gpu/h")];
    expect(free).toMatch(/<small>ranks<\/small>data 16 · tensor 2 · pipeline 4 · chunks 4</);
    expect(free).toMatch(/<td class="figure">128 \(this plan\)<\/td>.*<td>tensor 2, pipeline 4, chunks 4, micro \d/);
    expect(free).toMatch(/<small>parameters with a padded vocabulary<\/small>[\d,]+</);
    expect(free).not.toMatch(/micro_batch|zero_stage|tensor_parallel/);
    expect(free).toContain("The cluster has no price, so no cost is known.");
    expect(free).not.toContain("<th>cost</th>");
    expect(paid).toMatch(/<th>cost<\/th>/);
    expect(paid).not.toContain("no price");
  });

  it("marks the numbers of devices on which failures take half of the run, and those alone", () => {
    const long = readFileSync(join(folder, "a<b.cdr"), "utf8").replace("100B tokens", "20T tokens");
    writeFileSync(join(folder, "long.cdr"), `${long}\npreset saves { pretrain.checkpoint { every = 10 min } }\n`);
    const rows = (...flags: readonly string[]): readonly string[] => {
      const page = join(folder, "long.html");
      expect(cdrc(["plan", "long.cdr", ...flags, "--html", page], { cwd: folder }).code).toBe(0);
      return readFileSync(page, "utf8").match(/<tr><td class="figure">\d[^]*?<\/tr>/g) ?? [];
    };
    const marked = (all: readonly string[]): number => all.filter((row) => row.includes("lost to failures")).length;
    expect(marked(rows())).toBeGreaterThan(0);
    expect(marked(rows("--preset", "saves"))).toBe(0);
  });

  it("names the engine where another number of devices has another", () => {
    const open = readFileSync(join(folder, "a<b.cdr"), "utf8")
      .replace(/ {2}engine .*\n {2}layout .*\n/, "")
      .replace("nodes = 16", "nodes = 2");
    const layouts = (name: string, batch: string): readonly (string | undefined)[] => {
      writeFileSync(join(folder, `${name}.cdr`), open.replace("4Mi tokens", batch));
      const page = join(folder, `${name}.html`);
      expect(cdrc(["plan", `${name}.cdr`, "--html", page], { cwd: folder }).code).toBe(0);
      const rows = readFileSync(page, "utf8").split("<h2>Not taken</h2>")[0] ?? "";
      return [...rows.matchAll(/<tr><td class="figure">\d[^]*?<td>([^<]*)<\/td><\/tr>/g)].map(([, layout]) => layout);
    };
    const even = layouts("even", "512 samples");
    const named = even.filter((layout) => layout?.startsWith("engine ") === true);
    expect(named.length).toBeGreaterThan(0);
    expect(named.length).toBeLessThan(even.length);
  });

  it.skipIf(chromium === undefined)("has tables that a telephone shows whole, and a screen as tables", () => {
    const frame = join(folder, "frame.html");
    const html = readFileSync(join(folder, "plan.html"), "utf8").replaceAll("&", "&amp;").replaceAll('"', "&quot;");
    const tablesAt = (width: number): readonly { readonly over: number; readonly display: string }[] => {
      writeFileSync(
        frame,
        `<!doctype html><iframe width="${width}" height="900" srcdoc="${html}" onload="
          const inside = this.contentWindow;
          document.title = JSON.stringify([...inside.document.querySelectorAll('.wide')].map((each) => ({
            over: each.scrollWidth - each.clientWidth,
            display: inside.getComputedStyle(each.querySelector('tr')).display,
          })));"></iframe>`,
      );
      const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=2000", "--dump-dom"];
      const { stdout } = spawnSync(chromium ?? "", [...flags, pathToFileURL(frame).href], { encoding: "utf8" });
      return JSON.parse(/<title>(.*?)<\/title>/.exec(stdout)?.[1] ?? "[]") as ReturnType<typeof tablesAt>;
    };
    expect(tablesAt(400)).toEqual(Array(2).fill({ over: 0, display: "grid" }));
    expect(tablesAt(1400)).toEqual(Array(2).fill({ over: 0, display: "table-row" }));
  });

  it("says why a device may be faster where there are more of them, and only there", () => {
    const noteOf = (name: string, model: string): boolean => {
      const text = readFileSync(join(folder, "a<b.cdr"), "utf8").replace("layers = 32, d_model = 4096", model);
      writeFileSync(
        join(folder, `${name}.cdr`),
        text.replace(/ {2}layout .*\n/, "").replace("4Mi tokens", "512 samples"),
      );
      const page = join(folder, `${name}.html`);
      expect(cdrc(["plan", `${name}.cdr`, "--html", page], { cwd: folder })).toMatchObject({ code: 0 });
      return readFileSync(page, "utf8").includes("Where it rises, more devices leave each of them memory");
    };
    expect(noteOf("wide", "layers = 80, d_model = 8192, kv_heads = 8")).toBe(true);
    expect(noteOf("tiny", "layers = 4, d_model = 512")).toBe(false);
  });

  it("marks each line of a logarithmic axis", () => {
    const html = readFileSync(join(folder, "plan.html"), "utf8");
    const drawing = html.slice(html.indexOf("tokens per second by number of devices"));
    const speed = drawing.slice(0, drawing.indexOf("</svg>"));
    const groups = (role: string): string[] =>
      [...speed.matchAll(new RegExp(`role-${role}"[^]*?</g>`, "g"))].map(([part]) => part);
    const lines = groups("axis-grid").map((part) => part.split("<line").length - 1);
    const labels = groups("axis-label").flatMap((part) => [...part.matchAll(/<text[^>]*>([^<]*)</g)]);
    expect(labels.map(([, text]) => text)).not.toContain("");
    expect(labels.map(([, text]) => text)).toContain("100k");
    expect(Math.max(...lines)).toBeLessThanOrEqual(labels.length);
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
