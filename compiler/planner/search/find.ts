/** The best layouts of a space: exactly those that trying all of them would find, by trying few. */
import type { Settings } from "../../pipeline.ts";
import { hostRoom } from "../host.ts";
import { hostFloor, usableOf } from "../memory.ts";
import { onCpu, worldOf, type Setting } from "../setting.ts";
import { evaluate, roomOf, type Evaluated } from "./evaluate.ts";
import { floorsOf, type Floors, type GroupFloor } from "./floors.ts";
import { queueOf } from "./queue.ts";
import { resolution } from "./objective.ts";
import { kindOf, rank } from "./rank.ts";
import { choiceOf, choicesOf, spaceOf, type Depth, type Space } from "./space.ts";

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

/**
 * What `find` would choose, or `null` where its step takes more than so many seconds. `fits`: whether some layout does, be it slower.
 */
export function findWithin(
  setting: Setting,
  layout: Settings,
  seconds: number,
): { readonly best: Evaluated | null; readonly fits: boolean } {
  const space = spaceOf(setting, layout);
  const search = onCpu(setting) || space.size <= small ? null : searchOf(setting, space);
  if (search === null) return within(tryAll(setting, space), seconds);
  return seconds === Infinity || search.isWithin(seconds)
    ? within(bestOf(search), seconds)
    : { best: null, fits: holds(search) };
}

/** The same, where nobody asks whether a slower one fits. */
export function bestWithin(setting: Setting, layout: Settings, seconds: number): Evaluated | null {
  const space = spaceOf(setting, layout);
  const search = onCpu(setting) || space.size <= small ? null : searchOf(setting, space);
  if (search === null) return within(tryAll(setting, space), seconds).best;
  return search.isWithin(seconds) ? within(bestOf(search), seconds).best : null;
}

function bestOf(search: Search): readonly Evaluated[] {
  search.best(1);
  return rank(search.reckoned().map(({ one }) => one));
}

function within([best]: readonly Evaluated[], seconds: number): ReturnType<typeof findWithin> {
  if (best === undefined || !best.fits) return { best: null, fits: false };
  return { best: best.time.step <= seconds ? best : null, fits: true };
}

/** Does any layout fit? */
export function fitsAny(setting: Setting, layout: Settings): boolean {
  const { variants, ...all } = spaceOf(setting, inOneChunk(setting, layout));
  const world = worldOf(setting.cluster);
  const room = hostRoom(setting.cluster) / setting.cluster.gpusPerNode;
  const able = onCpu(setting) ? variants : variants.filter((variant) => hostFloor(setting, variant, world) <= room);
  const space = { ...all, variants: able };
  if (onCpu(setting) || space.size <= small) return tryAll(setting, space).some(({ fits }) => fits);
  const search = searchOf(setting, space);
  return search !== null && holds(search);
}

/** A stage of several chunks holds what a stage of one does, and more micro-batches of it. */
function inOneChunk({ raw = {} }: Setting, layout: Settings): Settings {
  const name = "virtual_pipeline";
  if (layout.given.has(name) || layout.bounds.has(name) || Object.keys(raw).length > 0) return layout;
  return { ...layout, bounds: new Map([...layout.bounds, [name, { min: 1, max: 1, oneOf: null, spans: [] }]]) };
}

function holds({ room, leanest }: Search): boolean {
  let found = false;
  leanest(
    () => (found ? -Infinity : room),
    ({ fits }) => (found ||= fits),
  );
  return found;
}

export function tryAll(setting: Setting, space: Space): Evaluated[] {
  return rank(choicesOf(space).map((choice) => evaluate(setting, choice)));
}

/** A layout, by where it stands in its space. */
interface Place {
  readonly floor: GroupFloor;
  readonly depth: Depth;
  readonly micro: number;
  readonly variant: number;
}

export function branchAndBound(setting: Setting, space: Space): Found {
  const search = searchOf(setting, space);
  if (search === null) return { ranked: [], considered: 0, evaluated: 0 };
  if (search.best(runnersUp + 1) <= runnersUp) {
    // So few fit that the leanest of the others are of interest; those of a kind that fits are not counted.
    const list = shortList(2 * runnersUp + 1);
    search.leanest(list.limit, (one) => {
      if (!one.fits) list.offer(kindOf(one), one.memory.peak);
    });
  }
  const all = (): Evaluated[] => search.reckoned().map(({ one }) => one);
  // The next micro-batch up is what people ask for first, even when it does not fit.
  const [best] = rank(all());
  const taken = search.reckoned().find(({ one }) => one === best)?.place;
  const larger = taken?.depth.micros.find((micro) => micro > taken.micro);
  if (taken !== undefined && larger !== undefined) search.reckon({ ...taken, micro: larger });
  return { ranked: rank(all()), considered: space.size, evaluated: search.reckoned().length };
}

interface Search {
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
function searchOf(setting: Setting, { groups, variants }: Space): Search | null {
  const [group] = groups;
  const [plainest] = variants;
  const depth = group?.depths[0];
  if (group === undefined || depth === undefined || plainest === undefined) return null;
  const floors = floorsOf(setting, variants);
  const groupFloors = groups.map(floors.of);
  const known = new Map<Depth, Map<string, Evaluated>>();
  const all: { readonly place: Place; readonly one: Evaluated }[] = [];
  const reckon = (place: Place): Evaluated => {
    const { floor, micro, variant } = place;
    const { tensor_parallel, context_parallel, expert_parallel, sequence_parallel } = floor.group;
    const key = `${tensor_parallel} ${context_parallel} ${expert_parallel} ${sequence_parallel} ${micro} ${variant}`;
    let ofDepth = known.get(place.depth);
    if (ofDepth === undefined) known.set(place.depth, (ofDepth = new Map()));
    const before = ofDepth.get(key);
    if (before !== undefined) return before;
    const one = evaluate(setting, choiceOf(floor.group, place.depth, micro, variants[variant] ?? plainest));
    ofDepth.set(key, one);
    all.push({ place, one });
    return one;
  };
  const room = roomOf(usableOf(setting));
  return {
    room,
    reckon,
    reckoned: () => all,
    best: (most) => {
      const list = shortList(most);
      const limit = (): number => Math.max(list.limit(), (1 + resolution) * list.first());
      eachThatFits(groupFloors, floors, room, limit, Infinity, (place) => {
        const one = reckon(place);
        if (one.fits) list.offer(kindOf(one), one.objective);
      });
      return list.length();
    },
    isWithin: (seconds) => {
      let found = false;
      const limit = (): number => (found ? -Infinity : Infinity);
      eachThatFits(groupFloors, floors, room, limit, seconds, (place) => {
        const { fits, time } = reckon(place);
        found ||= fits && time.step <= seconds;
      });
      return found;
    },
    leanest: (limit, visit) => eachByBytes(groupFloors, variants.length, limit, (place) => visit(reckon(place))),
  };
}

/** A set of layouts of a group, ever smaller: those of a kind, of a micro-batch, of a pipeline, one. */
interface Node {
  readonly floor: GroupFloor;
  readonly kind: number;
  readonly micro: number;
  readonly depth: Depth | null;
  /** -1 while it is open. */
  readonly variant: number;
}

/** Layouts that may fit and take no more than so many seconds, in the order of their least objective, until the next one cannot matter. */
function eachThatFits(
  groups: readonly GroupFloor[],
  { kinds }: Floors,
  room: number,
  limit: () => number,
  most: number,
  visit: (place: Place) => void,
): void {
  const queue = queueOf<Node>();
  const put = (seconds: number, risk: number, node: Node): void => {
    if (seconds <= most && seconds + risk <= limit()) queue.put(seconds + risk, node);
  };
  for (const floor of groups)
    for (let kind = 0; kind < kinds.length; kind++)
      put(floor.seconds(kind), 0, { floor, kind, micro: 0, depth: null, variant: -1 });
  for (let node = queue.take(limit()); node !== null; node = queue.take(limit())) {
    const { floor, kind, micro, depth, variant } = node;
    if (micro === 0)
      for (const each of floor.micros(kind, room))
        put(floor.passing(each, kind), 0, { floor, kind, micro: each, depth, variant });
    else if (depth === null) {
      for (const next of floor.group.depths) {
        const place = next.micros.indexOf(micro);
        if (place >= 0 && floor.layers(next, place, kind) <= room)
          put(floor.passes(next, micro, kind), floor.risk(next, micro), { floor, kind, micro, depth: next, variant });
      }
    } else if (variant < 0) {
      const at = floor.of(depth);
      const risk = floor.risk(depth, micro);
      for (const each of kinds[kind] ?? [])
        // A device without a rate in this precision has no floor: what is no number is 0.
        if (at.bytes(micro, each) <= room)
          put(at.seconds(micro, each) || 0, risk, { floor, kind, micro, depth, variant: each });
    } else visit({ floor, depth, micro, variant });
  }
}

/** Layouts in the order of the bytes that they take at least. */
function eachByBytes(
  groups: readonly GroupFloor[],
  variants: number,
  limit: () => number,
  visit: (place: Place) => void,
): void {
  const queue = queueOf<Place>();
  for (const floor of groups)
    for (const depth of floor.group.depths) {
      const at = floor.of(depth);
      for (let variant = 0; variant < variants; variant++)
        queue.put(at.leanest(depth.micros[0] ?? 1, variant), { floor, depth, variant, micro: 0 });
    }
  for (let place = queue.take(limit()); place !== null; place = queue.take(limit())) {
    const { floor, depth, variant, micro } = place;
    if (micro > 0) visit(place);
    else
      for (const each of depth.micros) {
        const at = floor.of(depth);
        if (at.leanest(each, variant) > limit()) break;
        const key = at.bytes(each, variant);
        if (key <= limit()) queue.put(key, { ...place, micro: each });
      }
  }
}

interface ShortList {
  readonly offer: (kind: string, value: number) => void;
  /** The largest of the list once it is full. */
  readonly limit: () => number;
  readonly first: () => number;
  readonly length: () => number;
}

/** The least value of each of the `most` best kinds. */
function shortList(most: number): ShortList {
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
      if (list.length > most) list.pop();
    },
    limit: () => (list.length < most ? Infinity : (list[most - 1]?.value ?? Infinity)),
    first: () => list[0]?.value ?? Infinity,
    length: () => list.length,
  };
}
