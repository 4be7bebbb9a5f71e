/**
 * `npm run bench -- fuzz count=1000000 seed=1 [from=0]`: broken inputs through lexer, parser and checker; with `foreign`, broken
 * launches of other tools through what reads and judges those.
 */
import { Worker } from "node:worker_threads";

interface Finding {
  readonly index: number;
  readonly what: string;
}

export interface Progress {
  readonly done: number;
  readonly slowest: { readonly index: number; readonly ms: number };
  readonly findings: readonly Finding[];
  readonly heapMegabytes: number;
  readonly messages: number;
}

/** Longer than this counts as a hang. */
const longest = 1000;

export async function run(words: readonly string[]): Promise<unknown> {
  const read = (name: string, otherwise: number): number =>
    Number(words.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1) ?? otherwise);
  const count = read("count", 100_000);
  const seed = read("seed", 1);
  const from = read("from", 0);
  const start = performance.now();
  // Which input the worker is at, and since when: an endless loop cannot say so itself.
  const shared = new SharedArrayBuffer(16);
  const now = new Float64Array(shared);
  now[0] = from;
  now[1] = Date.now();
  const heaps: number[] = [];
  let last: Progress | undefined;
  const hang = await new Promise<Finding | null>((resolve, reject) => {
    const workerData = { count, seed, from, shared, foreign: words.includes("foreign") };
    const worker = new Worker(new URL("fuzz-worker.ts", import.meta.url), {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: 512 },
    });
    const watch = setInterval(() => {
      const [index = 0, since = 0] = now;
      if (Date.now() - since < 20 * longest) return;
      resolve({ index, what: `does not end within ${20 * longest} ms` });
      void worker.terminate();
    }, 1000);
    worker.on("message", (progress: Progress) => {
      last = progress;
      heaps.push(progress.heapMegabytes);
      const seconds = (performance.now() - start) / 1000;
      process.stderr.write(
        `${String(progress.done).padStart(9)} inputs  ${seconds.toFixed(0).padStart(5)} s  heap ${progress.heapMegabytes.toFixed(0).padStart(4)} MB  slowest ${progress.slowest.ms.toFixed(0)} ms (${progress.slowest.index})  findings ${progress.findings.length}\n`,
      );
    });
    worker.on("error", reject);
    worker.on("exit", () => {
      clearInterval(watch);
      resolve(null);
    });
  });
  const findings = [...(last?.findings ?? []), ...(hang === null ? [] : [hang])];
  if (findings.length > 0 || (last?.slowest.ms ?? 0) > longest) process.exitCode = 1;
  return { count, seed, from, seconds: (performance.now() - start) / 1000, ...last, heaps, findings };
}
