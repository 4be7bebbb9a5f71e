/** Weights, gradients and optimizer states of a training under DeepSpeed, against the memory of a GPU. */
import { documentsOf, type Launch } from "../launch.ts";
import { at, scalarOf } from "../documents/located.ts";
import { gigabytes, memoryOf, modelSize } from "../known/model-size.ts";
import { given, saidIn } from "../said.ts";
import { textIn } from "../settings.ts";
import { nearby, rule, type ForeignRule, type Found } from "./rule.ts";
import { zeroStages } from "./zero.ts";

/** What trains a part of the weights, or keeps fewer bits of them. */
const partial =
  /lora|peft|adapter|prompt|prefix|galore|apollo|badam|lomo|freez|frozen|tune_|quant|bits|load_in_|unsloth|tensor_parallel|expert_parallel/i;
const light = /8bit|4bit|adafactor|sgd|lion|muon|adalomo|rmsprop|schedule/i;

/** Nothing that is said trains less than all weights. */
function trainsAll(launch: Launch): boolean {
  const said = saidIn(launch);
  if (launch.runs.some(({ command }) => command.words.some(({ text }) => /lora|peft|adapter/i.test(text ?? ""))))
    return false;
  const isFactory = said.has("finetuning_type");
  if (isFactory && textIn(said, "finetuning_type") !== "full") return false;
  return [...said.keys()].every(
    (name) => !partial.test(name) || (isFactory && name.startsWith("lora_")) || given(said, name) === undefined,
  );
}

const isOffloaded = (launch: Launch, name: string): boolean =>
  documentsOf(launch, "deepspeed").some(({ root }) => {
    const device = scalarOf(at(root, "zero_optimization", name, "device"));
    return device !== undefined && device !== null && device !== "none";
  }) || !["none", null].includes(textIn(saidIn(launch), `deepspeed_config.${name}_device`, `${name}_device`));

function tooLarge(launch: Launch): readonly Found[] {
  const [memory, model] = [memoryOf(launch.supplied.gpu), modelSize(launch)];
  const stage = zeroStages(launch).at(-1);
  const ranks = launch.world.size;
  if (memory === null || model === null || stage === undefined || ranks === null || launch.trainer === null)
    return [];
  if (!trainsAll(launch)) return [];
  const said = saidIn(launch);
  const named = documentsOf(launch, "deepspeed").map(({ root }) => scalarOf(at(root, "optimizer", "type")));
  const isLight = light.test([textIn(said, "optim", "optimizer"), ...named].join(" "));
  const share = (from: number): number => (stage.stage >= from ? ranks : 1);
  const [onHost, elsewhere] = [isOffloaded(launch, "offload_optimizer"), isOffloaded(launch, "offload_param")];
  // 16-bit weights and gradients, a 32-bit copy and the two moments of Adam: ZeRO, section 3.1.
  const bytes =
    model.parameters *
    ((elsewhere ? 0 : 2 / share(3)) + (onHost ? 0 : 2 / share(2)) + (onHost || isLight ? 0 : 12 / share(1)));
  if (bytes <= memory) return [];
  const offers = [2, 3].filter((other) => other > stage.stage).map((other) => `stage ${other}`);
  return [
    {
      span: stage.span,
      message: `weights, gradients and optimizer of ${(model.parameters / 1e9).toFixed(1)}B parameters take ${gigabytes(bytes)} per rank on ${ranks} ranks at stage ${stage.stage}, but the GPU has ${Math.round(memory / 2 ** 30)} GB`,
      valid: [...offers, ...(onHost ? [] : ["offload_optimizer"])],
      ...nearby("the model", model.span),
    },
  ];
}

const config =
  '{ "model_type": "llama", "hidden_size": 4096, "intermediate_size": 11008, "num_attention_heads": 32, "num_hidden_layers": 32, "vocab_size": 32000 }';
const zero = (stage: number): string =>
  `{ "train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": "auto", "bf16": { "enabled": "auto" }, "zero_optimization": { "stage": ${stage} } }`;
const run =
  "deepspeed --num_gpus 4 train.py --model_name_or_path m --deepspeed ds.json --bf16 True --output_dir out --per_device_train_batch_size 1\n";

export const statesMemoryRules: readonly ForeignRule[] = [
  rule({
    name: "states-memory",
    severity: "warning",
    source: "ZeRO (arXiv 1910.02054), section 3.1: 2 + 2 + 12 bytes a parameter, divided stage by stage",
    why: "Each rank keeps the states that its ZeRO stage does not shard: all weights and gradients at stage 1, all weights at stage 2. If these alone exceed the memory of the GPU, the run ends while the optimizer is built, whatever the batch.",
    fix: "Use a higher ZeRO stage, more ranks, or offload_optimizer; or train adapters.",
    check: tooLarge,
    fires: { "ds.json": zero(1), "run.sh": run, "config.json": config },
    silent: { "ds.json": zero(3), "run.sh": run, "config.json": config },
    supplied: { gpu: "a100_40gb" },
  }),
];
