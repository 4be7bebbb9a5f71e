/** Every block kind; a new one is one file and one line here. */
import type { BlockKind, Registry } from "../../dsl/kind.ts";
import { standardLibrary } from "../std/index.ts";
import { cluster, gpu } from "./cluster.ts";
import { data, tokenizer } from "./data.ts";
import { launch } from "./launch.ts";
import { model } from "./model.ts";
import { stage } from "./stage.ts";
import { evaluation, sample } from "./steps.ts";
import { store } from "./store.ts";
import { overlay, preset } from "./variants.ts";

const kinds: readonly BlockKind[] = [
  model,
  data,
  tokenizer,
  gpu,
  cluster,
  stage,
  evaluation,
  sample,
  launch,
  store,
  preset,
  overlay,
];

export const registry: Registry = {
  kinds: Object.fromEntries(kinds.map((kind) => [kind.name, kind])),
  reserved: ["export", "service", "image", "build", "job", "repeat", "sweep", "workflow", "python", "plugin"],
  std: standardLibrary,
};
