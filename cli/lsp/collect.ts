/**
 * Collects what edits leave behind, at times when nobody waits: a heap that may grow does, and a server stands beside an
 * editor all day. Where an edit takes long, so much is left behind that it cannot wait for a rest.
 */
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Milliseconds without a message after which nobody is taken to wait for an answer. */
const rest = 250;
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
  const collect = runInNewContext("gc") as () => void;
  const used = (): number => getHeapStatistics().used_heap_size;
  let live = used();
  let resting: NodeJS.Timeout | undefined;
  let isDue = false;
  const tidy = (): void => {
    isDue = false;
    if (used() - live < worth) return;
    collect();
    live = used();
  };
  return {
    heard: () => {
      clearTimeout(resting);
      resting = setTimeout(tidy, rest);
      resting.unref();
    },
    behind: (work) => {
      const start = performance.now();
      const result = work();
      if (!isDue && performance.now() - start >= long) {
        isDue = true;
        // Behind the turn in which the answer is written.
        setImmediate(() => setImmediate(tidy));
      }
      return result;
    },
  };
}
