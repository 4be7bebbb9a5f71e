import type { BlockKind } from "../../dsl/kind.ts";
import {
  block,
  enumeration,
  handleOrAt,
  integer,
  path,
  quantity,
  secret,
  string,
  union,
} from "../../dsl/types/type.ts";
import { imageReference } from "./forms.ts";
import { env } from "./launch.ts";
import { environment } from "./python.ts";
import { mounts } from "./store.ts";

const probe: BlockKind = {
  name: "probe",
  doc: "Health check; the service gets no requests before it succeeds",
  properties: {
    path: { type: path, doc: "an address that answers 200", required: true },
    every: { type: quantity([{ second: 1 }], { above: 0 }), doc: "how often it is checked", default: "10 s" },
    start: { type: quantity([{ second: 1 }], { min: 0 }), doc: "how long it may take to start", default: "5 min" },
  },
};

export const service: BlockKind = {
  name: "service",
  also: ["serve", "server", "serving"],
  doc: "A program that answers requests until it is stopped: a model with an API, or a notebook",
  begins: ["model"],
  step: true,
  runs: false,
  properties: {
    model: {
      type: union(block("export"), handleOrAt(["stage"], ["last", "best"])),
      doc: "the model that answers: an `export`, or a checkpoint",
    },
    engine: { type: enumeration("server", ["vllm", "transformers"]), doc: "what serves a model" },
    command: { type: string, doc: "the command that it starts, if no `engine` serves its model" },
    port: { type: integer({ min: 1, max: 65_535 }), doc: "the port that it listens on", default: "8000" },
    key: { type: secret, doc: "the key that a caller must send" },
    replicas: { type: integer({ min: 1 }), doc: "number of replicas", default: "1" },
    python: environment,
    image: { type: union(block("image"), imageReference), doc: "the container it runs in; the launch's by default" },
    mounts,
  },
  blocks: { env, probe },
  handles: ["url"],
  clauses: ["after", "on"],
  on: ["cluster", "launch"],
  foreign: {
    autoscale: { instead: "`replicas = 3` sets a fixed number; scaling by load is configured where they run" },
    min_replicas: { instead: "write `replicas`", rewrite: (v) => `replicas = ${v}` },
    max_replicas: { instead: "write `replicas`", rewrite: (v) => `replicas = ${v}` },
    host: { instead: "`port` is where it listens, on all addresses of where it runs" },
  },
};
