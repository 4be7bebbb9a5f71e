/** The real Megatron, where a Python that can hold it is found. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { wordsOfLaunch } from "../../compiler/engines/megatron/lower/launch.ts";
import type { MegatronCase } from "./megatron.ts";

export const oracles = join(import.meta.dirname, "..", "oracles", "megatron");

/** What `python.sh` ends with where no Python can hold the engine. */
const noPython = 69;

/** The interpreter, or why there is none; an environment that could not be made is an error, not a reason to skip. */
export function megatronPython(folder = oracles): { readonly python: string } | { readonly why: string } {
  const { status, stdout, stderr } = spawnSync("sh", [join(folder, "python.sh")], { encoding: "utf8" });
  if (status === 0) return { python: stdout.trim() };
  if (status !== noPython) throw new Error(stderr.slice(-2000));
  return { why: stderr.trim().split("\n").at(-1) ?? "" };
}

export interface Verdict {
  readonly verdict: "ok" | "error";
  readonly phase: string | null;
  readonly message: string;
  /** After parsing, before anything is changed. */
  readonly values?: Readonly<Record<string, unknown>>;
}

const architectures = [
  ["h100", "9.0"],
  ["b200", "10.0"],
] as const;

export function requestOf({ launch, plan, on }: MegatronCase): object {
  const environment = Object.entries(launch.environment);
  return {
    argv: wordsOfLaunch(launch).map(({ text }) => text),
    env: Object.fromEntries(environment.flatMap(([name, value]) => (value === null ? [] : [[name, value]]))),
    world: plan.layout.world,
    architecture: architectures.find(([name]) => on.device.name.startsWith(name))?.[1] ?? "8.0",
  };
}

export function ask(python: string, cases: readonly MegatronCase[]): readonly Verdict[] {
  return askOf(python, cases.map(requestOf));
}

/** `requests` are lists of words with what surrounds them: `argv`, `env`, `world`, `architecture`. */
export function askOf(python: string, requests: readonly object[]): readonly Verdict[] {
  const { status, stdout, stderr } = spawnSync(python, [join(oracles, "accept.py")], {
    input: JSON.stringify(requests),
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  if (status !== 0) throw new Error(stderr.slice(-2000));
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "[]") as readonly Verdict[];
}
