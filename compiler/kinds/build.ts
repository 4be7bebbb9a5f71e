import type { BlockKind, Type } from "../../dsl/kind.ts";
import { block, choice, list, path, string } from "../../dsl/types/type.ts";
import { timeLimit } from "./limits.ts";

const tools: Type = choice("build tool", {
  bazel: {
    doc: "Bazel with modules",
    parameters: { version: { type: string, doc: "of Bazel, pinned", required: true } },
    positional: ["version"],
  },
  make: { doc: "GNU make", parameters: {} },
});

export const build: BlockKind = {
  name: "build",
  doc: "A hermetic build: all its inputs are pinned, so its result is the same everywhere",
  step: true,
  runs: false,
  properties: {
    tool: { type: tools, doc: "what builds", required: true },
    python: { type: block("python"), doc: "the Python and the lock it builds with" },
    build: { type: list(string), doc: "targets to build", default: '["//..."]' },
    test: { type: list(string), doc: "targets to test", default: "[]" },
    cache: { type: path, doc: "a folder that caches build results" },
    time: timeLimit("time limit of the whole build"),
  },
  clauses: ["after", "on"],
  on: ["cluster", "launch"],
};
