/** `cdrc diff`: what changed in meaning, not in text. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Differences } from "../../compiler/diff/compare.ts";
import { meaningOfBundle } from "../../compiler/diff/bundle.ts";
import { compare, isSame } from "../../compiler/diff/compare.ts";
import { register } from "../../runtime/state/registry.ts";
import { cdrc, root } from "../support/cdrc.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "cdrc-diff-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const good = readFileSync(join(root, "examples/quickstart.cdr"), "utf8");

function file(name: string, change: (text: string) => string = (text) => text): string {
  const path = join(folder, name);
  const text = change(good);
  writeFileSync(path, text);
  return path;
}

function differences(a: string, b: string, ...more: readonly string[]): Differences & { same: boolean } {
  const { out, err, code } = cdrc(["diff", a, b, "--json", ...more], {
    env: { XDG_STATE_HOME: folder },
  });
  expect({ code, err }).toMatchObject({ code: 0 });
  return JSON.parse(out) as Differences & { same: boolean };
}

const paths = (list: Differences["values"]): string[] => list.map(({ path }) => path);

describe("two files", () => {
  it("mean the same in another layout, order and spelling, with defaults written out or not", () => {
    const before = file("same-a.cdr");
    const after = file("same-b.cdr", (text) =>
      text
        .replaceAll(/ +/g, " ")
        .replace("lr = 3e-3", "lr = 0.003, weight_decay = 0.1")
        .replace("length = 400 steps\n batch = 8 samples", "batch = 8 samples\n length = 0.4K steps"),
    );
    expect(readFileSync(after, "utf8")).toContain("0.4K steps");
    expect(differences(before, after)).toMatchObject({ same: true, values: [], plan: [], emitted: [] });
    expect(cdrc(["diff", before, after, "--exit-code"])).toMatchObject({ code: 0 });
    expect(cdrc(["diff", before, after]).out).toContain("mean the same");
  });

  it("mean the same where bounds and what watches are laid out otherwise", () => {
    const added = (bound: string, watch: string) => (text: string) =>
      text.replace("batch     = 8 samples", `batch     = 8 samples\n  layout { ${bound} }\n  ${watch}`);
    const before = file("bound-a.cdr", added("zero_stage<=2", "expect loss<3"));
    const after = file("bound-b.cdr", added("zero_stage <= 2", "expect loss < 3"));
    expect(differences(before, after).values).toEqual([]);
  });

  it("differ by what was written, and by what follows from it, with where it came from", () => {
    const before = file("lr-a.cdr");
    const after = file("lr-b.cdr", (text) => text.replace("batch     = 8 samples", "batch     = 16 samples"));
    const found = differences(before, after);
    expect(found.values).toEqual([
      {
        path: "pretrain.batch",
        before: { value: "8 samples", origin: expect.stringContaining("lr-a.cdr:21") as string },
        after: { value: "16 samples", origin: expect.stringContaining("lr-b.cdr:21") as string },
      },
    ]);
    expect(paths(found.plan)).toEqual(
      expect.arrayContaining(["pretrain: batch.global_batch", "pretrain: time.step", "pretrain: total.tokens"]),
    );
    expect(paths(found.emitted)).toContain("stages/pretrain/trainer.json: batch.global_batch");
    expect(cdrc(["diff", before, after, "--exit-code"])).toMatchObject({ code: 1 });
    expect(cdrc(["diff", before, after]).out).toContain("8 samples -> 16 samples");
  });

  it("are told apart where one of them has a mistake", () => {
    const bad = file("bad.cdr", (text) => text.replace("batch     = 8 samples", "batch = 8"));
    const { code, err, out } = cdrc(["diff", file("ok.cdr"), bad]);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain("cdr/unit-missing");
    expect(err).toContain("bad.cdr has errors, so only what the files say is compared");
  });

  it("differ by what one that has a mistake says beside it, and by nothing that follows", () => {
    const bad = file("worse.cdr", (text) => text.replace("= 8 samples", "= 8").replace("layers  = 4", "layers  = 6"));
    const { out } = cdrc(["diff", file("ok.cdr"), bad, "--json"]);
    const found = JSON.parse(out) as Differences & { same: boolean };
    expect({ ...found, values: paths(found.values) }).toMatchObject({
      same: false,
      values: ["tiny.layers"],
      plan: [],
      emitted: [],
    });
  });

  it("mean the same where figures and formulas are spelled otherwise, in what is emitted too", () => {
    const [before, after] = [
      file("spelled-a.cdr", (text) => text.replace("  eval ", "  expect loss < 10 and val.loss < 10\n  eval ")),
      file("spelled-b.cdr", (text) =>
        text
          .replace("  eval ", "  expect 1e1 > val.loss and loss < 10.0\n  eval ")
          .replace("= 8 samples", "= 2048 tokens")
          .replace("to = 10%", "to = 0.1"),
      ),
    ];
    expect(differences(before, after)).toMatchObject({ same: true });
  });

  it.each([
    ["tiny", "small", "model, renamed"],
    ["pretrain", "teach", "stage, renamed"],
  ])("differ by one name where `%s` is called `%s`", (from, to, path) => {
    const after = file("renamed.cdr", (text) => text.replaceAll(new RegExp(`\\b${from}\\b`, "g"), to));
    const found = differences(file("named.cdr"), after);
    expect({ ...found, values: paths(found.values) }).toMatchObject({ values: [path], plan: [], emitted: [] });
  });
});

describe("bundles and runs", () => {
  it("are compared with each other and with files by what is emitted", async () => {
    const path = file("bundle.cdr");
    expect(cdrc(["compile", path, "-o", join(folder, "one")]).code).toBe(0);
    expect(differences(path, join(folder, "one"))).toMatchObject({ same: true });
    const run = join(folder, "runs", "pretrain", "abcd1234");
    mkdirSync(run, { recursive: true });
    cpSync(join(folder, "one"), join(run, "bundle"), { recursive: true });
    writeFileSync(join(run, "metrics.jsonl"), '{"step": 1, "loss": 5.5}\n{"step": 2, "loss": 5.25}\n{"st');
    writeFileSync(join(run, "run.json"), "{}");
    const entry = { id: "abcd1234", step: "pretrain", directory: run, project: folder, created: 1 };
    await register(entry, join(folder, "cdr"));
    const same = { same: true, plan: [], emitted: [], measured: [] };
    expect(differences(join(folder, "one"), "abcd1234")).toMatchObject(same);
    expect(differences("abcd1234", path)).toMatchObject(same);
    const again = join(folder, "runs", "pretrain", "abcd5678");
    cpSync(run, again, { recursive: true });
    writeFileSync(join(again, "metrics.jsonl"), '{"step": 2, "loss": 5.5}\n');
    await register({ ...entry, id: "abcd5678", directory: again }, join(folder, "cdr"));
    expect(differences("abcd1234", "abcd5678").measured).toMatchObject([
      { path: "loss", before: { value: 5.25 }, after: { value: 5.5 } },
    ]);
    expect(cdrc(["diff", join(folder, "one"), join(folder, "none")])).toMatchObject({ code: 2 });
  });

  it("differ by lines of scripts, once for each", () => {
    const of = (text: string) => ({
      ...meaningOfBundle([{ path: "run.sh", text }]),
      values: null,
      measured: null,
    });
    const found = compare(of("#!/bin/sh\necho a\necho a\n"), of("#!/bin/sh\necho a\n  echo b\n"));
    expect(found.emitted).toEqual([
      { path: "run.sh: echo a (2)", before: { value: true, origin: null }, after: null },
      { path: "run.sh: echo b", before: null, after: { value: true, origin: null } },
    ]);
    expect(isSame(compare(of("step 'a' '0123abcd'"), of("step 'a' '4567cdef'")))).toBe(true);
  });
});

it("tells what is wrong with a --set once", () => {
  const { err } = cdrc(["diff", file("one.cdr"), file("other.cdr"), "--set", "nope=3"], { env: {} });
  expect(err.match(/cdr\/set-unknown/g)).toHaveLength(1);
});

it("compares nothing with a file that cannot be read", () => {
  const [a, b] = [file("whole.cdr"), file("torn.cdr", (text) => text.replace("{", "{ \ufffd"))];
  const { code, out, err } = cdrc(["diff", a, b]);
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err).toContain("torn.cdr has errors");
});
