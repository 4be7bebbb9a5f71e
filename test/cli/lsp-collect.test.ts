import { constants, type NodeGCPerformanceDetail, type PerformanceEntry, PerformanceObserver } from "node:perf_hooks";
import { describe, expect, it } from "vitest";
import { collector } from "../../cli/lsp/collect.ts";

/** Something large that nothing holds but a weak reference, which an old generation keeps until it is collected. */
function leftBehind(): WeakRef<object> {
  return new WeakRef(Array.from({ length: 2_000_000 }, (_, index) => index + 0.5));
}

const sleep = (ms: number) => new Promise((done) => setTimeout(done, ms));

/** Waits as long as it takes, within a bound that only a collection that never comes reaches. */
async function isCollected(left: WeakRef<object>): Promise<boolean> {
  for (let tries = 0; tries < 200; tries++) {
    if (left.deref() === undefined) return true;
    await sleep(50);
  }
  return false;
}

describe("what edits leave behind", () => {
  it("is collected behind work that took long", async () => {
    const { behind } = collector();
    const left = behind(() => {
      const end = performance.now() + 200;
      while (performance.now() < end);
      return leftBehind();
    });
    expect(await isCollected(left)).toBe(true);
  });

  it("is collected when no message has come for a while", async () => {
    const { heard, behind } = collector();
    const left = behind(leftBehind);
    heard();
    expect(await isCollected(left)).toBe(true);
  });

  it("is collected between two keystrokes where it is young", async () => {
    let collections = 0;
    const observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const { kind, flags } = (entry as PerformanceEntry & { readonly detail: NodeGCPerformanceDetail }).detail;
        const isAsked = ((flags ?? 0) & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) !== 0;
        if (kind === constants.NODE_PERFORMANCE_GC_MINOR && isAsked) collections += 1;
      }
    });
    observer.observe({ entryTypes: ["gc"] });
    const { heard } = collector();
    // Without a pause between them no message is the last one.
    for (let stroke = 0; collections === 0 && stroke < 100; stroke++) {
      Array.from({ length: 10_000 }, () => ({ stroke }));
      heard();
      await sleep(50);
    }
    observer.disconnect();
    expect(collections).toBeGreaterThan(0);
  });
});
