/** Processes of a node against the GPUs that they may see. */
import { switchIn, textIn, toldIn } from "../settings.ts";
import type { Launch, Run } from "../launch.ts";
import type { Span } from "../../../dsl/source/source.ts";
import { nearby, rule, type ForeignRule, type Found } from "./rule.ts";

interface Count {
  readonly count: number;
  readonly span: Span;
}

/** `0,1` names two devices; `all`, an empty text and a range of another tool name no number. */
function devicesIn(text: string | null, span: Span | undefined): Count | null {
  if (
    text === null ||
    span === undefined ||
    !/^(?:\d+|(?:GPU|MIG)-[\w-]+)(?:,(?:\d+|(?:GPU|MIG)-[\w-]+))*$/.test(text)
  )
    return null;
  return { count: text.split(",").length, span };
}

function visibleTo({ command, launcher }: Run): Count | null {
  const env = command.env.get("CUDA_VISIBLE_DEVICES");
  const own = launcher.kind === "accelerate" ? toldIn(launcher.settings, "gpu_ids") : undefined;
  if (own !== undefined) return devicesIn(String(own.value), own.span);
  return env === undefined ? null : devicesIn(env.value, env.span);
}

function ofRun(run: Run, { supplied }: Launch): readonly Found[] {
  const { kind, settings } = run.launcher;
  const told = toldIn(settings, "nproc_per_node");
  const count = Number(told?.value);
  if (kind !== "torchrun" || told === undefined || !told.known || !Number.isInteger(count)) return [];
  if (isOnCpu(run)) return [];
  const visible = visibleTo(run);
  const has = visible?.count ?? supplied.gpusPerNode;
  if (has === null || count <= has) return [];
  return [found(told.span, count, has, visible?.span)];
}

/** The program is told another device. */
const isOnCpu = ({ options }: Run): boolean =>
  switchIn(options, "use_cpu", "no_cuda") === true ||
  [textIn(options, "backend"), textIn(options, "dist_backend"), textIn(options, "distributed_backend")].includes(
    "gloo",
  ) ||
  textIn(options, "device") === "cpu";

function ofAccelerate({ accelerate, runs, supplied }: Launch): readonly Found[] {
  if (accelerate === null || switchIn(accelerate, "use_cpu", "cpu") === true) return [];
  const [told, ids] = [toldIn(accelerate, "num_processes"), toldIn(accelerate, "gpu_ids")];
  const machines = toldIn(accelerate, "num_machines");
  const each = Number(told?.value) / (machines === undefined ? 1 : Number(machines.value));
  const run = runs.find(({ launcher }) => launcher.kind === "accelerate");
  const visible =
    devicesIn(ids === undefined ? null : String(ids.value), ids?.span) ?? (run === undefined ? null : visibleTo(run));
  const has = visible?.count ?? supplied.gpusPerNode;
  if (told === undefined || !told.known || !Number.isInteger(each) || has === null || each <= has) return [];
  return [found(told.span, each, has, visible?.span)];
}

const found = (span: Span, processes: number, gpus: number, visible: Span | undefined): Found => ({
  span,
  message: `${processes} processes on a node where ${gpus} GPU${gpus === 1 ? " is" : "s are"} visible`,
  valid: [String(gpus)],
  ...nearby("the GPUs", visible),
});

export const visibleDeviceRules: readonly ForeignRule[] = [
  rule({
    name: "device-processes",
    source:
      "torch/distributed/run.py: determine_local_world_size; accelerate/utils/launch.py: prepare_multi_gpu_env; CUDA: CUDA_VISIBLE_DEVICES",
    why: "Each process uses the GPU of its local rank. Processes beyond the number of visible GPUs stop with `invalid device ordinal`.",
    fix: "Start as many processes as there are GPUs, or list more in CUDA_VISIBLE_DEVICES or gpu_ids. accelerate counts the processes of all machines.",
    check: (launch) => [...launch.runs.flatMap((run) => ofRun(run, launch)), ...ofAccelerate(launch)],
    fires: { "run.sh": "CUDA_VISIBLE_DEVICES=1,2 torchrun --nproc-per-node=4 train.py\n" },
    silent: { "run.sh": "CUDA_VISIBLE_DEVICES=1,2 torchrun --nproc-per-node=2 train.py\n" },
  }),
];
