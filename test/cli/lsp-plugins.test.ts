/** The Python that a plugin comes from is read as any other file: an editor sees it change on disk. */
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { machine } from "../../cli/front.ts";
import { nodeFiles } from "../../cli/lsp/node-files.ts";
import { registry } from "../../compiler/kinds/index.ts";
import { analyzer } from "../../compiler/lsp/analyze.ts";
import { fileUri } from "../../dsl/lsp/uri.ts";
import { createWorkspace } from "../../dsl/lsp/workspace.ts";

function opened(factory: string) {
  const folder = mkdtempSync(join(tmpdir(), "cdr-lsp-plugins-"));
  const path = join(folder, "main.cdr");
  const workspace = createWorkspace(registry, nodeFiles(registry.std, "0"), analyzer(machine));
  const text = `plugin clipped {\n  role = loss\n  factory = "${factory}"\n  param clamp: Number = 2.0\n}\n`;
  workspace.put({ uri: fileUri(path), version: 1, text });
  return { folder, workspace, told: () => workspace.analysis(path)?.diagnostics.map(({ code }) => code) };
}

it("a source that appears, changes and moves into a package", () => {
  const { folder, workspace, told } = opened("losses:clipped");
  expect(told()).toEqual(["cdr/plugin-unread"]);
  writeFileSync(join(folder, "losses.py"), "def clipped(clamp=2.0): pass\n");
  expect(workspace.isBehind()).toBe(true);
  expect(told()).toEqual([]);
  expect(workspace.isBehind()).toBe(false);
  writeFileSync(join(folder, "losses.py"), "def clipped(other_name=2.0): pass\n");
  expect(workspace.isBehind()).toBe(true);
  expect(told()).toEqual(["cdr/plugin-parameter"]);
});

it("a source behind one that hands its name on", () => {
  const { folder, workspace, told } = opened("losses:clipped");
  mkdirSync(join(folder, "inner"));
  writeFileSync(join(folder, "losses.py"), "from inner.parts import clipped\n");
  const why = workspace.analysis(join(folder, "main.cdr"))?.diagnostics.map(({ message }) => message);
  expect(why?.join()).toContain("`clipped` comes from `inner.parts`, which is not beside it");
  writeFileSync(join(folder, "inner/parts.py"), "def clipped(other=1): pass\n");
  workspace.put({
    uri: fileUri(join(folder, "main.cdr")),
    version: 2,
    text: `${workspace.text(join(folder, "main.cdr")) ?? ""}\n`,
  });
  expect(told()).toEqual(["cdr/plugin-parameter"]);
  writeFileSync(join(folder, "inner/parts.py"), "def clipped(clamp=1, more=2): pass\n");
  expect(workspace.isBehind()).toBe(true);
  expect(told()).toEqual([]);
});
