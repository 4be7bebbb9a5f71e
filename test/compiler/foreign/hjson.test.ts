/** A DeepSpeed JSON is judged for whoever reads it: `hjson` in DeepSpeed itself, `json` in transformers and accelerate. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { array, constantFrom, sample } from "fast-check";
import { describe, expect, it } from "vitest";
import { readHjson } from "../../../compiler/foreign/documents/hjson.ts";
import type { Located } from "../../../compiler/foreign/documents/located.ts";
import { toldOf } from "../../../compiler/foreign/rules/example.ts";
import type { Files } from "../../../compiler/foreign/rules/rule.ts";
import { textOf } from "../../../compiler/foreign/shell/text.ts";
import { hasPython, python } from "../../support/python.ts";

const told = (files: Files): readonly string[] =>
  toldOf(files)
    .filter(({ code }) => /foreign-(?:json|duplicate)/.test(code))
    .map((each) => `${each.severity} ${each.code}`);

const commented = '{ // zero\n "train_batch_size": 8, # all\n "zero_optimization": {"stage": 2,}, }';
const marked = '\uFEFF{"train_batch_size": 8, "zero_optimization": {"stage": 2}}';
const bare = "{\n  train_batch_size: 8\n  zero_optimization: {stage: 2}\n}";
const twice = '{"train_batch_size": 8, "zero_optimization": {"stage": 2}, "zero_optimization": {"stage": 3}}';
const broken = '{"train_batch_size": 8, "zero_optimization": {"stage": 2}';

const own = { "run.sh": "deepspeed --num_gpus 8 t.py --deepspeed --deepspeed_config ds.json\n" };
const program = {
  "run.sh": "deepspeed --num_gpus 8 t.py --deepspeed_config ds.json\n",
  "t.py": "import deepspeed\ndeepspeed.initialize(args=args, model=model)\n",
};
const trainer = {
  "run.sh": "deepspeed --num_gpus 8 t.py --deepspeed ds.json --output_dir o --per_device_train_batch_size 1\n",
};
const accelerate = {
  "acc.yaml": "distributed_type: DEEPSPEED\nnum_processes: 8\ndeepspeed_config:\n  deepspeed_config_file: ds.json\n",
};

describe.each([
  ["comments and commas", commented, "json"],
  ["a byte order mark", marked, "json"],
  ["names without quotes", bare, "json"],
] as const)("%s", (_, text, kind) => {
  it("are nothing to DeepSpeed itself", () => {
    expect(told({ "ds.json": text, ...own })).toEqual([]);
    expect(told({ "ds.json": text, ...program })).toEqual([]);
  });
  it("stop the Trainer and accelerate", () => {
    expect(told({ "ds.json": text, ...trainer })[0]).toBe(`error cdr/foreign-${kind}`);
    expect(told({ "ds.json": text, ...accelerate })[0]).toBe(`error cdr/foreign-${kind}`);
  });
  it("are one warning where nothing says who reads them", () => {
    expect(told({ "ds.json": text })).toEqual([`warning cdr/foreign-${kind}`]);
  });
});

it("a key twice stops DeepSpeed itself, and the others take the last", () => {
  expect(told({ "ds.json": twice, ...own })).toEqual(["error cdr/foreign-duplicate"]);
  expect(told({ "ds.json": twice, ...trainer })).toEqual(["warning cdr/foreign-duplicate"]);
  expect(told({ "ds.json": twice })).toEqual(["warning cdr/foreign-duplicate"]);
});

it("what nobody can read is an error for everyone", () => {
  for (const files of [own, trainer, {}])
    expect(told({ "ds.json": broken, ...files })).toEqual(["error cdr/foreign-json"]);
});

it("what stands behind comments is judged, at its place", () => {
  const text = '{ // zero\n  train_batch_size: 8\n  zero_optimisation: {stage: 2}\n  "bf16": {"enabled": true}\n}';
  const found = toldOf({ "ds.json": text, ...own }).find(({ code }) => code === "cdr/deepspeed-ignored");
  expect(text.slice(found?.span.start, found?.span.end)).toBe("zero_optimisation");
});

it("a word that a script puts another in the place of is known to nobody", () => {
  const template = (word: string) => `{\n "train_batch_size": ${word},\n "zero_optimization": {"stage": 2}\n}`;
  const codes = (word: string) => toldOf({ "ds.json": template(word) }).map(({ code }) => code);
  expect(codes("GBSIZE")).toEqual(["cdr/foreign-json"]);
  expect(codes("${GBSIZE}")).toEqual(["cdr/foreign-json"]);
  expect(codes("$gbsize")).toEqual(["cdr/foreign-json"]);
  expect(codes("CONFIG_BATCH_SIZE")).toEqual(["cdr/foreign-json"]);
  for (const mistake of ["gbsize", "NONE", "AUTO"])
    expect(codes(mistake)).toContain("cdr/deepspeed-train-batch-size-number");
});

it("a number that JSON does not have is there", () => {
  const found = toldOf({ "ds.json": '{"train_batch_size": NaN, "zero_optimization": {"stage": 2}}' });
  expect(found.map(({ message }) => message).join("\n")).not.toContain("is written");
  expect(found.map(({ code }) => code)).toContain("cdr/foreign-json");
});

const plainOf = (node: Located): unknown =>
  node.kind === "list"
    ? node.items.map(plainOf)
    : node.kind === "map"
      ? Object.fromEntries(node.entries.map(({ key, value }) => [key, plainOf(value)]))
      : node.kind === "scalar"
        ? node.value
        : undefined;

const pieces = [
  ..."{}{}[]:,:,:,",
  "\n",
  "\n",
  " ",
  "\t",
  "\r\n",
  '"a"',
  "'b'",
  '"c',
  "a",
  "b",
  "key",
  "two words",
  "1",
  "-2.5",
  "3e4",
  "01",
  "true",
  "false",
  "null",
  "# note\n",
  "// note\n",
  "/* note */",
  "/*",
  "'''one\n  two'''",
  "'''",
  '"\\u00e9\\n"',
  '"\\x"',
  "NaN",
];

const entry = ["a: ", '"b": ', "\n", ", ", "1", "x y\n", "{", "}", "[", "]", "# c\n", "true", "'d'", "e:f\n", " "];

it.runIf(hasPython)(
  "agrees with hjson over random texts",
  () => {
    const texts = [
      ...sample(array(constantFrom(...pieces), { maxLength: 12 }), { numRuns: 6000, seed: 3 }),
      ...sample(array(constantFrom(...entry), { maxLength: 9 }), { numRuns: 14_000, seed: 4 }).map((each) => [
        "{\n",
        ...each,
        "\n}",
      ]),
    ].map((each) => each.join(""));
    const rows = JSON.parse(
      execFileSync(python(), [join(import.meta.dirname, "../../support/hjson_rows.py")], {
        input: JSON.stringify(texts),
        encoding: "utf8",
        maxBuffer: 2 ** 26,
      }),
    ) as readonly unknown[];
    const ours = texts.map((text) => {
      const read = readHjson(textOf({ path: "a.json", text }), 200);
      return "root" in read && read.twice.length === 0 ? plainOf(read.root) : null;
    });
    const apart = texts.filter((_, at) => JSON.stringify(ours[at]) !== JSON.stringify(rows[at]));
    expect(apart).toEqual([]);
    expect(rows.filter((row) => row !== null).length).toBeGreaterThan(1000);
  },
  120_000,
);
