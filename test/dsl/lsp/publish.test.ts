import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createPublisher } from "../../../dsl/lsp/publish.ts";
import type { Workspace } from "../../../dsl/lsp/workspace.ts";

/** A workspace of one document, whose analysis takes long enough for the publisher to wait for quiet. */
function slowWorkspace() {
  let [version, text, analysed] = [1, "a", ""];
  let analysis: { readonly diagnostics: readonly [] } | null = null;
  const workspace = {
    opened: () => [{ uri: "file:///a.cdr", version, text }],
    document: () => ({ uri: "file:///a.cdr", version, text }),
    text: () => text,
    uriOf: () => "file:///a.cdr",
    isAnalysed: () => analysed === text,
    soonDiagnostics: () => null,
    goFurther: () => false,
    analysis: () => {
      if (analysed === text) return analysis;
      const end = performance.now() + 60;
      while (performance.now() < end);
      analysed = text;
      analysis = { diagnostics: [] };
      return analysis;
    },
  };
  const type = (now: string) => {
    version += 1;
    text = now;
  };
  return { workspace: workspace as unknown as Workspace, type };
}

// Nobody is quiet for long enough, however slow the machine.
beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => vi.useRealTimers());

async function turns(): Promise<void> {
  for (let i = 0; i < 10; i++) await turn();
}

it("judges a text that came back to what it was at once, and one that is new when nobody types", async () => {
  const { workspace, type } = slowWorkspace();
  const said: (number | undefined)[] = [];
  const publisher = createPublisher(
    workspace,
    ({ version }) => void said.push(version),
    () => undefined,
    (_, defect) => {
      throw defect;
    },
  );
  publisher.changed("/a.cdr");
  await turns();
  expect(said).toEqual([1]);
  type("b");
  publisher.changed("/a.cdr");
  await turns();
  expect(said).toEqual([1]);
  type("a");
  publisher.changed("/a.cdr");
  await turns();
  expect(said).toEqual([1, 3]);
  publisher.stop();
});

it("lets what stands beside a text wait until a text that takes long is judged", async () => {
  const { workspace, type } = slowWorkspace();
  const publisher = createPublisher(
    workspace,
    () => undefined,
    () => undefined,
    () => undefined,
  );
  const done: string[] = [];
  const ask = (what: string): void => void publisher.judged("/a.cdr").then(() => done.push(what));
  ask("before it is known how long it takes");
  await turns();
  expect(done).toHaveLength(1);
  publisher.changed("/a.cdr");
  await turns();
  type("b");
  publisher.changed("/a.cdr");
  ask("while somebody types");
  await turns();
  expect(done).toHaveLength(1);
  vi.advanceTimersByTime(1000);
  await turns();
  expect(done).toEqual(["before it is known how long it takes", "while somebody types"]);
  type("something that nobody told of");
  ask("where nothing is to be judged");
  await turns();
  expect(done).toHaveLength(3);
  type("c");
  publisher.changed("/a.cdr");
  ask("when the server ends");
  publisher.stop();
  await turns();
  expect(done).toHaveLength(4);
});
