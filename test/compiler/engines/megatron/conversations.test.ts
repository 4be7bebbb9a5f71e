/** Supervised fine-tuning on Megatron: what conversations lower to, what it cannot do with them, and who else carries them out. */
import { describe, expect, it } from "vitest";
import { compile } from "../../../../compiler/compile.ts";
import { lower } from "../../../../compiler/engines/megatron/lower/lower.ts";
import type { StageStep } from "../../../../compiler/pipeline.ts";
import { alone } from "../../../support/alone.ts";

interface Changes {
  readonly format?: string;
  readonly tokenizer?: string;
  readonly data?: string;
  readonly stage?: string;
  readonly engine?: string;
}

function compiled({ format = "chat", tokenizer = 'hf("owner/name", vocab = 32001)', ...more }: Changes) {
  const text = `import "std/clusters" { dgx_h100 }
model m { family = llama, layers = 4, d_model = 1024, heads = 16, context = 2048 tokens }
data chats { from = "chats/*.jsonl", format = ${format}, tokenizer = ${tokenizer}, ${more.data ?? ""} }
stage tune {
  model = m, data = chats, length = 100 steps, batch = 64 samples, optimizer = adamw(lr = 1e-5)
  engine = ${more.engine ?? "megatron, layout { tensor_parallel = 2 }"}
  ${more.stage ?? ""}
}
launch here on dgx_h100
`;
  return compile({ path: "main.cdr", text }, alone);
}

const told = (changes: Changes): readonly string[] => compiled(changes).diagnostics.map(({ message }) => message);
const unrun = (changes: Changes): readonly string[] =>
  compiled(changes)
    .unexecuted.of([])
    .map(({ message }) => message.replace(/^(.*) cannot run yet: this version of cdrc does not support /, "$1: "));

function script(changes: Changes): string {
  const { pipeline, plan, diagnostics } = compiled(changes);
  expect(diagnostics).toEqual([]);
  const step = pipeline.steps.find((each): each is StageStep => each.kind === "stage");
  const [planned] = plan.stages;
  if (step === undefined || planned === undefined) throw new Error("nothing was planned");
  return lower(step, planned, pipeline.launch.cluster)[0]?.text ?? "";
}

const argumentsIn = (text: string): readonly string[] =>
  text.split("\n").flatMap((line) => /^ {2}(--.*) # from /.exec(line)?.[1] ?? []);

it("opens JSON lines by the tokenizer's name, with as many rows as the model has", () => {
  const text = script({ stage: "eval { every = 50 steps }" });
  const words = argumentsIn(text);
  expect(words.filter((word) => /sft|tokenizer|vocab|data-path|mask/.test(word))).toEqual([
    "--tokenizer-type SFTTokenizer",
    "--tokenizer-model owner/name",
    "--sft-tokenizer-prompt-format default",
    // 32,001 rounded up to a multiple of 128 on each of two ranks.
    "--make-vocab-size-divisible-by 16128",
    '--train-data-path "$data"/train.jsonl',
    '--valid-data-path "$data"/val.jsonl',
    "--sft",
    "--no-create-attention-mask-in-dataloader",
  ]);
  expect(text).toContain("for file in train.jsonl val.jsonl; do");
});

it("takes a tokenizer that was made before from where the data lie", () => {
  const tokenizer = 'file("tok/tokenizer.json", vocab = 32000, end = "</s>")';
  expect(argumentsIn(script({ tokenizer }))).toContain('--tokenizer-model "$data"');
});

it("says each template in Megatron's words", () => {
  const formats = ["tokenizer", "contents", "nemotron_h_aligned", "nemotron_nano_v2"].map((template) => {
    const stage = template.startsWith("nemotron") ? "loss = causal(over = answers)" : "";
    const words = argumentsIn(script({ format: `chat(template = ${template})`, stage }));
    return words.find((word) => word.startsWith("--sft-tokenizer"));
  });
  expect(formats.map((words) => words?.split(" ")[1])).toEqual([
    ...["default", "identity", "nemotron-h-aligned", "nemotron-nano-v2"],
  ]);
});

it("gives the preparing program the column of the messages", () => {
  const column = (changes: Changes) =>
    compiled(changes).pipeline.steps.flatMap((step) =>
      step.kind === "data" ? step.config.sources.map((source) => "column" in source && source.column) : [],
    );
  expect(column({})).toEqual(["messages"]);
  expect(column({ format: 'chat(column = "turns")' })).toEqual(["turns"]);
  expect(column({ data: 'column = "talk"' })).toEqual(["talk"]);
});

it("says once that samples are longer than the model's context", () => {
  expect(told({ data: "sequence = 4096 tokens" })).toEqual([
    "samples of 4096 tokens do not fit the model's context of 2048 tokens",
  ]);
});

describe("what Megatron cannot do is told where it is said", () => {
  it.each<[string, Changes, RegExp]>([
    ["a template of the file's own", { format: 'chat(turn = "${row.content}")' }, /write `template = …` for `turn`/],
    [
      "a tokenizer without a template",
      { tokenizer: "bytes" },
      /bytes has no chat template; write `template = contents`/,
    ],
    [
      "answers by the tokenizer's template",
      { stage: "loss = causal(over = answers)" },
      /counts every token .* write `loss = causal\(over = all\)`/,
    ],
    [
      "every token by Nemotron's",
      { format: "chat(template = nemotron_nano_v2)" },
      /counts only the answers .* write `loss = causal\(over = answers\)`/,
    ],
    ["Bridge", { engine: "megatron(entry = bridge)" }, /^Megatron Bridge cannot train on these conversations:/],
    ["a release without the argument", { engine: 'megatron(version = "0.12")' }, /--sft.* needs Megatron 0\.13/],
    [
      "samples that are not stacked",
      { engine: 'megatron(version = "0.18")', stage: "layout { micro_batch = 2 samples }" },
      /2 samples of them are not stacked before core 0\.19/,
    ],
    ["adapters", { stage: "adapters = lora(rank = 8, alpha = 16)" }, /has no `adapters`; torch and deepspeed have/],
  ])("%s", (_, changes, message) => {
    expect(told(changes)).toContainEqual(expect.stringMatching(message));
  });
});

it("is carried out by Megatron, by a tokenizer's name too, and by nobody else", () => {
  const nemotron = { format: "chat(template = nemotron_nano_v2)", stage: "loss = causal(over = answers)" };
  expect(unrun({})).toEqual([]);
  expect(unrun(nemotron)).toEqual([]);
  expect(unrun({ engine: "deepspeed", tokenizer: "bytes" })).toEqual([
    "stage `tune`: `format = chat` without `engine = megatron`",
  ]);
  expect(unrun({ ...nemotron, engine: "torch", tokenizer: "bytes" })).toEqual([
    "stage `tune`: `format = chat` without `engine = megatron`, `over = answers`",
  ]);
  expect(unrun({ tokenizer: 'hf("owner/name", vocab = 32000, revision = "main")' })).toEqual([
    "data `chats`: `revision` of `hf` for conversations",
  ]);
  expect(unrun({ tokenizer: "bytes", format: 'chat(turn = "${row.content}")' })).toEqual([
    "data `chats`: `turn` of `chat`",
  ]);
});
