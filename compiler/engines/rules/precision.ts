import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { replacement } from "../../../dsl/diagnostics/suggest.ts";
import type { Span } from "../../../dsl/source/source.ts";
import { enginePrecision, engineNarrow } from "../../diagnostics/engine.ts";
import type { Device, StageStep } from "../../pipeline.ts";
import type { Rule } from "../engine.ts";

/** 16-bit training needs a device that has the type; the engines refuse it when they start, holding the device. */
export const precision: Rule = {
  name: "precision",
  source:
    "accelerate accelerator.py: Accelerator.__init__ (fp16 needs a GPU); transformers training_args.py: __post_init__ (bf16); " +
    "deepspeed runtime/engine.py: _do_sanity_check (Type fp16 is not supported on your device)",
  check: (stage, plan, { device }) => {
    const { value, span } = stage.precision;
    if (value === "fp8" || value === "fp4") return [narrowElsewhere(value, span, plan.engine)];
    return lackedBy(device, stage.precision, plan.engine);
  },
};

/** A precision of 16 bits for which a device has no type. */
export function lackedBy(device: Device, { value, span }: StageStep["precision"], engine: string): Diagnostic[] {
  const valid = widesOf(device);
  if ((value !== "bf16" && value !== "fp16") || valid.includes(value)) return [];
  const fixes = valid.slice(-1).map((one) => replacement(span, one, `use precision = ${one}`));
  return [enginePrecision(span, { precision: value, device: device.name, engine }, { valid, fixes })];
}

/** Precisions of 16 bits and more that a device has. */
export function widesOf(device: Device): readonly string[] {
  const has = (type: "bf16" | "fp16"): boolean => (device.kind === "cpu" ? type === "bf16" : device.flops[type] > 0);
  return ["fp32", ...(["fp16", "bf16"] as const).filter(has)];
}

/** The training program has no kernels in 8 and 4 bits. */
function narrowElsewhere(precision: string, span: Span, engine: string): Diagnostic {
  const fixes = [replacement(span, "bf16", "use precision = bf16")];
  return engineNarrow(span, { precision, engine, others: "megatron" }, { valid: ["fp32", "bf16", "fp16"], fixes });
}
