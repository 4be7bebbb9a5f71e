/** `elasticity` of the releases that had it: it takes the place of the batch, and names the numbers of ranks that it can be shared by. */
import { deepspeedElasticity, deepspeedIgnored } from "../../diagnostics/deepspeed.ts";
import { below } from "../release.ts";
import type { Finding } from "./check.ts";
import { elasticOfNodes, elasticOfRanks, microOf, type ElasticBatch, type ElasticRequest } from "./elastic-batch.ts";
import { asNumber, isInt, isList, isSection, textOf, truthy, type Section, type Value } from "./value.ts";
import history from "./versions.json" with { type: "json" };

export interface Elastic {
  /** With the batch that the engine writes into it. */
  readonly config: Section;
  readonly findings: readonly Finding[];
}

const batchKeys = ["train_batch_size", "train_micro_batch_size_per_gpu", "gradient_accumulation_steps"];

/** What a release makes of the configuration; as it is where it has no elastic training, or none is asked for. */
export function elastic(release: string, config: Section, world: number | null): Elastic {
  const section = config.get("elasticity");
  if (!below(release, history.went.elasticity) || !isSection(section) || !truthy(section.get("enabled")))
    return { config, findings: [] };
  const said = wrong(section);
  const isSettled = truthy(section.get("ignore_non_elastic_batch_info"));
  const doubled = isSettled ? [] : batchKeys.filter((key) => config.has(key));
  const findings = [
    ...said.map(([key, message]) => finding(key === null ? "elasticity" : `elasticity.${key}`, message)),
    ...(doubled[0] === undefined
      ? []
      : [
          finding(
            doubled[0],
            `elasticity chooses the batch, but ${doubled.join(", ")} ${doubled.length === 1 ? "is" : "are"} also given: ignore_non_elastic_batch_info allows both`,
            [...doubled.slice(1), "elasticity.enabled"],
          ),
        ]),
  ];
  const sizes = new Map(config);
  for (const key of batchKeys) sizes.delete(key);
  // Whatever the sizes are, the other demands have nothing against one sample.
  sizes.set("train_micro_batch_size_per_gpu", 1);
  if (said.length > 0 || world === null) return { config: sizes, findings };
  const request = requestOf(section);
  const chosen = version(section) === 0.1 ? elasticOfRanks(request) : elasticOfNodes(request, world);
  const against = refusal(chosen, request, world);
  if (against !== null) return { config: sizes, findings: [...findings, finding("elasticity", against)] };
  if (chosen === null) return { config: sizes, findings };
  const micro = microOf(chosen.batch, world, request.micros) ?? 1;
  sizes.set("train_batch_size", chosen.batch);
  sizes.set("train_micro_batch_size_per_gpu", micro);
  const made = [chosen.batch, micro, Math.floor(chosen.batch / (micro * world))];
  return { config: sizes, findings: isSettled ? [...findings, ...overridden(config, made)] : findings };
}

/** Sizes that say something else than what takes their place. */
function overridden(config: Section, made: readonly number[]): readonly Finding[] {
  const others = batchKeys.filter((key, at) => config.has(key) && asNumber(config.get(key)) !== made[at]);
  const [first, ...rest] = others;
  if (first === undefined) return [];
  const said = others.map((key) => `${key} ${textOf(config.get(key))}`).join(", ");
  const now = batchKeys.map((key, at) => `${key} ${made[at]}`).join(", ");
  const message = `elasticity takes the place of ${said}: the engine trains with ${now}`;
  return [
    {
      ...finding(first, message, [...rest, "elasticity.enabled"]),
      diagnostic: deepspeedIgnored,
      remark: "overridden",
    },
  ];
}

function refusal(chosen: ElasticBatch | null, { micros }: ElasticRequest, world: number): string | null {
  if (chosen === null || chosen.ranks.length === 0)
    return "no number of ranks within min_gpus and max_gpus evenly divides a batch of at most max_train_batch_size";
  const { batch, ranks } = chosen;
  if (!ranks.includes(world))
    return `${world} ranks do not evenly divide the elastic batch of ${batch} samples; ${listed(ranks, world)} do`;
  if (batch < world || microOf(batch, world, micros) === null)
    return `no micro-batch of ${micros.join(", ")} samples divides the step evenly among ${world} ranks: the elastic batch is ${batch}`;
  return null;
}

/** All of a short list; of a long one those nearest to what was asked. */
function listed(ranks: readonly number[], world: number): string {
  const nearest = ranks.toSorted((a, b) => Math.abs(a - world) - Math.abs(b - world)).slice(0, 8);
  return nearest.toSorted((a, b) => a - b).join(", ");
}

function requestOf(section: Section): ElasticRequest {
  const number = (key: string, otherwise: number): number => asNumber(section.get(key)) ?? otherwise;
  const micros = section.get("micro_batch_sizes");
  return {
    most: number("max_train_batch_size", 2000),
    micros: isList(micros) ? micros.map((one) => asNumber(one) ?? 1) : [],
    ranks: { least: number("min_gpus", 1), most: number("max_gpus", 10_000) },
    perNode: number("num_gpus_per_node", 1),
    modelParallel: number("model_parallel_size", 1),
    preferLarger: section.has("prefer_larger_batch") ? truthy(section.get("prefer_larger_batch")) : true,
  };
}

const version = (section: Section): number =>
  Number(asNumber(section.get("version")) ?? section.get("version") ?? 0.2);

type Said = readonly [key: string | null, message: string];

/** What its class refuses, and what the rule that chooses the batch asks for first. */
function wrong(section: Section): readonly Said[] {
  const missing = ["max_train_batch_size", "micro_batch_sizes"].filter((key) => !section.has(key));
  const said: Said[] = missing.map((key) => [null, `elasticity is enabled without ${key}`]);
  const micros = section.get("micro_batch_sizes") ?? [];
  if (section.has("micro_batch_sizes") && !isSizes(micros))
    said.push([
      "micro_batch_sizes",
      `elasticity.micro_batch_sizes = ${textOf(micros)} is not a list of positive whole numbers`,
    ]);
  for (const [key, least] of lowest) {
    const value = section.get(key);
    const number = asNumber(value);
    if (value !== undefined && (number === undefined || number < least))
      said.push([key, `elasticity.${key} = ${textOf(value)} is not a number of at least ${least}`]);
  }
  if (said.length > 0) return said;
  const request = requestOf(section);
  const { least, most } = request.ranks;
  if (least > most) said.push(["min_gpus", `elasticity.min_gpus ${least} is more than max_gpus ${most}`]);
  const which = version(section);
  if (which !== 0.1 && which !== 0.2)
    return [...said, ["version", `elasticity.version = ${textOf(section.get("version"))} is neither 0.1 nor 0.2`]];
  if (request.modelParallel > 1 && which === 0.1)
    said.push(["model_parallel_size", "elasticity.version 0.1 does not support model parallelism: write 0.2"]);
  if (which === 0.2 && request.perNode % request.modelParallel !== 0)
    return [
      ...said,
      [
        "num_gpus_per_node",
        `elasticity.num_gpus_per_node ${request.perNode} is not a multiple of model_parallel_size ${request.modelParallel}`,
      ],
    ];
  const room =
    which === 0.1 ? request.most : Math.floor(request.most / Math.floor(request.perNode / request.modelParallel));
  const above = request.micros.filter((micro) => micro > room);
  if (above.length > 0)
    said.push([
      "micro_batch_sizes",
      `micro-batches of ${above.join(", ")} samples are more than the ${room} that a rank may have in a step`,
    ]);
  return said;
}

const lowest = [
  ["max_train_batch_size", 1],
  ["min_gpus", 1],
  ["max_gpus", 1],
  ["model_parallel_size", 1],
  ["num_gpus_per_node", 1],
  ["min_time", 0],
] as const;

function isSizes(value: Value): boolean {
  return isList(value) && value.length > 0 && value.every((one) => isInt(one) && Number(one) > 0);
}

function finding(path: string, message: string, related: readonly string[] = []): Finding {
  return {
    diagnostic: deepspeedElasticity,
    message,
    path,
    related,
    valid: [],
    nearest: null,
    phase: "config",
    remark: "demand",
  };
}
