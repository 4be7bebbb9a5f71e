/** The layouts of a space, from sets of them to single ones: each is reckoned once, and only where its floor says that it can matter. */
import type { Setting } from "../setting.ts";
import { usableOf } from "../memory.ts";
import { roomOf, type Evaluated } from "./evaluate.ts";
import { floorsOf, type Floors } from "./floors.ts";
import { resolution } from "./objective.ts";
import { queueOf } from "./queue.ts";
import { kindOf } from "./rank.ts";
import { shortList } from "./short-list.ts";
import { reckoned, type Depth, type Group, type Space } from "./space.ts";

/** A layout, by where it stands in its space. */
export interface Place {
  readonly group: Group;
  readonly depth: Depth;
  readonly micro: number;
  readonly variant: number;
}

export interface Search {
  readonly room: number;
  readonly reckon: (place: Place) => Evaluated;
  /** What was reckoned in full so far. */
  readonly reckoned: () => readonly { readonly place: Place; readonly one: Evaluated }[];
  /** Reckons those that fit and may be the choice or among so many kinds that come first; how many of these kinds there are. */
  readonly best: (kinds: number) => number;
  /** Does a layout fit whose step takes no more than so many seconds? */
  readonly isWithin: (seconds: number) => boolean;
  /** Reckons those of fewest bytes, up to a limit that moves. */
  readonly leanest: (limit: () => number, visit: (one: Evaluated) => void) => void;
}

/** `null` where there is no layout. */
export function searchOf(setting: Setting, { groups, variants }: Space): Search | null {
  const [group] = groups;
  const [plainest] = variants;
  const depth = group?.depths[0];
  if (group === undefined || depth === undefined || plainest === undefined) return null;
  const floors = floorsOf(setting, variants);
  const known = new Map<Depth, Map<string, Evaluated>>();
  const all: { readonly place: Place; readonly one: Evaluated }[] = [];
  const reckon = (place: Place): Evaluated => {
    const { group, micro, variant } = place;
    const { tensor_parallel, context_parallel, expert_parallel, expert_tensor_parallel, sequence_parallel } = group;
    const cut = [tensor_parallel, context_parallel, expert_parallel, expert_tensor_parallel, sequence_parallel];
    const key = `${cut.join(" ")} ${micro} ${variant}`;
    let ofDepth = known.get(place.depth);
    if (ofDepth === undefined) known.set(place.depth, (ofDepth = new Map()));
    const before = ofDepth.get(key);
    if (before !== undefined) return before;
    const fewest = floors.of(group).of(place.depth).repeats(micro, variant);
    const one = reckoned(setting, group, place.depth, micro, variants[variant] ?? plainest, fewest);
    ofDepth.set(key, one);
    all.push({ place, one });
    isMoot ||= [one.memory.peak, one.memory.host_peak, one.objective].some(Number.isNaN);
    return one;
  };
  // A figure that is no number is neither within a limit nor one: no other layout would ever be ruled out.
  let isMoot = false;
  const unlessMoot = (limit: () => number) => (): number => (isMoot ? -Infinity : limit());
  const room = roomOf(usableOf(setting));
  return {
    room,
    reckon,
    reckoned: () => all,
    best: (most) => {
      const list = shortList(most);
      const limit = (): number => Math.max(list.limit(), (1 + resolution) * list.first());
      eachThatFits(groups, floors, room, unlessMoot(limit), Infinity, (place) => {
        const one = reckon(place);
        if (one.fits) list.offer(kindOf(one), one.objective);
      });
      return list.length();
    },
    isWithin: (seconds) => {
      let found = false;
      const limit = (): number => (found ? -Infinity : Infinity);
      eachThatFits(groups, floors, room, unlessMoot(limit), seconds, (place) => {
        const { fits, time } = reckon(place);
        found ||= fits && time.step <= seconds;
      });
      return found;
    },
    leanest: (limit, visit) => eachByBytes(groups, floors, unlessMoot(limit), (place) => visit(reckon(place))),
  };
}

/** A set of layouts of alike groups, ever smaller: those of one group, those of a kind, of a micro-batch, of a pipeline, one. */
interface Node {
  /** Of which the first is `group`; `null` once it is one alone. */
  readonly alike: readonly Group[] | null;
  readonly group: Group;
  readonly kind: number;
  readonly micro: number;
  /** Is its floor that of its memory alone? */
  readonly isRough: boolean;
  readonly depth: Depth | null;
  /** -1 while it is open. */
  readonly variant: number;
}

/** Layouts that may fit and take no more than so many seconds, in the order of their least objective, until the next one cannot matter. */
function eachThatFits(
  groups: readonly Group[],
  { kinds, takes, alike: secondsOfAlike, seconds: secondsIn, of }: Floors,
  room: number,
  limit: () => number,
  most: number,
  visit: (place: Place) => void,
): void {
  const queue = queueOf<Node>();
  const put = (seconds: number | null, risk: number, node: Node): void => {
    if (seconds !== null && seconds <= most && seconds + risk <= limit()) queue.put(seconds + risk, node);
  };
  const takesKind = (group: Group, kind: number): boolean => kinds[kind]?.some((each) => takes(group, each)) === true;
  const open = { alike: null, micro: 0, isRough: false, depth: null, variant: -1 };
  const putGroup = (group: Group, kind: number): void => {
    if (takesKind(group, kind)) put(secondsIn(group, kind), 0, { ...open, group, kind });
  };
  for (const alike of alikeIn(groups)) {
    const [group, ...others] = alike;
    for (let kind = 0; kind < kinds.length; kind++)
      if (others.length === 0) putGroup(group, kind);
      else if (alike.some((each) => takesKind(each, kind)))
        put(secondsOfAlike(group, kind), 0, { ...open, alike, group, kind });
  }
  for (let node = queue.take(limit()); node !== null; node = queue.take(limit())) {
    const { alike, group, kind, micro, isRough, depth, variant } = node;
    if (alike !== null) {
      for (const each of alike) putGroup(each, kind);
      continue;
    }
    const floor = of(group);
    if (micro === 0) {
      for (const each of floor.ways.keys())
        put(floor.roughly(each, kind), 0, { alike, group, kind, micro: each, isRough: true, depth, variant });
    } else if (isRough) {
      put(floor.passing(micro, kind), 0, { alike, group, kind, micro, isRough: false, depth, variant });
    } else if (depth === null) {
      for (const way of floor.ways.get(micro) ?? [])
        if (floor.layers(way, kind) <= room) {
          const next = { alike, group, kind, micro, isRough, depth: way.depth, variant };
          put(floor.passes(way, micro, kind), floor.risk(way.depth, micro), next);
        }
    } else if (variant < 0) {
      const at = floor.of(depth);
      const risk = floor.risk(depth, micro);
      for (const each of kinds[kind] ?? [])
        // A device without a rate in this precision has no floor: what is no number is 0.
        if (takes(group, each) && at.bytes(micro, each) <= room)
          put(at.seconds(micro, each) || 0, risk, { alike, group, kind, micro, isRough, depth, variant: each });
    } else visit({ group, depth, micro, variant });
  }
}

type Alike = readonly [Group, ...Group[]];

/** Groups that differ in nothing but the ranks that share experts. */
function alikeIn(groups: readonly Group[]): Iterable<Alike> {
  const found = new Map<string, [Group, ...Group[]]>();
  for (const group of groups) {
    const { tensor_parallel, context_parallel, expert_tensor_parallel, sequence_parallel } = group;
    const key = [tensor_parallel, context_parallel, expert_tensor_parallel, sequence_parallel].join(" ");
    const alike = found.get(key);
    if (alike === undefined) found.set(key, [group]);
    else alike.push(group);
  }
  return found.values();
}

/** Layouts in the order of the bytes that they take at least. */
function eachByBytes(
  groups: readonly Group[],
  { kinds, takes, of }: Floors,
  limit: () => number,
  visit: (place: Place) => void,
): void {
  const queue = queueOf<Place>();
  const variants = kinds.flat();
  for (const group of groups)
    for (const depth of group.depths) {
      const at = of(group).of(depth);
      for (const variant of variants)
        if (takes(group, variant))
          queue.put(at.leanest(depth.micros[0] ?? 1, variant), { group, depth, variant, micro: 0 });
    }
  for (let place = queue.take(limit()); place !== null; place = queue.take(limit())) {
    const { group, depth, variant, micro } = place;
    if (micro > 0) visit(place);
    else
      for (const each of depth.micros) {
        const at = of(group).of(depth);
        if (at.leanest(each, variant) > limit()) break;
        const key = at.bytes(each, variant);
        if (key <= limit()) queue.put(key, { ...place, micro: each });
      }
  }
}
