/** The parallelism configuration of accelerate: sizes of a grid of processes, and what divides along it. */
import { parallelismKeys } from "../../parallelism.ts";
import { textIn, numberIn, toldIn, type Settings, type Told } from "../../settings.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";

const sizes = ["dp_replicate_size", "dp_shard_size", "tp_size", "cp_size", "sp_size"] as const;
type Size = (typeof sizes)[number];

const told = (all: Settings, name: string): Told | undefined => toldIn(all, ...parallelismKeys(name));
const sized = (all: Settings, name: Size): number => numberIn(all, ...parallelismKeys(name)) ?? 1;
const isOpen = (all: Settings): boolean => sizes.some((name) => told(all, name)?.known === false);
const total = (all: Settings): number => sizes.reduce((product, name) => product * sized(all, name), 1);

/** Ways in which the processes work together that no grid goes with. */
const ungridded = new Set(["NO", "MULTI_CPU", "XLA", "MEGATRON_LM"]);

/** What shares a sequence, and the one library that does so. */
const backends: readonly (readonly [name: string, what: string, valid: string])[] = [
  ["cp_backend", "context", "torch"],
  ["sp_backend", "sequence", "deepspeed"],
];

const machine = "compute_environment: LOCAL_MACHINE\nnum_processes: 8\n";
const grid = "parallelism_config:\n";
const second = "distributed_type: FSDP\nfsdp_config:\n  fsdp_version: 2\n";

export const accelerateParallelismRules: readonly ForeignRule[] = [
  rule({
    name: "accelerate-parallelism",
    source:
      "accelerate/parallelism_config.py: ParallelismConfig.__post_init__, _validate_accelerator; deepspeed/runtime/sequence_parallel/parallel_state_sp.py: initialize_sequence_parallel",
    why: "The sizes of a parallelism configuration are whole numbers of at least 1 whose product is the number of processes. Context and sequence parallelism cannot be combined. Under DeepSpeed, sp_size must divide the number of processes.",
    fix: "Choose sizes of at least 1 whose product is num_processes (for sp_size: a divisor of it), and only one of context and sequence parallelism.",
    check: ({ accelerate: all }) => {
      if (all === null || isOpen(all)) return [];
      const first = sizes.flatMap((name) => told(all, name) ?? [])[0];
      if (first === undefined) return [];
      const processes = numberIn(all, "num_processes");
      const beside = nearby("processes", toldIn(all, "num_processes")?.span);
      const sequence = sized(all, "sp_size");
      if (sized(all, "cp_size") > 1 && sequence > 1)
        return [{ span: first.span, message: "context and sequence parallelism cannot be combined" }];
      const place = told(all, "sp_size");
      if (sequence > 1 && place !== undefined)
        return processes === null || processes % sequence === 0
          ? []
          : [{ span: place.span, message: `sp_size ${sequence} does not divide ${processes} processes`, ...beside }];
      // A grid of one is filled up with replicas.
      if (processes === null || [1, processes].includes(total(all))) return [];
      return [
        {
          span: first.span,
          message: `the product of the sizes is ${total(all)}, but there are ${processes} processes`,
          ...beside,
        },
      ];
    },
    fires: {
      "acc.yaml": `${machine}${second}${grid}  parallelism_config_tp_size: 3\n  parallelism_config_dp_shard_size: 2\n`,
    },
    silent: {
      "acc.yaml": `${machine}${second}${grid}  parallelism_config_tp_size: 4\n  parallelism_config_dp_shard_size: 2\n`,
    },
  }),
  rule({
    name: "accelerate-parallelism-kind",
    source:
      "accelerate/parallelism_config.py: ParallelismConfig.__post_init__, _validate_accelerator; commands/launch.py: _validate_launch_command",
    why: "A parallelism configuration needs FSDP 2, MULTI_GPU or DeepSpeed, and sizes of at least 1. FSDP needs a dimension to shard over, tensor and context parallelism need one besides replicas, and each kind of sequence parallelism has one library. On the command line --use_parallelism_config works only with --use_fsdp.",
    fix: "Set distributed_type: FSDP with fsdp_version: 2, parallelism_config_dp_shard_size above 1, cp_backend torch and sp_backend deepspeed, as the message says; for DeepSpeed and MULTI_GPU write it in a file.",
    check: ({ accelerate: all, runs }) => [...(all === null ? [] : unfit(all)), ...runs.flatMap(unaccompanied)],
    fires: {
      "acc.yaml": `${machine}distributed_type: FSDP\nfsdp_config:\n  fsdp_version: 1\n${grid}  parallelism_config_tp_size: 4\n  parallelism_config_dp_shard_size: 2\n`,
    },
    silent: {
      "acc.yaml": `${machine}${second}${grid}  parallelism_config_tp_size: 4\n  parallelism_config_dp_shard_size: 2\n`,
    },
  }),
];

function unfit(all: Settings): readonly Found[] {
  const place = [...all].find(([name]) => name.includes("parallelism_config_"))?.[1];
  if (place === undefined) return [];
  const small = sizes.flatMap((name): readonly Found[] => {
    const [size, node] = [sized(all, name), told(all, name)];
    return node !== undefined && size < 1 ? [{ span: node.span, message: `${name} ${size} is below 1` }] : [];
  });
  const foreign = backends.flatMap(([name, what, valid]): readonly Found[] => {
    const node = told(all, name);
    return node === undefined || !node.known || node.value === null || node.value === valid
      ? []
      : [
          {
            span: node.span,
            message: `${String(node.value)} is not a backend of ${what} parallelism`,
            valid: [valid],
          },
        ];
  });
  const kind = toldIn(all, "distributed_type");
  const called = textIn(all, "distributed_type") ?? "";
  const version = toldIn(all, "fsdp_config.fsdp_version", "fsdp_version");
  const fsdp = called === "FSDP" || all.has("use_fsdp");
  const found: Found[] = [...small, ...foreign];
  if (kind !== undefined && !fsdp && ungridded.has(called) && total(all) > 1)
    found.push({
      span: kind.span,
      message: `a parallelism configuration cannot be combined with distributed_type ${called}`,
      valid: ["FSDP", "MULTI_GPU", "DEEPSPEED"],
      ...nearby("the configuration", place.nameSpan),
    });
  if (fsdp && version?.known !== false && Number(version?.value ?? 1) !== 2)
    found.push({
      span: place.nameSpan,
      message: "a parallelism configuration needs fsdp_version 2",
      ...nearby("the version", version?.span),
    });
  const isShared = Math.max(sized(all, "tp_size"), sized(all, "cp_size")) > 1;
  if (isOpen(all) || small.length > 0 || sized(all, "dp_shard_size") > 1) return found;
  if (isShared && sized(all, "dp_replicate_size") > 1)
    found.push({
      span: place.span,
      message: "tensor and context parallelism need sharded data parallelism, but dp_shard_size is 1",
    });
  else if (fsdp && total(all) > 1 && sized(all, "cp_size") === 1)
    found.push({
      span: place.span,
      message: "FSDP has no ranks to shard over: dp_shard_size and cp_size are 1",
    });
  return found;
}

/** The command's own options are judged before a file is read. */
function unaccompanied({
  launcher: { kind, settings },
}: {
  readonly launcher: { readonly kind: string; readonly settings: Settings };
}): readonly Found[] {
  const asked = settings.get("use_parallelism_config");
  return kind !== "accelerate" || asked === undefined || asked.value === false || settings.has("use_fsdp")
    ? []
    : [{ span: asked.nameSpan, message: `${asked.name} also needs --use_fsdp`, valid: ["--use_fsdp"] }];
}
