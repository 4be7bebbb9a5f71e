import { attentionHeads, attentionUnfused } from "../../diagnostics/kernels.ts";
import { unfusedBecause } from "../fused-heads.ts";
import { families } from "../../models/index.ts";
import type { Rule } from "../engine.ts";

const otherInstead = "Use a family whose class has fused attention, or allow for the memory and the time.";
const flashInstead = "Write `attention = flash` on a GPU that supports it, or allow for the memory and the time.";

/** Heads that no fused kernel takes: scores are written, or the program stops where nothing else was allowed. */
export const unfusedHeads: Rule = {
  name: "unfused-heads",
  source:
    "transformer_engine/pytorch/attention/dot_product_attention/utils.py: get_attention_backend; flash_attn flash_api.cpp: mha_fwd; " +
    "torch sdp_utils.cpp: check_head_dim_size; transformers modeling_utils.py: _supports_sdpa, _supports_flash_attn",
  check: ({ attention, precision, model }, { engine, model: sized }, { device }) => {
    if (attention === "eager") return [];
    const unfused = unfusedBecause(engine, { attention, precision: precision.value, model: sized, device });
    // Whoever trains in 32 bits, or on what is older, has said so, and `attention = flash` is refused there by itself.
    if (unfused === null || unfused.of === "precision" || (device.kind !== "gpu" && unfused.of === "heads"))
      return [];
    const isFlash = attention === "flash_attention_2";
    const { why } = unfused;
    if (unfused.of === "family") {
      const { span } = model.given.get("family") ?? model;
      const fix = families[sized.family].build.lacks?.includes("flash") === true ? otherInstead : flashInstead;
      return isFlash
        ? [attentionHeads(span, { engine, why }, { fix: "Write `attention = sdpa`." })]
        : [attentionUnfused(span, { engine, why }, { fix })];
    }
    const { span } = model.given.get("head_dim") ?? model.given.get("heads") ?? model;
    return [(isFlash ? attentionHeads : attentionUnfused)(span, { engine, why })];
  },
};
