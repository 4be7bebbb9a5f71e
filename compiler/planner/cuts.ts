/** The ways to cut a pipeline that Megatron has words for. */
export type PipelineCut =
  | { readonly kind: "even" }
  /** The embedding's or the loss's stage holds one layer less in its place. */
  | { readonly kind: "tables"; readonly embedding: 0 | 1; readonly loss: 0 | 1 }
  /** Ends of their own depth around equal stages. */
  | { readonly kind: "ends"; readonly first: number; readonly middle: number; readonly last: number }
  /** Layers of every chunk of every stage, all first chunks first (`--pipeline-model-parallel-layout`). */
  | { readonly kind: "pieces"; readonly pieces: readonly number[] };

/** Cuts that count the embedding and the loss, or the loss, as layers. */
export const tables: readonly Extract<PipelineCut, { kind: "tables" }>[] = [
  { kind: "tables", embedding: 1, loss: 1 },
  { kind: "tables", embedding: 0, loss: 1 },
];
