/**
 * Collects what edits leave behind, at times when nobody waits: a heap that may grow does, and a server stands beside an
 * editor all day. Where an edit takes long, so much is left behind that it cannot wait for a rest.
 */
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Milliseconds without a message after which nobody is taken to wait for an answer. */
const rest = 250;
/** The same between two keystrokes: time enough for young objects alone. */
const pause = 15;
/** Bytes of young objects that the next keystroke had better not find there. */
const young = 2 ** 18;
/** A piece of work that takes as many milliseconds is not made longer to speak of by a collection behind it. */
const long = 150;
/** Bytes that are worth a collection. */
const worth = 8e6;

export interface Collector {
  /** A message came. */
  readonly heard: () => void;
  /** `work`, after whose answer is collected where it was long. */
  readonly behind: <T>(work: () => T) => T;
}

export function collector(): Collector {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as (options?: { readonly type: "minor" }) => void;
  const used = (): number => getHeapStatistics().used_heap_size;
  let live = used();
  let resting: NodeJS.Timeout | undefined;
  let pausing: NodeJS.Timeout | undefined;
  let isDue = false;
  const tidy = (): void => {
    isDue = false;
    if (used() - live < worth) return;
    collect();
    live = used();
  };
  const tidyYoung = (): void => {
    const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space");
    if ((space?.space_used_size ?? 0) > young) collect({ type: "minor" });
  };
  return {
    heard: () => {
      clearTimeout(pausing);
      pausing = setTimeout(() => behindTurn(tidyYoung), pause);
      pausing.unref();
      clearTimeout(resting);
      resting = setTimeout(tidy, rest);
      resting.unref();
    },
    behind: (work) => {
      const start = performance.now();
      const result = work();
      if (!isDue && performance.now() - start >= long) {
        isDue = true;
        behindTurn(tidy);
      }
      return result;
    },
  };
}

/** Behind the turn in which an answer is written. */
const behindTurn = (work: () => void): void => {
  setImmediate(() => setImmediate(work));
};
