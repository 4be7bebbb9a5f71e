/** How the commands of Slurm are reached: on this machine, or later on a login node. */
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { execa } from "execa";

export interface Answer {
  /** `null`: the program was not found, or did not answer in time. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Place {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Transport {
  readonly run: (words: readonly string[], place?: Place) => Promise<Answer>;
  readonly remove: (path: string) => Promise<void>;
  readonly write: (path: string, text: string, executable: boolean) => Promise<void>;
  /** The environment that commands start in. */
  readonly environment: () => Readonly<Record<string, string>>;
}

/** Clients of Slurm wait for a daemon that is away, some of them without end. */
const patience = 60_000;

export const here: Transport = {
  async run([program = "", ...args], { cwd, env } = {}) {
    const { exitCode, stdout, stderr, timedOut, code } = await execa(program, args, {
      ...(cwd === undefined ? {} : { cwd }),
      ...(env === undefined ? {} : { env: { ...env }, extendEnv: false }),
      reject: false,
      stdin: "ignore",
      timeout: patience,
      forceKillAfterDelay: 1000,
    });
    if (timedOut) return { code: null, stdout, stderr: `${program} did not answer within ${patience / 1000} s` };
    if (code === "ENOENT") return { code: null, stdout: "", stderr: `${program} is not on PATH` };
    return { code: exitCode ?? null, stdout, stderr };
  },
  async write(path, text, executable) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text, { mode: executable ? 0o755 : 0o644 });
  },
  async remove(path) {
    await rm(path, { force: true });
  },
  environment: () =>
    Object.fromEntries(Object.entries(process.env).flatMap(([k, v]) => (v === undefined ? [] : [[k, v]]))),
};
