import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { missingSources, resolveRuns } from "../../runtime/run/resolve.ts";
import { matchesOf } from "../../runtime/run/sources.ts";
import { tiny, type TinyOptions } from "../support/tiny.ts";

const trainer = join(import.meta.dirname, "../../trainer");

function project(): string {
  const folder = mkdtempSync(join(tmpdir(), "cdr-id-"));
  mkdirSync(join(folder, "texts", "deep"), { recursive: true });
  mkdirSync(join(folder, "texts", ".hidden"));
  for (const name of ["a.txt", "b.md", "deep/c.txt", ".hidden/d.txt"]) {
    writeFileSync(join(folder, "texts", name), "some text");
    utimesSync(join(folder, "texts", name), 1_700_000_000, 1_700_000_000);
  }
  return folder;
}

function idsOf(
  folder: string,
  options: TinyOptions = {},
  fresh = false,
  names: readonly string[] = [],
): Record<string, string> {
  const runs = resolveRuns(tiny(folder, options), { names, fresh, python: "3.12.1" });
  return Object.fromEntries(runs.map(({ spec }) => [spec.step.name, spec.id]));
}

/** As the trainer's own program counts them, for a bundle that runs with no `cdrc` present. */
function withoutCdrc(folder: string, options: TinyOptions): Record<string, string> {
  for (const { path, text } of tiny(folder, options).bundle.files) {
    mkdirSync(dirname(join(folder, "bundle", path)), { recursive: true });
    writeFileSync(join(folder, "bundle", path), text);
  }
  const words = ["-m", "cdr_trainer.identity", "--bundle", join(folder, "bundle"), "--project", folder];
  const said = execFileSync("python3", words, { encoding: "utf8", env: { ...process.env, PYTHONPATH: trainer } });
  const lines = said.trim().split("\n");
  return Object.fromEntries(lines.map((line) => line.split(" ")));
}

test("the same question has the same id, wherever the project lies", () => {
  expect(idsOf(project())).toEqual(idsOf(project()));
});

test("a changed stage leaves its data alone and changes what reads it", () => {
  const folder = project();
  const before = idsOf(folder);
  const after = idsOf(folder, { steps: 41 });
  expect(after["corpus"]).toBe(before["corpus"]);
  expect(after["pretrain"]).not.toBe(before["pretrain"]);
  expect(after["sample"]).not.toBe(before["sample"]);
});

test.each([
  ["content", (folder: string) => writeFileSync(join(folder, "texts", "a.txt"), "another text")],
  ["time", (folder: string) => utimesSync(join(folder, "texts", "a.txt"), 1, 1)],
  ["new file", (folder: string) => writeFileSync(join(folder, "texts", "new.txt"), "")],
])("changed data (%s) are another question for all that follows", (_, change) => {
  const folder = project();
  const before = idsOf(folder);
  change(folder);
  const after = idsOf(folder);
  for (const step of ["corpus", "pretrain", "sample"]) expect(after[step]).not.toBe(before[step]);
});

const given = (name: string): TinyOptions => ({
  tokenizer: { kind: "hf", name, revision: null, end: null, token_env: null, vocab: null },
  weights: { kind: "folder", path: name },
});

test("changed weights and a changed tokenizer of a folder are another question, and one without cdrc finds the same", () => {
  const folder = project();
  mkdirSync(join(folder, "base"));
  for (const name of ["model.safetensors", "tokenizer.json"]) writeFileSync(join(folder, "base", name), "1");
  const weights = { weights: { kind: "folder", path: "base" } } as const;
  const [alone, both] = [idsOf(folder, weights), idsOf(folder, given("./base"))];
  expect(withoutCdrc(folder, given("./base"))).toEqual(both);
  writeFileSync(join(folder, "base", "model.safetensors"), "another");
  const [aloneAfter, bothAfter] = [idsOf(folder, weights), idsOf(folder, given("./base"))];
  expect([aloneAfter["corpus"], aloneAfter["pretrain"] === alone["pretrain"]]).toEqual([alone["corpus"], false]);
  expect(bothAfter["corpus"]).not.toBe(both["corpus"]);
});

test("what is not there is told before anything starts, and a repository of the Hub how it is written", () => {
  const folder = project();
  const missing = (name: string): string[] => {
    const compiled = tiny(folder, given(name));
    return missingSources(compiled, resolveRuns(compiled, { names: [], fresh: false, python: "" }));
  };
  expect(missing("./base")).toEqual([
    `corpus: no file matches "./base" in ${folder}`,
    `pretrain: no file matches "./base" in ${folder}`,
  ]);
  expect(missing("owner/name")).toEqual([
    `pretrain: no file matches "owner/name" in ${folder}; a repository of the Hub is written "hf://owner/name"`,
  ]);
});

test("--fresh takes a directory that is free, for the named steps only", () => {
  const folder = project();
  const first = idsOf(folder);
  mkdirSync(join(folder, "runs", "pretrain", String(first["pretrain"])), { recursive: true });
  const again = idsOf(folder, {}, true, ["pretrain"]);
  expect(again).toEqual({ corpus: first["corpus"], pretrain: `${first["pretrain"]}-2` });
});

test("a named step brings what it reads from", () => {
  const runs = resolveRuns(tiny(project()), { names: ["sample"], fresh: false, python: "" });
  expect(runs.map(({ spec }) => spec.step.name)).toEqual(["corpus", "pretrain", "sample"]);
  expect(runs[2]?.spec.inputs[0]).toMatchObject({ name: "model", which: "last", directory: runs[1]?.spec.directory });
});

test("a bundle without cdrc has the same ids, whatever the names of its files", () => {
  const folder = project();
  const names = ["ü ñ.txt", "😀.txt", "\uFB01.txt", `a "b" $(c) \\ d.txt`, "[x].txt", "back\nline.txt"];
  for (const [index, name] of names.entries()) {
    writeFileSync(join(folder, "texts", name), name);
    utimesSync(join(folder, "texts", name), 1_700_000_000.123_456, 1_600_000_000 + index + 0.999_999_9);
  }
  symlinkSync(".", join(folder, "texts", "loop"));
  const lists = [
    ["texts"],
    ["texts/**/*.txt", "texts/[ab]*"],
    ["./texts/*.{md,txt}"],
    ["**/?.md"],
    [join(folder, "texts", "*[!x]*")],
    ["texts/[x].txt", "texts/[x", "none"],
  ];
  for (const patterns of lists) {
    expect(withoutCdrc(folder, { patterns }), patterns.join(" ")).toEqual(idsOf(folder, { patterns }));
  }
});

test.each([
  ["texts", ["texts/a.txt", "texts/b.md", "texts/deep/c.txt"]],
  ["texts/*.txt", ["texts/a.txt"]],
  ["texts/**/*.txt", ["texts/a.txt", "texts/deep/c.txt"]],
  ["**/[ab].*", ["texts/a.txt", "texts/b.md"]],
  ["texts/?.md", ["texts/b.md"]],
  ["texts/d*p", ["texts/deep/c.txt"]],
  ["texts/none", []],
])("%s matches what the programs will read", (pattern, files) => {
  expect(matchesOf(pattern, project()).sort()).toEqual(files);
});
