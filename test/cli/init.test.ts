import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compose } from "../../cli/init/compose.ts";
import { initTemplates } from "../../cli/init/templates.ts";
import { compile } from "../../compiler/compile.ts";
import { format } from "../../dsl/format/format.ts";
import { cdrc } from "../support/cdrc.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "cdrc-init-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const check = (text: string) =>
  compile(
    { path: "train.cdr", text },
    {
      ...{ on: null, target: null, preset: null, overlays: [], overlayFiles: [], sets: [] },
      ...{ read: () => undefined, environment: () => undefined, host: () => undefined },
    },
  );

describe.each(initTemplates.map((template) => [template.name, template] as const))("%s", (_, template) => {
  const [source] = compose(template, {});
  const text = source?.text ?? "";

  it("passes check without a warning, is laid out, and says one sentence first", () => {
    const { diagnostics, plan } = check(text);
    expect(diagnostics.map((d) => `${d.code} ${d.message}`)).toEqual([]);
    expect(plan.stages.length).toBeGreaterThan(0);
    expect(format({ path: "train.cdr", text }).text).toBe(text);
    expect(text).toMatch(/^\/\/\/ \S/);
  });

  it("takes every answer it asks for", () => {
    for (const { name, choices, default: initial, refuse } of template.questions) {
      expect(refuse(initial)).toBeUndefined();
      expect(refuse("")).not.toContain("``");
      for (const choice of choices ?? []) {
        const { diagnostics } = check(compose(template, { [name]: choice })[0]?.text ?? "");
        expect(diagnostics.filter((d) => d.severity === "error" && !d.code.startsWith("cdr/memory"))).toEqual([]);
      }
    }
  });
});

/** A template, and answers that its figures have to follow. */
it.each([
  ["gpus", { gpus: "3", size: "350M" }],
  ["gpus", { gpus: "7", length: "20 steps" }],
  ["slurm", { nodes: "3", cluster: "gb200_tray" }],
  ["slurm", { nodes: "5", length: "10M tokens" }],
  ["scratch", { length: "5 steps", context: "64" }],
  ["scratch", { length: "100 samples", vocab: "260" }],
  ["finetune", { length: "1 steps" }],
])("%s with %j has a batch for every rank, and evaluations that come", (name, answers) => {
  const template = initTemplates.find((each) => each.name === name);
  const { diagnostics } = check(template === undefined ? "" : (compose(template, answers)[0]?.text ?? ""));
  expect(diagnostics.map((d) => `${d.code} ${d.message}`)).toEqual([]);
});

describe("init", () => {
  it("writes what was answered, once", () => {
    const place = join(folder, "new", "deep");
    const words = [
      "init",
      place,
      "--template",
      "slurm",
      "--yes",
      "--answer",
      "nodes=4",
      "--answer",
      "partition=a100",
    ];
    expect(cdrc(words)).toMatchObject({
      code: 0,
      out: `${join(place, "train.cdr")}\n${join(place, ".gitignore")}\n`,
    });
    const text = readFileSync(join(place, "train.cdr"), "utf8");
    expect(text).toContain("= 4\n");
    expect(text).toContain('"a100"');
    const again = cdrc([...words, "--json"]);
    expect(again).toMatchObject({ code: 2 });
    expect(JSON.parse(again.out)).toHaveProperty("error.message");
    expect(readFileSync(join(place, "train.cdr"), "utf8")).toBe(text);
  });

  it.each([
    [["init"], "questions cannot be asked here"],
    [["init", "--yes", "--template", "nope"], "Allowed choices are"],
    [["init", "--yes", "--answer", "contxt=3"], "did you mean `context`?"],
    [["init", "--yes", "--answer", "size=big"], "size is a number"],
    [["init", "--yes", "--answer", "size=0.0B"], "size is a number above 0"],
    [["init", "--yes", "--answer", "vocab=20"], "vocab is a whole number of at least 260"],
    [["init", "--yes", "--answer", "length=0 steps"], "length is a number with its unit"],
    [["init", "--yes", "--answer", 'text=a"b'], "text is text without quotes"],
    [["init", "--yes", "--answer", "x"], "write NAME=VALUE"],
  ])("%j is misuse, and writes nothing", (words, message) => {
    const { code, err } = cdrc(words, { cwd: folder, input: "" });
    expect(code).toBe(2);
    expect(err).toContain(message);
    expect(existsSync(join(folder, "train.cdr"))).toBe(false);
  });
});
