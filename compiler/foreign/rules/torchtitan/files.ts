/** Files of torchtitan: names that a release has, and options that exclude each other. TOML was read until release 0.2.2. */
import { below } from "../../../engines/release.ts";
import { nearest } from "../../../../dsl/diagnostics/nearest.ts";
import { suggest } from "../../../../dsl/diagnostics/suggest.ts";
import type { Document, Launch } from "../../launch.ts";
import { at, itemsOf, scalarOf, type Located } from "../../documents/located.ts";
import { packagesOf } from "../../known/packages.ts";
import { numberIn, switchIn, textIn, type Settings, type Told } from "../../settings.ts";
import table from "./fields.json" with { type: "json" };
import { titanRuns } from "../../torchtitan-settings.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";

const titan = (more: string): string =>
  `[model]\nname = "llama3"\nflavor = "8B"\n[training]\nlocal_batch_size = 4\nseq_len = 8192\n${more}`;

/** The first and the last release that has a field; neither where only states between releases had it. */
const fields: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(table.fields).map(([name, releases]) => [name, releases.split(" ").filter(Boolean)]),
);
const newest = table.releases.at(-1) ?? "";
/** The first release that refuses a name it does not know; the one before passed over it. */
const refusing = "0.2.0";

const ofFiles =
  (check: (settings: Settings, root: Located, launch: Launch) => readonly Found[]) => (launch: Launch) =>
    titanRuns(launch).flatMap(({ settings, file }) => (file === null ? [] : check(settings, file.root, launch)));

export const torchtitanFileRules: readonly ForeignRule[] = [
  rule({
    name: "torchtitan-fields",
    source: "torchtitan/config/manager.py: ConfigManager._dict_to_dataclass; job_config.py: JobConfig",
    why: "The file fills the fields of JobConfig, which change from release to release. An unknown name stops every rank at the start; release 0.1.0 silently ignored it.",
    fix: "Write the name that the release has, or remove the line.",
    check: (launch) =>
      launch.documents.flatMap((document) => (document.kind === "torchtitan" ? unknownFields(document, launch) : [])),
    fires: { "c.toml": titan("max_nrom = 1.0\n") },
    silent: { "c.toml": titan("max_norm = 1.0\n") },
  }),
  rule({
    name: "torchtitan-batch",
    source: "torchtitan/train.py: Trainer.__init__ (global_batch_size); torchtitan/distributed/pipeline_parallel.py",
    why: "A global batch is a whole number of rounds of all data-parallel ranks, and a rank's batch a whole number of pipeline micro-batches. torch needs at least as many micro-batches as stages for a schedule with one stage per rank.",
    fix: "Set global_batch_size to a multiple of local_batch_size x data-parallel ranks, and pipeline_parallel_microbatch_size to a divisor of local_batch_size that leaves at least one micro-batch per stage.",
    check: ofFiles((settings, _, launch) => [...globalBatch(settings, launch), ...microBatches(settings)]),
    fires: {
      "c.toml": titan("global_batch_size = 36\n[parallelism]\ndata_parallel_shard_degree = 8\n"),
      "run.sh": "torchrun --nproc-per-node=8 -m torchtitan.train --job.config_file c.toml\n",
    },
    silent: {
      "c.toml": titan("global_batch_size = 64\n[parallelism]\ndata_parallel_shard_degree = 8\n"),
      "run.sh": "torchrun --nproc-per-node=8 -m torchtitan.train --job.config_file c.toml\n",
    },
  }),
  rule({
    name: "torchtitan-sequence",
    source: "torchtitan/models/llama3/infra/parallelize.py: parallelize_llama; parallel_dims.py: seq_len_divisor",
    why: "A sequence is divided among the tensor-parallel ranks, and into two parts for each context-parallel rank.",
    fix: "Set seq_len to a multiple of tensor_parallel_degree x 2 x context_parallel_degree.",
    check: ofFiles((settings) => {
      const told = settings.get("training.seq_len");
      const cut = 2 * degree(settings, "tensor_parallel") * degree(settings, "context_parallel");
      const length = numberIn(settings, "training.seq_len");
      if (told === undefined || length === null || length % cut === 0) return [];
      const message = `a sequence of ${length} is not a multiple of ${cut} = tensor x 2 x context ranks`;
      return [{ span: told.span, message, valid: [String(Math.ceil(length / cut) * cut)] }];
    }),
    fires: { "c.toml": titan("[parallelism]\ntensor_parallel_degree = 3\n") },
    silent: { "c.toml": titan("[parallelism]\ntensor_parallel_degree = 2\n") },
  }),
  rule({
    name: "torchtitan-together",
    source:
      "torchtitan/components/optimizer.py: build_optimizers; checkpoint.py: CheckpointManager.__init__; distributed/tensor_parallel.py: maybe_enable_async_tp; activation_checkpoint.py: apply_ac; parallel_dims.py: ParallelDims._validate; models/*/infra/parallelize.py",
    why: "Each of these stops the run once its ranks have met: an optimizer in the backward pass supports neither pipelines nor expert parallelism; at least two checkpoints are kept, since the last may be incomplete; asynchronous tensor parallelism and a memory budget need the compiler; replicas without shards cannot be combined with other parallelism.",
    fix: "Change the option in the message.",
    check: ofFiles((settings) => together(settings)),
    fires: { "c.toml": titan("[checkpoint]\nenable = true\nkeep_latest_k = 1\n") },
    silent: { "c.toml": titan("[checkpoint]\nenable = true\nkeep_latest_k = 2\n") },
  }),
  rule({
    name: "torchtitan-components",
    severity: "warning",
    source: "torchtitan/config/job_config.py: Compile.components; torchtitan/train.py, components/loss.py",
    why: "Only the names `model` and `loss` are looked up: a component with any other name is not compiled, and no error is reported.",
    fix: "Write `model`, `loss` or both.",
    check: ofFiles((_, root) =>
      itemsOf(at(root, "compile", "components")).flatMap((item): readonly Found[] => {
        const name = scalarOf(item);
        return name === "model" || name === "loss"
          ? []
          : [
              {
                span: item.span,
                message: `compile.components has no ${String(name)}: nothing is compiled for it`,
                valid: ["model", "loss"],
              },
            ];
      }),
    ),
    fires: { "c.toml": titan('[compile]\nenable = true\ncomponents = ["modell"]\n') },
    silent: { "c.toml": titan('[compile]\nenable = true\ncomponents = ["model"]\n') },
  }),
];

function degree(settings: Settings, name: string): number {
  return numberIn(settings, `parallelism.${name}_degree`) ?? 1;
}

function globalBatch(settings: Settings, { world }: Launch): readonly Found[] {
  const told = settings.get("training.global_batch_size");
  const [total, local] = [numberIn(settings, "training.global_batch_size"), localBatch(settings)];
  const apart = ["tensor_parallel", "context_parallel", "pipeline_parallel"].reduce(
    (all, name) => all * degree(settings, name),
    1,
  );
  if (told === undefined || total === null || total < 0 || world.size === null || world.size % apart !== 0) return [];
  const each = (local * world.size) / apart;
  if (total % each === 0) return [];
  return [
    {
      span: told.span,
      message: `global_batch_size ${total} is not a multiple of ${local} samples x ${world.size / apart} data-parallel ranks`,
      valid: [String(Math.ceil(total / each) * each)],
      ...nearby("ranks", world.said[0]?.span),
    },
  ];
}

const localBatch = (settings: Settings): number => numberIn(settings, "training.local_batch_size") ?? 8;

/** Schedules of torch with one stage for each rank, which refuse fewer micro-batches than stages. */
const single = new Set(["1f1b", "gpipe"]);

function microBatches(settings: Settings): readonly Found[] {
  const stages = degree(settings, "pipeline_parallel");
  const told = settings.get("parallelism.pipeline_parallel_microbatch_size");
  const size = numberIn(settings, "parallelism.pipeline_parallel_microbatch_size") ?? 1;
  const local = localBatch(settings);
  const place = told ?? settings.get("training.local_batch_size");
  if (stages <= 1 || place === undefined || size < 1) return [];
  if (local % size !== 0)
    return [
      {
        span: place.span,
        message: `${local} samples of a rank cannot be divided evenly into pipeline micro-batches of ${size}`,
      },
    ];
  const schedule = (textIn(settings, "parallelism.pipeline_parallel_schedule") ?? "1F1B").toLowerCase();
  if (!single.has(schedule) || local / size >= stages) return [];
  const message = `${local / size} pipeline micro-batches are fewer than ${stages} stages`;
  return [
    { span: place.span, message, ...nearby("stages", settings.get("parallelism.pipeline_parallel_degree")?.span) },
  ];
}

function together(settings: Settings): readonly Found[] {
  const on = (name: string): Told | null => (switchIn(settings, name) === true ? (settings.get(name) ?? null) : null);
  const [stages, experts] = [degree(settings, "pipeline_parallel"), degree(settings, "expert_parallel")];
  const [tensor, context] = [degree(settings, "tensor_parallel"), degree(settings, "context_parallel")];
  const found: Found[] = [];
  const early = on("optimizer.early_step_in_backward");
  if (early !== null && (stages > 1 || experts > 1)) {
    const other = stages > 1 ? "pipeline stages" : "expert-parallel ranks";
    found.push({
      span: early.span,
      message: `early_step_in_backward cannot be combined with ${other}`,
      valid: ["false"],
    });
  }
  const kept = settings.get("checkpoint.keep_latest_k");
  if (kept?.value === 1 && on("checkpoint.enable") !== null)
    found.push({
      span: kept.span,
      message: "keep_latest_k 1: at least 2 checkpoints must be kept",
      valid: ["0", "2"],
    });
  const compiles = on("compile.enable") ?? on("training.compile");
  const needsCompiler = (told: Told | null | undefined, what: string): void => {
    if (told != null && compiles === null)
      found.push({ span: told.span, message: `${what} needs the compiler, but compile.enable is off` });
  };
  needsCompiler(on("parallelism.enable_async_tensor_parallel"), "enable_async_tensor_parallel");
  if (textIn(settings, "activation_checkpoint.mode") === "memory_budget")
    needsCompiler(settings.get("activation_checkpoint.mode"), "a budget of memory");
  const share = settings.get("parallelism.expert_tensor_parallel_degree");
  if (share !== undefined && experts > 1 && ![1, tensor].includes(Number(share.value)))
    found.push({
      span: share.span,
      message: `expert_tensor_parallel_degree ${String(share.value)} is neither 1 nor tensor_parallel_degree ${tensor}`,
      valid: [...new Set(["1", String(tensor)])],
    });
  const replicas = settings.get("parallelism.data_parallel_replicate_degree");
  const sharded = degree(settings, "data_parallel_shard");
  if (replicas !== undefined && Number(replicas.value) > 1 && sharded === 1 && context === 1 && experts === 1)
    if (tensor > 1 && settings.has("parallelism.data_parallel_shard_degree"))
      found.push({
        span: replicas.span,
        message: `replicas without shards cannot be combined with ${tensor} tensor-parallel ranks`,
        ...nearby("shards", settings.get("parallelism.data_parallel_shard_degree")?.span),
      });
  return found;
}

function unknownFields(document: Document, launch: Launch): readonly Found[] {
  const { root } = document;
  const custom = [at(root, "job", "custom_config_module"), at(root, "experimental", "custom_args_module")];
  // A module of one's own adds fields.
  if (custom.some((node) => node !== undefined && scalarOf(node) !== "")) return [];
  if (
    launch.runs.some(({ options }) => [...options.keys()].some((name) => /custom_(?:config|args)_module$/.test(name)))
  )
    return [];
  // So does one that nobody shows: a section that torchtitan never had is of it.
  if (root.kind === "map" && root.entries.some(({ key }) => !isSection(key) && nearest(key, siblings("")) === null))
    return [];
  const written = packagesOf(launch).get("torchtitan")?.version ?? null;
  const release = written === null ? null : below(newest, written) ? newest : written;
  const found: Found[] = [];
  const walk = (node: Located, path: string): void => {
    if (node.kind !== "map") return;
    for (const { key, keySpan, value } of node.entries) {
      const name = path === "" ? key : `${path}.${key}`;
      if (fields.has(name)) {
        const [since = null, until = newest] = fields.get(name) ?? [];
        if (release === null || (since !== null && !below(release, since) && !below(until, release))) continue;
        const when =
          since === null
            ? "no release has it"
            : below(release, since)
              ? `it came with ${since}`
              : `${until} was the last release with it`;
        found.push({
          span: keySpan,
          message: `torchtitan ${release} has no ${name}: ${when}`,
          ...severityOf(release),
          ...meant(key, release),
        });
      } else if (isSection(name) && value.kind === "map") walk(value, name);
      else
        found.push({
          span: keySpan,
          message: `torchtitan has no ${name}`,
          ...severityOf(release),
          ...suggest(keySpan, key, siblings(path)),
        });
    }
  };
  walk(root, "");
  return found;
}

const severityOf = (release: string | null): Pick<Found, "severity"> =>
  release !== null && below(release, refusing) ? { severity: "warning" } : {};

/** Fields of the same section. */
const siblings = (path: string): readonly string[] =>
  [...fields.keys()].flatMap((name) => {
    const own = path === "" ? name : name.startsWith(`${path}.`) ? name.slice(path.length + 1) : "";
    return own === "" ? [] : [own.split(".")[0] ?? own];
  });

const isSection = (name: string): boolean => [...fields.keys()].some((field) => field.startsWith(`${name}.`));

/** The same option in another section. */
function meant(key: string, release: string): Pick<Found, "valid"> {
  const valid = [...fields].flatMap(([name, [since, until = newest]]) =>
    name.endsWith(`.${key}`) && since !== undefined && !below(release, since) && !below(until, release) ? [name] : [],
  );
  return valid.length === 0 ? {} : { valid };
}
