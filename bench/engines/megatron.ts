import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { bases } from "../../compiler/engines/megatron/bases.ts";
import { exampleLaunch } from "../../compiler/engines/megatron/example.ts";
import { isDemanded } from "../../compiler/engines/megatron/since.ts";
import type { Base } from "../../compiler/engines/megatron/step.ts";
import { refusalsOf, type MegatronRow } from "../truth/megatron.ts";
import { walked, type Walk, type Walked } from "./walk.ts";

/** The release of test/oracles/megatron/requirements.in. */
const release = "0.19.2";

/** Files whose code a walk goes through; of `training.py` that is the schedule's, and the rest builds and trains. */
const passed =
  /^megatron\/(?:training\/(?:arguments|argument_utils|determinism|training)\.py(?!: (?:build|num|parse_and|train$))|core\/(?:model_parallel_config|num_microbatches_calculator|optimizer_param_scheduler|parallel_state)\.py|core\/(?:distributed\/distributed_data_parallel_config|optimizer\/optimizer_config|transformer\/(?:transformer_config|cuda_graph_config|pipeline_parallel_layer_layout)|models\/hybrid\/hybrid_layer_allocation)\.py)/;

type Launch = Omit<MegatronRow, "id" | "verdict">;
type Row = MegatronRow & { readonly message: string };

export async function walkMegatron({ count, seed, bases: file }: Walk): Promise<readonly Walked[]> {
  const python = execFileSync("sh", [join(import.meta.dirname, "../../test/oracles/megatron/python.sh")], {
    encoding: "utf8",
  }).trim();
  const launches = file === null ? ofRules() : accepted(file);
  const input = launches.map((each) => JSON.stringify(each)).join("\n");
  return walked(python, "walk_megatron.py", [String(seed), String(count)], input, (line) => {
    const row = JSON.parse(line) as Row;
    const ours = refusalsOf({ ...row, te_version: "2.18.0" }, release)
      .filter(({ code }) => isDemanded(code, release))
      .map(({ code, message, source }) => ({ code, message, isLater: source !== null && !passed.test(source) }));
    return { id: row.id, engine: row.verdict, said: row.message, ours, row };
  });
}

const ofRules = (): readonly Launch[] =>
  (Object.keys(bases) as Base[]).map((base) => {
    const { entry, argv, env, world, architecture } = exampleLaunch(base, "");
    return { entry, argv, env, world_size: world, gpu_arch: architecture };
  });

const accepted = (file: string): readonly Launch[] =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => JSON.parse(line) as MegatronRow)
    .filter(({ verdict, entry, late }) => verdict === "ok" && (entry === "gpt" || entry === "hybrid") && !late);
