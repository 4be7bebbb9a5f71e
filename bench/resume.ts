/**
 * Kills a run at random instants, resumes it, and compares the last weights with those of a run that nobody touched.
 *   npm run bench -- resume [rounds=20] [seed=1] [torch|zero2|zero3 …]
 */
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const cdrc = [process.execPath, join(import.meta.dirname, "../bin/cdrc.mjs")] as const;

const layouts = {
  torch: "zero_stage = 0",
  zero2: "zero_stage = 2",
  zero3: "zero_stage = 3",
} as const;
type Engine = keyof typeof layouts;

const victims = ["cdrc", "agent", "torchrun", "rank"] as const;
type Victim = (typeof victims)[number];

interface Round {
  readonly engine: Engine;
  readonly victim: Victim;
  readonly after: number;
  readonly killed: number;
  readonly identical: boolean;
}

export async function run(words: readonly string[]): Promise<unknown> {
  const option = (name: string, fallback: number) =>
    Number(words.find((w) => w.startsWith(`${name}=`))?.split("=")[1] ?? fallback);
  const engines = (Object.keys(layouts) as Engine[]).filter(
    (e) => words.includes(e) || !words.some((w) => w in layouts),
  );
  const random = generator(option("seed", 1));
  const folder = mkdtempSync(join(tmpdir(), "cdr-resume-"));
  const rounds: Round[] = [];
  try {
    for (const engine of engines) {
      const reference = project(folder, engine, "reference");
      const start = Date.now();
      finish(reference);
      const length = Date.now() - start;
      const expected = weights(reference);
      for (let round = 0; round < option("rounds", 20); round++) {
        const place = project(folder, engine, `round-${round}`);
        const victim = victims[Math.floor(random() * victims.length)] ?? "rank";
        const after = random() * length;
        const killed = await interrupt(place, victim, after);
        finish(place);
        const identical = weights(place) === expected;
        rounds.push({ engine, victim, after: Math.round(after), killed, identical });
        process.stderr.write(
          `${engine.padEnd(6)} kill -9 ${victim.padEnd(8)} after ${(after / 1000).toFixed(1).padStart(5)} s: ${identical ? "identical" : "DIFFERENT"}\n`,
        );
        rmSync(place, { recursive: true, force: true });
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return { rounds: rounds.length, identical: rounds.filter((r) => r.identical).length, details: rounds };
}

/** A project whose run takes some seconds of training: dropout, accumulation and several checkpoints, so that all state counts. */
function project(folder: string, engine: Engine, name: string): string {
  const place = join(folder, engine, name);
  mkdirSync(place, { recursive: true });
  const text = readFileSync(join(import.meta.dirname, "../compiler/std/models.cdr"), "utf8").repeat(40);
  writeFileSync(join(place, "corpus.txt"), text);
  writeFileSync(
    join(place, "main.cdr"),
    `/// A run to be interrupted.
data corpus { from = "corpus.txt", split { val = 5% } }
model tiny { family = gpt2, layers = 2, d_model = 32, heads = 2, context = 64 tokens, dropout = 10% }
stage pretrain {
  model     = tiny
  data      = corpus
  length    = 60 steps
  batch     = 16 samples
  optimizer = adamw(lr = 1e-3)
  schedule  = cosine(warmup = 5 steps)
  layout     { micro_batch = 4 samples, ${layouts[engine]} }
  checkpoint { every = 10 steps, keep = last(2) }
}
launch here { target = local(processes = 2) }
`,
  );
  return place;
}

function environment(place: string): NodeJS.ProcessEnv {
  return { ...process.env, OMP_NUM_THREADS: "1", CI: "true", XDG_STATE_HOME: join(place, "state") };
}

function finish(place: string): void {
  for (let attempt = 0; attempt < 5; attempt++) {
    const { status } = spawnSync(cdrc[0], [cdrc[1], "run", "main.cdr"], {
      cwd: place,
      env: environment(place),
      stdio: "ignore",
    });
    if (status === 0) return;
  }
  throw new Error(`the run in ${place} does not end`);
}

/** Starts a run and kills one of its processes after some milliseconds; returns how many were killed. */
async function interrupt(place: string, victim: Victim, after: number): Promise<number> {
  const child = spawn(cdrc[0], [cdrc[1], "run", "main.cdr"], {
    cwd: place,
    env: environment(place),
    stdio: "ignore",
  });
  const ended = new Promise<void>((done) => {
    child.on("exit", () => done());
  });
  await Promise.race([ended, new Promise((done) => setTimeout(done, after))]);
  const found = victim === "cdrc" ? (child.pid === undefined ? [] : [child.pid]) : processesOf(place, victim);
  for (const pid of found.slice(0, 1)) kill(pid);
  await Promise.race([ended, new Promise((done) => setTimeout(done, 120_000))]);
  return Math.min(1, found.length);
}

const marks: Readonly<Record<Exclude<Victim, "cdrc">, string>> = {
  agent: "cdr_trainer.node",
  torchrun: "cdr_trainer.torchrun",
  rank: "cdr_trainer.train",
};

/** Processes of a run, by the run directory in their arguments. */
function processesOf(place: string, victim: Exclude<Victim, "cdrc">): number[] {
  return readdirSync("/proc").flatMap((entry) => {
    if (!/^\d+$/.test(entry)) return [];
    const words = commandOf(entry);
    const mine = words.some((word) => word.includes(place));
    return mine &&
      words.includes(marks[victim]) &&
      (victim !== "rank" || !words.includes(marks.torchrun)) &&
      !(victim === "torchrun" && words.includes(marks.agent))
      ? [Number(entry)]
      : [];
  });
}

function commandOf(entry: string): string[] {
  try {
    return readFileSync(`/proc/${entry}/cmdline`, "utf8").split("\0");
  } catch {
    return [];
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended by itself in the meantime.
  }
}

/** SHA-256 of the last weights, from the newest manifest. */
function weights(place: string): string {
  const root = join(place, "runs", "pretrain");
  const [id = ""] = readdirSync(root);
  const checkpoints = join(root, id, "checkpoints");
  const last =
    readdirSync(checkpoints)
      .filter((name) => name.startsWith("step-"))
      .sort()
      .at(-1) ?? "";
  const manifest = JSON.parse(readFileSync(join(checkpoints, last, "MANIFEST.json"), "utf8")) as {
    files: Record<string, { sha256: string }>;
  };
  return manifest.files["model.safetensors"]?.sha256 ?? "";
}

/** mulberry32: the same seed, the same instants. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
