/**
 * Runs an emitted job script with stand-ins for srun and the node agent, so that hundreds of cases take seconds. What
 * the real ones do is tested in `test/integration/slurm.test.ts`.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync, existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { SlurmOptions } from "../../compiler/pipeline.ts";
import { lowerSlurm } from "../../compiler/targets/slurm/lower.ts";
import type { Job } from "../../compiler/targets/job.ts";
import { exampleJob, slurmOptions } from "./slurm-job.ts";

export interface FakeRun {
  readonly code: number | null;
  /** Of the node agent, `null` where it was never started. */
  readonly argv: readonly string[] | null;
  readonly env: Readonly<Record<string, string>>;
  /** Calls of scontrol and scancel. */
  readonly calls: readonly string[];
  readonly exit: unknown;
  readonly stderr: string;
}

export interface FakeOptions {
  /** Names a folder under the temporary one: run directory, bundle and project live below. */
  readonly folder?: string;
  readonly job?: Partial<Job>;
  readonly options?: Partial<SlurmOptions>;
  /** What the node agent does, in bash; `$run` is the run directory, `$batch` the process of the job script. */
  readonly agent?: string;
  readonly before?: (directory: string) => void;
  readonly restart?: number;
  readonly secrets?: Readonly<Record<string, string>>;
}

export function fakeRun(fake: FakeOptions = {}): FakeRun {
  const root = mkdtempSync(join(tmpdir(), "cdr-job-"));
  try {
    return runIn(root, fake);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function runIn(
  root: string,
  { folder = "x", job, options, agent = "exit 0", before, restart = 0, secrets = {} }: FakeOptions,
): FakeRun {
  const bin = join(root, "bin");
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { mode: 0o755 });
  };
  const base = join(root, folder);
  const directory = join(base, "run");
  const lowered = lowerSlurm(
    exampleJob({ directory, bundle: join(base, "bundle"), project: base, ...job }, { nodes: 1 }),
    slurmOptions(options),
  );
  for (const { path, text } of lowered.files) write(path, text);
  write(join(base, "bundle/trainer/provision.sh"), `echo "$FAKE/bin/agent"\n`);
  write(
    join(bin, "agent"),
    `#!/bin/bash\nprintf '%s\\0' "$@" >"$FAKE/argv"\nenv -0 >"$FAKE/env"\nrun=$RUN batch=$(cat "$FAKE/batch")\n${agent}\n`,
  );
  write(
    join(bin, "srun"),
    `#!/bin/bash\nwhile [ "$1" != bash ]; do shift; done\nexport SLURM_NODEID=0 SLURMD_NODENAME=n1\nexec "$@"\n`,
  );
  write(
    join(bin, "scontrol"),
    `#!/bin/bash\n[ "$1" = show ] && { echo n1; exit; }\necho "scontrol $*" >>"$FAKE/calls"\n`,
  );
  write(join(bin, "scancel"), `#!/bin/bash\necho "scancel $*" >>"$FAKE/calls"\n`);
  before?.(directory);
  const environment = {
    ...secrets,
    FAKE: root,
    RUN: directory,
    PATH: `${bin}:${process.env["PATH"] ?? ""}`,
    SLURM_JOB_ID: "7",
    SLURM_JOB_NODELIST: "n1",
    SLURMD_NODENAME: "n1",
    SLURM_CPUS_ON_NODE: "1",
    ...(restart === 0 ? {} : { SLURM_RESTART_COUNT: String(restart) }),
  };
  const start = `echo $$ >"$FAKE/batch"; exec bash "$1"`;
  const script = lowered.words.at(-1) ?? "";
  const ran = spawnSync("bash", ["-c", start, "bash", script], {
    env: environment,
    encoding: "utf8",
    timeout: 30_000,
  });
  const read = (name: string): string | null => (existsSync(name) ? readFileSync(name, "utf8") : null);
  const words = (name: string): string[] | null => read(join(root, name))?.split("\0").slice(0, -1) ?? null;
  const result = read(join(directory, "exit", `a${restart}.json`));
  return {
    code: ran.status,
    argv: words("argv"),
    env: Object.fromEntries(
      (words("env") ?? []).map((line) => [line.split("=", 1)[0] ?? "", line.replace(/^[^=]*=/, "")]),
    ),
    calls: read(join(root, "calls"))?.trim().split("\n") ?? [],
    exit: result === null ? null : JSON.parse(result),
    stderr: ran.stderr,
  };
}
