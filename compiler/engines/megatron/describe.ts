import { families } from "../../models/index.ts";
import { routedOf } from "../../models/routed.ts";
import type { Engine } from "../../planner/physics/engine.ts";
import { functional, type Libraries, type Options } from "../../planner/physics/engines/megatron.ts";
import type { Routing } from "../../planner/physics/load.ts";
import type { Described, Run } from "../engine.ts";
import { writesScores } from "../fused-heads.ts";
import { groupsExperts } from "./grouped.ts";
import { isNarrow, narrowed } from "./narrow.ts";
import { withRaw } from "./raw-engine.ts";
import { rawWord } from "./raw-word.ts";
import { usualPadding } from "./usual-padding.ts";

/** Megatron-Core as `lower` starts it, and as its own words change that: Transformer Engine, the plain loss. */
export function describe(run: Run): Described {
  const { model, precision, deterministic, device } = run;
  const libraries: Libraries = {
    generation: generationOf(run),
    deterministic,
    transformer_engine: said(run, "transformer_impl") !== "local",
    grouped: routedOf(families[model.family], model) !== undefined && groupsExperts(device),
  };
  const engine = functional({
    fp16: precision === "fp16",
    dropout: model.dropout > 0,
    core: coreOf(run, libraries),
    loss:
      said(run, "cross_entropy_loss_fusion") !== true
        ? "plain"
        : said(run, "cross_entropy_fusion_impl") === "te"
          ? "in-place"
          : "jitted",
    deferred: 0,
    mask: false,
    libraries,
  });
  const formatted =
    precision === "fp32"
      ? inFull(engine)
      : isNarrow(precision)
        ? narrowed(engine, precision, device, run.narrow)
        : engine;
  const routing = routingOf(run);
  const unit = said(run, "make_vocab_size_divisible_by");
  return withRaw(
    {
      ...formatted,
      ...(routing === undefined ? {} : { routing }),
      padding: typeof unit === "number" && unit >= 1 ? unit : usualPadding,
    },
    run,
  );
}

const noRaw = {};

const said = ({ raw = noRaw }: Run, name: string): unknown => rawWord(raw, name);

/**
 * How much fuller than an even share the fullest expert is: 0.52 and 0.72 with an auxiliary loss, 0.04 where a bias of each expert is
 * moved (Wang et al. 2024, arXiv 2408.15664, table 2: `MaxVio` of 3B and 1B parameters, both of 64 experts with six to a token).
 */
const excess = { auxiliary: 0.62, corrected: 0.04 };

function routingOf(run: Run): Routing | undefined {
  const { model } = run;
  const moe = routedOf(families[model.family], model);
  if (moe === undefined) return undefined;
  const capacity = said(run, "moe_expert_capacity_factor") ?? moe.capacity;
  return {
    excess:
      said(run, "moe_router_force_load_balancing") === true
        ? 0
        : moe.router_bias === true
          ? excess.corrected
          : excess.auxiliary,
    ...(typeof capacity === "number" && capacity > 0 ? { capacity } : {}),
    padded: said(run, "moe_pad_expert_input_to_capacity") === true,
  };
}

/** By the peak: what came after Ampere has more than twice its products. */
function generationOf({ device }: Run): Libraries["generation"] {
  const peak = Math.max(device.flops.bf16, device.flops.fp16);
  return peak < 700e12 ? "ampere" : peak < 1500e12 ? "hopper" : "blackwell";
}

/** Transformer Engine picks cuDNN's attention on Hopper and on Blackwell, there unless runs have to be deterministic. */
function coreOf(run: Run, { generation, deterministic, transformer_engine }: Libraries): Options["core"] {
  if (writesScores("megatron", run)) return "scores";
  const { attention } = run;
  const backend = said(run, "attention_backend");
  if (backend === "unfused" || backend === "local" || (!transformer_engine && backend !== "flash")) return "scores";
  if (backend === "flash" || backend === "fused") return backend === "flash" ? "flash" : "cudnn";
  if (attention === "flash_attention_2" || generation === "ampere") return "flash";
  return generation === "blackwell" && deterministic ? "flash" : "cudnn";
}

/** In fp32 weights are their own masters, and whatever is kept is twice as wide. */
function inFull(engine: Engine): Engine {
  const { kept } = engine;
  return {
    ...engine,
    states: { ...engine.states, weights: 4, optimizer: 8 },
    kept: {
      stream: 2 * kept.stream,
      whole: 2 * kept.whole,
      qkv: 2 * kept.qkv,
      core: 2 * kept.core,
      plain: 2 * kept.plain,
      gated: 2 * kept.gated,
      scores: 2 * kept.scores,
      ...(kept.routed === undefined ? {} : { routed: 2 * kept.routed }),
    },
    format: "fp32",
    stream: 4,
  };
}
