/** How accelerate sends tokens around in context and sequence parallelism. */
import type { Launch } from "../../launch.ts";
import { numberIn, toldIn, type Told } from "../../settings.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";

const base =
  "compute_environment: LOCAL_MACHINE\ndistributed_type: FSDP\nnum_processes: 8\nfsdp_config:\n  fsdp_version: 2\nparallelism_config:\n";
const sequence =
  "compute_environment: LOCAL_MACHINE\ndistributed_type: DEEPSPEED\nnum_processes: 8\ndeepspeed_config:\n  zero_stage: 3\nparallelism_config:\n  parallelism_config_sp_size: 8\n";

const names = (name: string): readonly string[] => [
  `parallelism_config.parallelism_config_${name}`,
  `parallelism_config_${name}`,
];
const said = ({ accelerate }: Launch, name: string): Told | undefined =>
  accelerate === null ? undefined : toldIn(accelerate, ...names(name));
const size = ({ accelerate }: Launch, name: string): number =>
  accelerate === null ? 1 : (numberIn(accelerate, ...names(name)) ?? 1);

const builtIn = ["flash_attention_2", "flash_attention_3", "sdpa"];

export const accelerateHandlerRules: readonly ForeignRule[] = [
  rule({
    name: "accelerate-context-strategy",
    source: "accelerate/utils/dataclasses.py: TorchContextParallelConfig.__post_init__",
    why: "Context parallelism exchanges keys and values by all-gather or by all-to-all. With any other word accelerate stops when the program creates its Accelerator.",
    fix: "Write allgather or alltoall, or remove parallelism_config_cp_comm_strategy.",
    check: (launch) => {
      const told = said(launch, "cp_comm_strategy");
      const valid = ["allgather", "alltoall"];
      if (told === undefined || !told.known || size(launch, "cp_size") <= 1 || valid.includes(String(told.value)))
        return [];
      return [
        {
          span: told.span,
          message: `accelerate has no context parallelism called ${String(told.value)}`,
          valid,
        },
      ];
    },
    fires: {
      "acc.yaml": `${base}  parallelism_config_dp_shard_size: 4\n  parallelism_config_cp_size: 2\n  parallelism_config_cp_comm_strategy: ring\n`,
    },
    silent: {
      "acc.yaml": `${base}  parallelism_config_dp_shard_size: 4\n  parallelism_config_cp_size: 2\n  parallelism_config_cp_comm_strategy: alltoall\n`,
    },
  }),
  rule({
    name: "accelerate-sequence-handler",
    source: "accelerate/utils/dataclasses.py: DeepSpeedSequenceParallelConfig.__post_init__",
    why: "Sequence parallelism replaces the attention, which it can only do for flash attention and sdpa; if all batches have the same length, that length must be given.",
    fix: "Use flash_attention_2, flash_attention_3, sdpa or a flash-attn kernel from the hub, and set parallelism_config_sp_seq_length if the length is fixed.",
    check: (launch): readonly Found[] => {
      if (size(launch, "sp_size") <= 1) return [];
      const [attention, variable] = [
        said(launch, "sp_attn_implementation"),
        said(launch, "sp_seq_length_is_variable"),
      ];
      const found: Found[] = [];
      const name = String(attention?.value ?? "");
      if (attention?.known === true && !builtIn.includes(name) && !/\/.*flash-attn|flash-attn.*\//.test(name))
        found.push({
          span: attention.span,
          message: `sequence parallelism does not support attention ${name}`,
          valid: builtIn,
        });
      const length = said(launch, "sp_seq_length");
      if (variable?.value === false && length === undefined)
        found.push({
          span: variable.span,
          message: "sequences of a fixed length need parallelism_config_sp_seq_length",
        });
      if (variable?.value === false && length?.known === true && Number(length.value) % size(launch, "sp_size") !== 0)
        found.push({
          span: length.span,
          message: `a sequence of ${String(length.value)} cannot be divided evenly among ${size(launch, "sp_size")} sequence-parallel ranks`,
          ...nearby("the ranks", said(launch, "sp_size")?.span),
        });
      return found;
    },
    fires: { "acc.yaml": `${sequence}  parallelism_config_sp_attn_implementation: eager\n` },
    silent: { "acc.yaml": `${sequence}  parallelism_config_sp_attn_implementation: sdpa\n` },
  }),
];
