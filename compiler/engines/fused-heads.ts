/** Why attention writes its scores to memory though nobody asked for that: no fused kernel takes the run. */
import { runsEager } from "../models/eager.ts";
import { families } from "../models/index.ts";
import { layersOf } from "../models/measure.ts";
import type { SizedModel } from "../plan.ts";
import type { Run } from "./engine.ts";

type Attending = Pick<Run, "attention" | "precision" | "model" | "device">;

/** As one clause, and whose fault it is. */
export interface Unfused {
  readonly of: "heads" | "precision" | "family";
  readonly why: string;
}

type Verdict = Unfused | null;

const heads = (why: string): Unfused => ({ of: "heads", why });
const wide = (width: number): Verdict => (width > 256 ? heads(`heads of ${width} are wider than 256`) : null);
const odd = (width: number, unit: number): Verdict =>
  width % unit === 0 ? null : heads(`heads of ${width} are not a multiple of ${unit}`);

/** transformer_engine/pytorch/attention/dot_product_attention/utils.py: get_attention_backend */
function underMegatron(width: number, { precision, device }: Attending): Verdict {
  if (precision === "fp32") return { of: "precision", why: "its kernels do not support fp32" };
  if (device.flops.bf16 === 0) return { of: "precision", why: `${device.name} is older than Ampere` };
  return wide(width) ?? odd(width, 8);
}

/**
 * FlashAttention pads widths to a multiple of 8 and refuses those over 256 (flash_api.cpp: mha_fwd); where PyTorch chooses, what is wider takes
 * the memory-efficient kernel, whose rows begin on 16 bytes (sdp_utils.cpp).
 */
function underTrainer(width: number, { precision, attention }: Attending): Verdict {
  if (attention === "flash_attention_2") return wide(width);
  if (precision === "fp32") return odd(width, 4);
  return width <= 256 || width % 8 === 0
    ? null
    : heads(`heads of ${width} are wider than 256 and not a multiple of 8`);
}

type Name = "megatron" | "deepspeed" | "torch";

/** The classes of `transformers` say what they have (`_supports_sdpa`, `_supports_flash_attn`). */
function underClass({ model, attention }: Attending): Verdict {
  const family = families[model.family];
  const verdict = (name: string): Verdict => ({ of: "family", why: `${family.build.model} has no ${name}` });
  if (attention === "flash_attention_2") {
    return family.build.lacks?.includes("flash") === true ? verdict("FlashAttention") : null;
  }
  const attends = widthsOf(model).length > 0;
  return attends && attention === "sdpa" && runsEager(family, attention) ? verdict("SDPA") : null;
}

/** `null` where a fused kernel takes all heads, or the model has none. */
export function unfusedBecause(engine: Name, run: Attending): Verdict {
  const ofClass = engine === "megatron" ? null : underClass(run);
  if (ofClass !== null) return ofClass;
  const whyNot = engine === "megatron" ? underMegatron : underTrainer;
  const found = widthsOf(run.model).map((width) => whyNot(width, run));
  return found.find((one) => one !== null) ?? null;
}

function widthsOf(model: SizedModel): readonly number[] {
  const { mla, head_dim } = model;
  const attends = layersOf(families[model.family], model).some(({ layer }) => layer.attention !== undefined);
  if (!attends) return [];
  return mla === undefined ? [head_dim] : [mla.nope_dim + mla.rope_dim, mla.v_dim];
}

/** Are scores written to memory? */
export function writesScores(engine: Name, run: Attending): boolean {
  return run.attention === "eager" || unfusedBecause(engine, run) !== null;
}
