/** How torchtitan cuts a model into pipeline stages, which needs the layers of the model that the file names. */
import { nearest } from "../../../../dsl/diagnostics/nearest.ts";
import { below } from "../../../engines/release.ts";
import { existsBeside } from "../../beside.ts";
import { packagesOf } from "../../known/packages.ts";
import type { Launch } from "../../launch.ts";
import { numberIn, textIn, toldIn, type Settings } from "../../settings.ts";
import { at } from "../../documents/located.ts";
import { titanRuns, type TitanRun } from "../../torchtitan-settings.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";
import { flavorOf, flavorsVersion, otherFlavors, type Flavor } from "./flavors.ts";

const titan = (flavor: string, parallelism: string): string =>
  `[model]\nname = "llama3"\nflavor = "${flavor}"\n[parallelism]\n${parallelism}`;
const run = "torchrun --nproc-per-node=8 -m torchtitan.train --job.config_file c.toml\n";

const schedule = (name: string): string =>
  `pipeline_parallel_degree = 2\npipeline_parallel_schedule_csv = "plans/${name}"\n`;

const single = new Set(["1f1b", "gpipe", "pipelineschedulesingle"]);
/** Two stages for each rank, one from either end. */
const folded = new Set(["zbvzerobubble", "dualpipev"]);

/** Since this release stages may differ by a layer. */
const uneven = "0.2.0";

interface Cut {
  readonly ranks: number;
  readonly layers: number;
  /** Layers that the tables of the ends count as. */
  readonly ends: readonly [number, number];
  readonly schedule: string;
  readonly perStage: number | null;
  readonly isEven: boolean;
}

/** What the cut breaks; `null` where it comes out. */
function broken({ ranks, layers, ends: [first, last], schedule, perStage, isEven }: Cut): string | null {
  const isSingle = single.has(schedule.toLowerCase());
  const whole = layers + first + last;
  const counted = `${layers} layers, and ${first} + ${last} for the tables`;
  if (perStage !== null) {
    const stages = Math.ceil(whole / perStage);
    if (isEven && whole % (ranks * perStage) !== 0)
      return `${counted}, are not a multiple of ${ranks} pipeline ranks x ${perStage} layers per stage`;
    if (stages % ranks !== 0)
      return `${counted}, make ${stages} stages of ${perStage}, which is not a multiple of ${ranks} pipeline ranks`;
    const each = stages / ranks;
    if (isSingle && each !== 1)
      return `${schedule} has one stage per rank, but ${perStage} layers per stage make ${each}`;
    if (!isSingle && each < 2)
      return `${schedule} has several stages per rank, but ${perStage} layers per stage make one`;
    if (folded.has(schedule.toLowerCase()) && each !== 2)
      return `${schedule} has two stages per rank, but ${perStage} layers per stage make ${each}`;
  }
  const stages = perStage === null ? ranks * (isSingle ? 1 : 2) : Math.ceil(whole / perStage);
  if (stages > whole) return `${stages} stages are more than ${counted}`;
  const least = Math.floor(whole / stages);
  return Math.max(first, last) <= least
    ? null
    : `a table that counts as ${Math.max(first, last)} layers does not fit into a stage of ${least}`;
}

function cutOf({ settings, file }: TitanRun, flavor: Flavor, launch: Launch): Cut | null {
  const degree = toldIn(settings, "parallelism.pipeline_parallel_degree");
  const ranks = numberIn(settings, "parallelism.pipeline_parallel_degree");
  if (degree?.known !== true || ranks === null || !(ranks > 1) || flavor.layers === null) return null;
  const section = file === null ? undefined : at(file.root, "parallelism");
  const isCut = ["module_fqns_per_model_part", "pipeline_parallel_split_points"].some(
    (name) => settings.has(`parallelism.${name}`) || (section !== undefined && at(section, name) !== undefined),
  );
  if (isCut || textIn(settings, "parallelism.pipeline_parallel_schedule_csv")) return null;
  const release = packagesOf(launch).get("torchtitan")?.version ?? null;
  const end = (name: string): number =>
    numberIn(settings, `parallelism.pipeline_parallel_${name}_stage_less_layers`) ?? 1;
  return {
    ranks,
    layers: flavor.layers,
    ends: [end("first"), end("last")],
    schedule: textIn(settings, "parallelism.pipeline_parallel_schedule") ?? flavor.schedule,
    perStage: numberIn(settings, "parallelism.pipeline_parallel_layers_per_stage"),
    isEven: release !== null && below(release, uneven),
  };
}

/** Numbers of layers per stage that come out, or numbers of ranks where nothing says how many a stage has. */
function fitting(cut: Cut): readonly string[] {
  const all = Array.from({ length: cut.layers }, (_, index) => index + 1);
  const each = (perStage: number | null, ranks: number): boolean => broken({ ...cut, perStage, ranks }) === null;
  if (cut.perStage !== null) return all.filter((perStage) => each(perStage, cut.ranks)).map(String);
  return all.filter((ranks) => ranks > 1 && each(null, ranks) && Number.isInteger(Math.log2(ranks))).map(String);
}

function stagesOf(launch: Launch): readonly Found[] {
  return titanRuns(launch).flatMap((each): readonly Found[] => {
    const flavor = flavorOf(each.settings);
    const cut = flavor === null ? null : cutOf(each, flavor, launch);
    const message = cut === null ? null : broken(cut);
    if (flavor === null || cut === null || message === null) return [];
    const told =
      toldIn(
        each.settings,
        "parallelism.pipeline_parallel_layers_per_stage",
        "parallelism.pipeline_parallel_degree",
      ) ?? flavor.told;
    return [
      {
        span: told.span,
        message: `${flavor.name}: ${message}`,
        valid: fitting(cut),
        ...nearby("the model", flavor.told.span),
      },
    ];
  });
}

const isDivided = (settings: Settings): boolean =>
  (numberIn(settings, "parallelism.pipeline_parallel_degree") ?? 1) > 1;

export const torchtitanStageRules: readonly ForeignRule[] = [
  rule({
    name: "torchtitan-stages",
    source: `torchtitan/distributed/pipeline_parallel.py: pipeline_llm, generate_llm_fqn_per_model_part, stage_ids_this_rank; models/*/__init__.py, ${flavorsVersion}`,
    why: "torchtitan deals out the layers of the model, and some more that stand for the tables of its ends, to the stages: as many stages for each rank as the schedule has, none without a layer. A number that does not come out stops all ranks after they have met.",
    fix: "Choose pipeline_parallel_layers_per_stage or pipeline_parallel_degree from `valid`; or a schedule with as many stages per rank as come out.",
    check: stagesOf,
    fires: {
      "c.toml": titan("8B", "pipeline_parallel_degree = 8\npipeline_parallel_layers_per_stage = 3\n"),
      "run.sh": run,
    },
    silent: {
      "c.toml": titan("8B", "pipeline_parallel_degree = 2\npipeline_parallel_layers_per_stage = 17\n"),
      "run.sh": run,
    },
  }),
  rule({
    name: "torchtitan-undivided",
    source: "torchtitan/train.py: Trainer.__init__ (train_spec.pipelining_fn); models/*/__init__.py: get_train_spec",
    why: "A model says how it is cut into pipeline stages. For one that does not, torchtitan stops: `Pipeline Parallel is enabled but … does not support pipelining`.",
    fix: "Set pipeline_parallel_degree to 1, and spread the model by data_parallel_shard_degree and tensor_parallel_degree.",
    check: (launch) =>
      titanRuns(launch).flatMap(({ settings, file }): readonly Found[] => {
        const flavor = flavorOf(settings);
        const told = toldIn(settings, "parallelism.pipeline_parallel_degree");
        if (file === null || flavor?.isWhole !== true || told === undefined || !isDivided(settings)) return [];
        return [
          {
            span: told.span,
            message: `${textIn(settings, "model.name") ?? flavor.name} cannot be cut into pipeline stages`,
            valid: ["1"],
            ...nearby("the model", flavor.told.span),
          },
        ];
      }),
    fires: {
      "c.toml": titan("8B", "pipeline_parallel_degree = 2\n").replace("llama3", "qwen3"),
    },
    silent: { "c.toml": titan("8B", "pipeline_parallel_degree = 2\n") },
  }),
  rule({
    name: "torchtitan-flavor",
    source: `torchtitan/train.py: Trainer.__init__ (train_spec.model_args[flavor]); models/*/__init__.py, ${flavorsVersion}`,
    why: "The flavor is looked up by its name, case included, among those of the model: any other stops all ranks with a KeyError.",
    fix: "Write a flavor from `valid`; a model of your own is brought by experimental.custom_import.",
    check: (launch) => {
      const release = packagesOf(launch).get("torchtitan")?.version ?? null;
      return titanRuns(launch).flatMap(({ settings }): readonly Found[] => {
        const all = otherFlavors(settings, release);
        const told = toldIn(settings, "model.flavor");
        if (all === null || told?.known !== true) return [];
        const meant = nearest(String(told.value), [...all]);
        return [
          {
            span: told.span,
            message: `${String(textIn(settings, "model.name"))} has no flavor ${String(told.value)}`,
            valid: meant === null ? all : [meant],
            // Whoever has no release has a clone, in which flavors are added.
            ...(release === null ? { severity: "warning" as const } : {}),
          },
        ];
      });
    },
    fires: { "c.toml": titan("8b", "") },
    silent: { "c.toml": titan("8B", "") },
  }),
  rule({
    name: "torchtitan-schedule-file",
    // The job may run where the file lies.
    severity: "info",
    source: "torchtitan/distributed/pipeline_parallel.py: build_pipeline_schedule (pipeline_parallel_schedule_csv)",
    why: "A schedule of your own is read from a CSV on every rank; a path that is no file stops all of them.",
    fix: "Correct the path, or make sure that the file lies there where the job runs.",
    check: (launch) =>
      titanRuns(launch).flatMap(({ settings }): readonly Found[] => {
        const told = toldIn(settings, "parallelism.pipeline_parallel_schedule_csv");
        if (told?.known !== true || !told.value || !isDivided(settings)) return [];
        return existsBeside(launch.beside, String(told.value), told.span.source) === false
          ? [{ span: told.span, message: `there is no ${String(told.value)} here` }]
          : [];
      }),
    fires: { "c.toml": titan("8B", schedule("other.csv")), "plans/own.csv": "" },
    silent: { "c.toml": titan("8B", schedule("own.csv")), "plans/own.csv": "" },
  }),
];
