/** What a release that a stage names cannot be asked for, where the planner is free to choose. */
import type { PipelineCut } from "../../planner/cuts.ts";
import type { Engine, ReleasedStage } from "../engine.ts";
import { capabilities } from "./capabilities.ts";
import { knows } from "./print.ts";
import { argumentTable, knownVersionOf, type ArgumentTable } from "./table.ts";

/** A size or a place that the layout pins is asked for, and refused in the release's own words. */
export function released({
  megatron,
  layout,
}: ReleasedStage): Partial<Pick<Engine, "capabilities" | "cuts" | "spared">> {
  const { version, entry } = megatron;
  // Beside `entry = bridge` the version is Bridge's.
  const known = version === null || entry !== undefined ? null : knownVersionOf(version.value);
  if (known === null) return {};
  const table = argumentTable("gpt", known);
  return {
    ...(knows("recompute_modules", table) ? {} : { spared: () => [] }),
    ...(layout.given.has("offload")
      ? {}
      : {
          capabilities: { ...capabilities, offload: capabilities.offload.filter((place) => offloads(place, table)) },
        }),
    cuts: (cut, chunks) => says(cut, chunks, table, layout.given.has("pipeline_parallel")),
  };
}

const offloading = {
  optimizer: "optimizer_cpu_offload",
  activations: "cpu_offloading_num_layers",
} as const;

const offloads = (place: (typeof capabilities.offload)[number], table: ArgumentTable): boolean =>
  place === "none" || place === "all" || knows(offloading[place], table);

/** What is asked for is, where the release has words for no such cut, the one that is refused. */
function says({ kind }: PipelineCut, chunks: number, table: ArgumentTable, isAsked: boolean): boolean {
  if (kind === "even") return true;
  if (kind === "pieces") return knows("pipeline_model_parallel_layout", table) || (isAsked && chunks > 1);
  if (isAsked) return true;
  if (kind === "tables" && knows("account_for_loss_in_pipeline_split", table)) return true;
  return chunks === 1 && knows("decoder_first_pipeline_num_layers", table);
}
