/** A file that is written while another is judged with it: what was made of half of it is made anew of the whole. */
import { expect, it } from "vitest";
import { registry } from "../../../compiler/kinds/index.ts";
import { analyzer } from "../../../compiler/lsp/analyze.ts";
import { type Files, noFiles } from "../../../dsl/lsp/files.ts";
import { createWorkspace } from "../../../dsl/lsp/workspace.ts";

const written = "let wide = 64\n";
const run = `import "./base.cdr" { wide }\nimport "./other.cdr" { deep }\nassert wide == 64\nassert deep == 2\n`;
const other = `import "./base.cdr" { wide }\nlet deep = wide / 32\n`;

/** Whoever asks `after` times finds the file empty, as between truncating and writing it. */
function workspaceWriting(after: number) {
  let looks = 0;
  const files: Files = {
    ...noFiles,
    stamp: (path) => {
      if (path === "/p/base.cdr") looks += 1;
      return path === "/p/base.cdr" ? (looks <= after ? "0" : "1") : path.startsWith("/p/") ? "0" : undefined;
    },
    read: (path) => (path === "/p/other.cdr" ? other : looks <= after ? "" : written),
  };
  const workspace = createWorkspace(
    registry,
    files,
    analyzer({ environment: () => undefined, host: () => undefined }),
  );
  workspace.put({ uri: "file:///p/run.cdr", version: 1, text: run });
  return workspace;
}

it.each([0, 1, 2, 3, 4, 5, 6, 7, 8])("written after %i looks", (after) => {
  const workspace = workspaceWriting(after);
  workspace.analysis("/p/run.cdr");
  for (let look = 0; look < 20; look++) if (workspace.isBehind()) workspace.analysis("/p/run.cdr");
  expect(workspace.isBehind()).toBe(false);
  expect(workspace.analysis("/p/run.cdr")?.diagnostics).toEqual([]);
});

it("a trial sees one text of each file", () => {
  const trial = workspaceWriting(1).trial(new Map());
  const before = trial.diagnostics("/p/run.cdr").map(({ message }) => message);
  expect(before).not.toEqual([]);
  expect(trial.diagnostics("/p/run.cdr").map(({ message }) => message)).toEqual(before);
});
