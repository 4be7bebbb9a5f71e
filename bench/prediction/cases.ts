/** Rows as the physics takes them. */
import type { Engine } from "../../compiler/planner/physics/engine.ts";
import { ddp } from "../../compiler/planner/physics/engines/ddp.ts";
import { deepspeed } from "../../compiler/planner/physics/engines/deepspeed.ts";
import { fsdp, torchtitan, torchtitan_2025 } from "../../compiler/planner/physics/engines/fsdp.ts";
import { functional, megatron_2021 } from "../../compiler/planner/physics/engines/megatron.ts";
import { nanotron } from "../../compiler/planner/physics/engines/nanotron.ts";
import { quantised } from "../../compiler/engines/megatron/narrow.ts";
import { machineNamed } from "../../compiler/planner/physics/constants/machines.ts";
import type { Batch, Layout, Module } from "../../compiler/planner/physics/layout.ts";
import { matricesOf, type Matrix } from "../../compiler/planner/physics/matrices.ts";
import type { Format, Machine } from "../../compiler/planner/physics/machine.ts";
import type { Block, Shape } from "../../compiler/planner/physics/shape.ts";
import { goldenCase } from "./golden.ts";
import { published, shapeOf } from "./published.ts";
import type { Row } from "./rows.ts";
import { bestCut, secondsOf } from "./unstated.ts";

export interface Case {
  readonly row: Row;
  readonly engine: Engine;
  readonly machine: Machine;
  readonly shape: Shape;
  readonly layout: Layout;
  readonly batch: Batch;
  /** Seconds and bytes as measured; what the row does not hold is absent. */
  readonly time?: number;
  readonly memory?: number;
  /** The stage whose memory the engine logs; absent: the fullest. */
  readonly logger?: "first" | "last";
  /** Did it run? Absent: the row does not say. */
  readonly ran?: boolean;
}

/** Where a source does not print the rank of its adapters: the default of NeMo and Megatron-Bridge. */
const adapterRank = 32;

/**
 * Adapters stand beside the projection to queries, keys and values alone (linear_qkv in Bridge's recipes, attention_qkv in NeMo's), AutoModel's
 * beside all.
 */
function adapted(shape: Shape, { name }: Engine): Shape {
  const adapting = { ...shape, adapters: adapterRank };
  if (name !== "megatron") return adapting;
  const matrices = (block: Block): Matrix[] => matricesOf(shape, block).filter((one) => one.name === "qkv");
  const blocks = shape.blocks.map((block) => ({ ...block, tuned: { rank: adapterRank, matrices: matrices(block) } }));
  return { ...adapting, blocks };
}

/**
 * A product of frozen weights keeps nothing of what it read, but an adapter beside it does (transformer_engine/pytorch/module/linear.py:
 * backward_needs_input): of a layer's two norms one has such a reader.
 */
function unread(engine: Engine): Engine {
  const { kept } = engine;
  const { read = 2 } = kept;
  const { stream, plain, gated } = kept;
  return { ...engine, kept: { ...kept, stream: stream - read / 2, plain: plain - read, gated: gated - read } };
}

const number = (value: unknown): number | undefined => (typeof value === "number" && value > 0 ? value : undefined);

/**
 * DeepSpeed's optimizer of bf16 holds and reduces gradients in 32 bits, and adds those of 16 bits to them after each
 * micro-batch: two bytes read, four read and written. It keeps both (runtime/bf16_optimizer.py: fp32_groups_gradients, clear_lp_grads).
 */
const wide = { states: { ...megatron_2021.states, gradients: 6, step: 0 }, reduced: 4, added: 10 } as const;

/**
 * FSDP2 beside a pipeline gathers weights once a step and scatters their gradients once, in the last backward pass, for each micro-batch would wait
 * for them otherwise (torchtitan, models/llama3/infra/parallelize.py: `reshard_after_forward = not pp_enabled`; torch,
 * distributed/pipelining/stage.py: backward_maybe_with_nosync). All of a stage lies there in the meantime.
 */
const unsharded = (engine: Engine): Engine => ({
  ...engine,
  states: { ...engine.states, weights: 2, optimizer: engine.states.weights + engine.states.optimizer },
});

/** The case of a row, or why there is none. */
export function caseOf(row: Row): Case | string {
  if (row.engine.startsWith("Megatron-LM functional")) return goldenCase(row);
  const machine = row.hardware.gpu === null ? undefined : machineNamed(row.hardware.gpu);
  if (machine === undefined) return `no figures of ${row.hardware.gpu ?? "an unnamed GPU"}`;
  const base = engineOf(row);
  if (base === undefined) return `no descriptor of ${row.engine}`;
  if (row.notes?.includes("inconsistent") === true) return "the row contradicts itself";
  const task = row.task?.toLowerCase() ?? "pretrain";
  // A card's fine-tuning names the sizes that differ from a recipe that it does not print.
  if (!/pretrain|^sft$|^lora$/.test(task) || (row.id.includes("-card-") && !task.startsWith("pretrain")))
    return `no model of the task ${row.task ?? ""}`;
  const format = formatOf(row, base);
  const written =
    base.name === "megatron" && (format === "fp8" || format === "fp4")
      ? narrowedBy(row, base, format, machine)
      : { ...base, format, ...(base.name === megatron_2021.name && format === "bf16" ? wide : {}) };
  const { parallel, batch } = row;
  const [tensor, pipeline, context] = [number(parallel["tp"]), number(parallel["pp"]), number(parallel["cp"]) ?? 1];
  const isUnsharded = written.name === "fsdp" && pipeline !== undefined && pipeline > 1;
  const adapts = task === "lora";
  const engine = isUnsharded ? unsharded(written) : adapts && written.name === "megatron" ? unread(written) : written;
  const own = modelOf(row, engine);
  const shape = own === undefined || !adapts ? own : adapted(own, engine);
  if (shape === undefined) return `no shape of ${String(row.model["family"])}`;
  const gpus = number(row.hardware.gpus);
  if (gpus === undefined || tensor === undefined || pipeline === undefined) return "the layout is not stated";
  const data = gpus / (tensor * pipeline * context);
  const micro = number(batch.micro);
  const global = number(batch.global);
  const sequence = number(row.model["seq"]) ?? contextOf(row);
  if ((micro === undefined && global === undefined) || sequence === undefined) return "the batch is not stated";
  // Steps are of the whole batch: those who count what a pipeline is given at once, or nothing but a default, leave out some of it.
  const count =
    micro === undefined ? 1 : global === undefined ? (number(batch.grad_acc) ?? 0) : global / micro / data;
  const samples = micro === undefined ? (global ?? 0) / data : micro * count;
  if (!Number.isInteger(data) || !(count >= 1) || (micro === undefined && !Number.isInteger(samples)))
    return "the batch does not divide";
  const zero = parallel["zero"];
  const time = number(row.measured["step_time_s"]) ?? secondsOf(row, shape, sequence);
  // nanotron divides by 2^30 and says GB (helpers.py: create_table_log).
  const GB = base.name === nanotron.name ? 2 ** 30 : 1e9;
  const memory = number(row.measured["peak_mem_bytes"]) ?? (number(row.measured["peak_mem_GB"]) ?? 0) * GB;
  const failed = row.measured["oom"] === true || row.measured["failed"] === true;
  const known = failed || time !== undefined;
  // Cards are called by a round number of GB and hold about as many GiB.
  const card = {
    ...machine,
    memory: (number(row.hardware.mem_GB) ?? machine.memory / 1e9) * 2 ** 30,
    network: networkOf(row) ?? machine.network,
  };
  const layout: Layout = {
    tensor,
    pipeline,
    chunks: number(parallel["vp"]) ?? 1,
    context,
    expert: number(parallel["ep"]) ?? 1,
    expert_tensor: 1,
    data,
    // The tables of NeMo and Megatron-Bridge leave it out; their recipes set it with tensor parallelism.
    sequence_parallel: parallel["sp"] === true || (tensor > 1 && engine.name === "megatron"),
    zero: isUnsharded
      ? 1
      : typeof zero === "string"
        ? zero.startsWith("fsdp")
          ? 3
          : 1
        : zero === 1 || zero === 2 || zero === 3
          ? zero
          : engine.name === "fsdp"
            ? 3
            : engine.name === "megatron"
              ? 1
              : 0,
    schedule: "1f1b",
    recompute: recomputeOf(row.recompute),
    ...modulesOf(row.recompute),
    offload: "none",
  };
  const cut = number(parallel["vp"]) === undefined;
  const run =
    micro === undefined
      ? bestCut({ shape, engine, machine: card, layout, samples, sequence, cut })
      : { layout, batch: { micro, count: Math.round(count), sequence } };
  if (run === undefined) return "no batch fits that is not stated";
  return {
    row,
    engine,
    machine: card,
    shape,
    ...run,
    ...(time === undefined || failed ? {} : { time }),
    // A peak is of the cut that was run, and no choice tells it.
    ...(memory === 0 || micro === undefined ? {} : { memory }),
    ...(engine.name === "nanotron" ? { logger: "first" as const } : {}),
    ...(known ? { ran: !failed } : {}),
  };
}

/** A GPU's share of its node's cards, where a row says how many there are and how fast one is: `8x HDR 200Gb/s`, `4x OPA 100 Gbps`. */
export function networkOf({ hardware: { interconnect, gpus, nodes } }: Pick<Row, "hardware">): number | undefined {
  const found = interconnect?.match(/(\d+) ?[x×] ?[A-Za-z -]*(\d+) ?G(?:b|bps|b\/s)?\b/);
  if (found == null || gpus === null || nodes === null || nodes < 2) return undefined;
  return (Number(found[1]) * Number(found[2]) * 1e9) / 8 / (gpus / nodes);
}

/** What GPT-2 reads at once, where a row names no other. */
const contextOf = ({ model }: Row): number | undefined =>
  /^gpt-2/i.test(String(model["family"])) ? 1024 : undefined;

type Named = Pick<Row, "engine" | "model" | "hardware">;

/** Megatron-Core as it is started alone, or by the recipes of NeMo and Megatron-Bridge. */
function recipe({ hardware, engine: program, model, notes, precision }: Row): Engine {
  const generation = hardware.gpu?.startsWith("H") === true ? "hopper" : "blackwell";
  const libraries = { generation, deterministic: false, transformer_engine: true, grouped: true } as const;
  // Bridge's recipes take Transformer Engine's loss (perf_recipes/_common.py: cross_entropy_impl).
  const loss = program.startsWith("Megatron-Bridge") ? "in-place" : "jitted";
  const options = { fp16: false, dropout: false, core: "cudnn", loss, deferred: 0, mask: false } as const;
  const engine: Engine = { ...functional({ ...options, libraries }), name: "megatron" };
  if (/^Megatron-(Core|LM)/.test(program)) return engine;
  // For speed recipes hold and reduce gradients in 16 bits, and those of DeepSeek's kin hold moments so, too.
  const moments = /deepseek|moonlight|kimi/i.test(String(model["family"])) ? 4 : 8;
  const lean = { ...engine, states: { ...engine.states, gradients: 2, optimizer: 4 + moments }, reduced: 2 };
  const fuses = fusesExperts({ engine: program, model, hardware }, precision);
  const hidesDispatch = fuses || /all-to-all overlap on/.test(notes ?? "");
  return {
    ...lean,
    ...(fuses ? { fused: true } : {}),
    ...(hidesDispatch ? { overlaps: { ...lean.overlaps, experts: true } } : {}),
  };
}

/**
 * Bridge's recipes for blocks of 8 bits fuse the experts of Qwen3 and DeepSeek-V3 (use_transformer_engine_op_fuser) and hide how tokens reach them: from
 * 26.06 on for GB200 and GB300, from 26.08 on for all Blackwell (perf_recipes/qwen/common.py: _enable_hybridep_full_iteration_mxfp8,
 * perf_recipes/deepseek/common.py: _enable_deepseek_full_iteration_mxfp8; its cards are of that release).
 */
function fusesExperts({ engine, model, hardware }: Named, precision: Row["precision"]): boolean {
  const gpu = hardware.gpu ?? "";
  const isSince = /^Megatron-Bridge (verification card|26\.(0[89]|1\d))/.test(engine)
    ? /^G?B\d/.test(gpu)
    : /^Megatron-Bridge 26\.0[67]/.test(engine) && /^GB\d/.test(gpu);
  return isSince && /mx/i.test(precision ?? "") && /^(qwen3|deepseek.?v3)/i.test(String(model["family"]));
}

/** Bridge's recipes of 8 and 4 bits hold and gather the weights so, too (training/mixed_precision.py: fp8_param_gather). */
function narrowedBy({ precision }: Row, engine: Engine, format: "fp8" | "fp4", { flops }: Machine): Engine {
  const recipe = /mx/i.test(precision ?? "") ? "mxfp8" : "tensorwise";
  return quantised(engine, format, recipe, flops.fp4 > flops.fp8, true);
}

/** The modules that a row names, by Megatron's words. */
function modulesOf(text: string | null | undefined): Pick<Layout, "modules"> {
  const named = text?.match(/\[\]|\b(core_attn|layernorm|mla_up_proj|mlp|moe_act|moe|shared_experts)\b/g);
  return named == null ? {} : { modules: named.filter((name) => name !== "[]") as Module[] };
}

const recomputeOf = (text: string | null | undefined): Layout["recompute"] =>
  text?.startsWith("full") === true ? "full" : text?.startsWith("selective") === true ? "selective" : "none";

function engineOf(row: Row): Engine | undefined {
  const { engine, id, parallel, notes } = row;
  if (engine === "nanotron") return nanotron;
  // A report says when it was made, those of formats that came later need not.
  if (engine.startsWith("torchtitan")) return /_202[34]/.test(row.source?.path ?? "") ? torchtitan : torchtitan_2025;
  // DeepEP sends a token once to each node.
  if (/fsdp/i.test(engine)) return notes?.includes("DeepEP") === true ? { ...fsdp, once: true } : fsdp;
  if (/^DeepSpeed\b/.test(engine)) {
    const said = parallel["zero"];
    const zero = said === 0 || said === 1 || said === 2 ? said : 3;
    return deepspeed({ format: "fp16", zero, offload: "none", ranks: Infinity, bucket: 2 ** 27 });
  }
  if (/\bDDP\b/.test(engine)) return ddp("bf16", Infinity);
  if (/Megatron-DeepSpeed|Megatron-LM 20(19|20|21|22)/.test(engine) && !id.includes("-f1-") && !id.includes("-f7-"))
    return megatron_2021;
  if (/^(Megatron-Bridge|Megatron-Core|Megatron-LM|NeMo)/.test(engine) && !/formula/.test(engine)) return recipe(row);
  return undefined;
}

function formatOf({ precision }: Row, engine: Engine): Format {
  const text = (precision ?? "").toLowerCase();
  if (/fp4/.test(text)) return "fp4";
  if (/fp8|float8/.test(text)) return "fp8";
  if (text.startsWith("fp16")) return "fp16";
  return /bf16/.test(text) ? "bf16" : engine.format;
}

const seen = new Map<string, Shape | undefined>();

function modelOf({ model }: Row, engine: Engine): Shape | undefined {
  const key = JSON.stringify([model, engine.name]);
  if (!seen.has(key)) seen.set(key, build(model, engine));
  return seen.get(key);
}

function build(model: Row["model"], engine: Engine): Shape | undefined {
  const [layers, hidden] = [number(model["layers"]), number(model["hidden"])];
  if (layers === undefined || hidden === undefined) return published(String(model["config_ref"] ?? model["family"]));
  const heads = number(model["heads"]) ?? hidden / 128;
  const gated = /llama|qwen|mistral/i.test(String(model["family"]));
  return {
    ...shapeOf({
      layers,
      hidden,
      heads,
      kv: number(model["kv_heads"]) ?? heads,
      ffn: number(model["ffn"]) ?? 4 * hidden,
      gated,
      vocab: number(model["vocab"]) ?? 51_200,
      tied: model["tied"] === undefined ? !gated : model["tied"] === true,
      positions: gated || engine.name === "fsdp" ? 0 : (number(model["seq"]) ?? 0),
    }),
    dropout: engine.name === "megatron-2021",
  };
}
