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
  doc: "How one sees that it is well; it gets no requests before",
  properties: {
    path: { type: path, doc: "an address that answers 200", required: true },
    every: { type: quantity([{ second: 1 }], { above: 0 }), doc: "how often it is asked", default: "10 s" },
    start: { type: quantity([{ second: 1 }], { min: 0 }), doc: "how long it may take to come up", default: "5 min" },
  },
};

export const service: BlockKind = {
  name: "service",
  doc: "Something that answers until it is stopped: a model behind an API, or a notebook",
  begins: ["model"],
  step: true,
  runs: false,
  properties: {
    model: {
      type: union(block("export"), handleOrAt(["stage"], ["last", "best"])),
      doc: "what it answers with: an `export`, or a checkpoint",
    },
    engine: { type: enumeration("server", ["vllm", "transformers"]), doc: "what serves a model" },
    command: { type: string, doc: "what it starts, where no `engine` serves its model" },
    port: { type: integer({ min: 1, max: 65_535 }), doc: "where it listens", default: "8000" },
    key: { type: secret, doc: "what a caller must show" },
    replicas: { type: integer({ min: 1 }), doc: "how many of it", default: "1" },
    python: environment,
    image: { type: union(block("image"), imageReference), doc: "the container it runs in; the launch's by default" },
    mounts,
  },
  blocks: { env, probe },
  handles: ["url"],
  clauses: ["after", "on"],
  on: ["cluster", "launch"],
  foreign: {
    autoscale: { instead: "`replicas = 3` is how many there are; what scales them by load is set where they run" },
    min_replicas: { instead: "write `replicas`", rewrite: (v) => `replicas = ${v}` },
    max_replicas: { instead: "write `replicas`", rewrite: (v) => `replicas = ${v}` },
    host: { instead: "`port` is where it listens, on all addresses of where it runs" },
  },
};
