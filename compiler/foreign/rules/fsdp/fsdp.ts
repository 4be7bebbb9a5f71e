/** FSDP as accelerate and the Trainer take it. */
import { at } from "../../documents/located.ts";
import { documentsOf, type Launch } from "../../launch.ts";
import { nearest } from "../../../../dsl/diagnostics/nearest.ts";
import { swiftRuns, wrapsSwift } from "../../commands/swift-runs.ts";
import { switchIn, textIn, toldIn, type Settings, type Told } from "../../settings.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";

const base = "compute_environment: LOCAL_MACHINE\ndistributed_type: FSDP\nnum_processes: 8\nfsdp_config:\n";

/** An option of FSDP by its name without a prefix, wherever it stands. */
const said = (all: Settings, name: string): Told | undefined =>
  toldIn(all, `fsdp_${name}`, `fsdp_config.fsdp_${name}`, `fsdp_config.${name}`);

const withFsdp = (check: (all: Settings, version: number) => readonly Found[]) => (launch: Launch) => {
  const all: Settings = new Map([...(launch.trainer ?? []), ...(launch.accelerate ?? [])]);
  const told = said(all, "version");
  if (told?.known === false) return [];
  const version = Number(told?.value ?? 1);
  return [...all.keys()].some((name) => name.startsWith("fsdp")) ? check(all, version) : [];
};

/** What `accelerate launch` has an option for. */
export const options = [
  ...[
    "version",
    "offload_params",
    "min_num_params",
    "sharding_strategy",
    "reshard_after_forward",
    "auto_wrap_policy",
  ],
  ...["transformer_layer_cls_to_wrap", "backward_prefetch", "state_dict_type", "forward_prefetch", "use_orig_params"],
  ...["cpu_ram_efficient_loading", "sync_module_states", "activation_checkpointing"],
  "activation_checkpointing_offload",
];

/** The name of `backward_prefetch` until accelerate 0.26, which wrote it down itself. */
export const formerPrefetch = "backward_prefetch_policy";

/** Any other version is neither one nor the other to accelerate, which takes each option as the older or the newer one does by chance. */
const versions = [1, 2];

const kinds: readonly (readonly [name: string, values: readonly string[]])[] = [
  ["auto_wrap_policy", ["TRANSFORMER_BASED_WRAP", "SIZE_BASED_WRAP", "NO_WRAP"]],
  ["backward_prefetch", ["BACKWARD_PRE", "BACKWARD_POST", "NO_PREFETCH"]],
  ["state_dict_type", ["FULL_STATE_DICT", "LOCAL_STATE_DICT", "SHARDED_STATE_DICT"]],
  ["sharding_strategy", ["FULL_SHARD", "SHARD_GRAD_OP", "NO_SHARD", "HYBRID_SHARD", "HYBRID_SHARD_ZERO2"]],
];

export const fsdpRules: readonly ForeignRule[] = [
  rule({
    name: "fsdp-names",
    source:
      "accelerate/utils/constants.py: FSDP_AUTO_WRAP_POLICY, FSDP_BACKWARD_PREFETCH, FSDP_STATE_DICT_TYPE, FSDP_SHARDING_STRATEGY; utils/dataclasses.py: __post_init__",
    why: "These options take one of a list of names, or the position of a name, counted from 1.",
    fix: "Write a name from `valid`, in capitals as listed.",
    check: withFsdp((all) =>
      kinds.flatMap(([name, valid]): readonly Found[] => {
        const told = said(all, name);
        const value = String(told?.value ?? "").toUpperCase();
        if (told === undefined || !told.known || value === "" || valid.includes(value)) return [];
        if (/^\d$/.test(value) && Number(value) >= 1 && Number(value) <= valid.length) return [];
        return [{ span: told.span, message: `${told.name} does not accept ${String(told.value)}`, valid }];
      }),
    ),
    fires: { "acc.yaml": `${base}  fsdp_auto_wrap_policy: TRANSFORMER_WRAP\n` },
    silent: { "acc.yaml": `${base}  fsdp_auto_wrap_policy: SIZE_BASED_WRAP\n` },
  }),
  rule({
    name: "fsdp-version",
    source: "accelerate/utils/dataclasses.py: FullyShardedDataParallelPlugin.__post_init__",
    why: "FSDP has versions 1 and 2. Version 2 has no forward prefetch and no local state dicts, and its `fsdp_reshard_after_forward` is true or false; in version 1 it is the name of a sharding strategy.",
    fix: "Remove the options that FSDP 2 does not have (fsdp_forward_prefetch, LOCAL_STATE_DICT), and set fsdp_reshard_after_forward to true or false; or write fsdp_version: 1.",
    check: withFsdp((all, version) => {
      const found: Found[] = [];
      const [prefetch, state, reshard] = [
        said(all, "forward_prefetch"),
        said(all, "state_dict_type"),
        said(all, "reshard_after_forward"),
      ];
      const place = said(all, "version");
      const add = (told: Told, message: string, valid: readonly string[]): void => {
        found.push({ span: told.span, message, valid: [...valid], ...nearby("the version", place?.span) });
      };
      const boolean = /^(?:true|false|1|0)$/i.test(String(reshard?.value));
      if (place !== undefined && place.known && place.value !== null && !versions.includes(version))
        return [
          {
            span: place.span,
            message: `FSDP has no version ${String(place.value)}`,
            valid: versions.map(String),
          },
        ];
      if (version === 2) {
        if (prefetch !== undefined && switchIn(new Map([["on", prefetch]]), "on") === true)
          add(prefetch, "FSDP 2 has no forward prefetch", ["false"]);
        if (state !== undefined && /LOCAL/i.test(String(state.value)))
          add(state, "FSDP 2 has no local state dicts", ["SHARDED_STATE_DICT", "FULL_STATE_DICT"]);
        if (reshard !== undefined && reshard.known && !boolean)
          add(reshard, `fsdp_reshard_after_forward ${String(reshard.value)} is neither true nor false`, [
            "true",
            "false",
          ]);
      } else if (reshard !== undefined && reshard.known && boolean && place !== undefined)
        add(reshard, "in FSDP 1, fsdp_reshard_after_forward is the name of a sharding strategy", [
          "FULL_SHARD",
          "SHARD_GRAD_OP",
        ]);
      return found;
    }),
    fires: { "acc.yaml": `${base}  fsdp_version: 2\n  fsdp_state_dict_type: LOCAL_STATE_DICT\n` },
    silent: { "acc.yaml": `${base}  fsdp_version: 2\n  fsdp_state_dict_type: SHARDED_STATE_DICT\n` },
  }),
  rule({
    name: "fsdp-keys",
    severity: "warning",
    source: "accelerate/commands/launch.py: launch_command_parser, _validate_launch_command",
    why: "The keys of the `fsdp_config` section in an accelerate YAML become options of the launch command, with or without `fsdp_` in front; other keys are not read.",
    fix: "Write one of the names in `valid`, or remove the key.",
    check: (launch) =>
      documentsOf(launch, "accelerate").flatMap(({ root }) => {
        const section = at(root, "fsdp_config");
        if (section?.kind !== "map") return [];
        return section.entries.flatMap(({ key, keySpan }): readonly Found[] => {
          const name = key.replace(/^fsdp_/, "");
          if (options.includes(name) || name === formerPrefetch) return [];
          const best = nearest(name, options);
          return [
            {
              span: keySpan,
              message: `accelerate does not read ${key} here: it has no effect${best === null ? "" : `; did you mean fsdp_${best}?`}`,
              valid: options.map((option) => `fsdp_${option}`),
            },
          ];
        });
      }),
    fires: { "acc.yaml": `${base}  fsdp_version: 2\n  fsdp_reshard_after_forwards: true\n` },
    silent: { "acc.yaml": `${base}  fsdp_version: 2\n  reshard_after_forward: true\n` },
  }),
  rule({
    name: "fsdp-loading",
    source: "accelerate/utils/launch.py: prepare_multi_gpu_env; utils/dataclasses.py: FullyShardedDataParallelPlugin",
    why: "With `fsdp_cpu_ram_efficient_loading` only the first rank reads the weights, and the others receive them when modules are synchronised, so both must be on.",
    fix: "Set fsdp_sync_module_states to true, or fsdp_cpu_ram_efficient_loading to false.",
    check: withFsdp((all, version) => {
      const [loading, sync] = [said(all, "cpu_ram_efficient_loading"), said(all, "sync_module_states")];
      if (loading === undefined || switchIn(new Map([["on", loading]]), "on") !== true || version === 2) return [];
      if (sync === undefined || switchIn(new Map([["on", sync]]), "on") !== false) return [];
      return [
        {
          span: sync.span,
          message: "fsdp_cpu_ram_efficient_loading needs fsdp_sync_module_states",
          valid: ["true"],
          ...nearby("the loading", loading.span),
        },
      ];
    }),
    fires: { "acc.yaml": `${base}  fsdp_cpu_ram_efficient_loading: true\n  fsdp_sync_module_states: false\n` },
    silent: { "acc.yaml": `${base}  fsdp_cpu_ram_efficient_loading: true\n  fsdp_sync_module_states: true\n` },
  }),
  rule({
    name: "fsdp-min-params",
    source: "accelerate/utils/dataclasses.py: FullyShardedDataParallelPlugin.__post_init__",
    why: "`fsdp_min_num_params` is a whole number of parameters, and has an effect only with SIZE_BASED_WRAP.",
    fix: "Write a whole number with fsdp_auto_wrap_policy: SIZE_BASED_WRAP, or remove fsdp_min_num_params.",
    check: withFsdp((all) => {
      const told = said(all, "min_num_params");
      if (told === undefined || !told.known || told.value === null || Number.isInteger(Number(told.value))) return [];
      return [{ span: told.span, message: `${told.name} ${String(told.value)} is not a whole number` }];
    }),
    fires: { "acc.yaml": `${base}  fsdp_min_num_params: 100M\n` },
    silent: { "acc.yaml": `${base}  fsdp_min_num_params: 100000000\n` },
  }),
  rule({
    name: "trainer-fsdp-options",
    source: "transformers/trainer_utils.py: FSDPOption; training_args.py: _process_fsdp_args",
    why: "`fsdp` is true, or in the older form a list of words separated by spaces. Older versions refuse `offload` without a strategy, and two strategies.",
    fix: 'Write true, or words from `valid` separated by spaces: "full_shard auto_wrap".',
    check: (launch) => {
      const told = launch.trainer?.get("fsdp");
      const text = launch.trainer === null ? null : textIn(launch.trainer, "fsdp");
      // ms-swift has names and files of its own behind the word (swift/arguments/sft_args.py: _init_fsdp).
      if (swiftRuns(launch).length > 0) return [];
      // A list, or a section, is told by its own name.
      if (told === undefined || text === null || !told.known || /^(?:true|false|fsdp|)$|\$\{|\{\{/i.test(text))
        return [];
      const valid = [
        "full_shard",
        "shard_grad_op",
        "no_shard",
        "hybrid_shard",
        "hybrid_shard_zero2",
        "offload",
        "auto_wrap",
      ];
      const words = text.split(/[\s,]+/).filter((word) => word !== "");
      const wrong = words.find((word) => !valid.includes(word));
      if (wrong !== undefined && wrapsSwift(launch)) return [];
      if (wrong !== undefined) {
        const meant = nearest(wrong, valid);
        return [
          {
            span: told.span,
            // A program may take words of its own under the same name.
            ...(meant === null ? { severity: "warning" as const } : {}),
            message: `fsdp has no ${wrong}`,
            valid: meant === null ? valid : [meant],
          },
        ];
      }
      const strategies = words.filter((word) => /shard/.test(word));
      if (words.length === 1 && words[0] === "offload")
        return [{ span: told.span, message: "fsdp offload also needs a strategy", valid: ["full_shard offload"] }];
      return strategies.length > 1
        ? [{ span: told.span, message: `${strategies.join(" and ")} cannot be combined` }]
        : [];
    },
    fires: { "args.yaml": "output_dir: out\nper_device_train_batch_size: 1\nfsdp: full_shards auto_wrap\n" },
    silent: { "args.yaml": "output_dir: out\nper_device_train_batch_size: 1\nfsdp: full_shard auto_wrap\n" },
  }),
];
