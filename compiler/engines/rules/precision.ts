import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { replacement } from "../../../dsl/diagnostics/suggest.ts";
import type { Span } from "../../../dsl/source/source.ts";
import { enginePrecision, engineNarrow } from "../../diagnostics/engine.ts";
import type { Rule } from "../engine.ts";

/** 16-bit training needs a device that has the type; both engines refuse it when they start, holding the device. */
export const precision: Rule = {
  name: "precision",
  source:
    "accelerate accelerator.py: Accelerator.__init__ (fp16 needs a GPU); transformers training_args.py: __post_init__ (bf16); " +
    "deepspeed runtime/engine.py: _do_sanity_check (Type fp16 is not supported on your device)",
  check: (stage, plan, { device }) => {
    const { value, span } = stage.precision;
    if (value === "fp8" || value === "fp4") return [narrowElsewhere(value, span, plan.engine)];
    const has = (type: "bf16" | "fp16"): boolean =>
      device.kind === "cpu" ? type === "bf16" : device.flops[type] > 0;
    if (value === "fp32" || has(value)) return [];
    const valid = ["fp32", ...(["bf16", "fp16"] as const).filter(has)];
    return [
      enginePrecision(
        span,
        { precision: value, device: device.name, engine: plan.engine },
        {
          valid,
          fixes: valid.slice(-1).map((one) => ({ title: `use precision = ${one}`, edits: [{ span, newText: one }] })),
        },
      ),
    ];
  },
};

/** The training program has no kernels in 8 and 4 bits. */
function narrowElsewhere(precision: string, span: Span, engine: string): Diagnostic {
  const fixes = [replacement(span, "bf16", "use precision = bf16")];
  return engineNarrow(span, { precision, engine, others: "megatron" }, { valid: ["fp32", "bf16", "fp16"], fixes });
}
