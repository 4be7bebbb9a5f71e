/** The lens above a step compares what its newest run was given with what its file says now. */
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { emitBundle } from "../../cli/bundle.ts";
import { changesSinceRun } from "../../cli/lsp/changes.ts";
import { compile } from "../../compiler/compile.ts";

const folder = mkdtempSync(join(tmpdir(), "cdr-changes-"));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, "main.cdr");

const compiled = (lr: string, length = "6 steps") =>
  compile(
    {
      path: file,
      text: `data web { from = "x/*.txt" }
model m { family = llama, layers = 1, d_model = 32, heads = 2, context = 32 tokens }
stage s { model = m, data = web, length = ${length}, batch = 2 samples, optimizer = adamw(lr = ${lr}) }
`,
    },
    {
      ...{ on: null, target: null, preset: null, overlays: [], overlayFiles: [], sets: [] },
      ...{ read: () => undefined, environment: () => undefined, host: () => undefined },
    },
  );

/** What a run of the stage leaves of what it was asked. */
function ran(id: string, lr: string, seconds: number): void {
  const directory = join(folder, "runs/s", id);
  const bundle = emitBundle(compiled(lr));
  const step = bundle.steps.find(({ name }) => name === "s");
  for (const { path, text } of bundle.files) {
    mkdirSync(dirname(join(directory, "bundle", path)), { recursive: true });
    writeFileSync(join(directory, "bundle", path), text);
  }
  const record = {
    ...{ format: 1, id, step, file, project: folder, attempt: 0, inputs: [], target: "local", handle: null },
    ...{ command: [], cwd: folder, env: {}, secrets: [], hashes: {}, sources: [] },
    ...{ launch: { name: "here", target: { kind: "local" } }, created: seconds, started: seconds },
  };
  writeFileSync(join(directory, "run.json"), JSON.stringify(record));
  utimesSync(join(directory, "run.json"), seconds, seconds);
}

it("says what the newest run had otherwise, and nothing of a step that never ran", () => {
  expect(changesSinceRun(compiled("1e-3"), file, "s")).toBeNull();
  ran("aaaa", "1e-3", 1000);
  ran("bbbb", "2e-3", 2000);
  expect(changesSinceRun(compiled("2e-3"), file, "s")).toEqual({ run: "bbbb", changes: [] });
  expect(changesSinceRun(compiled("1e-3"), file, "s")).toEqual({
    run: "bbbb",
    changes: [expect.stringMatching(/lr 0.002 → 0.001/)],
  });
  expect(changesSinceRun(compiled("2e-3", "8 steps"), file, "s")?.changes.join()).toMatch(/steps 6 → 8/);
  expect(changesSinceRun(compiled("1e-3"), file, "web")).toBeNull();
});
