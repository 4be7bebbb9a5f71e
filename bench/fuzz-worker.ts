import { parentPort, workerData } from "node:worker_threads";
import { compile, type CompileOptions } from "../compiler/compile.ts";
import { toldOf } from "../compiler/foreign/rules/example.ts";
import type { Progress } from "./fuzz.ts";
import { inputOf, realFiles } from "./mutate.ts";
import { launchOf, realLaunches } from "./mutate-foreign.ts";

interface Work {
  readonly count: number;
  readonly seed: number;
  readonly from: number;
  readonly shared: SharedArrayBuffer;
  readonly foreign: boolean;
}

const { count, seed, from, shared, foreign } = workerData as Work;
const now = new Float64Array(shared);
const files = realFiles();
const options: CompileOptions = {
  on: null,
  target: null,
  preset: null,
  overlays: [],
  overlayFiles: [],
  sets: [],
  read: (path) => files.find((file) => file.path === path)?.text,
  environment: () => undefined,
  host: () => undefined,
};
const launches = foreign ? realLaunches() : [];
/** Makes the input of an index; what it gives reads that, and says how many messages there are. */
const prepare = foreign
  ? (index: number) => {
      const launch = launchOf(launches, seed, index);
      return () => toldOf(launch).length;
    }
  : (index: number) => {
      const text = inputOf(files, seed, index);
      return () => compile({ path: "fuzz.cdr", text }, options).diagnostics.length;
    };
const findings: { index: number; what: string }[] = [];
let slowest = { index: from, ms: 0 };
let messages = 0;

for (let index = from; index < from + count; index++) {
  const read = prepare(index);
  now[0] = index;
  now[1] = Date.now();
  const start = process.cpuUsage();
  try {
    messages += read();
  } catch (error) {
    const stack = error instanceof Error ? error.stack : String(error);
    findings.push({ index, what: (stack ?? "").split("\n").slice(0, 4).join(" | ") });
  }
  // The time of this process alone: a busy machine is no hang.
  const { user, system } = process.cpuUsage(start);
  const ms = (user + system) / 1000;
  if (ms > slowest.ms) slowest = { index, ms };
  const done = index + 1 - from;
  if (done % Math.max(1, Math.floor(count / 20)) === 0 || done === count) {
    const progress: Progress = {
      done,
      slowest,
      findings: findings.slice(0, 50),
      heapMegabytes: process.memoryUsage().heapUsed / 1e6,
      messages,
    };
    parentPort?.postMessage(progress);
  }
}
