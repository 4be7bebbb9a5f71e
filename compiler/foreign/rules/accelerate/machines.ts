/** Several machines under accelerate's DeepSpeed, and a mesh whose ranks leave FSDP none. */
import { numberIn, textIn, toldIn, type Settings } from "../../settings.ts";
import type { Launch } from "../../launch.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";

const acc = (type: string, more: string): string =>
  `compute_environment: LOCAL_MACHINE\ndistributed_type: ${type}\nmachine_rank: 0\nmain_process_ip: 10.0.0.1\nmain_process_port: 29500\n${more}`;
const mesh = (shard: number, tensor: number): string =>
  acc(
    "FSDP",
    `num_machines: 1\nnum_processes: 2\nfsdp_config:\n  fsdp_version: 2\nparallelism_config:\n  parallelism_config_dp_shard_size: ${shard}\n  parallelism_config_tp_size: ${tensor}\n`,
  );

/** `NaN` where only the run knows it. */
const sized = (settings: Settings, name: string): number => {
  const names = [`parallelism_config.parallelism_config_${name}`, `parallelism_config_${name}`];
  const isOpen = toldIn(settings, ...names)?.known === false;
  return isOpen ? Number.NaN : (numberIn(settings, ...names) ?? 1);
};

const withAccelerate = (check: (settings: Settings) => readonly Found[]) => (launch: Launch) =>
  launch.accelerate === null ? [] : check(launch.accelerate);

export const accelerateMachineRules: readonly ForeignRule[] = [
  rule({
    name: "accelerate-hostfile",
    severity: "warning",
    source:
      "accelerate/utils/launch.py: prepare_deepspeed_cmd_env; deepspeed/launcher/runner.py: fetch_hostfile (`Unable to find hostfile, will proceed with training with local resources only`)",
    why: "With several machines accelerate starts `deepspeed`, whose default launcher is pdsh and which learns of other machines only from a hostfile. Without one it trains on this machine only, with some of the ranks.",
    fix: "Name the machines in deepspeed_hostfile, or write deepspeed_multinode_launcher: standard and start accelerate on each machine.",
    check: withAccelerate((settings) => {
      const machines = toldIn(settings, "num_machines");
      const launcher = toldIn(
        settings,
        "deepspeed_config.deepspeed_multinode_launcher",
        "deepspeed_multinode_launcher",
      );
      const isDeepspeed =
        textIn(settings, "distributed_type") === "DEEPSPEED" || settings.get("use_deepspeed")?.value === true;
      if (machines === undefined || !isDeepspeed || !((numberIn(settings, "num_machines") ?? 1) > 1)) return [];
      if (launcher?.known === false || String(launcher?.value ?? "pdsh") === "standard") return [];
      if (toldIn(settings, "deepspeed_config.deepspeed_hostfile", "deepspeed_hostfile") !== undefined) return [];
      return [
        {
          span: (launcher ?? machines).span,
          message: `${String(launcher?.value ?? "pdsh, the default,")} finds the ${String(machines.value)} machines only through a hostfile, but none is given`,
          ...nearby("the machines", machines.span),
        },
      ];
    }),
    fires: {
      "acc.yaml": acc("DEEPSPEED", "num_machines: 2\nnum_processes: 16\ndeepspeed_config:\n  zero_stage: 2\n"),
    },
    silent: {
      "acc.yaml": acc(
        "DEEPSPEED",
        "num_machines: 2\nnum_processes: 16\ndeepspeed_config:\n  deepspeed_multinode_launcher: standard\n  zero_stage: 2\n",
      ),
    },
  }),
  rule({
    name: "accelerate-shard-dimension",
    source: "accelerate/utils/fsdp_utils.py: fsdp2_prepare_model (mesh[fsdp_dim_names]); parallelism_config.py",
    why: "FSDP shards along dp_shard and cp. If tensor parallelism takes all ranks, the mesh has neither, and preparing the model stops with `Invalid mesh_dim_names`.",
    fix: "Leave ranks for dp_shard_size, or turn FSDP off (distributed_type: TP).",
    check: withAccelerate((settings) => {
      const tensor = toldIn(settings, "parallelism_config.parallelism_config_tp_size", "parallelism_config_tp_size");
      const isSharded = textIn(settings, "distributed_type") === "FSDP" || settings.get("use_fsdp")?.value === true;
      if (tensor === undefined || !tensor.known || !isSharded || sized(settings, "tp_size") <= 1) return [];
      if (["dp_shard_size", "cp_size", "dp_replicate_size"].some((name) => sized(settings, name) !== 1)) return [];
      return [
        {
          span: tensor.span,
          message: `tensor parallelism of ${String(tensor.value)} leaves FSDP no ranks: dp_shard_size and cp_size are 1`,
          ...nearby("FSDP", toldIn(settings, "distributed_type", "use_fsdp")?.span),
        },
      ];
    }),
    fires: { "acc.yaml": mesh(1, 2) },
    silent: { "acc.yaml": mesh(2, 1) },
  }),
];
