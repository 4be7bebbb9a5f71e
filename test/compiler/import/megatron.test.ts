/**
 * Argument sets that Megatron runs in its own tests and launches of published models, there and back: the script that starts one is
 * imported, the file is checked and lowered, and the script of its bundle is read again.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { passage, setsIn, type ArgumentSet } from "../../../bench/arguments.ts";
import { isSecretName } from "../../../compiler/import/secrets.ts";
import { importLaunch } from "../../../compiler/import/import.ts";
import { wordsOfLaunch } from "../../../compiler/engines/megatron/lower/launch.ts";
import { format } from "../../../dsl/format/format.ts";
import { conversationCases, megatronCases } from "../../support/megatron.ts";

const fixture = join(import.meta.dirname, "../../fixtures/launches/megatron.jsonl.gz");
const sets = setsIn(gunzipSync(readFileSync(fixture)).toString("utf8"));
const passed = new Map<ArgumentSet, ReturnType<typeof passage>>();
const passageOf = (set: ArgumentSet): ReturnType<typeof passage> => {
  const known = passed.get(set) ?? passage(set);
  passed.set(set, known);
  return known;
};
const [whole, fields] = [true, false].map((has) => sets.filter(({ argv }) => (argv !== undefined) === has));

describe("whole command lines", () => {
  it.each((whole ?? []).map((set) => [set.id, set] as const))("%s starts the same launch", (_, set) => {
    const { codes, changed, text } = passageOf(set) ?? {};
    expect(codes).toEqual([]);
    expect(changed).toEqual([]);
    expect(format({ path: "a.cdr", text: text ?? "" }).text).toBe(text);
  });
});

describe("fields that decide a layout, made whole by a plain launch", () => {
  const each = (fields ?? []).map((set) => [set.id, set] as const);

  it.each(each)("%s comes back", (_, set) => {
    const { codes = [], changed, broken = [] } = passageOf(set) ?? {};
    // What the engine's own rules refuse before anything is imported, they refuse afterwards.
    if (broken.length === 0) expect(codes).toEqual([]);
    expect(changed).toEqual([]);
  });

  it("are whole launches for the most part", () => {
    const incomplete = each.filter(([, set]) => (passageOf(set)?.broken ?? []).length > 0);
    expect(incomplete.length).toBeLessThan(each.length / 8);
  });
});

describe("arguments that Megatron does not have", () => {
  const imported = (program: string, more: string) => {
    const text = `torchrun --nproc-per-node 8 ${program} --num-layers 4 --hidden-size 512 --num-attention-heads 8 --seq-length 1024 --max-position-embeddings 1024 --micro-batch-size 1 --global-batch-size 8 --train-iters 10 --lr 1e-4 --mock-data --bf16 ${more}\n`;
    const supplied = { world: null, gpusPerNode: null, gpu: "h100" };
    return importLaunch([{ path: "run.sh", text }], { supplied, launch: null }, () => undefined);
  };

  it.each([
    ["pretrain_gpt.py", "cdr/megatron-unrecognized"],
    ["pretrain_own.py", "cdr/import-left-out"],
  ])("are told and named in the file of %s", (program, code) => {
    const { diagnostics, text } = imported(program, "--hiden-dropout 0.3 --my-own-flag");
    expect(diagnostics.map((each) => each.code)).toEqual([code, code]);
    expect(text).toContain("--hiden-dropout 0.3 --my-own-flag");
    const right = imported(program, "--hidden-dropout 0.3");
    expect(right.diagnostics).toEqual([]);
    expect(right.text).not.toContain("Left out");
  });
});

it.each(
  [...megatronCases("0.19").filter(({ name }) => name.startsWith("mamba2,")), ...conversationCases("0.19")].map(
    (one) => [one.name, one] as const,
  ),
)("%s comes back", (id, { launch, plan }) => {
  const argv = wordsOfLaunch(launch).map(({ text }) => (text ?? "").replace(/^\{(\w+)\}/, "/runs/$1"));
  const env = { CUDA_DEVICE_MAX_CONNECTIONS: "1" };
  const come = passage({ id, argv, env, world: plan.layout.world, entry: launch.entry, gpu_arch: "9.0" });
  expect([come?.codes, come?.broken, come?.changed]).toEqual([[], [], []]);
});

it("plain gradient descent is the language's own", () => {
  const text =
    "torchrun --nproc_per_node 2 pretrain_gpt.py --num-layers 4 --hidden-size 256 --num-attention-heads 4 --seq-length 128 --max-position-embeddings 128 --micro-batch-size 1 --train-iters 8 --lr 0.1 --optimizer sgd --sgd-momentum 0.8 --weight-decay 0 --mock-data\n";
  const supplied = { world: null, gpusPerNode: null, gpu: "h100" };
  const imported = importLaunch([{ path: "run.sh", text }], { supplied, launch: null }, () => undefined);
  expect(imported.text).toContain("optimizer = sgd(lr = 0.1, momentum = 0.8, weight_decay = 0)");
  expect(imported.text).not.toContain('optimizer = "sgd"');
});

it.each([
  ["eos_token", false],
  ["--pad-token", false],
  ["mm_use_im_patch_token", false],
  ["HF_TOKEN", true],
  ["hub_token", true],
  ["--api-key", true],
])("%s is the name of a secret: %s", (name, expected) => {
  expect(isSecretName(name.replace(/^-+/, ""))).toBe(expected);
});

it.each([
  ["--save /y --load /y --save-interval 5", "exact"],
  ["--save /y --load /x --save-interval 5", "never"],
  ["--save /y --save-interval 5", "never"],
  ["--save /y --load /y --save-interval 5 --finetune", "never"],
  ["--save /y --load /y --save-interval 5 --no-load-optim --no-load-rng", "weights"],
  ["--save /y --load /y --save-interval 5 --no-save-optim", "never"],
])("%s goes on after a stop: %s", (words, resume) => {
  const text = `torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 4 --hidden-size 512 --num-attention-heads 8 --seq-length 1024 --max-position-embeddings 1024 --micro-batch-size 1 --global-batch-size 8 --train-iters 10 --lr 1e-4 --bf16 --mock-data --ckpt-format torch_dist ${words}\n`;
  const supplied = { world: null, gpusPerNode: null, gpu: "h100" };
  const imported = importLaunch([{ path: "run.sh", text }], { supplied, launch: null }, () => undefined);
  expect(imported.text).toMatch(new RegExp(`resume += ${resume}\n`));
  expect([imported.changed, imported.diagnostics.filter(({ severity }) => severity === "error")]).toEqual([[], []]);
});

describe("conversations", () => {
  const imported = (format: string) => {
    const text = `torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 4 --hidden-size 512 --num-attention-heads 8 --seq-length 1024 --max-position-embeddings 1024 --micro-batch-size 1 --global-batch-size 8 --train-iters 10 --lr 1e-4 --bf16 --swiglu --normalization RMSNorm --position-embedding-type rope --disable-bias-linear --sft --tokenizer-type SFTTokenizer --tokenizer-model owner/name --train-data-path /d/chats.jsonl --no-create-attention-mask-in-dataloader ${format}\n`;
    const supplied = { world: null, gpusPerNode: null, gpu: "h100" };
    return importLaunch([{ path: "run.sh", text }], { supplied, launch: null }, () => undefined);
  };

  it.each([
    ["", "nemotron_h_aligned", true],
    ["--sft-tokenizer-prompt-format nemotron-nano-v2", "nemotron_nano_v2", true],
    ["--sft-tokenizer-prompt-format identity", "contents", false],
    ["--sft-tokenizer-prompt-format default", "tokenizer", false],
  ])("%s is the template %s, and the loss says what it counts", (format, template, masks) => {
    const { text, changed, diagnostics } = imported(format);
    expect(text).toContain(`format    = chat(template = ${template})`);
    expect(text).toContain('tokenizer = hf("owner/name")');
    expect(text?.includes("loss      = causal(over = answers)")).toBe(masks);
    expect(text).not.toMatch(/\bsft\b/);
    expect([changed, diagnostics.filter(({ severity }) => severity === "error")]).toEqual([[], []]);
  });
});
