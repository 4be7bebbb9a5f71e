/** Files of accelerate, Axolotl and LLaMA-Factory that speak of two ways to shard, of a batch in two ways, or of weights that nothing trains. */
import { documentsOf } from "../launch.ts";
import { at, entryOf, scalarOf, type Located } from "../documents/located.ts";
import { flattened } from "../trainer/settings.ts";
import { nearby, rule, type ForeignRule, type Found } from "./rule.ts";

const accelerate = "compute_environment: LOCAL_MACHINE\nnum_processes: 8\ndistributed_type:";
const axolotl = "base_model: m\nsequence_len: 2048\nmicro_batch_size: 2\ngradient_accumulation_steps: 4\n";
const factory = "model_name_or_path: m\nstage: sft\ntemplate: default\noutput_dir: out\n";

/** `false`, `null` and an empty text or list turn a section off. */
function isOn(node: Located | undefined): boolean {
  if (node === undefined || node.kind === "unknown") return false;
  // What a template leaves open is unknown.
  if (node.kind === "scalar")
    return node.value !== null && node.value !== false && node.value !== "" && !/\$\{|\{\{/.test(String(node.value));
  return (node.kind === "map" ? node.entries : node.items).length > 0;
}

export const sectionRules: readonly ForeignRule[] = [
  rule({
    name: "accelerate-unread-section",
    severity: "warning",
    source: "accelerate/commands/launch.py: _validate_launch_command",
    why: "`distributed_type` selects the plugin, and the section of any other plugin is not read.",
    fix: "Set distributed_type to the plugin whose section this is, or remove the section.",
    check: (launch) =>
      documentsOf(launch, "accelerate").flatMap(({ root }) => {
        const type = at(root, "distributed_type");
        const kind = scalarOf(type);
        return (
          [
            ["deepspeed_config", "DEEPSPEED"],
            ["fsdp_config", "FSDP"],
          ] as const
        ).flatMap(([section, owner]): readonly Found[] => {
          const entry = entryOf(root, section);
          const other = owner === "FSDP" ? "DEEPSPEED" : "FSDP";
          if (entry === undefined || kind !== other || !isOn(entry.value)) return [];
          return [
            {
              span: entry.keySpan,
              message: `distributed_type is ${kind}: ${section} has no effect`,
              ...nearby("the plugin that runs", type?.span),
            },
          ];
        });
      }),
    fires: { "acc.yaml": `${accelerate} FSDP\ndeepspeed_config:\n  zero_stage: 3\n` },
    silent: { "acc.yaml": `${accelerate} DEEPSPEED\ndeepspeed_config:\n  zero_stage: 3\n` },
  }),
  rule({
    name: "axolotl-sharding",
    source: "axolotl/utils/schemas/validation.py: check_fsdp_deepspeed",
    why: "DeepSpeed and FSDP each shard the whole model in their own way, and Axolotl refuses a file with both.",
    fix: "Remove deepspeed, or the fsdp sections.",
    check: (launch) =>
      documentsOf(launch, "axolotl").flatMap(({ root }) => {
        const [deepspeed, fsdp] = [entryOf(root, "deepspeed"), entryOf(root, "fsdp")];
        if (deepspeed === undefined || fsdp === undefined || !isOn(deepspeed.value) || !isOn(fsdp.value)) return [];
        return [
          {
            span: fsdp.keySpan,
            message: "deepspeed and fsdp cannot be combined",
            ...nearby("the other", deepspeed.keySpan),
          },
        ];
      }),
    fires: { "axo.yaml": `${axolotl}deepspeed: ds.json\nfsdp:\n  - full_shard\n` },
    silent: { "axo.yaml": `${axolotl}deepspeed: ds.json\nfsdp:\n` },
  }),
  rule({
    name: "axolotl-quantized",
    source: "axolotl/utils/schemas/validation.py: check_lora, validate_qlora",
    why: "`qlora` trains adapters on 4-bit weights, and Axolotl refuses the file if 8-bit weights are requested, or 4-bit weights are not.",
    fix: "Set load_in_4bit: true and remove load_in_8bit, or write adapter: lora.",
    check: (launch) =>
      documentsOf(launch, "axolotl").flatMap(({ root }): readonly Found[] => {
        const [adapter, four, eight] = ["adapter", "load_in_4bit", "load_in_8bit"].map((name) => entryOf(root, name));
        if (adapter === undefined || scalarOf(adapter.value) !== "qlora" || isOn(at(root, "merge_lora"))) return [];
        if (eight !== undefined && scalarOf(eight.value) === true)
          return [
            {
              span: eight.value.span,
              message: "qlora needs 4-bit weights, not 8-bit ones",
              valid: ["false"],
              ...nearby("the adapter", adapter.value.span),
            },
          ];
        if (four !== undefined && scalarOf(four.value) === true) return [];
        return [{ span: (four ?? adapter).value.span, message: "qlora needs load_in_4bit: true", valid: ["true"] }];
      }),
    fires: { "axo.yaml": `${axolotl}adapter: qlora\nload_in_8bit: true\n` },
    silent: { "axo.yaml": `${axolotl}adapter: qlora\nload_in_4bit: true\n` },
  }),
  rule({
    name: "axolotl-full-quantized",
    source: "axolotl/utils/schemas/validation.py: validate_adapter",
    why: "4-bit and 8-bit weights are not trained: only adapters are, and without one Axolotl refuses the file.",
    fix: "Set adapter to lora or qlora, or remove load_in_4bit and load_in_8bit.",
    check: (launch) =>
      documentsOf(launch, "axolotl").flatMap(({ root }): readonly Found[] => {
        if (isOn(at(root, "adapter")) || isOn(at(root, "inference"))) return [];
        return ["load_in_4bit", "load_in_8bit"].flatMap((name) => {
          const entry = entryOf(root, name);
          if (entry === undefined || scalarOf(entry.value) !== true) return [];
          return [
            { span: entry.value.span, message: `${name} needs an adapter, but there is none`, valid: ["false"] },
          ];
        });
      }),
    fires: { "axo.yaml": `${axolotl}load_in_4bit: true\n` },
    silent: { "axo.yaml": `${axolotl}adapter: lora\nload_in_8bit: true\n` },
  }),
  rule({
    name: "axolotl-four-bits",
    severity: "warning",
    source: "axolotl/loaders/model.py: ModelLoader._set_quantization_config",
    why: "Axolotl loads 4-bit weights only if the adapter is qlora. With `adapter: lora` it reads only load_in_8bit, and the weights are not quantized: they take four times the expected memory, and under FSDP the start hangs.",
    fix: "Set adapter: qlora, or remove load_in_4bit.",
    check: (launch) =>
      documentsOf(launch, "axolotl").flatMap(({ root }): readonly Found[] => {
        const [bits, adapter] = [entryOf(root, "load_in_4bit"), entryOf(root, "adapter")];
        if (scalarOf(bits?.value) !== true || adapter === undefined || scalarOf(adapter.value) !== "lora") return [];
        if (isOn(at(root, "gptq"))) return [];
        return [
          {
            span: adapter.value.span,
            message: "load_in_4bit is read only with adapter: qlora",
            valid: ["qlora"],
            ...nearby("the bits", bits?.value.span),
          },
        ];
      }),
    fires: { "axo.yaml": `${axolotl}adapter: lora\nload_in_4bit: true\n` },
    silent: { "axo.yaml": `${axolotl}adapter: qlora\nload_in_4bit: true\n` },
  }),
  rule({
    name: "llama-factory-quantized",
    source: "llamafactory/hparams/parser.py: _verify_model_args",
    why: "Quantized weights are not trained: only adapters are, and LLaMA-Factory refuses any other finetuning_type.",
    fix: "Set finetuning_type: lora, or remove quantization_bit.",
    check: (launch) =>
      [
        ...documentsOf(launch, "llama-factory").map(({ root }) => flattened(root)),
        ...launch.runs.map(({ options }) => options),
      ].flatMap((settings): readonly Found[] => {
        const [bits, kind] = [settings.get("quantization_bit"), settings.get("finetuning_type")];
        if (!(Number(bits?.value ?? 0) > 0) || kind === undefined || typeof kind.value !== "string") return [];
        if (["lora", "oft"].includes(kind.value)) return [];
        return [
          {
            span: kind.span,
            message: `quantization_bit needs adapters, but finetuning_type is ${kind.value}`,
            valid: ["lora", "oft"],
            ...nearby("the bits", bits?.span),
          },
        ];
      }),
    fires: { "llama.yaml": `${factory}finetuning_type: full\nquantization_bit: 4\n` },
    silent: { "llama.yaml": `${factory}finetuning_type: lora\nquantization_bit: 4\n` },
  }),
  rule({
    name: "axolotl-warmup",
    source: "axolotl/utils/schemas/validation.py: check_warmup",
    why: "The warm-up is either a number of steps or a share of the run; Axolotl refuses both.",
    fix: "Keep either warmup_steps or warmup_ratio.",
    check: (launch) =>
      documentsOf(launch, "axolotl").flatMap(({ root }): readonly Found[] => {
        const [steps, ratio] = [entryOf(root, "warmup_steps"), entryOf(root, "warmup_ratio")];
        if (steps === undefined || ratio === undefined || !isOn(steps.value) || !isOn(ratio.value)) return [];
        if (Number(scalarOf(steps.value)) === 0 || Number(scalarOf(ratio.value)) === 0) return [];
        return [
          {
            span: ratio.keySpan,
            message: "warmup_ratio and warmup_steps cannot be combined",
            ...nearby("the steps", steps.keySpan),
          },
        ];
      }),
    fires: { "axo.yaml": `${axolotl}warmup_steps: 10\nwarmup_ratio: 0.1\n` },
    silent: { "axo.yaml": `${axolotl}warmup_ratio: 0.1\n` },
  }),
];
