/** `cdrc` as people and scripts meet it: the built program, its exit codes, what is on stdout and what is not. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");
let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "cdrc-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function cdrc(words: readonly string[], cwd = root) {
  const result = spawnSync(process.execPath, [join(root, "bin/cdrc.mjs"), ...words], {
    cwd,
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1" },
  });
  return { code: result.status, out: result.stdout, err: result.stderr };
}

function file(name: string, text: string): string {
  const path = join(folder, name);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const good = readFileSync(join(root, "examples/quickstart.cdr"), "utf8");

describe("check", () => {
  it("is silent on stdout and leaves 0 for a file without mistakes", () => {
    expect(cdrc(["check", "examples/quickstart.cdr"])).toMatchObject({ code: 0, out: "" });
  });

  it("leaves 1 for a mistake, and the JSON of the contract", () => {
    const path = file("bad.cdr", good.replace("batch     = 8 samples", "batch     = 8"));
    const { code, out } = cdrc(["check", path, "--json"]);
    expect(code).toBe(1);
    const document = JSON.parse(out) as { diagnostics: Record<string, unknown>[]; summary: unknown };
    expect(document.summary).toEqual({ errors: 1, warnings: 0 });
    expect(document.diagnostics[0]).toMatchObject({
      code: "cdr/unit-missing",
      severity: "error",
      file: path,
      range: { start: { line: 20, character: 14 }, end: { line: 20, character: 15 } },
      fixes: [{ title: "write `8 samples`" }],
    });
  });

  it("leaves 2 for a command line that means nothing, without a stack trace", () => {
    for (const words of [
      ["check"],
      ["check", "absent.cdr"],
      ["chekc", "x"],
      ["check", "x.cdr", "--nope"],
      ["check", "test/oracles/megatron/programs"],
    ]) {
      const { code, out, err } = cdrc(words);
      expect(code, words.join(" ")).toBe(2);
      expect(out).toBe("");
      expect(err).not.toMatch(/^\s+at /m);
    }
  });

  it("gives one document, not two that contradict each other", () => {
    const { code, out } = cdrc(["check", "examples/quickstart.cdr", "--json", "--format", "sarif"]);
    expect(code).toBe(2);
    expect(JSON.parse(out)).toMatchObject({
      error: { message: expect.stringContaining("--format sarif") as string },
    });
  });
});

describe("plan", () => {
  it("shows the models of a file that plans no stage", () => {
    const path = file("model.cdr", "model m { family = llama, layers = 4, d_model = 128, heads = 4 }\n");
    const { code, out, err } = cdrc(["plan", path]);
    expect([code, err]).toEqual([0, `${path}: no stage is planned\n`]);
    expect(out).toMatch(/^m\n {2}model +llama .*4 layers of 128 · 4 heads of 32/);
  });

  it("prints the document of the contract", () => {
    const { code, out } = cdrc(["plan", "examples/quickstart.cdr", "--json"]);
    expect(code).toBe(0);
    const document = JSON.parse(out) as { stages: Record<string, Record<string, unknown>>[] };
    expect(document).toMatchObject({ diagnostics: [], summary: { errors: 0, warnings: 0 } });
    const [stage] = document.stages;
    expect(stage).toMatchObject({
      name: "pretrain",
      engine: "torch",
      model: { family: "llama", layers: 4, d_model: 128, parameters: { total: expect.any(Number) as number } },
      layout: { world: 1, data_parallel: 1, zero_stage: 0 },
      batch: { global_batch: 8, sequence: 256, tokens_per_step: 2048 },
      total: { steps: 400, tokens: 400 * 2048 },
    });
  });
});

describe("compile", () => {
  it("gives the same bytes twice, and from another place", () => {
    const elsewhere = join(folder, "another place", "deeper");
    mkdirSync(elsewhere, { recursive: true });
    cpSync(join(root, "examples"), elsewhere, { recursive: true });
    expect(cdrc(["compile", "examples/finetune.cdr", "-o", join(folder, "one")]).code).toBe(0);
    expect(cdrc(["compile", "finetune.cdr", "-o", "two"], elsewhere).code).toBe(0);
    const [one, two] = [contents(join(folder, "one")), contents(join(elsewhere, "two"))];
    expect(Object.keys(two)).toEqual(Object.keys(one));
    expect(two).toEqual(one);
  });

  it("leaves nothing behind for a file with mistakes, and never replaces what is not a bundle", () => {
    const bad = file("bad2.cdr", `${good}\nnope = 1\n`);
    expect(cdrc(["compile", bad, "-o", join(folder, "none")]).code).toBe(1);
    expect(readdirSync(folder)).not.toContain("none");
    const precious = file("precious/thesis.tex", "years of work");
    expect(cdrc(["compile", "examples/quickstart.cdr", "-o", join(folder, "precious")]).code).toBe(2);
    expect(readFileSync(precious, "utf8")).toBe("years of work");
  });
});

describe("explain", () => {
  it("shows cause, example and fix of a code", () => {
    const page = readFileSync(join(root, "docs/diagnostics/unit-missing.md"), "utf8");
    const [, example = "none"] = /## Example\n\n```text\n([^]*?)\n```/.exec(page) ?? [];
    const { code, out } = cdrc(["explain", "unit-missing"]);
    expect(code).toBe(0);
    for (const line of example.split("\n")) expect(out).toContain(line);
    expect(out).toMatch(/\nFix: \S/);
  });

  it("says what a code means and where a value came from", () => {
    expect(cdrc(["explain", "cdr/unit-missing"]).out).toContain("The unit decides");
    expect(cdrc(["explain", "pretrain.batch.accumulation", "examples/quickstart.cdr"]).out).toContain(
      "accumulation = 1",
    );
    expect(cdrc(["explain", "cdr/unit-misssing"])).toMatchObject({ code: 2 });
    const whole = file("whole.cdr", 'import "std/tokenizers" as tok\n');
    expect(cdrc(["explain", "tok", whole])).toMatchObject({
      code: 2,
      err: expect.stringContaining("`tok.gpt2`") as string,
    });
  });
});

function contents(folder: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile())
      found[join(entry.parentPath, entry.name).slice(folder.length)] = readFileSync(
        join(entry.parentPath, entry.name),
        "utf8",
      );
  }
  return Object.fromEntries(Object.entries(found).sort());
}

describe("--json where a file is wrong", () => {
  it.each(["run", "compile", "lock", "plan", "check", "sweep"])(
    "%s leaves one document and no other word on stdout",
    (command) => {
      const wrong = file("wrong.cdr", "model m { family = llama, layers = 1 token }\n");
      const words = [command, wrong, "--json", ...(command === "compile" ? ["-o", join(folder, "bundle")] : [])];
      const { code, out } = cdrc(words);
      expect(code).toBe(1);
      expect(() => JSON.parse(out) as unknown).not.toThrow();
      expect(out).toContain('"code": "cdr/unit-mismatch"');
    },
  );

  it.each(["run", "compile", "lock", "plan", "check", "sweep"])(
    "%s of a file that is not there is misuse, in words and as a document",
    (command) => {
      const words = [command, join(folder, "nowhere.cdr"), "--json"];
      const { code, out, err } = cdrc([...words, ...(command === "compile" ? ["-o", join(folder, "bundle")] : [])]);
      expect(code).toBe(2);
      expect(err).toContain("nowhere.cdr");
      expect(JSON.parse(out)).toMatchObject({ error: { message: expect.stringContaining("nowhere.cdr") as string } });
    },
  );
});
