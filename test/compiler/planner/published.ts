/** Published runs as the planner is asked about them. */
import type { Case } from "../../../bench/prediction/cases.ts";
import { engines } from "../../../compiler/engines/index.ts";
import { families } from "../../../compiler/models/index.ts";
import { size } from "../../../compiler/passes/size.ts";
import type { Scalar } from "../../../compiler/pipeline.ts";
import type { Choice, Setting } from "../../../compiler/planner/setting.ts";
import { cluster, device, modelRequest } from "../../support/pipeline.ts";

const devices: Readonly<Record<string, string>> = {
  A100: "a100_80gb",
  H100: "h100_sxm",
  B200: "b200",
  GB200: "gb200",
};

/** The same model, cluster and pinned layout as the benchmark reads from a row. */
export function askedOf(one: Case): { readonly setting: Setting; readonly choice: Choice } {
  const { shape, layout: l, batch, machine, engine } = one;
  const block = shape.blocks.at(-1);
  const { attention, ffn, experts } = block ?? {};
  if (attention === undefined) throw new Error(`${one.row.id} has no attention`);
  const isGated = (ffn ?? experts)?.gated === true;
  const family = experts !== undefined ? "qwen3_moe" : isGated ? "llama" : "gpt2";
  const properties: Record<string, Scalar> = {
    layers: shape.blocks.length,
    d_model: shape.hidden,
    heads: attention.heads,
    d_ff: ffn?.width ?? 4 * shape.hidden,
    vocab: shape.vocab,
    context: Math.max(batch.sequence, shape.positions),
    tied: shape.tied,
    ...(isGated ? { kv_heads: attention.kv_heads, head_dim: attention.head_dim } : {}),
    ...(family === "gpt2" ? { dropout: shape.dropout ? 0.1 : 0 } : {}),
    ...(experts === undefined
      ? {}
      : { "moe.experts": experts.experts, "moe.top_k": experts.top_k, "moe.d_ff": experts.width }),
  };
  const { model, diagnostics } = size(modelRequest(family, properties));
  if (model === null) throw new Error(diagnostics.map(({ message }) => message).join("; "));
  const world = l.tensor * l.pipeline * l.context * l.data;
  const gpusPerNode = Math.min(world, machine.domain);
  const setting: Setting = {
    family: families[family],
    model,
    cluster: cluster({
      device: { ...device(devices[machine.gpu] ?? ""), memory: machine.memory },
      nodes: world / gpusPerNode,
      gpusPerNode,
      link: machine.link,
      network: machine.network * gpusPerNode,
    }),
    engine: l.zero === 3 ? engines.deepspeed : engines.megatron,
    precision: engine.format === "fp16" ? "fp16" : "bf16",
    attention: engine.materialised ? "eager" : "sdpa",
    compile: false,
    tf32: true,
    sequence: batch.sequence,
    globalBatch: batch.micro * batch.count * l.data,
  };
  const choice: Choice = {
    tensor_parallel: l.tensor,
    pipeline_parallel: l.pipeline,
    virtual_pipeline: l.chunks,
    context_parallel: l.context,
    expert_parallel: l.expert,
    expert_tensor_parallel: l.expert_tensor,
    sequence_parallel: l.sequence_parallel,
    micro_batch: batch.micro,
    accumulation: batch.count,
    zero_stage: l.zero,
    recompute: l.recompute,
    offload: "none",
  };
  return { setting, choice };
}
