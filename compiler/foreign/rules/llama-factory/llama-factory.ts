/** What LLaMA-Factory refuses of its arguments before it loads anything. */
import { trainerArguments } from "../../trainer/arguments.ts";
import { documentsOf, type Launch } from "../../launch.ts";
import { refusedOf, type Refusal } from "../../refusals.ts";
import { toldIn, type Settings } from "../../settings.ts";
import { at, entryOf, scalarOf, type Located } from "../../documents/located.ts";
import type { Span } from "../../../../dsl/source/source.ts";
import { missingDeepSpeed } from "../../documents/missing-deepspeed.ts";
import { given } from "../../said.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";
import { zeroStages } from "../zero.ts";

const file =
  "model_name_or_path: m\ntemplate: default\noutput_dir: out\ndataset: d\nper_device_train_batch_size: 1\n";

/** Its own defaults, as far as the tables ask for them. */
export const factoryDefaults = {
  stage: "sft",
  finetuning_type: "lora",
  reward_model_type: "lora",
  pref_loss: "sigmoid",
  mix_strategy: "concat",
  badam_mode: "layer",
  quantization_method: "bnb",
};

/** How the rows call a launch of more processes than one. */
const several = "several processes";

const trains = "get_train_args";
const tuned = "FinetuningArguments.__post_init__";
const data = "DataArguments.__post_init__";
const model = "_verify_model_args";
const quantizes = "configure_quantization";

export const factoryRefusals: readonly Refusal[] = [
  { all: ["train_on_prompt", "mask_history"], by: data },
  { all: ["eval_dataset", "val_size"], by: data },
  { all: ["mix_strategy=concat", "interleave_probs"], by: data },
  ...["predict_with_generate", "neat_packing", "train_on_prompt", "mask_history"].map((name): Refusal => ({
    all: ["stage=pt|rm|ppo|dpo|kto", name],
    by: trains,
  })),
  { all: ["stage=rm|ppo", "load_best_model_at_end"], by: trains },
  { all: ["stage=ppo", "shift_attn"], by: trains },
  { all: ["stage=ppo", "!reward_model"], by: tuned },
  { all: ["stage=ppo", "reward_model_type=lora", "finetuning_type=full|freeze|oft"], by: tuned },
  { all: ["stage=ppo|kto", "pissa_init"], by: tuned },
  { all: ["stage=dpo", "pref_loss!=sigmoid", "dpo_label_smoothing"], by: tuned },
  { all: ["stage=sft", "do_predict", "!predict_with_generate"], by: trains },
  { all: ["compute_accuracy", "predict_with_generate"], by: trains },
  ...["loraplus_lr_ratio", "use_rslora", "use_dora", "pissa_init"].map((name): Refusal => ({
    all: ["finetuning_type=full|freeze|oft", name],
    by: tuned,
  })),
  { all: ["finetuning_type=full|freeze|oft", "adapter_name_or_path"], by: model },
  { all: ["finetuning_type=full", "use_llama_pro"], by: tuned },
  ...["use_galore", "use_apollo", "use_badam"].map((name): Refusal => ({
    all: ["finetuning_type=lora", name],
    by: tuned,
  })),
  { all: ["use_galore", "use_apollo"], by: tuned },
  { all: ["use_galore", "use_badam"], by: tuned },
  { all: ["use_apollo", "use_badam"], by: tuned },
  { all: ["deepspeed", "use_galore"], by: trains },
  { all: ["deepspeed", "use_apollo"], by: trains },
  { all: ["quantization_bit", "pissa_init"], by: model },
  { all: ["quantization_bit", "resize_vocab"], by: model },
  { all: ["quantization_bit", "adapter_name_or_path", "create_new_adapter"], by: model },
  { all: ["quantization_bit", "adapter_name_or_path~,"], by: model },
  { all: ["quantization_bit!=4|8", "quantization_method=bnb"], by: quantizes },
  { all: ["quantization_bit", "fp8"], by: trains },
  { all: [several, "use_galore", "galore_layerwise"], by: trains },
  { all: [several, "use_apollo", "apollo_layerwise"], by: trains },
  { all: [several, "use_badam", "badam_mode=ratio"], by: trains },
  { all: [several, "use_badam", "badam_mode=layer", "!ZeRO-3"], by: trains },
  { all: ["finetuning_type!=full|lora", "use_megatron_bridge"], by: trains },
  { all: ["stage!=pt|sft", "use_megatron_bridge"], by: trains },
  ...["use_mca", "use_hyper_parallel", "quantization_bit", "deepspeed"].map((name): Refusal => ({
    all: ["use_megatron_bridge", name],
    by: trains,
  })),
  { all: ["stage=ppo", "reward_model_type=lora", "use_unsloth"], by: trains },
  { all: ["stage=ppo", "reward_model_type=lora", "use_kt"], by: trains },
  { all: ["do_train", "infer_backend=vllm|sglang"], by: trains },
  { all: ["do_train", "quantization_device_map=auto"], by: trains },
  ...["predict_with_generate", "pissa_init", "pure_bf16", "use_kt"].map((name): Refusal => ({
    all: ["ZeRO-3", name],
    by: trains,
  })),
  { all: ["ZeRO-3", "quantization_bit!=4"], by: quantizes },
  { all: ["ZeRO-3", "quantization_bit=4", "quantization_method=hqq|eetq"], by: quantizes },
];

export const factoryStreams: readonly Refusal[] = [
  { all: ["streaming", "!max_steps"], by: trains },
  { all: ["streaming", "max_samples"], by: data },
  { all: ["streaming", "val_size<1"], by: data },
];

export const factoryEvaluations: readonly Refusal[] = [
  { all: ["do_train", "!dataset"], by: trains },
  { all: ["eval_strategy!=no", "!eval_dataset", "!val_size"], by: trains },
  { all: ["do_eval", "!eval_dataset", "!val_size"], by: trains },
  { all: ["do_predict", "!eval_dataset", "!val_size"], by: trains },
];

/** Arguments of a training by LLaMA-Factory, with ZeRO-3 among them where a file of DeepSpeed asks for it. */
function factoryOf(launch: Launch): Settings | null {
  const { trainer } = launch;
  const isFactory =
    documentsOf(launch, "llama-factory").length > 0 ||
    launch.runs.some(({ options }) => options.has("finetuning_type") && options.has("stage"));
  if (trainer === null || !isFactory) return null;
  const all = new Map(trainer);
  const stage = zeroStages(launch).find((each) => each.stage === 3);
  const missing = missingDeepSpeed(launch);
  if (stage !== undefined) {
    const told = { value: true, known: true, span: stage.span, name: "stage", nameSpan: stage.span, from: [] };
    all.set("ZeRO-3", told);
  } else if (missing !== null) all.set("ZeRO-3", { ...missing, value: null, known: false });
  const { size, said } = launch.world;
  const place = said[0] ?? toldIn(trainer, "use_galore", "use_apollo", "use_badam");
  if (size !== null && size > 1 && place !== undefined) all.set(several, { ...place, value: true, known: true });
  return all;
}

const refuses =
  (table: readonly Refusal[]) =>
  (launch: Launch): readonly Found[] => {
    const settings = factoryOf(launch);
    if (settings === null) return [];
    return refusedOf(settings, table, { defaults: factoryDefaults, open: launch.runs.some(({ open }) => open) });
  };

const sources = (table: readonly Refusal[]): string =>
  `llamafactory/hparams: ${[...new Set(table.map(({ by }) => by))].join(", ")}`;

/** A file that says where to export to, and nothing of a training. */
function exportedBy(root: Located, span: Span): readonly Found[] {
  const out = entryOf(root, "export_dir");
  if (
    out === undefined ||
    ["do_train", "do_eval", "do_predict", "dataset"].some((key) => entryOf(root, key) !== undefined)
  )
    return [];
  return [
    {
      span,
      severity: "warning",
      message: "`train` exports nothing, but this file has only export options",
      valid: ["export"],
      ...nearby("the export", out.keySpan),
    },
  ];
}

export const llamaFactoryRules: readonly ForeignRule[] = [
  rule({
    name: "llama-factory-exclusive",
    source: sources(factoryRefusals),
    why: "LLaMA-Factory checks its arguments against each other before it loads the model, and stops at the first pair that cannot be combined.",
    fix: "Remove one of the two: options for adapters need finetuning_type: lora, and options for answers need stage: sft.",
    check: refuses(factoryRefusals),
    fires: { "sft.yaml": `${file}stage: sft\nfinetuning_type: full\nuse_dora: true\n` },
    silent: { "sft.yaml": `${file}stage: sft\nfinetuning_type: lora\nuse_dora: true\n` },
  }),
  rule({
    name: "llama-factory-streaming",
    source: sources(factoryStreams),
    why: "A streamed dataset has no length: the Trainer needs a number of steps, and the validation split must be a number of samples.",
    fix: "Set max_steps, write val_size as a whole number of samples, and remove max_samples; or remove streaming.",
    check: refuses(factoryStreams),
    fires: { "sft.yaml": `${file}stage: sft\nfinetuning_type: lora\nstreaming: true\n` },
    silent: { "sft.yaml": `${file}stage: sft\nfinetuning_type: lora\nstreaming: true\nmax_steps: 1000\n` },
  }),
  rule({
    name: "llama-factory-evaluation",
    source: sources(factoryEvaluations),
    why: "A training needs a dataset, and an evaluation data of its own: LLaMA-Factory stops if neither a dataset nor a share of the training data is given for it.",
    fix: "Name a dataset; for an evaluation set val_size above 0 or name an eval_dataset, or remove it.",
    check: refuses(factoryEvaluations),
    fires: { "sft.yaml": `${file}stage: sft\nfinetuning_type: lora\neval_strategy: steps\n` },
    silent: { "sft.yaml": `${file}stage: sft\nfinetuning_type: lora\neval_strategy: steps\nval_size: 0.1\n` },
  }),
  rule({
    name: "llama-factory-command",
    source: "llamafactory/launcher.py: launch; llamafactory/hparams/parser.py: _parse_infer_args",
    why: "chat, webchat, api and export read only the arguments of the model, the data and generation, and refuse a file with training arguments.",
    fix: "Start a training with `llamafactory-cli train`, or give this command a file without the Trainer's options.",
    check: (launch) =>
      launch.scripts.flatMap(({ commands }) =>
        commands.flatMap(({ words }): readonly Found[] => {
          const [program, command, path] = words;
          if (!/(?:^|\/)(?:llamafactory-cli|lmf)$/.test(program?.text ?? "") || command === undefined) return [];
          const given = launch.documents.find((each) => each.path === path?.text?.replace(/^\.\//, ""));
          if (command.text === "train" && given !== undefined) return exportedBy(given.root, command.span);
          if (!/^(?:chat|webchat|api|export)$/.test(command.text ?? "")) return [];
          const key =
            given?.root.kind === "map"
              ? given.root.entries.find((entry) => trainerArguments.includes(entry.key))
              : undefined;
          if (key === undefined) return [];
          return [
            {
              span: command.span,
              message: `${command.text ?? ""} refuses ${key.key}, which is a training option`,
              valid: ["train"],
              related: [{ message: "written here", span: key.keySpan }],
            },
          ];
        }),
      ),
    fires: {
      "run.sh": "llamafactory-cli webchat sft.yaml\n",
      "sft.yaml": `${file}stage: sft\nfinetuning_type: lora\n`,
    },
    silent: {
      "run.sh": "llamafactory-cli train sft.yaml\n",
      "sft.yaml": `${file}stage: sft\nfinetuning_type: lora\n`,
    },
  }),
  rule({
    name: "llama-factory-quantized-model",
    source: "llamafactory/model/model_utils/quantization.py: configure_quantization",
    why: "Quantized weights (GPTQ, AWQ, AQLM) cannot be sharded: LLaMA-Factory refuses them under ZeRO-3 and FSDP.",
    fix: "Train with ZeRO stage 2, or start from weights that are not quantized.",
    check: (launch) => {
      if (documentsOf(launch, "llama-factory").length === 0 && launch.trainer?.has("finetuning_type") !== true)
        return [];
      const stage =
        zeroStages(launch).find((each) => each.stage === 3)?.span ??
        given(launch.trainer ?? new Map(), "fsdp")?.nameSpan;
      if (stage === undefined) return [];
      return documentsOf(launch, "model").flatMap(({ root }): readonly Found[] => {
        const node = at(root, "quantization_config", "quant_method");
        const method = scalarOf(node);
        if (node === undefined || typeof method !== "string" || ["mxfp4", "fp8"].includes(method)) return [];
        return [
          {
            span: stage,
            message: `weights quantized by ${method} cannot be sharded`,
            ...nearby("the model", node.span),
          },
        ];
      });
    },
    fires: {
      "sft.yaml":
        "model_name_or_path: m\nstage: sft\nfinetuning_type: lora\ntemplate: default\noutput_dir: out\ndeepspeed: ds.json\n",
      "ds.json": '{ "train_micro_batch_size_per_gpu": "auto", "zero_optimization": { "stage": 3 } }',
      "config.json":
        '{ "model_type": "qwen2", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "quantization_config": { "quant_method": "gptq", "bits": 4 } }',
    },
    silent: {
      "sft.yaml":
        "model_name_or_path: m\nstage: sft\nfinetuning_type: lora\ntemplate: default\noutput_dir: out\ndeepspeed: ds.json\n",
      "ds.json": '{ "train_micro_batch_size_per_gpu": "auto", "zero_optimization": { "stage": 2 } }',
      "config.json":
        '{ "model_type": "qwen2", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "quantization_config": { "quant_method": "gptq", "bits": 4 } }',
    },
  }),
];
