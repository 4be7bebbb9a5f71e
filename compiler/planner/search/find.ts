/** The best layouts of a space: exactly those that trying all of them would find, by trying few. */
import type { Settings } from "../../pipeline.ts";
import { onCpu, type Setting } from "../setting.ts";
import { evaluate, roomOf, type Evaluated } from "./evaluate.ts";
import { floorsOf, type Floor } from "./floors.ts";
import { heapOf } from "./heap.ts";
import { indifference, kindOf, rank } from "./rank.ts";
import { choiceOf, choicesOf, spaceOf, type Branch, type Space } from "./space.ts";

export interface Found {
  /** In order of preference: the choice, all others that could be shown, and where few fit the leanest that do not. */
  readonly ranked: readonly Evaluated[];
  /** Layouts of the space, and how many of them were reckoned in full: the others cannot be among the ranked. */
  readonly considered: number;
  readonly evaluated: number;
}

/** Kinds of layout that are ranked beside the choice's own. */
export const runnersUp = 5;

/** Spaces so small that finding out what need not be tried takes longer than trying it. */
const small = 48;

export function find(setting: Setting, layout: Settings): Found {
  const space = spaceOf(setting, layout);
  const { size } = space;
  if (onCpu(setting) || size <= small) return { ranked: tryAll(setting, space), considered: size, evaluated: size };
  return branchAndBound(setting, space);
}

export function tryAll(setting: Setting, space: Space): Evaluated[] {
  return rank(choicesOf(space).map((choice) => evaluate(setting, choice)));
}

export function branchAndBound(setting: Setting, space: Space): Found {
  const { branches, variants, size } = space;
  const nodes = nodesOf(space);
  const { of: floorOf, kinds } = floorsOf(setting, variants);
  const every = variants.map((_, variant) => variant);
  const floors: (Floor | undefined)[] = [];
  const floorAt = (index: number, branch: Branch): Floor => (floors[index] ??= floorOf(branch));
  const at = (node: number): { branch: Branch; floor: Floor; micro: number } => {
    const index = nodes.branch[node] ?? 0;
    const branch = branches[index];
    if (branch === undefined) throw new Error("a node without a branch");
    return { branch, floor: floorAt(index, branch), micro: branch.micros[nodes.micro[node] ?? 0] ?? 1 };
  };
  // A device without a rate in this precision has no floor: what is no number is 0.
  const least = (of: keyof Floor, among: readonly number[]): Float64Array => {
    const keys = new Float64Array(nodes.branch.length);
    let node = 0;
    branches.forEach((branch, index) => {
      const floor = floorAt(index, branch);
      for (const micro of branch.micros) {
        let low = Infinity;
        for (const variant of among) low = Math.min(low, floor[of](micro, variant) || 0);
        keys[node++] = low;
      }
    });
    return keys;
  };

  const [plainest] = variants;
  if (plainest === undefined) return { ranked: [], considered: 0, evaluated: 0 };
  const done = new Map<number, Evaluated>();
  const reckon = (node: number, variant: number): Evaluated => {
    const key = node * variants.length + variant;
    const before = done.get(key);
    if (before !== undefined) return before;
    const { branch, micro } = at(node);
    const choice = choiceOf(branch, micro, variants[variant] ?? plainest);
    const one = evaluate(setting, choice);
    done.set(key, one);
    return one;
  };

  const room = roomOf(reckon(0, 0).memory);
  const fastest = shortList(runnersUp + 1);
  walk(
    heapOf(least("passes", kinds)),
    () => Math.max(fastest.limit(), (1 + indifference) * fastest.first()),
    (node, limit) => {
      const { floor, micro } = at(node);
      for (let variant = 0; variant < variants.length; variant++) {
        if (floor.bytes(micro, variant) > room || floor.seconds(micro, variant) > limit()) continue;
        const one = reckon(node, variant);
        if (one.fits) fastest.offer(kindOf(one), one.time.step);
      }
    },
  );
  if (fastest.limit() === Infinity) {
    // So few fit that the leanest of the others are of interest; those of a kind that fits are not counted.
    const leanest = shortList(2 * runnersUp + 1);
    walk(heapOf(least("bytes", every)), leanest.limit, (node, limit) => {
      const { floor, micro } = at(node);
      for (let variant = 0; variant < variants.length; variant++) {
        if (floor.bytes(micro, variant) > limit()) continue;
        const one = reckon(node, variant);
        if (!one.fits) leanest.offer(kindOf(one), one.memory.peak);
      }
    });
  }
  // The next micro-batch up is what people ask for first, even when it does not fit.
  const [best] = rank([...done.values()]);
  for (const [key, one] of done) {
    const node = Math.floor(key / variants.length);
    if (one !== best || nodes.branch[node] !== nodes.branch[node + 1]) continue;
    reckon(node + 1, key % variants.length);
    break;
  }
  return { ranked: rank([...done.values()]), considered: size, evaluated: done.size };
}

/** Nodes in the order of what they are at least, until the next one cannot matter. */
function walk(
  heap: ReturnType<typeof heapOf>,
  limit: () => number,
  visit: (node: number, limit: () => number) => void,
): void {
  for (let next = heap.take(); next !== null && next.key <= limit(); next = heap.take()) visit(next.index, limit);
}

/** A split with one of its micro-batches. */
function nodesOf({ branches }: Space): { readonly branch: Uint32Array; readonly micro: Uint32Array } {
  const count = branches.reduce((sum, { micros }) => sum + micros.length, 0);
  const nodes = { branch: new Uint32Array(count), micro: new Uint32Array(count) };
  let node = 0;
  branches.forEach(({ micros }, branch) =>
    micros.forEach((_, micro) => {
      nodes.branch[node] = branch;
      nodes.micro[node] = micro;
      node++;
    }),
  );
  return nodes;
}

interface ShortList {
  readonly offer: (kind: string, value: number) => void;
  /** The largest of the list once it is full. */
  readonly limit: () => number;
  readonly first: () => number;
}

/** The least value of each of the `length` best kinds. */
function shortList(length: number): ShortList {
  const list: { readonly kind: string; readonly value: number }[] = [];
  return {
    offer: (kind, value) => {
      const known = list.findIndex((one) => one.kind === kind);
      if (known >= 0) {
        if ((list[known]?.value ?? 0) <= value) return;
        list.splice(known, 1);
      }
      const place = list.findIndex((one) => one.value > value);
      list.splice(place < 0 ? list.length : place, 0, { kind, value });
      if (list.length > length) list.pop();
    },
    limit: () => (list.length < length ? Infinity : (list[length - 1]?.value ?? Infinity)),
    first: () => list[0]?.value ?? Infinity,
  };
}
