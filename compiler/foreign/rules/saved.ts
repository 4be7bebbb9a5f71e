/** What a run that resumes finds: the ranks that wrote a checkpoint are in the names of its files. */
import type { Span } from "../../../dsl/source/source.ts";
import { readJson } from "../documents/json.ts";
import { documentsOf, type Launch } from "../launch.ts";
import { at, scalarOf } from "../documents/located.ts";
import { given, saidIn } from "../said.ts";
import { numberIn, switchIn, textIn, toldIn, type Told } from "../settings.ts";
import { textOf } from "../shell/text.ts";
import { nearby, rule, type ForeignRule, type Found } from "./rule.ts";
import { zeroStages } from "./zero.ts";

/** Names under which programs are told where to go on. */
const resumes = [
  "resume_from_checkpoint",
  "load_checkpoint",
  "load_dir",
  "resume_checkpoint",
  "resume_checkpoint_path",
  "checkpoints.resume_checkpoint_path",
  "load",
  "resume",
  "resume_from",
  "checkpoint_dir",
  "ckpt_path",
];

const shard = /^(?:bf16_)?zero_pp_rank_(\d+)_mp_rank_\d+_optim_states\.pt$/;

/** Data-parallel ranks that wrote the newest ZeRO checkpoint of a folder; `null` where no such files are to be seen. */
function savedRanks({ beside }: Launch, { value, span }: Told): number | null {
  const ranksIn = (path: string, depth: number): number | null => {
    const names = beside.names(path, span.source);
    if (names === undefined) return null;
    const ranks = names.flatMap((name) => shard.exec(name)?.[1] ?? []).map(Number);
    if (ranks.length > 0) return Math.max(...ranks) + 1;
    if (depth === 0) return null;
    const tag = beside.text(`${path}/latest`, span.source)?.text.trim();
    const step = (name: string): number => Number(/(\d+)$/.exec(name)?.[1] ?? -1);
    const inner = names.filter((name) => /^(?:checkpoint-|global_step|step)/.test(name));
    const newest = tag !== undefined && names.includes(tag) ? tag : inner.toSorted((a, b) => step(b) - step(a))[0];
    return newest === undefined ? null : ranksIn(`${path}/${newest}`, depth - 1);
  };
  return ranksIn(String(value).replace(/\/+$/, ""), 3);
}

/** Ranks that do not share a part of the model. */
function dataRanks(launch: Launch): number | null {
  const said = saidIn(launch);
  const degree = (...names: readonly string[]): number => Math.max(1, numberIn(said, ...names) ?? 1);
  const model =
    degree("tensor_model_parallel_size", "model_parallel_size", "tensor_parallel_size", "tp_size", "mp_size") *
    degree("pipeline_model_parallel_size", "pipe_parallel_size", "pipeline_parallel_size", "pp_size");
  const stages = documentsOf(launch, "deepspeed").some(({ root }) => at(root, "pipeline", "stages") !== undefined);
  const { size } = launch.world;
  return size === null || stages || size % model !== 0 ? null : size / model;
}

export function resumed(launch: Launch): Told | undefined {
  const said = saidIn(launch);
  const told = given(said, ...resumes);
  if (
    told === undefined ||
    typeof told.value !== "string" ||
    ["true", "auto", "latest", "last"].includes(told.value.toLowerCase())
  )
    return told !== undefined ? given(said, "output_dir", "save_dir", "save") : undefined;
  return told;
}

const zero3 = '{ "train_micro_batch_size_per_gpu": 1, "zero_optimization": { "stage": 3 } }';
const shards = (count: number): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, rank) => [
      `out/global_step100/zero_pp_rank_${rank}_mp_rank_00_optim_states.pt`,
      "",
    ]),
  );
const resume = "deepspeed --num_gpus 4 train.py --deepspeed_config ds.json --load_checkpoint out\n";

export const savedRules: readonly ForeignRule[] = [
  rule({
    name: "checkpoint-ranks",
    source: "deepspeed/runtime/engine.py: _load_zero_checkpoint",
    why:
      "ZeRO saves one part of the optimizer per data-parallel rank, and a different number of ranks cannot read them. Convert the checkpoint with `ds_to_universal` and set " +
      '`"checkpoint": {"load_universal": true}`, keep the number of ranks, or load only the weights: `load_optimizer_states=False`, after `zero_to_fp32.py`. Of a model that somebody else ' +
      "trained, only the weights are loaded.",
    fix: 'Start as many data-parallel ranks as saved it; or convert it with ds_to_universal and add "checkpoint": {"load_universal": true}; or load only the weights.',
    check: (launch) => {
      const stage = zeroStages(launch).find((each) => each.stage >= 1);
      const told = resumed(launch);
      if (stage === undefined || told === undefined) return [];
      const said = saidIn(launch);
      const universal =
        documentsOf(launch, "deepspeed").some(
          ({ root }) => scalarOf(at(root, "checkpoint", "load_universal")) === true,
        ) ||
        ["universal_checkpoint", "finetune", "no_load_optim", "load_module_only"].some(
          (name) => switchIn(said, name) === true,
        );
      if (universal) return [];
      const saved = savedRanks(launch, told);
      const size = dataRanks(launch);
      if (saved === null)
        return launch.beside.names(".", told.span.source) === undefined
          ? []
          : [
              {
                span: told.span,
                severity: "info" as const,
                message: `how many ranks saved ${String(told.value)} is unknown: only the same number can continue from it without conversion`,
              },
            ];
      if (size === null || saved === size) return [];
      return [
        {
          span: told.span,
          message: `${saved} data-parallel ranks saved this checkpoint, but ${size} load it: their parts of the optimizer do not fit`,
          valid: [String(saved)],
          ...nearby(`ZeRO stage ${stage.stage}`, stage.span),
        },
      ];
    },
    fires: { "ds.json": zero3, "run.sh": resume, ...shards(2) },
    silent: { "ds.json": zero3, "run.sh": resume, ...shards(4) },
  }),
  rule({
    name: "nanotron-checkpoint",
    source: "nanotron/serialize/metadata.py: CheckpointMetadata; serialize/optimizer.py: load_optimizer",
    why: "nanotron saves its optimizer by tensor-parallel rank and cannot reshard it.",
    fix: "Set tp to the value with which the checkpoint was written, or set checkpoints.load_optimizer: false.",
    check: (launch) =>
      documentsOf(launch, "nanotron").flatMap(({ root }): readonly Found[] => {
        const path = at(root, "checkpoints", "resume_checkpoint_path");
        const node = at(root, "parallelism", "tp");
        if (path === undefined || node === undefined || typeof scalarOf(path) !== "string") return [];
        if (scalarOf(at(root, "checkpoints", "load_optimizer")) === false) return [];
        const file = savedMetadata(launch, String(scalarOf(path)), path.span);
        const saved = file === null ? undefined : scalarOf(at(file, "tp"));
        if (saved === undefined || saved === scalarOf(node)) return [];
        return [
          {
            span: node.span,
            message: `the checkpoint was written with tp ${String(saved)}, and its optimizer cannot be read with tp ${String(scalarOf(node))}`,
            valid: [String(saved)],
            ...nearby("the checkpoint", path.span),
          },
        ];
      }),
    fires: {
      "nano.yaml":
        "checkpoints:\n  checkpoint_interval: 10\n  resume_checkpoint_path: out/100\nparallelism:\n  dp: 2\n  pp: 1\n  tp: 1\n",
      "out/100/checkpoint_metadata.json": '{"version": "1.4", "tp": 2, "dp": 1, "metas": {}}',
    },
    silent: {
      "nano.yaml":
        "checkpoints:\n  checkpoint_interval: 10\n  resume_checkpoint_path: out/100\nparallelism:\n  dp: 1\n  pp: 1\n  tp: 2\n",
      "out/100/checkpoint_metadata.json": '{"version": "1.4", "tp": 2, "dp": 1, "metas": {}}',
    },
  }),
  rule({
    name: "muon-resume",
    severity: "warning",
    source: "Megatron-LM pull request 6920; core/optimizer: LayerWiseDistributedOptimizer",
    why:
      "With Muon and the distributed optimizer every rank owns whole layers. Versions up to core 0.20 do not gather the weights again after a load: the ranks continue from different models, the loss looks " +
      "fine and no error is reported.",
    fix: "Use a version of Megatron-LM after core 0.20 with the fix, or resume without --use-distributed-optimizer.",
    check: ({ runs }) =>
      runs.flatMap(({ options }) => {
        const optimizer = toldIn(options, "optimizer");
        const load = given(options, "load");
        const kind = textIn(options, "optimizer") ?? "";
        const divided = kind === "dist_muon" || (kind.includes("muon") && options.has("use_distributed_optimizer"));
        if (optimizer === undefined || load === undefined || !divided || options.has("no_load_optim")) return [];
        return [
          {
            span: optimizer.span,
            message: `${kind} with the distributed optimizer continues from a different model after a load, up to core 0.20`,
            ...nearby("the load", load.span),
          },
        ];
      }),
    fires: { "run.sh": "torchrun pretrain_gpt.py --optimizer muon --use-distributed-optimizer --load out\n" },
    silent: { "run.sh": "torchrun pretrain_gpt.py --optimizer muon --load out\n" },
  }),
];

function savedMetadata(launch: Launch, path: string, { source }: Span) {
  const folder = path.replace(/\/+$/, "");
  const latest = launch.beside.text(`${folder}/latest.txt`, source)?.text.trim();
  for (const name of ["", ...(latest === undefined ? [] : [`${latest}/`])]) {
    const file = launch.beside.text(`${folder}/${name}checkpoint_metadata.json`, source);
    if (file !== undefined) return readJson(textOf(file)).root ?? null;
  }
  return null;
}
