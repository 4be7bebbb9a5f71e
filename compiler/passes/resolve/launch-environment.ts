/** The environment that a launch gives its processes. */
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { removal } from "../../../dsl/diagnostics/suggest.ts";
import { show, type Valued } from "../../../dsl/types/value.ts";
import { launchEnvName, launchEnvOwned, launchEnvValue } from "../../diagnostics/pipeline.ts";
import type { LaunchSpec, SecretName } from "../../pipeline.ts";
import { variableName } from "../../targets/quote.ts";
import { argument, group, textOf, unitOf, valued } from "./read.ts";

type Report = (diagnostic: Diagnostic) => void;

/** What torchrun tells each rank: a value of one's own would end up in no process, or in a wrong one. */
const ownedByTorchrun = new Set([
  "RANK",
  "WORLD_SIZE",
  "LOCAL_RANK",
  "LOCAL_WORLD_SIZE",
  "MASTER_ADDR",
  "MASTER_PORT",
]);

/** What Slurm tells a job and its steps of themselves; `srun` reads them, and would start what they say. */
const ofAJob =
  /^SLURM_(?:N?TASKS\w*|NPROCS|NNODES|JOB_?(?:ID|NUM_NODES|NODELIST|PARTITION|GPUS)|NODELIST|PROCID|LOCALID|NODEID|GPUS(?:_PER_NODE)?)$/;

export function environmentOf(launch: Instance, report: Report): LaunchSpec["env"] {
  const env = group(launch, "env");
  if (env === null) return {};
  for (const [name, block] of env.blocks) report(launchEnvValue(block.span, { name, found: "a block" }));
  return Object.fromEntries(
    [...env.values].flatMap(([name, entry]): [string, string | SecretName][] => {
      const at = entry.nameSpan;
      const by = ownedByTorchrun.has(name) ? "torchrun" : ofAJob.test(name) ? "Slurm" : null;
      if (by !== null) {
        report(launchEnvOwned(at, { name, by }, { fixes: [removal({ ...at, end: entry.expression.span.end })] }));
        return [];
      }
      const value = environmentValue(name, valued(env, name), report);
      const wrong = [name, ...(typeof value === "object" && value !== null ? [value.secret] : [])].find(
        (one) => !variableName.test(one),
      );
      if (wrong !== undefined) report(launchEnvName(at, { name: wrong }));
      return value === null || wrong !== undefined ? [] : [[name, value]];
    }),
  );
}

/** A text, a plain number, true or false, or a secret; `null` for `none`, which takes one back, and for anything else, which is reported. */
function environmentValue(name: string, { value, span }: Valued, report: Report): string | SecretName | null {
  const text = textOf(value);
  if (text !== null) return text;
  if (value.kind === "unknown" || value.kind === "none") return null;
  if (value.kind === "secret") {
    const { from } = value;
    const at = textOf(argument(from, "ref") ?? argument(from, "path"));
    return {
      secret: textOf(argument(from, "name")) ?? name,
      ...(at === null ? {} : { from: { kind: from.name, at } }),
    };
  }
  if (value.kind === "bool") return String(value.value);
  if (value.kind === "number" && !value.percent && unitOf(value) === null) return String(value.value);
  report(launchEnvValue(span, { name, found: show(value) }));
  return null;
}
