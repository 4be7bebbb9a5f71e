/** Every block kind; a new one is one file and one line here. */
import type { BlockKind, Registry } from "../../dsl/kind.ts";
import { standardLibrary } from "../std/index.ts";
import { build } from "./build.ts";
import { cluster, gpu } from "./cluster.ts";
import { data } from "./data/data.ts";
import { exportKind } from "./export.ts";
import { image } from "./image.ts";
import { job } from "./job.ts";
import { launch } from "./launch.ts";
import { model } from "./model.ts";
import { plugin } from "./plugin.ts";
import { python } from "./python.ts";
import { repeat } from "./repeat.ts";
import { service } from "./service.ts";
import { stage } from "./stage.ts";
import { evaluation, sample } from "./steps.ts";
import { store } from "./store.ts";
import { sweep } from "./sweep.ts";
import { tokenizer } from "./tokenizer.ts";
import { overlay, preset } from "./variants.ts";
import { workflow } from "./workflow.ts";

const kinds: readonly BlockKind[] = [
  model,
  data,
  tokenizer,
  gpu,
  cluster,
  stage,
  evaluation,
  sample,
  exportKind,
  service,
  repeat,
  job,
  build,
  image,
  python,
  workflow,
  launch,
  plugin,
  sweep,
  store,
  preset,
  overlay,
];

export const registry: Registry = {
  kinds: Object.fromEntries(kinds.map((kind) => [kind.name, kind])),
  std: standardLibrary,
};
