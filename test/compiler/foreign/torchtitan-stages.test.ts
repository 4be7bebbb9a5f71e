/** torchtitan's own models in stages, held against its arithmetic (distributed/pipeline_parallel.py). */
import { expect, it } from "vitest";
import { toldOf } from "../../../compiler/foreign/rules/example.ts";

const told = (text: string, others: Readonly<Record<string, string>> = {}): readonly string[] =>
  toldOf({ "c.toml": text, ...others }).flatMap(({ code, severity }) =>
    /torchtitan-(?:stages|undivided|flavor|schedule-file)/.test(code) ? [`${severity} ${code.slice(15)}`] : [],
  );

const file = (name: string, flavor: string, ...lines: readonly string[]): string =>
  `[model]\nname = "${name}"\nflavor = "${flavor}"\n[parallelism]\n${lines.map((line) => `pipeline_parallel_${line}\n`).join("")}`;
const interleaved = 'schedule = "Interleaved1F1B"';
const pinned = { "requirements.txt": "torchtitan==0.2.2\n" };
const old = { "requirements.txt": "torchtitan==0.1.0\n" };

it.each([
  ["12 stages of 8 ranks", file("llama3", "8B", "degree = 8", "layers_per_stage = 3"), {}, ["error stages"]],
  ["one stage each, of 1F1B", file("llama3", "8B", "degree = 8", "layers_per_stage = 5"), {}, ["error stages"]],
  ["7 stages of 7 ranks", file("llama3", "8B", "degree = 7", "layers_per_stage = 5"), {}, []],
  ["two stages each, of 1F1B", file("llama3", "70B", "degree = 4", "layers_per_stage = 11"), {}, ["error stages"]],
  ["two stages each", file("llama3", "70B", "degree = 4", "layers_per_stage = 11", interleaved), {}, []],
  [
    "one stage each, of several",
    file("llama3", "70B", "degree = 4", "layers_per_stage = 21", interleaved),
    {},
    ["error stages"],
  ],
  [
    "four stages each, of a fold",
    file("llama3", "70B", "degree = 4", "layers_per_stage = 6", 'schedule = "ZBVZeroBubble"'),
    {},
    ["error stages"],
  ],
  ["more stages than layers", file("llama3", "debugmodel", "degree = 8", interleaved), {}, ["error stages"]],
  ["as many stages as layers", file("llama3", "debugmodel", "degree = 4", interleaved), {}, []],
  [
    "a table that is too heavy",
    file("llama3", "debugmodel", "degree = 4", "first_stage_less_layers = 3"),
    {},
    ["error stages"],
  ],
  [
    "uneven stages of the first release",
    file("llama3", "8B", "degree = 2", "layers_per_stage = 9", interleaved),
    old,
    ["error stages"],
  ],
  ["uneven stages", file("llama3", "8B", "degree = 2", "layers_per_stage = 9", interleaved), pinned, []],
  ["a model that is not cut", file("qwen3", "8B", "degree = 2"), {}, ["error undivided"]],
  ["a model that is not cut, whole", file("qwen3", "8B", "degree = 1"), {}, []],
  ["another's flavor", file("llama3", "8b"), pinned, ["error flavor"]],
  ["another's flavor of a clone", file("llama3", "13B"), {}, ["warning flavor"]],
  [
    "a flavor that came later",
    file("llama3", "8B_flex"),
    { "requirements.txt": "torchtitan==0.2.0\n" },
    ["error flavor"],
  ],
  ["a flavor of today", file("llama3", "8B_flex"), pinned, []],
  ["a model of somebody", file("mine", "8b", "degree = 8"), pinned, []],
  ["a model that replaces one", `${file("llama3", "8b")}[experimental]\ncustom_import = "mine"\n`, pinned, []],
  [
    "stages by name",
    `${file("llama3", "debugmodel", "degree = 8", interleaved)}module_fqns_per_model_part = [["tok_embeddings"]]\n`,
    {},
    [],
  ],
] as const)("%s", (_, text, others, codes) => {
  expect(told(text, others)).toEqual(codes);
});

it.each([
  ["llama3 --config llama3_debugmodel", 8, 1],
  ["llama3 --config llama3_debugmodel", 4, 0],
  ["llama3 --config llama3_own", 8, 0],
  ["qwen3 --config qwen3_32b", 8, 0],
] as const)("--module %s over %i ranks", (config, ranks, times) => {
  const text = `torchrun --nproc-per-node=8 -m torchtitan.train --module ${config} --parallelism.pipeline_parallel_degree ${ranks}\n`;
  const found = toldOf({ "run.sh": text }).filter(({ code }) => code === "cdr/torchtitan-stages");
  expect(found).toHaveLength(times);
});
