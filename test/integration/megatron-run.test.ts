/** `cdrc run` trains on the real Megatron: its metrics, its checkpoints, a stop, and going on from there. */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, it } from "vitest";
import { megatronPython, oracles } from "../support/megatron-oracle.ts";
import { hasPython, python } from "../support/python.ts";

const found = megatronPython();
if ("why" in found) process.stderr.write(`megatron: ${found.why}\n`);
const interpreter = "python" in found ? found.python : "";

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Two tensor parallel ranks; what needs CUDA kernels is switched off in the engine's own words. */
function project(): string {
  const folder = mkdtempSync(join(tmpdir(), "cdr-megatron-"));
  folders.push(folder);
  const text = `import "std/clusters" { dgx_h100 }
data corpus {
  from = python_stdlib, limit = 40 files, tokenizer = bytes(specials = ["<|end|>", "<unk>"]), split { val = 10% }
}
data sums { from = "sums.jsonl", format = chat(template = contents), tokenizer = corpus.tokenizer, split { val = 10% } }
model tiny { family = llama, layers = 2, d_model = 64, heads = 4, kv_heads = 2, d_ff = 128, context = 64 tokens }
stage pretrain {
  model = tiny, data = corpus, length = 12 steps, batch = 4 samples, precision = fp32
  engine = megatron(version = "0.19", root = "${join(oracles, "programs")}", python = "${interpreter}")
  optimizer = adamw(lr = 1e-2), schedule = cosine(warmup = 1 steps, to = 10%)
  layout { tensor_parallel = 2, sequence_parallel = true, micro_batch = 2 samples }
  eval { every = 3 steps, length = 1 batches }
  log { every = 1 steps }
  checkpoint { every = 3 steps, keep = [last(2), best(val.loss)] }
  expect loss <= 100 else stop
  raw megatron {
    transformer_impl = "local", attention_backend = "unfused", gradient_accumulation_fusion = false
    masked_softmax_fusion = false, bias_swiglu_fusion = false, bias_dropout_fusion = false, apply_rope_fusion = false
    no_persist_layer_norm = true
  }
}
stage tune extends pretrain { from = pretrain.last, length = 3 steps, optimizer = adamw(lr = 1e-4), seed = 7 }
stage answer extends tune { data = sums }
cluster pair extends dgx_h100 { node { gpus = 2 } }
launch here on pair { target = local }
`;
  writeFileSync(join(folder, "main.cdr"), text);
  writeFileSync(join(folder, "sums.jsonl"), conversations());
  return folder;
}

function conversations(): string {
  const rows = Array.from({ length: 100 }, (_, at) => {
    const [a, b] = [at % 10, Math.floor(at / 10)];
    const messages = [
      { role: "system", content: "Add." },
      { role: "user", content: `${a} + ${b}` },
      { role: "assistant", content: String(a + b) },
    ];
    return JSON.stringify({ messages });
  });
  return `${rows.join("\n")}\n`;
}

interface Ended {
  readonly code: number | null;
  readonly talk: string;
}

function run(folder: string, stage = "pretrain"): Promise<Ended> {
  const words = [join(import.meta.dirname, "../../cli/cdrc.ts"), "run", "main.cdr", stage, "--json"];
  const state = { XDG_STATE_HOME: join(folder, "state"), CDR_PYTHON: python(), OMP_NUM_THREADS: "1", CI: "true" };
  const child = spawn(process.execPath, words, { cwd: folder, env: { ...process.env, ...state } });
  let talk = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (part) => (talk += part));
  return new Promise((resolve) => child.on("exit", (code) => resolve({ code, talk })));
}

type Line = Readonly<Record<string, unknown>>;

function lines(folder: string, name: string, stage = "pretrain"): readonly Line[] {
  const root = join(folder, "runs", stage);
  const [id] = existsSync(root) ? readdirSync(root) : [];
  const path = join(root, id ?? "", name);
  if (id === undefined || !existsSync(path)) return [];
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line);
}

const losses = (folder: string): ReadonlyMap<unknown, unknown> =>
  new Map(lines(folder, "metrics.jsonl").flatMap(({ step, loss }) => (loss === undefined ? [] : [[step, loss]])));

const directoryOf = (folder: string): string => {
  const root = join(folder, "runs", "pretrain");
  return join(root, readdirSync(root)[0] ?? "");
};

describe.runIf("python" in found && hasPython)("a stage on Megatron", () => {
  const whole = project();

  it("trains, measures, saves and keeps what the file says", async () => {
    const { code, talk } = await run(whole);
    expect(code, talk).toBe(0);
    const measured = losses(whole);
    expect([...measured.keys()]).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    expect(Number(measured.get(12))).toBeLessThan(Number(measured.get(1)) - 1);
    const values = lines(whole, "metrics.jsonl").filter((line) => "val_loss" in line);
    expect(values.map(({ step }) => step)).toEqual([3, 6, 9, 12]);
    const saved = lines(whole, "events.jsonl").filter(({ kind }) => kind === "checkpoint");
    expect(saved.map(({ step }) => step)).toEqual([3, 6, 9, 12]);
    const best = [...values].sort((a, b) => Number(a["val_loss"]) - Number(b["val_loss"]))[0]?.["step"];
    const kept = readdirSync(join(directoryOf(whole), "checkpoints")).filter((name) => name.startsWith("step-"));
    const wanted = [...new Set([Number(best), 9, 12])].sort((a, b) => a - b);
    expect(kept).toEqual(wanted.map((step) => `step-${String(step).padStart(8, "0")}`));
  });

  it("starts another stage from that checkpoint", async () => {
    const { code, talk } = await run(whole, "tune");
    expect(code, talk).toBe(0);
    const [first] = lines(whole, "metrics.jsonl", "tune");
    expect(first?.["step"]).toBe(1);
    expect(Number(first?.["loss"])).toBeLessThan(Number(losses(whole).get(1)) - 1);
  });

  it("is tuned on conversations by the engine's own data set", async () => {
    const { code, talk } = await run(whole, "answer");
    expect(code, talk).toBe(0);
    const losses = lines(whole, "metrics.jsonl", "answer").flatMap(({ loss }) => (loss === undefined ? [] : [loss]));
    expect(losses).toHaveLength(3);
    expect(Number(losses.at(-1))).toBeLessThan(Number(losses[0]));
  });

  it("stops when it is asked to, saved, and goes on to the same losses", async () => {
    const folder = project();
    const first = run(folder);
    let isOver = false;
    void first.then(() => (isOver = true));
    while (!isOver && !losses(folder).has(1)) await sleep(20);
    writeFileSync(join(directoryOf(folder), "control", "stop"), "");
    const stopped = await first;
    const states = lines(folder, "events.jsonl").flatMap(({ kind, state }) => (kind === "state" ? [state] : []));
    expect(states.at(-1), stopped.talk).toBe("cancelled");
    const last = lines(folder, "events.jsonl").findLast(({ kind }) => kind === "checkpoint");
    expect(Number(last?.["step"])).toBeLessThan(12);
    const { code, talk } = await run(folder);
    expect(code, talk).toBe(0);
    const again = lines(folder, "metrics.jsonl").find(({ attempt, loss }) => attempt === 1 && loss !== undefined);
    expect(again?.["step"]).toBe(Number(last?.["step"]) + 1);
    expect(losses(folder).get(12)).toBe(losses(whole).get(12));
    // The second line of each start is worked out from means that are printed with six digits.
    for (const [step, loss] of losses(whole)) expect(losses(folder).get(step)).toBeCloseTo(Number(loss), 5);
  });
});
