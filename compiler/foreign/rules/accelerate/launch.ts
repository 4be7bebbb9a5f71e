/** What `accelerate launch` makes of its options and its file, and which of its releases stumble over it. */
import { below } from "../../../engines/release.ts";
import type { Launch } from "../../launch.ts";
import { packagesOf } from "../../known/packages.ts";
import { numberIn, switchIn, textIn, toldIn, type Settings } from "../../settings.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";

const withAccelerate = (check: (settings: Settings, launch: Launch) => readonly Found[]) => (launch: Launch) =>
  launch.accelerate === null ? [] : check(launch.accelerate, launch);

const base = "compute_environment: LOCAL_MACHINE\n";
const run = "accelerate launch --config_file acc.yaml train.py\n";

/** The options of a command that say how processes work together: without one the file does. */
const modes = ["multi_gpu", "tpu", "use_deepspeed", "use_fsdp", "use_megatron_lm"];

/** DeepSpeed's MPI launchers. */
const mpi: ReadonlySet<string> = new Set(["openmpi", "mpich", "impi", "mvapich"]);

const isDeepspeed = (settings: Settings): boolean =>
  textIn(settings, "distributed_type") === "DEEPSPEED" || switchIn(settings, "use_deepspeed") === true;

/** The launcher that several machines under DeepSpeed are started with; `null` where accelerate does it itself. */
export function handedTo(settings: Settings): string | null {
  const told = toldIn(settings, "deepspeed_config.deepspeed_multinode_launcher", "deepspeed_multinode_launcher");
  const name = String(told?.value ?? "pdsh");
  return isDeepspeed(settings) && (numberIn(settings, "num_machines") ?? 1) > 1 && name !== "standard" ? name : null;
}

export const accelerateLaunchRules: readonly ForeignRule[] = [
  rule({
    name: "accelerate-gpu-ids",
    source: "accelerate/commands/launch.py: _validate_launch_command (`Less than two GPU ids were configured`)",
    why: "With distributed_type MULTI_GPU on one machine accelerate needs at least two GPUs: gpu_ids with a single one stops the launch, whatever the number of processes.",
    fix: "Write distributed_type: 'NO' for one GPU, list more in gpu_ids, or write gpu_ids: all.",
    check: withAccelerate((settings) => {
      const [ids, type] = [toldIn(settings, "gpu_ids"), toldIn(settings, "distributed_type")];
      const isMany =
        switchIn(settings, "multi_gpu") === true ||
        (type?.value === "MULTI_GPU" && modes.every((name) => switchIn(settings, name) !== true));
      // Without a file nothing is held against the GPUs.
      if (ids === undefined || !ids.known || type === undefined || !isMany) return [];
      const text = String(ids.value ?? "all");
      if (text === "all" || text.includes(",") || (numberIn(settings, "num_machines") ?? 1) > 1) return [];
      return [
        {
          span: ids.span,
          message: `MULTI_GPU needs at least two GPUs, but gpu_ids lists ${text}`,
          valid: ["all"],
          ...nearby("the mode", type.span),
        },
      ];
    }),
    fires: { "acc.yaml": `${base}distributed_type: MULTI_GPU\ngpu_ids: '0'\nnum_processes: 1\n`, "run.sh": run },
    silent: { "acc.yaml": `${base}distributed_type: 'NO'\ngpu_ids: '0'\nnum_processes: 1\n`, "run.sh": run },
  }),
  rule({
    name: "accelerate-mpi-launcher",
    source:
      "accelerate/utils/launch.py: prepare_deepspeed_cmd_env (--num_gpus where no filter is given); deepspeed/launcher/multinode_runner.py: OpenMPIRunner.validate_args, MPICHRunner, IMPIRunner, MVAPICHRunner",
    why: "accelerate passes the GPUs of a node to `deepspeed` as --num_gpus, or its filters as --include and --exclude. DeepSpeed's MPI launchers refuse all of these, so accelerate cannot start any of them.",
    fix: "Set deepspeed_multinode_launcher to pdsh or standard, or start with deepspeed itself.",
    check: withAccelerate((settings) => {
      const told = toldIn(settings, "deepspeed_config.deepspeed_multinode_launcher", "deepspeed_multinode_launcher");
      const name = handedTo(settings);
      if (told === undefined || !told.known || name === null || !mpi.has(name)) return [];
      return [
        {
          span: told.span,
          message: `launcher ${name} accepts no number of GPUs, but accelerate passes one`,
          valid: ["pdsh", "standard"],
        },
      ];
    }),
    fires: {
      hosts: "node1 slots=8\nnode2 slots=8\n",
      "run.sh":
        "accelerate launch --use_deepspeed --deepspeed_hostfile hosts --deepspeed_multinode_launcher openmpi --num_machines 2 --num_processes 16 train.py\n",
    },
    silent: {
      hosts: "node1 slots=8\nnode2 slots=8\n",
      "run.sh":
        "accelerate launch --use_deepspeed --deepspeed_hostfile hosts --deepspeed_multinode_launcher pdsh --num_machines 2 --num_processes 16 train.py\n",
    },
  }),
  rule({
    name: "accelerate-wrap-size",
    source:
      "accelerate/commands/launch.py: --fsdp_min_num_params (default=1e8 before 1.13); utils/dataclasses.py: FullyShardedDataParallelPlugin.__post_init__ (int of the variable)",
    why: "SIZE_BASED_WRAP reads fsdp_min_num_params. Before 1.13 its default is 1e8, passed as `100000000.0`, which the plugin cannot convert to a whole number: `invalid literal for int()`.",
    fix: "Write fsdp_min_num_params: 100000000, or install accelerate 1.13.",
    check: withAccelerate((settings, launch) => {
      const policy = toldIn(settings, "fsdp_config.fsdp_auto_wrap_policy", "fsdp_auto_wrap_policy");
      const isSized = String(policy?.value ?? "").toUpperCase() === "SIZE_BASED_WRAP";
      const own = packagesOf(launch).get("accelerate");
      if (policy === undefined || !isSized || (own?.version != null && !below(own.version, "1.13.0"))) return [];
      if (toldIn(settings, "fsdp_config.fsdp_min_num_params", "fsdp_min_num_params") !== undefined) return [];
      return [
        {
          span: policy.span,
          ...(own?.version == null ? { severity: "info" as const } : {}),
          message: "SIZE_BASED_WRAP needs fsdp_min_num_params before accelerate 1.13",
          ...nearby("the release", own?.span),
        },
      ];
    }),
    fires: {
      "acc.yaml": `${base}distributed_type: FSDP\nnum_processes: 8\nfsdp_config:\n  fsdp_auto_wrap_policy: SIZE_BASED_WRAP\n`,
      "requirements.txt": "accelerate==1.12.0\n",
    },
    silent: {
      "acc.yaml": `${base}distributed_type: FSDP\nnum_processes: 8\nfsdp_config:\n  fsdp_auto_wrap_policy: SIZE_BASED_WRAP\n`,
      "requirements.txt": "accelerate==1.13.0\n",
    },
  }),
  rule({
    name: "accelerate-fp8-release",
    source: "accelerate/commands/launch.py: --mixed_precision (choices; fp8 among them since 0.19)",
    why: "`accelerate launch` takes --mixed_precision from a list, which contains fp8 since 0.19. Before that, only the file may set it.",
    fix: "Install accelerate 0.19 or later, or write mixed_precision: fp8 in the file.",
    check: (launch) => {
      const own = packagesOf(launch).get("accelerate");
      if (own?.version == null || !below(own.version, "0.19.0")) return [];
      return launch.runs
        .filter(({ launcher }) => launcher.kind === "accelerate")
        .flatMap(({ launcher: { settings } }): readonly Found[] => {
          const told = settings.get("mixed_precision");
          return told?.value !== "fp8"
            ? []
            : [
                {
                  span: told.span,
                  message: `accelerate ${own.version} does not accept --mixed_precision fp8 yet: it came with 0.19.0`,
                  valid: ["no", "fp16", "bf16"],
                  ...nearby("the release", own.span),
                },
              ];
        });
    },
    fires: {
      "requirements.txt": "accelerate==0.18.0\n",
      "run.sh": "accelerate launch --num_processes 8 --mixed_precision fp8 train.py\n",
    },
    silent: {
      "requirements.txt": "accelerate==0.19.0\n",
      "run.sh": "accelerate launch --num_processes 8 --mixed_precision fp8 train.py\n",
    },
  }),
];
