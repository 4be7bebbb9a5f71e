/** What a release has in the place of an argument, a module or a default that came later. */
import { pipelineCut } from "../../../planner/pipeline-cut.ts";
import { below } from "../../release.ts";
import { knows } from "../print.ts";
import type { ArgumentTable } from "../table.ts";
import { only, propose, say, type Intent, type Subject } from "./intent.ts";
import { routedLayers } from "./model.ts";

/** Letters that patterns of layers have had from the first release on; experts came with 0.16. */
const letters = /^[M*-]+$/;

/** The intent as the release would say it: itself where it knows it, or knows nothing in its place. */
export function asOf(intent: Intent, table: ArgumentTable, subject: Subject): readonly Intent[] {
  const { model, layout, batch } = subject.plan;
  const { dest, value } = intent;
  // The hybrid models were mamba's until 0.18: `value` would name a module that is not there.
  if (dest === "spec" && Array.isArray(value) && value[1] === "hybrid_stack_spec" && below(table.version, "0.18"))
    return [{ ...intent, value: ["megatron.core.models.mamba.mamba_layer_specs", "mamba_stack_spec"] }];
  // Until 0.10 experts are as wide as the feed-forward part that they stand for.
  if (dest === "ffn_hidden_size" && isExpertsAlone(subject) && !knows("moe_ffn_hidden_size", table))
    return [say("ffn_hidden_size", model.moe?.d_ff ?? model.d_ff, "model.moe.d_ff")];
  if (knows(dest, table)) return [intent];
  const stages = layout.pipeline_parallel;
  switch (dest) {
    case "moe_ffn_hidden_size":
      return isExpertsAlone(subject) ? [] : [intent];
    // Choices of the compiler: until 0.12 scores have the type of what is routed, and what ranks that share a sequence exchange is asked
    // of windows alone, which came later still.
    case "moe_router_dtype":
    case "cp_comm_type":
      return [];
    // Until 0.10 experts are cut as their block is.
    case "expert_tensor_parallel_size":
      return value === 1 || value === layout.tensor_parallel ? [] : [intent];
    // Until 0.12 scales were delayed, and nothing said so.
    case "fp8_recipe":
      return intent.open === true && value === "tensorwise" ? [] : [intent];
    // Until 0.14 latent attention rotates by YaRN, which over as many positions as it was made for is the plain rotation
    // (megatron/core/models/common/embeddings/yarn_rotary_pos_embedding.py).
    case "rope_type":
      return knows("rotary_scaling_factor", table) ? [propose("rotary_scaling_factor", 1, intent.from)] : [];
    // Until 0.13 heads fill twice the width of the model (megatron/core/ssm/mamba_mixer.py: expand).
    case "mamba_num_heads":
      return Number(value) * (model.ssm?.head_dim ?? 0) === 2 * model.d_model ? [] : [intent];
    // Until 0.15: a window that holds the whole sequence hides nothing.
    case "window_size":
      return (model.window ?? 0) >= batch.sequence ? [] : [intent];
    // Until 0.11 the ends of a pipeline say their own layers.
    case "account_for_embedding_in_pipeline_split":
      return [];
    case "account_for_loss_in_pipeline_split":
      return endsOf(subject) ?? [intent];
    // Until 0.13 no layout says all stages.
    case "pipeline_model_parallel_layout":
      return namedEnds(subject) ?? [intent];
    // Until 0.17; the argument takes its place by another name.
    case "muon_nesterov":
      return knows("muon_use_nesterov", table) ? [{ ...intent, dest: "muon_use_nesterov" }] : [intent];
    // Until 0.16 a pattern says no stages, which are equally deep, and the number of layers stands beside it.
    case "hybrid_layer_pattern": {
      const pattern = String(value).replaceAll("|", "");
      const isEven = pattern.length % stages === 0;
      const isKnown = letters.test(pattern) || !below(table.version, "0.16");
      if (!isEven || !isKnown || !knows("hybrid_override_pattern", table)) return [intent];
      return [
        { ...intent, dest: "hybrid_override_pattern", value: pattern },
        say("num_layers", pattern.length, intent.from),
        ...only(knows("is_hybrid_model", table), () => [say("is_hybrid_model", true, "model.family")]),
      ];
    }
    // Until 0.10 the size of a chunk is said, not how many a stage has.
    case "num_virtual_stages_per_pipeline_rank": {
      const size = model.layers / stages / Number(value);
      return Number.isInteger(size)
        ? [{ ...intent, dest: "num_layers_per_virtual_pipeline_stage", value: size }]
        : [intent];
    }
    // Until 0.11 the products of attention are what is recomputed selectively.
    case "recompute_modules":
      return JSON.stringify(value) === '["core_attn"]' ? [] : [intent];
    default:
      return [intent];
  }
}

/** No layer has a feed-forward part that is not of experts. */
const isExpertsAlone = ({ plan: { model } }: Subject): boolean => routedLayers(model).every((routed) => routed);

/** Ends of their own depth; `null` where stages have several chunks. */
function namedEnds({ plan: { model, layout } }: Subject): readonly Intent[] | null {
  const { pipeline_parallel: stages, virtual_pipeline: chunks } = layout;
  const cut = pipelineCut(model, stages, chunks, ({ kind }) => kind !== "pieces");
  if (cut?.kind !== "ends") return null;
  const from = "layout.pipeline_parallel";
  return [
    propose("decoder_first_pipeline_num_layers", cut.first, from),
    propose("decoder_last_pipeline_num_layers", cut.last, from),
  ];
}

/** The same cut, its first and last stage named; `null` where they would be cut into chunks. */
function endsOf({ plan: { model, layout } }: Subject): readonly Intent[] | null {
  const { pipeline_parallel: stages, virtual_pipeline: chunks } = layout;
  const cut = pipelineCut(model, stages, chunks);
  if (cut?.kind !== "tables" || chunks > 1) return null;
  const depth = (model.layers + cut.embedding + cut.loss) / stages;
  const from = "layout.pipeline_parallel";
  return [
    propose("decoder_first_pipeline_num_layers", depth - cut.embedding, from),
    propose("decoder_last_pipeline_num_layers", depth - cut.loss, from),
  ];
}
