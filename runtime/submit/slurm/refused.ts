/** Why Slurm did not take a job: its own words, what there is instead, and what to write. */
import { refusal, type Refusal } from "../../run/refusal.ts";
import type { Answer, Transport } from "./transport.ts";

/** Words of a client that never got as far as a controller: it found no configuration, or nobody who answers. */
const unreached =
  /configuration source|process configuration file|contact slurm controller|connect failure|dns srv lookup|auth\w* plugin|munge/i;

export async function refusedBy(transport: Transport, { code, stderr }: Answer): Promise<Refusal> {
  if (code === null || unreached.test(stderr)) {
    return refusal(
      `Slurm cannot be reached from here\n${wordsOf(stderr)}`,
      "run this on a login node, or choose another launch",
    );
  }
  const said = wordsOf(stderr) || `sbatch ended with ${code}`;
  const partitions = await partitionsOf(transport);
  const table = partitions.length === 0 ? [] : ["", ...partitions];
  return refusal([`Slurm refused the job: ${said}`, ...table].join("\n"), adviceOn(said));
}

/** What sbatch said, without its name in front of each line and without what it adds to every refusal. */
export function wordsOf(stderr: string): string {
  const lines = stderr.split("\n").map((line) => line.replace(/^sbatch: ((error|fatal): )?/, "").trim());
  const said = [...new Set(lines.filter((line) => line !== ""))];
  const telling = said.filter((line) => !/^(Batch job submission failed|Try "sbatch --help")/.test(line));
  return (telling.length > 0 ? telling : said).join("\n");
}

/** What each partition has and allows, as a small table. */
async function partitionsOf(transport: Transport): Promise<string[]> {
  const format = "%P|%a|%D|%c|%m|%G|%l";
  const { code, stdout } = await transport.run(["sinfo", "--noheader", `--format=${format}`]);
  if (code !== 0) return [];
  const rows = stdout.split("\n").filter((line) => line.trim() !== "");
  const cells = rows.map((row) => {
    const [name = "", state = "", nodes = "", cpus = "", memory = "", gres = "", time = ""] = row.split("|");
    const each = [`${nodes} nodes`, `${cpus} CPUs`, `${memory} MB`, gres === "(null)" ? "no GPU" : gres];
    return [name.replace("*", " (default)"), state, `${each.join(", ")} each`, `time limit ${time}`];
  });
  const widths = [0, 1, 2].map((column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  return [
    "the partitions:",
    ...cells.map((row) => `  ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join("  ")}`),
  ];
}

const advices: readonly (readonly [RegExp, string])[] = [
  [/invalid partition|partition.*not (available|valid)/i, "write one of these as `partition` of the launch's target"],
  [/time limit/i, "lower `time` of the launch's target, or choose a partition that allows it"],
  [
    /account/i,
    "write one of your accounts as `account` of the launch's target (`sacctmgr show associations user=$USER`)",
  ],
  [/qos/i, "write a quality of service that you may use as `qos` of the launch's target"],
  [
    /memory|node configuration|cpu count|gres|gpu|feature|constraint/i,
    "request at most what a node has: see `cluster`, `cpus`, `memory` and `constraint`",
  ],
  [/node count/i, "choose a `cluster` with fewer nodes, or another partition"],
  [/reservation/i, "write a reservation that exists (`scontrol show reservations`), or none"],
];

function adviceOn(said: string): string {
  return advices.find(([pattern]) => pattern.test(said))?.[1] ?? "change this option in the launch's target";
}
