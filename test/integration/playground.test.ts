/** The playground, built and opened in a real Chromium from its folder; `editor/playground/test/drive.ts` uses it as a person does. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dollars, duration, gib, seconds, short, whole } from "../../cli/render/figures.ts";
import { analyzer } from "../../compiler/lsp/analyze.ts";
import type { StagePlan } from "../../compiler/plan.ts";
import { unknown } from "../../dsl/types/value.ts";
import type { Seen } from "../../editor/playground/test/seen.ts";
import { chromium } from "../support/chromium.ts";

const root = join(import.meta.dirname, "../..");

describe.skipIf(chromium === undefined)("the playground, in Chromium", () => {
  const folder = mkdtempSync(join(tmpdir(), "cdr-playground-"));
  let seen: Seen;
  beforeAll(() => {
    const [page, out] = [join(folder, "page"), join(folder, "seen.json")];
    const node = (...args: readonly string[]) => {
      const { status, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8", timeout: 540_000 });
      if (status !== 0) throw new Error(stderr);
    };
    node("scripts/playground.mjs", page);
    const address = pathToFileURL(join(page, "index.html")).href;
    node("editor/playground/test/drive.ts", address, chromium ?? "", out, folder);
    seen = JSON.parse(readFileSync(out, "utf8")) as Seen;
  }, 600_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("has nothing to complain of, and fits a narrow screen and a dark one", () => {
    expect(seen.complaints).toEqual([]);
    expect(seen.narrow).toBe(true);
    expect(new Set(seen.themes).size).toBe(2);
    expect(new Set(Object.values(seen.colours)).size).toBe(Object.keys(seen.colours).length);
  });

  it("shows a mistake, keeps the last plan, and mends it", () => {
    const { mistake, mended } = seen;
    expect(mistake.squiggles).toBe(1);
    expect(mistake.problem).toMatch(/line 5\s+model small has no layrs/);
    expect(mistake.notice).toMatch(/main\.cdr has an error/);
    expect(mistake.stale).toBe(true);
    expect(mended.text.replaceAll(/\s+/g, " ").trim()).toBe("layers = 8");
    expect(mended.squiggles).toBe(0);
  });

  it("tells of a mistake in a file that is imported, and leads to it", () => {
    expect(seen.elsewhere.problems).toEqual(["lib.cdr line 6"]);
    expect(seen.elsewhere.shown).toBe("lib.cdr");
  });

  it("explains, completes, formats, and leads to the standard library", () => {
    expect(seen.hover).toMatch(/model\.family[^]*architecture[^]*= llama: written at main\.cdr:4/);
    expect(seen.completion).toEqual(expect.arrayContaining(["activation", "d_ff"]));
    expect(seen.completion).not.toContain("layers");
    expect(seen.formatted).toBe("  batch     = 512 samples");
    expect(seen.definition).toMatch(/^std\/clusters\.cdr \(read only\)\n[^]*cluster dgx_h100/);
  });

  it("plans again when the batch changes", () => {
    const { before, after, stepsBefore, stepsAfter } = seen.batch;
    const product = (text: string) => {
      const numbers = [...text.matchAll(/[\d,]+/g)].map(([digits]) => Number(digits.replaceAll(",", "")));
      const [micro = 0, accumulation = 0, ranks = 0, whole = 0] = numbers;
      expect(micro * accumulation * ranks).toBe(whole);
      return whole;
    };
    expect([product(before), product(after)]).toEqual([256, 512]);
    expect([stepsBefore, stepsAfter]).toEqual(["7,630", "3,815"]);
  });

  it("holds the text in its link, and says when a link is damaged", () => {
    expect(seen.shared.said).toMatch(/^The link is in the (clipboard|address bar)\.$/);
    expect(seen.shared.text).toContain("batch     = 512 samples");
    expect(seen.shared.damaged).toBe("The link is damaged: part of it is missing.");
  });

  it("plans every example as the compiler does here, where no machine is known", () => {
    expect(seen.examples.length).toBeGreaterThan(10);
    for (const { group, name, stages, notice } of seen.examples) {
      const path = join(root, "examples", group, name);
      const { plan, diagnostics } = analyzer({ environment: () => undefined, host: () => unknown })(
        { path, text: readFileSync(path, "utf8") },
        (other) => (other.startsWith(root) ? readFileSync(other, "utf8") : undefined),
      );
      expect(
        diagnostics.filter(({ severity }) => severity === "error"),
        name,
      ).toEqual([]);
      expect(stages, name).toEqual(
        plan.stages.map((stage) => ({ name: stage.name, figures: figures(stage), sum: sum(stage) })),
      );
      expect(notice ?? "", name).not.toMatch(/error/);
    }
  });

  it("names the example that is shown, and calls a text of one's own so", () => {
    const { first, nothing, broken } = seen.empty;
    expect([seen.own, first]).toEqual(["your text", "quickstart.cdr"]);
    for (const { name, listed } of seen.examples) expect(listed).toBe(name);
    expect(nothing[0]).toBe("your text");
    expect(nothing[1]).toMatch(/has no stage to plan\. A plan is made of a stage with model, data,/);
    expect(nothing[2]).toMatch(/^read in \d+ ms$/);
    expect(broken).toMatch(/has an error\. The plan is shown when it has none\./);
  });

  it("says what a browser cannot know", () => {
    expect(seen.unknown).toMatch(/Unknown here: env\("OUT_DIR"\), host\.gpus\./);
  });
});

const figures = ({ model, total, memory }: StagePlan): string[] => [
  short(model.parameters.total),
  duration(total.hours),
  short(total.gpu_hours),
  total.cost === null ? "unknown" : dollars(total.cost),
  gib(memory.peak),
];

/** The product of the steps, and the sum that it begins where half a percent of the time or more goes elsewhere. */
const sum = ({ total: { steps, parts, hours }, time }: StagePlan): string[] => {
  const beside = Object.entries(parts).filter(([name, part]) => name !== "steps" && part >= 0.005 * hours);
  const product = [whole(steps), seconds(time.step), duration(parts.steps)];
  if (beside.length === 0) return product;
  return [...product, duration(parts.steps), ...beside.map(([, part]) => duration(part)), duration(hours)];
};
