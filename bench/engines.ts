/**
 * `npm run bench -- engines --megatron|--deepspeed [--count N] [--seed N] [--bases F] [--build]`: random walks over launches that the real
 * engine accepts, each with the verdict of its own parser and validators, and ours beside it. `--bases F` begins at the accepted rows of
 * a file of verdicts in place of the launches that rules are tried on; `--build` has DeepSpeed build an engine. What differs is listed with
 * the launch, to be tried again.
 */
import { parseArgs } from "node:util";
import { walkDeepSpeed } from "./engines/deepspeed.ts";
import { walkMegatron } from "./engines/megatron.ts";
import type { Walk, Walked } from "./engines/walk.ts";

export interface Report {
  readonly rows: number;
  readonly agreement: number;
  /** What the engine refuses and we accept, and the other way round. */
  readonly misses: readonly Walked[];
  readonly false_alarms: readonly Walked[];
  /** Launches on which the engine took too long for a verdict. */
  readonly late: readonly Walked[];
  /** Rules about a later part of a start than the walk goes through, by how often they alone have spoken. */
  readonly later: Readonly<Record<string, number>>;
}

export async function run(words: readonly string[]): Promise<Report> {
  const { values } = parseArgs({
    args: [...words],
    options: {
      megatron: { type: "boolean" },
      deepspeed: { type: "boolean" },
      build: { type: "boolean" },
      count: { type: "string" },
      seed: { type: "string" },
      bases: { type: "string" },
    },
  });
  const [count, seed] = [Number(values.count ?? 300), Number(values.seed ?? 1)];
  const isOne = values.megatron !== values.deepspeed;
  if (!isOne || !Number.isInteger(count) || count < 1 || !Number.isInteger(seed))
    throw new Error("usage: bench engines --megatron | --deepspeed [--count N] [--seed N] [--bases FILE] [--build]");
  const walk: Walk = { count, seed, bases: values.bases ?? null, builds: values.build === true };
  const walked = await (values.megatron === true ? walkMegatron(walk) : walkDeepSpeed(walk));
  const result = report(walked);
  process.stderr.write(table(result));
  return result;
}

export function report(all: readonly Walked[]): Report {
  const late = all.filter(({ engine }) => engine === "late");
  const walked = all.filter(({ engine }) => engine !== "late");
  const misses = walked.filter(({ engine, ours }) => engine === "error" && ours.length === 0);
  const refused = walked.filter(({ engine, ours }) => engine === "ok" && ours.length > 0);
  const alarms = refused.filter(({ ours }) => ours.some(({ isLater }) => !isLater));
  const later: Record<string, number> = {};
  for (const { ours } of refused.filter((each) => !alarms.includes(each)))
    for (const code of new Set(ours.map((each) => each.code))) later[code] = (later[code] ?? 0) + 1;
  const wrong = misses.length + alarms.length;
  return {
    rows: walked.length,
    agreement: walked.length === 0 ? 1 : 1 - wrong / walked.length,
    misses,
    false_alarms: alarms,
    late,
    later,
  };
}

export function table({ rows, agreement, misses, false_alarms: alarms, late, later }: Report): string {
  const listed = (kind: string, each: Walked): string =>
    `${kind} ${each.id}: ${each.engine !== "ok" ? each.said : each.ours.map(({ code, message }) => `${code} ${message}`).join("; ")}\n`;
  return [
    `${rows} launches, ${(100 * agreement).toFixed(2)} % agreement, ${misses.length} misses, ${alarms.length} false alarms\n`,
    ...misses.map((each) => listed("miss", each)),
    ...alarms.map((each) => listed("false alarm", each)),
    ...late.map((each) => listed("no verdict", each)),
    ...Object.entries(later).map(([code, times]) => `later than the walk: ${code} ${times}\n`),
  ].join("");
}
