/** What a file needs of the machine it is started from. */
import type { Compilation } from "../../compiler/compile.ts";

export interface Needs {
  readonly target: string;
  /** Devices and processes that one node of a local launch takes; `null` where they are elsewhere. */
  readonly gpus: number | null;
  readonly deepspeed: boolean;
  readonly partition: string | null;
  /** Environment variables that hold secrets. */
  readonly secrets: readonly string[];
  /** Bytes on this machine: of one step's processes together, and of its checkpoints. */
  readonly memory: number | null;
  readonly checkpoint: number;
}

export function needsOf({ pipeline, plan, program }: Compilation): Needs {
  const { launch } = pipeline;
  const { cluster, target } = launch;
  const isHere = target.kind === "local";
  const onCpu = cluster.device.kind === "cpu";
  const largest = (values: readonly number[]): number => Math.max(0, ...values);
  const hostPeaks = plan.stages.map(({ memory }) => memory.host_peak);
  return {
    target: target.kind,
    gpus: isHere && !onCpu ? cluster.gpusPerNode : null,
    deepspeed: plan.stages.some((stage) => stage.engine === "deepspeed"),
    partition: target.kind === "slurm" ? target.partition : null,
    secrets: secretsOf(program),
    memory: isHere && hostPeaks.length > 0 ? largest(hostPeaks) : null,
    checkpoint: largest(plan.stages.map(({ memory }) => memory.checkpoint)),
  };
}

function secretsOf(program: Compilation["program"]): readonly string[] {
  const found = [...program.root.names.values()].flatMap((symbol) => {
    if (symbol.kind !== "secret" || symbol.node.value.kind !== "call") return [];
    const { callee, arguments: given } = symbol.node.value;
    const name = given[0]?.value;
    const isEnv = callee.kind === "reference" && callee.name.text === "env";
    return isEnv && name?.kind === "string" ? [name.parts.join("")] : [];
  });
  return [...new Set(found)];
}
