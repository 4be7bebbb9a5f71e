import { checkDeepSpeed, type Verdict } from "./check.ts";
import type { Launch, ModelForm } from "./launch.ts";
import type { Example } from "./step.ts";
import { isSection, parseValue } from "./value.ts";

/** What every example is laid over: a configuration that breaks nothing. */
const base: Example = {
  train_micro_batch_size_per_gpu: 2,
  gradient_accumulation_steps: 2,
  bf16: { enabled: true },
  zero_optimization: { stage: 2 },
  optimizer: { type: "AdamW", params: { lr: 1e-4 } },
};

/** Checks an example on eight GPUs; `unknown` names what the launch leaves open. */
export function tryExample(example: Example, unknown: readonly (keyof Launch)[] = []): Verdict {
  const whole = laid(base, example);
  const config = parseValue(JSON.stringify(exampleConfig(example)));
  if (!isSection(config)) throw new Error("an example is an object");
  const launch: Launch = {
    world: 8,
    model: formOf(String(whole["$model"] ?? "dense")),
    clientOptimizer: (whole["$client"] as string | undefined) ?? null,
    accelerator: (whole["$accelerator"] as Launch["accelerator"]) ?? "cuda",
  };
  const known = Object.entries(launch).filter(([key]) => !unknown.includes(key as keyof Launch));
  return checkDeepSpeed(config, Object.fromEntries(known));
}

/** The whole configuration of an example, for eight GPUs. */
export function exampleConfig(example: Example): Example {
  const whole = laid(base, example);
  const without = (whole["$without"] ?? []) as readonly string[];
  return Object.fromEntries(Object.entries(whole).filter(([key]) => !key.startsWith("$") && !without.includes(key)));
}

/** `dense`, `pipeline:STAGES` or `moe:RANKS`. */
export function formOf(text: string): ModelForm {
  const [kind, size] = text.split(":");
  if (kind === "pipeline") return { kind, stages: Number(size) };
  return kind === "moe" ? { kind, expertParallel: Number(size) } : { kind: "dense" };
}

function laid(under: unknown, over: Example): Record<string, unknown> {
  const result: Record<string, unknown> = { ...(under as Example) };
  for (const [key, value] of Object.entries(over)) {
    const nested = typeof value === "object" && value !== null && !Array.isArray(value);
    result[key] = nested ? laid(result[key], value as Example) : value;
  }
  return result;
}
