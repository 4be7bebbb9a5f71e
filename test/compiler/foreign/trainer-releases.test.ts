/** Rules that ask for the release of transformers: each side of it, and what is no reason to speak. */
import { expect, it } from "vitest";
import { toldOf } from "../../../compiler/foreign/rules/example.ts";
import type { Files } from "../../../compiler/foreign/rules/rule.ts";

const codes = (files: Files): readonly string[] =>
  toldOf(files).flatMap(({ code, severity }) =>
    /trainer-refused|trl-refused|-release$/.test(code) ? [`${severity} ${code}`] : [],
  );

const args = (more: string): string => `output_dir: out\nper_device_train_batch_size: 1\n${more}`;
const pinned = (release: string): string => `transformers==${release}\n`;
const config = (more: string): string => `{ "model_type": "qwen3", "architectures": ["A"]${more} }`;
const run = "torchrun --nproc_per_node 8 train.py --output_dir out --per_device_train_batch_size 1";

it.each<[string, Files, readonly string[]]>([
  [
    "an earlier refusal under its release",
    { "a.yaml": args("deepspeed: d.json\nauto_find_batch_size: true\n"), "requirements.txt": pinned("4.40.2") },
    ["error cdr/trainer-refused"],
  ],
  [
    "an earlier refusal under a later one",
    { "a.yaml": args("deepspeed: d.json\nauto_find_batch_size: true\n"), "requirements.txt": pinned("4.46.0") },
    [],
  ],
  [
    "an earlier refusal where no release is named",
    { "a.yaml": args("deepspeed: d.json\nauto_find_batch_size: true\n") },
    ["info cdr/trainer-refused"],
  ],
  [
    "an optimizer of layers on several processes",
    { "run.sh": `${run} --optim galore_adamw_layerwise --optim_target_modules attn\n` },
    ["error cdr/trainer-refused"],
  ],
  [
    "a schedule that names the loss for the best model",
    { "a.yaml": args("save_strategy: best\nlr_scheduler_type: reduce_lr_on_plateau\neval_strategy: epoch\n") },
    [],
  ],
  [
    "the best by no metric",
    { "a.yaml": args("save_strategy: best\neval_strategy: epoch\n") },
    ["error cdr/trainer-refused"],
  ],
  [
    "few bits without adapters",
    { "run.sh": "trl sft --model_name_or_path m --dataset_name d --output_dir o --load_in_4bit\n" },
    ["error cdr/trl-refused"],
  ],
  [
    "few bits in a program of one's own",
    {
      "run.sh":
        "python sft.py --model_name_or_path m --output_dir o --load_in_4bit --per_device_train_batch_size 1\n",
    },
    [],
  ],
  [
    "a model type before its release",
    { "config.json": config(""), "requirements.txt": pinned("4.50.3") },
    ["error cdr/model-type-release"],
  ],
  ["a model type from its release on", { "config.json": config(""), "requirements.txt": pinned("4.51.0") }, []],
  [
    "a model with code of its own",
    { "config.json": config(', "auto_map": { "AutoConfig": "c.C" }'), "requirements.txt": pinned("4.50.3") },
    [],
  ],
  [
    "weights that bear another name",
    { "run.sh": `${run} --model_name_or_path org/qwen3-like\n`, "requirements.txt": pinned("4.50.3") },
    [],
  ],
  [
    "a scaling before its release",
    { "run.sh": `${run} --model_name_or_path meta-llama/Llama-3.1-8B\n`, "requirements.txt": pinned("4.42.0") },
    ["error cdr/rope-scaling-release"],
  ],
  [
    "a vision model by its type alone",
    {
      "run.sh": `${run} --model_name_or_path meta-llama/Llama-3.2-11B-Vision\n`,
      "requirements.txt": pinned("4.42.0"),
    },
    ["error cdr/model-type-release"],
  ],
])("%s", (_, files, expected) => {
  expect(codes(files)).toEqual(expected);
});
