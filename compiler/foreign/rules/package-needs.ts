/** Packages that another package, or an option, needs at a release or later: judged where files pin one. */
import { below } from "../../engines/release.ts";
import type { Launch } from "../launch.ts";
import { isMegatron } from "../megatron.ts";
import { packagesOf, type Package } from "../known/packages.ts";
import { numberIn, textIn, toldIn, type Settings, type Told } from "../settings.ts";
import { isTrainer } from "../trainer/settings.ts";
import { nearby, rule, type ForeignRule, type Found } from "./rule.ts";

interface Need {
  readonly package: string;
  readonly least: string;
}

/** By the first release that asks: `TrainingArguments` with accelerate, and torch below which transformers goes without. */
const ofTransformers: readonly { readonly from: string; readonly needs: readonly Need[] }[] = [
  {
    from: "5.10",
    needs: [
      { package: "accelerate", least: "1.1.0" },
      { package: "torch", least: "2.4" },
    ],
  },
  {
    from: "5.0",
    needs: [
      { package: "accelerate", least: "1.1.0" },
      { package: "torch", least: "2.2" },
    ],
  },
  {
    from: "4.57",
    needs: [
      { package: "accelerate", least: "0.26.0" },
      { package: "torch", least: "2.1" },
    ],
  },
  { from: "4.46", needs: [{ package: "accelerate", least: "0.26.0" }] },
  { from: "4.38", needs: [{ package: "accelerate", least: "0.21.0" }] },
];

interface Option {
  readonly told: (settings: Settings) => Told | undefined;
  readonly needs: readonly Need[];
}

const dimension = (name: string) => (settings: Settings) =>
  (numberIn(settings, `parallelism_config.parallelism_config_${name}`, `parallelism_config_${name}`) ?? 1) > 1
    ? toldIn(settings, `parallelism_config.parallelism_config_${name}`, `parallelism_config_${name}`)
    : undefined;
const isDeepSpeed = (settings: Settings): boolean =>
  textIn(settings, "distributed_type") === "DEEPSPEED" || settings.has("use_deepspeed");

/** Of accelerate, as its newest release asks for them. */
const ofOptions: readonly Option[] = [
  {
    told: (settings) =>
      numberIn(settings, "fsdp_config.fsdp_version", "fsdp_version") === 2
        ? toldIn(settings, "fsdp_config.fsdp_version", "fsdp_version")
        : undefined,
    needs: [{ package: "torch", least: "2.6.0" }],
  },
  { told: dimension("cp_size"), needs: [{ package: "torch", least: "2.6.0" }] },
  {
    told: dimension("tp_size"),
    needs: [
      { package: "torch", least: "2.3.0" },
      { package: "transformers", least: "4.52.0" },
    ],
  },
  {
    told: (settings) => (isDeepSpeed(settings) ? dimension("tp_size")(settings) : undefined),
    needs: [{ package: "deepspeed", least: "0.16.4" }],
  },
  {
    told: dimension("sp_size"),
    needs: [
      { package: "deepspeed", least: "0.18.2" },
      { package: "transformers", least: "4.51.3" },
    ],
  },
  {
    told: (settings) => {
      const names = ["deepspeed_config.deepspeed_multinode_launcher", "deepspeed_multinode_launcher"];
      return textIn(settings, ...names) === "nossh" ? toldIn(settings, ...names) : undefined;
    },
    needs: [{ package: "deepspeed", least: "0.14.5" }],
  },
];

/** Of Megatron, by its newest release. */
const ofMegatron: ReadonlyMap<string, string> = new Map([
  ["use_torch_fsdp2", "2.4.0"],
  ["overlap_moe_expert_parallel_comm", "2.6.0"],
  ["symmetric_ar_type", "2.7.0"],
]);

const pinned = (launch: Launch, name: string): (Package & { readonly version: string }) | null => {
  const found = packagesOf(launch).get(name);
  return found?.version != null && /^\d+\.\d+/.test(found.version) ? { ...found, version: found.version } : null;
};

function unmet(launch: Launch, { package: name, least }: Need, who: string, by: Told["span"]): readonly Found[] {
  const found = pinned(launch, name);
  if (found === null || !below(found.version, least)) return [];
  return [
    {
      span: found.span,
      message: `${who} needs ${name} ${least} or later, not ${found.version}`,
      valid: [`${name}>=${least}`],
      ...nearby(who, by),
    },
  ];
}

const sharded = (torch: string): Readonly<Record<string, string>> => ({
  "acc.yaml":
    "compute_environment: LOCAL_MACHINE\ndistributed_type: FSDP\nnum_processes: 8\nfsdp_config:\n  fsdp_version: 2\n",
  "run.sh": "accelerate launch --config_file acc.yaml train.py\n",
  "requirements.txt": `torch==${torch}\n`,
});
const trained = (accelerate: string): Readonly<Record<string, string>> => ({
  "run.sh": "torchrun --nproc-per-node=8 train.py --output_dir out --per_device_train_batch_size 1\n",
  "requirements.txt": `transformers==4.57.1\naccelerate==${accelerate}\n`,
});

const overlapped = (torch: string): Readonly<Record<string, string>> => ({
  "run.sh":
    "torchrun --nproc-per-node=8 pretrain_gpt.py --num-layers 4 --overlap-moe-expert-parallel-comm --hidden-size 256\n",
  "requirements.txt": `torch==${torch}\n`,
});

export const packageNeedRules: readonly ForeignRule[] = [
  rule({
    name: "package-trainer",
    source:
      "transformers/utils/import_utils.py: ACCELERATE_MIN_VERSION, is_torch_available; training_args.py: TrainingArguments._setup_devices",
    why: "TrainingArguments stops if accelerate is older than transformers requires, and transformers ignores a torch that is too old: it then cannot build any model.",
    fix: "Pin the package to the release in the message or a later one, or use an older transformers that accepts it.",
    check: (launch) => {
      const transformers = pinned(launch, "transformers");
      const uses = launch.documents.some(({ kind }) => kind === "training-arguments") || launch.runs.some(isTrainer);
      if (transformers === null || !uses) return [];
      const row = ofTransformers.find(({ from }) => !below(transformers.version, from));
      return (row?.needs ?? []).flatMap((need) =>
        unmet(launch, need, `transformers ${transformers.version}`, transformers.span),
      );
    },
    fires: trained("0.20.3"),
    silent: trained("1.2.0"),
  }),
  rule({
    name: "package-accelerate",
    source:
      "accelerate/utils/constants.py: FSDP2_PYTORCH_VERSION, BETA_*_AVAILABLE_*_VERSION; utils/launch.py: prepare_deepspeed_cmd_env; accelerator.py: Accelerator._prepare_tp, _prepare_deepspeed; deepspeed/runtime/sequence_parallel/ulysses_sp.py: register_with_transformers",
    why: "Newer ways to shard a model call functions that older releases of torch, DeepSpeed or transformers do not have, and accelerate stops when the program creates its Accelerator.",
    fix: "Pin the package to the release in the message or a later one, or remove the option.",
    check: (launch) => {
      const { accelerate } = launch;
      if (accelerate === null) return [];
      return ofOptions.flatMap(({ told, needs }) => {
        const option = told(accelerate);
        if (option === undefined) return [];
        const who = `${option.name.replace(/^.*\./, "")} ${String(option.value)}`;
        return needs.flatMap((need) => unmet(launch, need, who, option.span));
      });
    },
    fires: sharded("2.4.1"),
    silent: sharded("2.6.0"),
  }),
  rule({
    name: "package-megatron",
    source:
      "megatron/training/arguments.py: validate_args; megatron/core/transformer/transformer_config.py: __post_init__",
    why: "These options call functions of torch that older releases do not have, and Megatron stops when it reads its arguments.",
    fix: "Pin torch to the release in the message or a later one, or remove the option.",
    check: (launch) =>
      launch.runs.filter(isMegatron).flatMap(({ options }) =>
        [...ofMegatron].flatMap(([name, least]) => {
          const told = options.get(name);
          return told === undefined ? [] : unmet(launch, { package: "torch", least }, told.name, told.nameSpan);
        }),
      ),
    fires: overlapped("2.5.1"),
    silent: overlapped("2.6.0"),
  }),
];
