/** A name close to one of the library is offered its import; nothing gets the figures of another device. */
import { expect, it } from "vitest";
import { compile } from "../../../compiler/compile.ts";
import { alone } from "../../support/alone.ts";

const base = `data d { from = "c/*.txt", tokenizer = bytes, tokens = 1B tokens }
model m { family = llama, layers = 4, d_model = 256, heads = 4, context = 512 tokens }
`;

const told = (text: string) =>
  compile({ path: "main.cdr", text: base + text }, alone).diagnostics.filter(({ severity }) => severity === "error");

const gpu = (name: string): string =>
  `cluster c { gpu = ${name}, node { gpus = 8 } }\nlaunch l on c { target = slurm(partition = "x") }\n`;

it.each([
  [gpu("a100"), ["a100_40gb", "a100_80gb"]],
  [gpu("H100"), ["h100_sxm", "h100_pcie", "h100_nvl"]],
  [gpu("v100"), ["v100_16gb", "v100_32gb"]],
  [gpu("rtx4090"), ["rtx_4090"]],
  [gpu('"H100"'), ["h100_sxm", "h100_pcie", "h100_nvl"]],
])("%s", (text, names) => {
  const [only, ...more] = told(text);
  expect(more).toEqual([]);
  expect(only?.fixes.map(({ title }) => title)).toEqual(names.map((name) => `import \`${name}\` from "std/gpus"`));
  const [insertion, change] = only?.fixes[0]?.edits ?? [];
  expect([insertion?.newText, change?.newText]).toEqual([`import "std/gpus" { ${names[0]} }\n`, names[0]]);
});

it("a declared one in quotes is told to stand without them", () => {
  const own =
    "gpu mine { memory = 80 GB, bandwidth = 2 TB/s, fp32 = 60 TFLOPS, bf16 = 900 TFLOPS, fp16 = 900 TFLOPS }\n";
  const [only, ...more] = told(own + gpu('"mine"'));
  expect(more).toEqual([]);
  expect(only?.code).toBe("cdr/value-quoted");
  expect(only?.fixes[0]?.edits[0]?.newText).toBe("mine");
});

it.each([
  gpu("h300_ultra"),
  gpu('"B999 Ultra"'),
  gpu("a2"),
  'launch l on dgx_v100 { target = slurm(partition = "x") }\n',
])("%s", (text) => {
  const [only, ...more] = told(text);
  expect(more).toEqual([]);
  expect(only?.fixes).toEqual([]);
  expect(only?.fix).toMatch(/^Declare it with the figures of /);
  expect(only?.fix).not.toMatch(/\d TFLOPS|\d GB /);
});

it("a place for a model is offered models", () => {
  const stage =
    "stage s { model = llama3, data = d, length = 10 steps, batch = 8 samples, optimizer = adamw(lr = 1e-3) }\n";
  const [only] = told(stage);
  expect(only?.fixes.map(({ title }) => title)).toContain('import `llama3_8b` from "std/models"');
  expect(only?.fixes.every(({ title }) => title.includes("std/models"))).toBe(true);
});
