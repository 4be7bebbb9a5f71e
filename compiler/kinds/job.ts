import type { BlockKind } from "../../dsl/kind.ts";
import { block, list, path, sequence, union } from "../../dsl/types/type.ts";
import { commandLine, imageReference } from "./forms.ts";
import { env } from "./launch.ts";
import { mounts } from "./store.ts";
import { timeLimit } from "./limits.ts";

export const job: BlockKind = {
  name: "job",
  doc: "Your own commands, run one after another until one fails",
  step: true,
  runs: false,
  properties: {
    command: { type: sequence(commandLine), doc: "the shell command", required: true },
    python: { type: block("python"), doc: "the Python it runs with" },
    image: { type: union(block("image"), imageReference), doc: "the container it runs in" },
    mounts,
    outputs: { type: list(path), doc: "its output files" },
    time: timeLimit("time limit of the whole job"),
  },
  blocks: { env },
  clauses: ["after", "on"],
  on: ["cluster", "launch"],
  foreign: {
    run: { instead: "write `command`", rewrite: (v) => `command = ${v}` },
    steps: { instead: 'write `command = ["…", "…"]`' },
    timeout: { instead: "write `time <= 15 min`" },
  },
};
