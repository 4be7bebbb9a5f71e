/** What an import writes is said by a file or a tool that is known, or marked as a guess. */
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { leftOutIn } from "../../../compiler/import/left-out.ts";
import { importLaunch, type Imported } from "../../../compiler/import/import.ts";
import type { Source } from "../../../dsl/source/source.ts";

const imported = (sources: readonly Source[]): Imported =>
  importLaunch(sources, { supplied: { world: null, gpusPerNode: null, gpu: "h100" }, launch: null }, () => undefined);

/** What a stage has of the blocks beside it, and of the words that start the program. */
const given = new Set(["model", "data", "engine"]);

/** Properties of the stage without a mark. */
function unmarked({ text }: Imported): readonly string[] {
  const [, stage = ""] = /^stage train \{\n(.*?)^\}/ms.exec(text ?? "") ?? [];
  return stage
    .split("\n")
    .filter((line) => !line.includes("// guessed: "))
    .flatMap((line) => [...line.matchAll(/([a-z_]+)\s*= /g)].map(([, name = ""]) => name))
    .filter((name) => !given.has(name));
}

/** What starts a program, and its options. */
const start =
  /^(.*?\b(?:torchrun|deepspeed|accelerate launch|python3? -m (?:torch\.distributed\.(?:run|launch)|deepspeed\.launcher\.runner))\b.*?\S+\.py)\b(.*)$/;

const root = "test/fixtures/misconfigurations";
const scripts = readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".sh"))
  .map((name) => join(root, name));

describe("a launch of which nothing but its start is left", () => {
  const starts = [
    ...new Set(
      scripts.flatMap((path) => {
        const joined = readFileSync(path, "utf8").replaceAll(/\\\r?\n\s*/g, " ");
        return joined.split("\n").flatMap((line) => {
          const begin = start.exec(line)?.[1]?.trim();
          const program = basename(begin?.split(/\s/).at(-1) ?? "");
          // Programs that transformers and Megatron bring have defaults of their own.
          return begin === undefined ||
            /[$#`"'({]|pretrain_|\brun_\w+\.py/.test(begin) ||
            /config|hostfile|mixed_precision|zero|offload|gradient|fsdp/.test(begin)
            ? []
            : [begin.replace(/\S+\.py$/, `own_${program}`)];
        });
      }),
    ),
  ];
  it("is found in the fixtures", () => expect(starts.length).toBeGreaterThan(10));
  it.each(starts)("%s: every property of the stage is marked", (line) => {
    const made = imported([{ path: "run.sh", text: `${line}\n` }]);
    expect(made.text === null ? [] : unmarked(made)).toEqual([]);
  });
});

const words: readonly (readonly [option: string, property: string])[] = [
  ["--max_train_steps 40", "length"],
  ["--lr 1e-4 --adam_beta1 0.8 --adam_epsilon 1e-7 --weight_decay 0.1", "optimizer"],
  ["--lr_scheduler cosine", "schedule"],
  ["--max_grad_norm 0.5", "clip"],
  ["--bf16", "precision"],
  ["--micro_batch_size 4", "micro_batch"],
  ["--zero_stage 1", "zero_stage"],
];

it.each(words)("%s is what %s comes from, and nothing else", (option, property) => {
  const made = imported([{ path: "run.sh", text: `deepspeed --num_gpus 8 own.py ${option}\n` }]);
  expect(unmarked(made).filter((name) => !["lr", "betas", "eps", "weight_decay", "offload"].includes(name))).toEqual([
    property,
  ]);
});

it("a batch that rests on a guess is one", () => {
  const one = (line: string): readonly string[] => unmarked(imported([{ path: "run.sh", text: `${line}\n` }]));
  const all = "--micro_batch_size 2 --gradient_accumulation_steps 4";
  expect(one(`deepspeed --num_gpus 8 own.py ${all}`)).toContain("batch");
  expect(one(`torchrun --nproc_per_node $GPUS own.py ${all}`)).not.toContain("batch");
  expect(one("deepspeed --num_gpus 8 own.py --micro_batch_size 2")).not.toContain("batch");
});

it("what a warning says is not in the file, the file says differently", () => {
  const made = imported([{ path: "run.sh", text: "deepspeed --num_gpus 8 own.py config/args.yaml --my_own 3\n" }]);
  expect(made.changed).toEqual(["the program own.py", "--my_own", "the word config/args.yaml"]);
  expect(leftOutIn(made.diagnostics)).toEqual(made.changed);
});

it("a program that uses a model trains none", () => {
  const made = imported([
    {
      path: "run.sh",
      text: "torchrun --nproc_per_node 8 run_text_generation_qwen.py --num-layers 12 --hidden-size 768\n",
    },
  ]);
  expect(made.text).toBeNull();
});

it("the parts of an adapter are read under all their names", () => {
  const options = "--model_name_or_path Qwen/Qwen3-8B --use_peft_lora True --lora_r 8 --lora_alpha 16";
  const line = `torchrun --nproc_per_node 8 train.py --output_dir o ${options} --lora_target_modules "q_proj,down_proj"`;
  const { text, changed } = imported([{ path: "run.sh", text: `${line}\n` }]);
  expect(text).toContain("lora(rank = 8, alpha = 16, targets = [q, down])");
  expect(changed).toEqual(["the program train.py"]);
});
