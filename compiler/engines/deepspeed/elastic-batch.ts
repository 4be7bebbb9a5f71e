/**
 * The batch of elastic training and the numbers of ranks that go with it: the one that the most numbers of ranks share evenly.
 *
 * Source: deepspeed elasticity/elasticity.py: _get_compatible_gpus_v01, _get_compatible_gpus_v02, as far as 0.19.6.
 */

export interface ElasticRequest {
  readonly most: number;
  readonly micros: readonly number[];
  readonly ranks: { readonly least: number; readonly most: number };
  readonly perNode: number;
  readonly modelParallel: number;
  readonly preferLarger: boolean;
}

export interface ElasticBatch {
  readonly batch: number;
  /** Of data parallel ranks, ascending. */
  readonly ranks: readonly number[];
}

/** Version 0.1: any number of ranks within the bounds; `null` where no batch has any. */
export function elasticOfRanks({ most, micros, ranks, preferLarger }: ElasticRequest): ElasticBatch | null {
  const least = Math.min(...micros);
  const bounds = {
    least: ranks.least === 0 ? 1 : ranks.least,
    most: ranks.most === 0 ? Math.floor(most / least) : ranks.most,
  };
  const candidates = new Set([...micros, micros.reduce(commonMultiple)].map((base) => scaled(base, most)));
  let best: ElasticBatch | null = null;
  for (const batch of candidates) {
    const found = ranksOf(batch, micros, bounds);
    const known: ElasticBatch = best ?? { batch: least, ranks: [] };
    const isBetter = preferLarger ? batch > known.batch : batch < known.batch;
    if (found.length > known.ranks.length || (found.length === known.ranks.length && isBetter))
      best = { batch, ranks: found };
  }
  return best;
}

/** Version 0.2: whole nodes; a number of ranks that is none of these has a batch of its own. */
export function elasticOfNodes(request: ElasticRequest, world: number): ElasticBatch | null {
  const { most, micros, ranks, perNode, modelParallel, preferLarger } = request;
  const each = Math.floor(perNode / modelParallel);
  const nodes = elasticOfRanks({
    ...request,
    most: Math.floor(most / each),
    ranks: { least: Math.floor(ranks.least / perNode), most: Math.floor(ranks.most / perNode) },
  });
  if (nodes === null) return null;
  const found = { batch: nodes.batch * each, ranks: nodes.ranks.map((count) => count * each) };
  if (found.ranks.includes(Math.floor(world / modelParallel))) return found;
  const replicas = (world / perNode) * each;
  const batches = micros.map((micro) => Math.floor(most / (micro * replicas)) * micro * replicas);
  return {
    batch: Math.floor(preferLarger ? Math.max(...batches) : Math.min(...batches)),
    ranks: [Math.floor(replicas)],
  };
}

/** The largest micro-batch that divides what a rank reads in a step; `null` where none does. */
export function microOf(batch: number, world: number, micros: readonly number[]): number | null {
  const share = Math.floor(batch / world);
  return micros.toSorted((a, b) => b - a).find((micro) => share % micro === 0) ?? null;
}

/** The largest multiple of a base by a number with many divisors. */
function scaled(base: number, most: number): number {
  return base >= most ? base : base * (highlyComposite.findLast((one) => one <= Math.floor(most / base)) ?? 1);
}

function ranksOf(
  batch: number,
  micros: readonly number[],
  { least, most }: ElasticRequest["ranks"],
): readonly number[] {
  const found = new Set<number>();
  for (const micro of micros) {
    if (batch % micro !== 0) continue;
    const whole = batch / micro;
    for (let low = 1; low * low <= whole; low++)
      if (whole % low === 0) for (const one of [low, whole / low]) if (one >= least && one <= most) found.add(one);
  }
  return [...found].sort((a, b) => a - b);
}

function commonMultiple(a: number, b: number): number {
  let [larger, smaller] = [a, b];
  while (smaller > 0) [larger, smaller] = [smaller, larger % smaller];
  return (a / larger) * b;
}

/** As many as the engine's list has. */
const highlyComposite = [
  1, 2, 4, 6, 12, 24, 36, 48, 60, 120, 180, 240, 360, 720, 840, 1260, 1680, 2520, 5040, 7560, 10080, 15120, 20160,
  25200, 27720, 45360, 50400, 55440, 83160, 110880, 166320, 221760, 277200, 332640, 498960, 554400, 665280, 720720,
] as const;
