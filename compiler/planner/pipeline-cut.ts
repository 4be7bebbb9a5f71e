/** How a pipeline's stages share a model's layers. */
import type { SizedModel } from "../plan.ts";
import { tables, type PipelineCut } from "./cuts.ts";
import { unequalCuts } from "./unequal-cuts.ts";

const even: PipelineCut = { kind: "even" };

/** A search asks for the same cuts of a model again on every number of nodes. */
const known = new WeakMap<object, Map<number, readonly PipelineCut[]>>();

/**
 * The plainest cut into `stages` of `chunks` each, or `null` where there is none: even; else with embedding and loss, or the loss,
 * counted as layers (`--account-for-embedding-in-pipeline-split`); else with a first and a last stage that hold what is left over
 * (`--decoder-first-pipeline-num-layers`), as even as can be; else, and where that leaves no stage as deep, piece by piece. A pattern of
 * layers of several kinds is cut evenly and in one chunk. `says`: what the engine has words for.
 */
export function pipelineCut(
  model: Pick<SizedModel, "layers" | "pattern" | "ssm">,
  stages: number,
  chunks: number,
  says: (cut: PipelineCut, chunks: number) => boolean = () => true,
): PipelineCut | null {
  const { layers } = model;
  if (isPattern(model) && chunks > 1) return null;
  const pieces = stages * chunks;
  if (layers % pieces === 0) return even;
  if (isPattern(model) || stages === 1 || stages > layers) return null;
  const counted = tables.filter(({ embedding, loss }) => (layers + embedding + loss) % pieces === 0);
  const others = counted.length > 0 ? [] : unequal(model, stages, chunks);
  return [...counted, ...others].find((cut) => says(cut, chunks)) ?? null;
}

function unequal(model: Pick<SizedModel, "layers">, stages: number, chunks: number): readonly PipelineCut[] {
  let cuts = known.get(model);
  if (cuts === undefined) known.set(model, (cuts = new Map()));
  const key = stages * 2 ** 20 + chunks;
  let found = cuts.get(key);
  if (found === undefined) cuts.set(key, (found = unequalCuts(model.layers, stages, chunks)));
  return found;
}

export function isPattern({ pattern, ssm }: Pick<SizedModel, "pattern" | "ssm">): boolean {
  return (pattern ?? "").length > 0 || ssm !== undefined;
}
