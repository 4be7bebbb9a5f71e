/**
 * A name that somebody writes is looked up among a table's own names: `constructor` and its kin, which every object has, are none of
 * them. A name that no object has is put on `Object.prototype`, so that each look-up that reaches there is seen, and stands in for
 * every word of files of all kinds in turn.
 */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compile } from "../compiler/compile.ts";
import { checkForeign } from "../compiler/foreign/check.ts";
import { importLaunch } from "../compiler/import/import.ts";

const name = "zzprobe";
let reached: string[] = [];

beforeAll(() => {
  // oxlint-disable-next-line no-extend-native
  Object.defineProperty(Object.prototype, name, {
    configurable: true,
    get: () => {
      reached.push((new Error("reached").stack ?? "").split("\n")[2]?.trim() ?? "");
      return undefined;
    },
    set(value) {
      Object.defineProperty(this, name, { value, writable: true, enumerable: true, configurable: true });
    },
  });
});
afterAll(() => {
  delete (Object.prototype as Record<string, unknown>)[name];
});

/** The text with the name in place of each of its words, one at a time; a word behind the same word counts once. */
function variants(text: string, seen: Set<string>, step: number): readonly string[] {
  const words = [...text.matchAll(/[A-Za-z_]\w*(?:-\w+)*/g)];
  const fresh = words.filter(({ 0: word }, at) => {
    const key = `${words[at - 1]?.[0] ?? ""} ${word}`;
    const isFresh = !seen.has(key);
    seen.add(key);
    return isFresh;
  });
  return fresh
    .filter((_, at) => at % step === 0)
    .map(({ 0: word, index }) => text.slice(0, index) + name + text.slice(index + word.length));
}

function lookedUp(texts: readonly string[], read: (text: string) => unknown): readonly string[] {
  reached = [];
  for (const text of texts) read(text);
  return [...new Set(reached)];
}

const whole = `import "std/clusters" { dgx_h100 }
param width: Int in 64..4096 = 512
enum Size { small, large }
fn twice(n: Int): Int = n * 2
let deep = twice(n = 4)
data web { from = "hf://a/b", tokenizer = tiktoken("gpt2") }
model net { family = llama, layers = deep, d_model = width, context = 2Ki tokens }
stage train {
  model = net
  data = web
  engine = deepspeed
  length = 2B tokens
  batch = 512K tokens
  optimizer = adamw(lr = 3e-4, betas = [0.9, 0.95])
  optimizer.lr = 1e-4
  schedule = cosine(warmup = 100 steps)
  expect { loss < 3 }
  layout { tensor_parallel = 1, zero_stage = 2 }
  log { every = 10 steps }
  raw deepspeed { zero_optimization { reduce_bucket_size = 5 } }
}
variant preset quick { train.length = 10 steps }
test "short" { assert train.length.steps > 1 }
cluster pod extends dgx_h100 { nodes = 2 }
launch here on pod { target = slurm(partition = "a", raw = { comment = "x" }), env { A = "b" } }
`;

const compiled = (text: string) =>
  compile(
    { path: "main.cdr", text },
    {
      on: null,
      target: null,
      preset: null,
      overlays: [],
      overlayFiles: [],
      sets: [],
      read: () => undefined,
      environment: () => undefined,
      host: () => undefined,
    },
  );

describe("no look-up by a written name reaches Object.prototype", () => {
  it("in a .cdr", () => {
    expect(lookedUp(variants(whole, new Set(), 1), compiled)).toEqual([]);
  });

  const folder = join(import.meta.dirname, "fixtures/misconfigurations");
  const seen = new Set<string>();
  const given = { world: 8, gpusPerNode: 8, gpu: "h100" };
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile() && /\.(?:sh|sbatch|json|ya?ml|txt)$/.test(each.name))
    .map((each) => ({ path: each.name, text: readFileSync(join(each.parentPath, each.name), "utf8") }))
    .filter(({ text }) => text.length < 4000);

  it("in files of other tools", () => {
    const found = files.flatMap(({ path, text }) =>
      lookedUp(variants(text, seen, 3), (each) => checkForeign([{ path, text: each }], given, () => undefined)),
    );
    expect(found).toEqual([]);
  });

  it("in their import", () => {
    const launch =
      "#SBATCH --nodes=1\n#SBATCH --mem=8G\nexport A=b\nsrun --mpi=pmix torchrun --nproc_per_node 8 run_clm.py --model_name_or_path gpt2 " +
      "--output_dir o --bf16 --optim adamw_torch --lr_scheduler_type linear --max_steps 10 --deepspeed ds.json\n";
    const config =
      '{ "train_micro_batch_size_per_gpu": 1, "bf16": { "enabled": true }, "zero_optimization": { "stage": 2, "offload_optimizer": { "device": "cpu" } }, ' +
      '"optimizer": { "type": "AdamW", "params": { "lr": 1e-4 } }, "scheduler": { "type": "WarmupLR", "params": {} } }';
    const read = (script: string, json: string): unknown =>
      importLaunch(
        [
          { path: "run.sh", text: script },
          { path: "ds.json", text: json },
        ],
        { supplied: given, launch: null },
        () => undefined,
      );
    expect(lookedUp(variants(launch, new Set(), 1), (each) => read(each, config))).toEqual([]);
    expect(lookedUp(variants(config, new Set(), 1), (each) => read(launch, each))).toEqual([]);
  });
});

const inherited = ["constructor", "__proto__", "toString", "valueOf", "hasOwnProperty"];

it("takes names that every object has for unknown ones", () => {
  for (const [at, text] of variants(whole, new Set(), 2).entries()) {
    const messages = compiled(text.replaceAll(name, inherited[at % inherited.length] ?? "")).diagnostics.map(
      ({ message }) => message,
    );
    expect(messages.join("\n")).not.toContain("native code");
  }
});

it("has no such command", () => {
  for (const word of inherited)
    expect(spawnSync(process.execPath, [join(import.meta.dirname, "../cli/cdrc.ts"), word]).status).toBe(2);
});
