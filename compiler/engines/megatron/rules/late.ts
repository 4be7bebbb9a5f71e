/** What every validator lets pass and the model, its first forward pass or its first step refuses, minutes into the job. */
import { readHybridPattern } from "../hybrid-pattern.ts";
import type { Arguments } from "../launch.ts";
import { rulesOf, type Step } from "../step.ts";

const stages = rulesOf("megatron/core/transformer/transformer_block.py: get_num_layers_to_build");
const mlp = rulesOf("megatron/core/tensor_parallel/layers.py: ColumnParallelLinear.__init__");
const gpt = rulesOf("megatron/core/models/gpt/gpt_layer_specs.py: get_gpt_decoder_layer_specs");
const hybrid = rulesOf("megatron/core/models/hybrid/hybrid_block.py: HybridStack.__init__");
const patterns = rulesOf("megatron/core/models/hybrid/hybrid_layer_allocation.py: select_pipeline_segment");
const mixer = rulesOf("megatron/core/ssm/mamba_mixer.py: MambaMixer.__init__");
const moe = rulesOf("megatron/core/transformer/moe/moe_layer.py: MoELayer.forward");
const router = rulesOf("megatron/core/transformer/moe/router.py: TopKRouter");
const attention = rulesOf("megatron/core/transformer/attention.py: Attention.__init__");
const sequence = rulesOf("megatron/core/tensor_parallel/mappings.py: scatter_to_sequence_parallel_region");
const schedules = rulesOf(
  "megatron/core/pipeline_parallel/schedules.py: forward_backward_pipelining_with_interleaving",
);
const quantized = rulesOf("transformer_engine/pytorch/quantization.py: check_fp8_support, check_mxfp8_support");

function hasDenseLayers(a: Arguments): boolean {
  if (a.hybrid_layer_pattern !== null) return a.hybrid_layer_pattern.includes("-");
  if (a.num_experts === null) return true;
  return typeof a.moe_layer_freq === "number" ? a.moe_layer_freq > 1 : a.moe_layer_freq.includes(0);
}

const mambaHeads = (a: Arguments): number =>
  a.mamba_num_heads ?? Math.floor((2 * (a.hidden_size ?? 0)) / a.mamba_head_dim);

export const late: readonly Step[] = [
  stages.demand("layers-per-stage-chunks", {
    about: ["num_virtual_stages_per_pipeline_rank", "num_layers", "pipeline_model_parallel_size"],
    check: (a) => {
      const chunks = a.virtual_pipeline_model_parallel_size;
      const uneven =
        a.decoder_first_pipeline_num_layers !== null ||
        a.decoder_last_pipeline_num_layers !== null ||
        a.account_for_embedding_in_pipeline_split ||
        a.account_for_loss_in_pipeline_split;
      if (uneven || chunks === null || a.num_layers === null) return null;
      // Chunks that follow from the layers of one are what `layers-per-chunk` has judged.
      if (a.num_layers_per_virtual_pipeline_stage !== null) return null;
      if (a.pipeline_model_parallel_layout !== null || a.hybrid_layer_pattern !== null) return null;
      const [layers, ranks] = [a.num_layers, a.pipeline_model_parallel_size];
      if (layers % ranks !== 0) return `${layers} layers cannot be divided evenly into ${ranks} pipeline stages`;
      return (layers / ranks) % chunks === 0
        ? null
        : `${layers / ranks} layers of a stage cannot be divided evenly into ${chunks} chunks`;
    },
    why: "Every stage has the same number of layers, and so has every chunk. --num-virtual-stages-per-pipeline-rank is not checked before the model is built.",
    fix: "Set --num-virtual-stages-per-pipeline-rank to a divisor of the layers per stage.",
    fires: "--pipeline-model-parallel-size 2 --num-virtual-stages-per-pipeline-rank 4",
    silent: "--pipeline-model-parallel-size 2 --num-virtual-stages-per-pipeline-rank 3",
  }),
  mlp.demand("mlp-tensor-parallel", {
    about: ["ffn_hidden_size", "tensor_model_parallel_size"],
    check: (a) => {
      const [width, ranks] = [a.ffn_hidden_size, a.tensor_model_parallel_size];
      return width === null || width % ranks === 0 || !hasDenseLayers(a)
        ? null
        : `an MLP of ${width} cannot be divided evenly among ${ranks} tensor-parallel ranks`;
    },
    why: "Each tensor-parallel rank holds an equal slice of the MLP. A width that does not divide evenly is noticed only when the model is built.",
    fix: "Set --ffn-hidden-size to a multiple of --tensor-model-parallel-size.",
    fires: "--ffn-hidden-size 1001 --tensor-model-parallel-size 2",
    silent: "--ffn-hidden-size 1002 --tensor-model-parallel-size 2",
  }),
  mlp.demand("expert-tensor-parallel", {
    about: ["moe_ffn_hidden_size", "expert_tensor_parallel_size"],
    check: (a) => {
      const [width, ranks] = [a.moe_ffn_hidden_size, a.expert_tensor_parallel_size ?? 1];
      return a.num_experts === null || width === null || width % ranks === 0
        ? null
        : `an expert of ${width} cannot be divided evenly among ${ranks} expert-tensor-parallel ranks`;
    },
    why: "Each expert-tensor-parallel rank holds an equal slice of an expert. --expert-tensor-parallel-size 1 keeps experts whole.",
    fix: "Write --expert-tensor-parallel-size 1, or a --moe-ffn-hidden-size that is a multiple of it.",
    base: "moe",
    fires: "--moe-ffn-hidden-size 1001 --tensor-model-parallel-size 2 --sequence-parallel",
    silent:
      "--moe-ffn-hidden-size 1001 --tensor-model-parallel-size 2 --sequence-parallel --expert-tensor-parallel-size 1",
  }),
  gpt.demand("experts-pattern", {
    about: ["moe_layer_freq", "num_layers"],
    check: (a) => {
      const kinds = a.moe_layer_freq;
      if (a.num_experts === null || a.hybrid_layer_pattern !== null || typeof kinds !== "object") return null;
      if (kinds.length !== a.num_layers) return `--moe-layer-freq lists ${kinds.length} layers of ${a.num_layers}`;
      const other = kinds.find((kind) => kind !== 0 && kind !== 1);
      return other === undefined ? null : `--moe-layer-freq says ${other} of a layer: 1 is experts, 0 a dense MLP`;
    },
    why: "A list says for each layer whether it has experts (1) or a dense MLP (0). A list of another length leaves some layers without an entry, which is noticed only when the model is built.",
    fix: "Give --moe-layer-freq a list with one entry per layer, 0 or 1, or a number.",
    base: "moe",
    fires: "--moe-layer-freq [0]*2+[1]*8",
    silent: "--moe-layer-freq [0]*2+[1]*10",
  }),
  patterns.demand("hybrid-stages", {
    about: ["hybrid_layer_pattern", "pipeline_model_parallel_size"],
    check: (a) => {
      const [pattern, stages] = [a.hybrid_layer_pattern, a.pipeline_model_parallel_size];
      const ends = [a.decoder_first_pipeline_num_layers, a.decoder_last_pipeline_num_layers];
      if (pattern === null || ends.some((layers) => layers !== null)) return null;
      const { piped, layers } = readHybridPattern(pattern);
      return piped || layers % stages === 0
        ? null
        : `${layers} layers of --hybrid-layer-pattern cannot be divided evenly among ${stages} pipeline stages`;
    },
    why: "A pattern without | is split into stages of equal depth, which is checked only when the model is built and the GPUs are allocated.",
    fix: "Write a | in --hybrid-layer-pattern where each stage ends, or set --pipeline-model-parallel-size to a divisor of its layers.",
    base: "hybrid",
    fires: "--hybrid-layer-pattern M-M-M*- --pipeline-model-parallel-size 2",
    silent: "--hybrid-layer-pattern M-M-M*-- --pipeline-model-parallel-size 2",
  }),
  hybrid.ban("hybrid-experts", {
    about: ["hybrid_layer_pattern", "num_experts"],
    when: (a) => a.hybrid_layer_pattern?.includes("E") === true && a.num_experts === null,
    says: "--hybrid-layer-pattern has layers of experts (E), but --num-experts is missing",
    why: "A layer of experts routes tokens among --num-experts MLPs. Without the number the launch stops, after its GPUs are allocated.",
    fix: "Add --num-experts N, or write the pattern without E.",
    base: "hybrid",
    fires: "--hybrid-layer-pattern MEME",
    silent: "--hybrid-layer-pattern MEME --num-experts 8",
  }),
  mixer.demand("mamba-heads", {
    about: ["mamba_num_groups", "mamba_num_heads", "mamba_head_dim", "tensor_model_parallel_size"],
    check: (a) => {
      if (a.hybrid_layer_pattern?.includes("M") !== true) return null;
      const [heads, groups, ranks] = [mambaHeads(a), a.mamba_num_groups, a.tensor_model_parallel_size];
      const width = 2 * (a.hidden_size ?? 0);
      if (a.mamba_num_heads === null && width % a.mamba_head_dim !== 0)
        return `a Mamba layer of 2 x hidden size = ${width} cannot be divided evenly into heads of ${a.mamba_head_dim}`;
      if (groups < 1 || heads % groups !== 0)
        return `${heads} Mamba heads cannot be divided evenly into ${groups} groups`;
      return heads % ranks === 0 && groups % ranks === 0
        ? null
        : `${heads} Mamba heads in ${groups} groups cannot be divided evenly among ${ranks} tensor-parallel ranks`;
    },
    why: "Heads share B and C in groups, and each tensor-parallel rank holds whole groups. The number of heads defaults to 2 x hidden size / --mamba-head-dim.",
    fix: "Set --mamba-num-groups to a divisor of the heads and a multiple of --tensor-model-parallel-size, and --mamba-num-heads to a multiple of the groups.",
    base: "hybrid",
    fires: "--mamba-num-groups 5",
    silent: "--mamba-num-groups 4",
  }),
  moe.ban("experts-sequence-parallel", {
    about: ["sequence_parallel", "tensor_model_parallel_size", "num_experts"],
    when: (a) => a.num_experts !== null && a.tensor_model_parallel_size > 1 && !a.sequence_parallel && !a.skip_train,
    says: "experts with tensor parallelism need --sequence-parallel",
    why: "Without it every tensor-parallel rank would route the same tokens. The engine notices only in the first forward pass.",
    fix: "Add --sequence-parallel.",
    base: "moe",
    fires: "--tensor-model-parallel-size 2",
    silent: "--tensor-model-parallel-size 2 --sequence-parallel",
  }),
  router.demand("router-top", {
    about: ["moe_router_topk", "num_experts"],
    check: ({ num_experts: experts, moe_router_topk: chosen }) =>
      experts === null || chosen <= experts ? null : `${chosen} experts per token, but there are only ${experts}`,
    why: "A token is sent to different experts, so it cannot be sent to more than there are.",
    fix: "Set --moe-router-topk to at most --num-experts.",
    base: "moe",
    fires: "--moe-router-topk 9",
    silent: "--moe-router-topk 8",
  }),
  attention.demand("groups-divide", {
    about: ["num_query_groups", "num_attention_heads"],
    check: (a) => {
      const [heads, groups] = [a.num_attention_heads, a.num_query_groups];
      return !a.group_query_attention || !heads || groups === null || heads % groups === 0
        ? null
        : `${heads} heads cannot be divided evenly into ${groups} query groups`;
    },
    why: "Each key-value head is shared by the same number of query heads. With a remainder some query heads would have none; building the layer stops.",
    fix: "Set --num-query-groups to a divisor of --num-attention-heads.",
    fires: "--group-query-attention --num-query-groups 8",
    silent: "--group-query-attention --num-query-groups 4",
  }),
  sequence.demand("sequence-divides", {
    about: ["seq_length", "tensor_model_parallel_size", "context_parallel_size"],
    check: (a) => {
      if (!a.sequence_parallel || a.seq_length === null) return null;
      const length = Math.floor(a.seq_length / a.context_parallel_size);
      return length % a.tensor_model_parallel_size === 0
        ? null
        : `${length} tokens of a context rank cannot be divided evenly among ${a.tensor_model_parallel_size} sequence-parallel ranks`;
    },
    why: "Sequence parallelism cuts the sequence equally among the tensor-parallel ranks. With a remainder the first scatter stops.",
    fix: "Set --seq-length to a multiple of --tensor-model-parallel-size x --context-parallel-size.",
    fires: "--tensor-model-parallel-size 4 --sequence-parallel --seq-length 1002",
    silent: "--tensor-model-parallel-size 4 --sequence-parallel --seq-length 1000",
  }),
  schedules.demand("interleaved-micro-batches", {
    about: ["microbatch_group_size_per_vp_stage", "global_batch_size", "pipeline_model_parallel_size"],
    check: (a) => {
      if (
        a.virtual_pipeline_model_parallel_size === null ||
        a.micro_batch_size === null ||
        a.global_batch_size === null
      )
        return null;
      if (a.step_batch_size_schedule !== null && a.step_batch_size_schedule.trim() === "") return null;
      const first =
        a.step_batch_size_schedule === null ? a.global_batch_size : firstBatch(a.step_batch_size_schedule);
      const count = Math.floor(first / (a.micro_batch_size * a.data_parallel_size * a.gtp_weight_remat_size));
      const ranks = a.pipeline_model_parallel_size;
      const group = a.microbatch_group_size_per_vp_stage ?? ranks;
      if (count < ranks)
        return `${count} micro-batch${count === 1 ? " is" : "es are"} fewer than the ${ranks} stages of an interleaved pipeline`;
      if (group < ranks || group > count)
        return `an interleaved pipeline needs groups of ${ranks} to ${count} micro-batches, not ${group}`;
      const rest = count % group;
      return rest > 0 && rest < ranks
        ? `${count} micro-batches leave ${rest} after groups of ${group}, fewer than the ${ranks} stages`
        : null;
    },
    why: "Micro-batches run through the chunks in groups of --microbatch-group-size-per-virtual-pipeline-stage, by default the number of stages. A step has global batch / (micro-batch x data-parallel ranks) of them.",
    fix: "Set --global-batch-size such that the number of micro-batches is a multiple of --pipeline-model-parallel-size, or set --microbatch-group-size-per-virtual-pipeline-stage.",
    fires: "--pipeline-model-parallel-size 2 --num-layers-per-virtual-pipeline-stage 3 --global-batch-size 4",
    silent: "--pipeline-model-parallel-size 2 --num-layers-per-virtual-pipeline-stage 3 --global-batch-size 8",
  }),
  quantized.demand("quantized-device", {
    about: ["fp8", "fp4", "fp8_recipe"],
    check: (a, host) => {
      if (a.fp4 !== null && host.architecture < 10)
        return `--fp4-format needs a Blackwell GPU, not compute capability ${host.architecture}`;
      if (a.fp8 === null) return null;
      if (a.fp8_recipe === "mxfp8" && (host.architecture < 10 || host.architecture >= 12))
        return `--fp8-recipe mxfp8 needs a Blackwell GPU of a data centre (compute capability 10), not compute capability ${host.architecture}`;
      if (a.fp8_recipe === "blockwise" && host.architecture < 9)
        return `--fp8-recipe blockwise needs compute capability 9 or later, not ${host.architecture}`;
      return host.architecture < 8.9
        ? `--fp8-format needs compute capability 8.9 or later, not ${host.architecture}`
        : null;
    },
    why: "FP8 products need Ada or Hopper, the blockwise recipe Hopper, mxfp8 and FP4 Blackwell. Transformer Engine has no mxfp8 for workstation Blackwells (compute capability 12). The engine notices only in the first forward pass.",
    fix: "Run on a GPU that has the format (Ada or Hopper for FP8, Hopper for blockwise, Blackwell for mxfp8 and FP4), or use another --fp8-recipe or --bf16.",
    fires: "--fp8-format e4m3 --fp8-recipe mxfp8",
    silent: "--fp8-format e4m3 --fp8-recipe mxfp8 ARCHITECTURE=10",
  }),
];

function firstBatch(schedule: string): number {
  const [, batch = "0"] = (schedule.trim().split(/[\s,]+/)[0] ?? "").split(":");
  return Number(batch) || 0;
}
