import type { Alternative } from "../../plan.ts";
import { bytes } from "../../planner/describe.ts";
import { hostRoom } from "../../planner/host.ts";
import { fitOf, hostFits, type Evaluated } from "../../planner/search/evaluate.ts";
import { resolution } from "../../planner/search/objective.ts";
import { runnersUp } from "../../planner/search/find.ts";
import { kindOf } from "../../planner/search/rank.ts";
import { batchPlanOf, layoutOf } from "./laid-out.ts";

/** What else was possible, each kind of layout once, and why it was not taken. */
export function alternativesOf(best: Evaluated, others: readonly Evaluated[]): Alternative[] {
  const seen = new Set<string>();
  const picked: Evaluated[] = [];
  // The next micro-batch up is what people ask for first, even when it does not fit.
  const larger = others
    .filter((other) => pathOf(other) === pathOf(best) && other.choice.micro_batch > best.choice.micro_batch)
    .sort((a, b) => a.choice.micro_batch - b.choice.micro_batch)[0];
  if (larger !== undefined) picked.push(larger);
  for (const other of others) {
    if (picked.length >= runnersUp) break;
    if ([best, ...picked].some((one) => isAlike(one, other)) || seen.has(kindOf(other))) continue;
    seen.add(kindOf(other));
    picked.push(other);
  }
  return picked.map((other) => ({
    layout: layoutOf(other),
    batch: batchPlanOf(other),
    memory: { peak: other.memory.peak },
    time: { step: other.time.step },
    why_not: whyNot(best, other),
  }));
}

/** All but the micro-batch. */
const pathOf = (one: Evaluated): string =>
  `${kindOf(one)} ${one.choice.sequence_parallel} ${one.choice.virtual_pipeline}`;

/** Would both read the same? Another cut into chunks that is as fast is no other choice to anybody. */
const isAlike = (a: Evaluated, b: Evaluated): boolean =>
  a.choice.micro_batch === b.choice.micro_batch &&
  kindOf(a) === kindOf(b) &&
  (pathOf(a) === pathOf(b) || Math.abs(a.time.step / b.time.step - 1) < resolution);

/** The same stage with an engine that nobody named. */
export function foreignAlternative(best: Evaluated, other: Evaluated): Alternative {
  const { name } = other.setting.engine;
  const less = (100 * (1 - other.time.step / best.time.step)).toFixed(0);
  const error = other.time.error === null ? "" : `, ± ${(100 * other.time.error).toFixed(0)} %`;
  return {
    engine: name,
    layout: layoutOf(other),
    batch: batchPlanOf(other),
    memory: { peak: other.memory.peak },
    time: { step: other.time.step },
    why_not: `no engine is named; \`engine = ${name}\` would take ${less} % less time and cost${error}`,
  };
}

function whyNot(best: Evaluated, other: Evaluated): string {
  const memory = `${bytes(other.memory.peak)} of ${bytes(other.memory.usable)}`;
  const fit = fitOf(other.memory);
  if (fit === "no") return `needs ${memory}`;
  if (!hostFits(other.setting, other.memory)) {
    const { cluster } = other.setting;
    return `needs ${bytes(other.memory.host_peak)} of host memory, of which ${bytes(hostRoom(cluster))} are free to use`;
  }
  if (fit === "perhaps") {
    return other.memory.peak > other.memory.usable
      ? `may not fit: ${memory}, within the estimate's error`
      : `leaves less than the estimate's error: ${memory}`;
  }
  const slower = other.time.step / best.time.step - 1;
  if (slower >= 0.01) return `${(100 * slower).toFixed(slower < 0.1 ? 1 : 0)} % slower`;
  if (slower >= 0) return "no faster, but more complex";
  const faster = -100 * slower;
  const said = `${faster < 0.1 ? "less than 0.1" : faster.toFixed(1)} % faster by the estimate`;
  // Within the resolution the plainer one is taken; beyond it what messages risk has decided.
  return other.objective < best.objective
    ? `${said}, but more complex`
    : `${said}, but not if the risk of its messages is counted`;
}
