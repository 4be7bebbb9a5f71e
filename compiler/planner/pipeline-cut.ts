/** How a pipeline's stages share a model's layers. */
import type { SizedModel } from "../plan.ts";

export type PipelineCut =
  | { readonly kind: "even" }
  /** The embedding's or the loss's stage holds one layer less in its place. */
  | { readonly kind: "tables"; readonly embedding: 0 | 1; readonly loss: 0 | 1 }
  /** Ends of their own depth around equal stages. */
  | { readonly kind: "ends"; readonly first: number; readonly middle: number; readonly last: number };

const even: PipelineCut = { kind: "even" };
const tables: readonly Extract<PipelineCut, { kind: "tables" }>[] = [
  { kind: "tables", embedding: 1, loss: 1 },
  { kind: "tables", embedding: 0, loss: 1 },
];

/**
 * The plainest cut into `stages` of `chunks` each, or `null` where there is none: even; else with embedding and loss, or the loss,
 * counted as layers (`--account-for-embedding-in-pipeline-split`); else with a first and a last stage that hold what is left over
 * (`--decoder-first-pipeline-num-layers`), as even as can be. A pattern of layers of several kinds is cut evenly and in one chunk.
 */
export function pipelineCut(
  model: Pick<SizedModel, "layers" | "pattern" | "ssm">,
  stages: number,
  chunks: number,
): PipelineCut | null {
  const { layers } = model;
  if (isPattern(model) && chunks > 1) return null;
  const pieces = stages * chunks;
  if (layers % pieces === 0) return even;
  if (isPattern(model) || stages === 1 || stages > layers) return null;
  for (const cut of tables) if ((layers + cut.embedding + cut.loss) % pieces === 0) return cut;
  return chunks === 1 ? endsOf(layers, stages) : null;
}

export function isPattern({ pattern, ssm }: Pick<SizedModel, "pattern" | "ssm">): boolean {
  return (pattern ?? "").length > 0 || ssm !== undefined;
}

function endsOf(layers: number, stages: number): PipelineCut | null {
  if (stages === 2)
    return layers < 2
      ? null
      : { kind: "ends", first: Math.ceil(layers / 2), middle: 0, last: Math.floor(layers / 2) };
  const cuts = [Math.ceil(layers / stages), Math.floor(layers / stages)].flatMap((middle) => {
    const left = layers - middle * (stages - 2);
    return middle < 1 || left < 2
      ? []
      : [{ kind: "ends", first: Math.ceil(left / 2), middle, last: Math.floor(left / 2) } as const];
  });
  return cuts.sort((a, b) => Math.max(a.middle, a.first) - Math.max(b.middle, b.first))[0] ?? null;
}
