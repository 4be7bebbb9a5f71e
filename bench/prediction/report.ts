/** What the bench prints: scores by engine and GPU, fit, and the regret of choosing by estimates. */
import type { Case } from "./cases.ts";
import { constantsFor, keyOf, type Calibration } from "./calibration.ts";
import { peakOf, refused, stepOf } from "./estimates.ts";
import { nodesFor, timeIntervalOn } from "../../compiler/planner/physics/constants/index.ts";
import { worldOf } from "../../compiler/planner/physics/layout.ts";
import { burdenOf, plainest, riskOf } from "../../compiler/planner/search/objective.ts";
import { mean, quantile, round, scoreOf, type Pair, type Score } from "./score.ts";

/** A case with what is estimated of it. */
export interface Judged {
  readonly one: Case;
  readonly key: string;
  readonly time: number;
  /** What a plan is chosen by, in seconds. */
  readonly objective: number;
  readonly memory: number;
  readonly fits: boolean;
  /** Fits with the margin that the interval of memory asks for. */
  readonly safe: boolean;
  readonly intervals: { readonly time: number; readonly memory: number };
}

export interface Fit {
  readonly n: number;
  readonly right: number;
  readonly accuracy: number | null;
  /** Ran, though we said it would not. */
  readonly refused: number;
  /** Failed, though we said it would run. */
  readonly missed: number;
}

export interface Facet {
  readonly facet: string;
  readonly plans: number;
  readonly choice: string;
  readonly runs: boolean;
  /** Over the best measured plan; `null` where the choice does not run. */
  readonly regret: number | null;
}

export interface Report {
  readonly groups: Readonly<Record<string, { readonly time: Score; readonly memory: Score; readonly fit: Fit }>>;
  readonly regret: {
    readonly facets: number;
    readonly failed: number;
    readonly mean: number;
    readonly median: number;
    readonly max: number;
    readonly list: readonly Facet[];
  };
}

export function judge(one: Case, calibration: Calibration | null): Judged {
  const constants = constantsFor(one, calibration);
  const { logged, fullest } = peakOf(one, constants);
  const limit = constants.usable * one.machine.memory;
  const starts = !refused(one);
  const interval = timeIntervalOn(nodesFor(worldOf(one.layout), one.machine), constants);
  const { shape, layout, batch, machine } = one;
  const step = stepOf(one, constants);
  return {
    one,
    key: keyOf(one),
    time: step,
    objective: step + riskOf(shape.blocks.length, layout, batch.count, machine, constants, interval),
    memory: logged,
    fits: starts && fullest <= limit,
    safe: starts && fullest * Math.exp(constants.memory_interval) <= limit,
    intervals: { time: interval, memory: constants.memory_interval },
  };
}

export function reportOf(judged: readonly Judged[]): Report {
  const groups: Record<string, { time: Score; memory: Score; fit: Fit }> = {};
  for (const key of ["all", ...[...new Set(judged.map((j) => j.key))].sort()]) {
    const mine = judged.filter((j) => key === "all" || j.key === key);
    groups[key] = { time: scoreOf(times(mine)), memory: scoreOf(memories(mine)), fit: fitOf(mine) };
  }
  return { groups, regret: regretOf(judged) };
}

const times = (judged: readonly Judged[]): Pair[] =>
  judged.flatMap(({ one, time, intervals }) =>
    one.time === undefined ? [] : [{ estimate: time, measured: one.time, interval: intervals.time }],
  );

const memories = (judged: readonly Judged[]): Pair[] =>
  judged.flatMap(({ one, memory, intervals }) =>
    one.memory === undefined || one.ran === false
      ? []
      : [{ estimate: memory, measured: one.memory, interval: intervals.memory }],
  );

function fitOf(judged: readonly Judged[]): Fit {
  const known = judged.filter(({ one }) => one.ran !== undefined && one.row.use?.includes("fit") === true);
  const refusedOnes = known.filter(({ one, fits }) => one.ran === true && !fits).length;
  const missed = known.filter(({ one, fits }) => one.ran === false && fits).length;
  const right = known.length - refusedOnes - missed;
  return {
    n: known.length,
    right,
    accuracy: known.length === 0 ? null : round(right / known.length),
    refused: refusedOnes,
    missed,
  };
}

/** A facet needs so many plans that ran to be a choice. */
const plansOfFacet = 5;

function regretOf(judged: readonly Judged[]): Report["regret"] {
  const facets = new Map<string, Judged[]>();
  for (const j of judged) {
    if (j.one.ran === undefined) continue;
    const { row, batch } = j.one;
    const { family, layers, hidden } = row.model;
    const global = row.batch.global ?? 0;
    const name = [
      j.key,
      family,
      layers,
      hidden,
      `seq ${batch.sequence}`,
      `${row.hardware.gpus} GPUs`,
      `batch ${global}`,
      row.precision,
      row.engine,
    ].join(" ");
    facets.set(name, [...(facets.get(name) ?? []), j]);
  }
  const list: Facet[] = [];
  for (const [facet, plans] of facets) {
    const ran = plans.flatMap(({ one }) => (one.ran === true && one.time !== undefined ? [one.time] : []));
    if (ran.length < plansOfFacet) continue;
    const choice = choose(plans);
    const { time, ran: runs } = choice.one;
    const good = runs === true && time !== undefined;
    list.push({
      facet,
      plans: plans.length,
      choice: choice.one.row.id,
      runs: good,
      regret: good ? round(time / Math.min(...ran) - 1) : null,
    });
  }
  const regrets = list.flatMap(({ regret }) => (regret === null ? [] : [regret])).sort((a, b) => a - b);
  return {
    facets: list.length,
    failed: list.filter(({ runs }) => !runs).length,
    mean: round(mean(regrets)),
    median: round(quantile(regrets, 0.5)),
    max: round(regrets.at(-1) ?? 0),
    list,
  };
}

/** As `cdrc plan` chooses: the plainest of the best that fit with the margin of the interval; where none does, the leanest. */
function choose(plans: readonly Judged[]): Judged {
  const safe = plans.flatMap((plan) =>
    plan.safe ? [{ plan, objective: plan.objective, burden: burdenOf(plan.one.layout) }] : [],
  );
  return plainest(safe)?.plan ?? plans.reduce((a, b) => (b.memory < a.memory ? b : a));
}

export function table({ groups, regret }: Report, title: string): string {
  const percent = (value: number | null): string =>
    (value === null ? "-" : `${(100 * value).toFixed(1)}`).padStart(7);
  const line = (name: string, what: string, s: Score): string =>
    `${name.padEnd(24)} ${what.padEnd(6)} ${String(s.n).padStart(5)} ${percent(s.mean)} ${percent(s.median)} ${percent(s.p90)} ${percent(s.bias)} ${(s.rank ?? NaN).toFixed(3).padStart(7)} ${percent(s.covered)}`;
  const rows = Object.entries(groups).flatMap(([name, { time, memory, fit }]) => [
    ...(time.n > 0 ? [line(name, "time", time)] : []),
    ...(memory.n > 0 ? [line(name, "memory", memory)] : []),
    ...(fit.n > 0
      ? [
          `${name.padEnd(24)} fit    ${String(fit.n).padStart(5)} ${percent(fit.accuracy)} right, ${fit.refused} refused that ran, ${fit.missed} failed that we let run`,
        ]
      : []),
  ]);
  return [
    title,
    `${"".padEnd(24)} ${"".padEnd(6)} ${"rows".padStart(5)} ${["mean %", "median", "p90", "bias", "rank", "in 80 %"].map((h) => h.padStart(7)).join(" ")}`,
    ...rows,
    `regret: ${regret.facets} facets, first choice failed in ${regret.failed}; mean ${(100 * regret.mean).toFixed(1)} %, median ${(100 * regret.median).toFixed(1)} %, max ${(100 * regret.max).toFixed(1)} %`,
    "",
  ].join("\n");
}
