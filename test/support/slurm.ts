/** A Slurm cluster for one test file: up before its tests, down after them whatever happened. */
import { spawnSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { here, type Transport } from "../../runtime/submit/slurm/transport.ts";

const scripts = join(import.meta.dirname, "../clusters");

export interface SlurmTestCluster {
  /** Commands go to this cluster and to no other. */
  readonly transport: Transport;
  readonly run: (...words: string[]) => Promise<string>;
}

export interface SlurmTestOptions {
  readonly accounting?: boolean;
  /** Seconds that the controller remembers a job that has ended. */
  readonly memory?: number;
  /** Seconds between SIGTERM and SIGKILL. Jobs of the partition `urgent` preempt others. */
  readonly grace?: number;
}

/** Why no cluster can be made here; `null` where one can. In CI it must be possible. */
export function slurmMissing({ accounting = false }: SlurmTestOptions = {}): string | null {
  const why = missingParts(accounting);
  if (why !== null && process.env["CI"] !== undefined) throw new Error(`${why}; run test/clusters/install.sh`);
  if (why !== null) console.warn(`skipped: ${why}`);
  return why;
}

export function useSlurm(options: SlurmTestOptions = {}): SlurmTestCluster {
  const directory = mkdtempSync(join(tmpdir(), "cdr-slurm-"));
  const environment = { ...here.environment(), SLURM_CONF: join(directory, "etc/slurm.conf") };
  beforeAll(() => {
    const env = {
      ...process.env,
      DBD: options.accounting === true ? "1" : "0",
      JOB_AGE: String(options.memory ?? 3600),
      ...(options.grace === undefined ? {} : { GRACE: String(options.grace), KILL_WAIT: String(options.grace) }),
    };
    const up = spawnSync(join(scripts, "slurm-up.sh"), [directory], { env, encoding: "utf8" });
    if (up.status !== 0) throw new Error(`no Slurm cluster: ${up.stderr}`);
  }, 90_000);
  afterAll(() => {
    spawnSync(join(scripts, "slurm-down.sh"), [directory]);
  }, 60_000);
  const transport: Transport = {
    ...here,
    environment: () => environment,
    run: (words, place = {}) => here.run(words, { ...place, env: { ...environment, ...place.env } }),
  };
  return {
    transport,
    async run(...words) {
      const { code, stdout, stderr } = await transport.run(words);
      if (code !== 0) throw new Error(`${words.join(" ")}: ${stderr}`);
      return stdout;
    },
  };
}

function missingParts(accounting: boolean): string | null {
  if (process.platform !== "linux") return "a Slurm cluster needs Linux";
  if (process.getuid?.() !== 0) return "a Slurm cluster for tests needs root";
  const programs = ["slurmctld", "slurmd", "sbatch", "munged", ...(accounting ? ["slurmdbd", "mariadbd"] : [])];
  const PATH = ["/usr/sbin", "/sbin", process.env["PATH"] ?? ""].join(delimiter);
  const absent = programs.filter(
    (name) => spawnSync("sh", ["-c", `command -v ${name}`], { env: { PATH } }).status !== 0,
  );
  return absent.length === 0 ? null : `missing: ${absent.join(", ")}`;
}
