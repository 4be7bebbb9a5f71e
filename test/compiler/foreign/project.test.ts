/** A pyproject.toml beside a launch lists its packages; a switch of FSDP is no section of DeepSpeed. */
import { expect, it } from "vitest";
import { toldOf } from "../../../compiler/foreign/rules/example.ts";

const run = "torchrun --nproc_per_node 8 train.py --model_name_or_path m --output_dir out --eval_strategy no\n";
const told = (files: Readonly<Record<string, string>>): readonly string[] =>
  toldOf(files).flatMap(({ severity, code, span }) => (severity === "error" ? [`${code} ${span.source.path}`] : []));

it.each([
  [
    "a project",
    '[project]\nname = "x"\ndependencies = ["torch==2.6.0", "transformers>=4.50"]\n[tool.ruff]\nline-length = 120\n',
    [],
  ],
  [
    "an older release",
    '[project]\nname = "x"\ndependencies = [\n  "transformers==4.40.2",\n]\n',
    ["cdr/trainer-renamed run.sh"],
  ],
  [
    "an older release of Poetry",
    '[tool.poetry.dependencies]\npython = "^3.11"\ntransformers = "4.40.2"\n',
    ["cdr/trainer-renamed run.sh"],
  ],
  ["a release that Poetry chooses", '[tool.poetry.dependencies]\ntransformers = "^4.40"\n', []],
  ["tools alone", "[tool.ruff]\nline-length = 120\n", []],
  ["another TOML", '[owner]\nname = "x"\n', ["cdr/foreign-kind pyproject.toml"]],
] as const)("%s", (_, text, codes) => {
  const found = told({ "run.sh": run, "pyproject.toml": text });
  expect(found.map((each) => each.replace(/^cdr\/trainer-\S+/, "cdr/trainer-renamed"))).toEqual(codes);
});

it.each([
  '{"activation_checkpointing": true}',
  '{"activation_checkpointing": true, "backward_prefetch": "backward_pre"}',
  '{"activation_checkpointing": true, "min_num_params": 1000}',
])("%s is FSDP's", (text) => {
  expect(told({ "fsdp.json": text })).toEqual([]);
});

it("a section of the name is DeepSpeed's", () => {
  const text = '{"activation_checkpointing": {"partition_activation": true}}';
  expect(toldOf({ "ds.json": text }).map(({ code }) => code)).toContain("cdr/deepspeed-ignored");
});
