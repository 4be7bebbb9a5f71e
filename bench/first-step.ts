/** From `cdrc run` to the first step of training, beside the imports that no trainer of this kind can do without. */
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, existsSync, rmSync, writeFileSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median } from "./measure.ts";

const cdrc = join(import.meta.dirname, "../bin/cdrc.mjs");
const python = process.env["CDR_TEST_PYTHON"] ?? "python3";

export async function run(words: readonly string[]): Promise<unknown> {
  const rounds = Number(words.find((word) => /^\d+$/.test(word)) ?? 3);
  const folder = mkdtempSync(join(tmpdir(), "cdr-first-step-"));
  const imports: number[] = [];
  const firstStep: number[] = [];
  try {
    for (let round = 0; round < rounds; round++) {
      const start = Date.now();
      spawnSync(python, ["-c", "import torch, transformers; from transformers import Trainer, LlamaForCausalLM"], {
        stdio: "ignore",
      });
      imports.push((Date.now() - start) / 1000);
      firstStep.push(await timeToFirstStep(join(folder, `round-${round}`)));
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const [floor, ours] = [median(imports), median(firstStep)];
  process.stderr.write(
    `imports of torch and Trainer   ${floor.toFixed(1)} s\ncdrc run to the first step     ${ours.toFixed(1)} s   ${(ours / floor).toFixed(2)}x\n`,
  );
  return { rounds, imports: floor, first_step: ours, ratio: ours / floor };
}

/** Seconds until the first line of metrics stands in the run directory; the data are prepared before, in the same command. */
async function timeToFirstStep(place: string): Promise<number> {
  spawnSync("mkdir", ["-p", place]);
  writeFileSync(join(place, "corpus.txt"), "The quick brown fox jumps over the lazy dog.\n".repeat(5000));
  writeFileSync(
    join(place, "main.cdr"),
    `/// As little as one can train.
data corpus { from = "corpus.txt" }
model tiny { family = llama, layers = 2, d_model = 64, heads = 2, context = 64 tokens }
stage pretrain { model = tiny, data = corpus, length = 3 steps, batch = 4 samples, optimizer = adamw(lr = 1e-3) }
`,
  );
  const start = Date.now();
  const child = spawn(process.execPath, [cdrc, "run", "main.cdr"], {
    cwd: place,
    stdio: "ignore",
    env: { ...process.env, CI: "true", XDG_STATE_HOME: join(place, "state") },
  });
  const ended = new Promise<void>((done) => {
    child.on("exit", () => done());
  });
  let seconds = Number.NaN;
  while (child.exitCode === null) {
    if (hasMetrics(join(place, "runs/pretrain"))) {
      seconds = (Date.now() - start) / 1000;
      break;
    }
    await new Promise((done) => setTimeout(done, 20));
  }
  await ended;
  return seconds;
}

function hasMetrics(root: string): boolean {
  if (!existsSync(root)) return false;
  return readdirSync(root).some((id) => {
    const file = join(root, id, "metrics.jsonl");
    return existsSync(file) && statSync(file).size > 0;
  });
}
