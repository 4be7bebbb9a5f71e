/** The matrices of a block and of the ends of a model, with what tensor parallelism cuts of each. */
import type { Block, Shape } from "./shape.ts";

export interface Matrix {
  readonly name: string;
  readonly inputs: number;
  readonly outputs: number;
  /** The axis that tensor parallelism cuts. */
  readonly split: "inputs" | "outputs" | "none";
  /** How many of it exist, and how many of those a token passes through: routed experts. */
  readonly of?: { readonly experts: number; readonly top_k: number };
  /** Outputs of the matrices that run as this one and are each a matrix to an optimizer. */
  readonly fused?: readonly number[];
}

const known = new WeakMap<Block, { readonly hidden: number; readonly list: readonly Matrix[] }>();

export function matricesOf({ hidden }: Shape, block: Block): readonly Matrix[] {
  const before = known.get(block);
  if (before?.hidden === hidden) return before.list;
  const list = listed(hidden, block);
  known.set(block, { hidden, list });
  return list;
}

function listed(hidden: number, block: Block): readonly Matrix[] {
  const list: Matrix[] = [];
  const { attention, mixer, ffn, experts } = block;
  if (attention !== undefined) {
    const { heads, kv_heads, head_dim, latent } = attention;
    if (latent === undefined) {
      const fused = [heads, kv_heads, kv_heads].map((count) => count * head_dim);
      list.push({
        name: "qkv",
        inputs: hidden,
        outputs: (heads + 2 * kv_heads) * head_dim,
        split: "outputs",
        fused,
      });
      list.push({ name: "projection", inputs: heads * head_dim, outputs: hidden, split: "inputs" });
    } else {
      const { q_rank, kv_rank, nope_dim, rope_dim, v_dim } = latent;
      const queries = heads * (nope_dim + rope_dim);
      if (q_rank > 0) {
        list.push({ name: "q_down", inputs: hidden, outputs: q_rank, split: "none" });
        list.push({ name: "q_up", inputs: q_rank, outputs: queries, split: "outputs" });
      } else {
        list.push({ name: "q", inputs: hidden, outputs: queries, split: "outputs" });
      }
      list.push({ name: "kv_down", inputs: hidden, outputs: kv_rank + rope_dim, split: "none" });
      list.push({ name: "kv_up", inputs: kv_rank, outputs: heads * (nope_dim + v_dim), split: "outputs" });
      list.push({ name: "projection", inputs: heads * v_dim, outputs: hidden, split: "inputs" });
    }
  }
  if (mixer !== undefined) {
    const { inner, groups, state, heads } = mixer;
    list.push({
      name: "mixer_in",
      inputs: hidden,
      outputs: 2 * inner + 2 * groups * state + heads,
      split: "outputs",
    });
    list.push({ name: "mixer_out", inputs: inner, outputs: hidden, split: "inputs" });
  }
  if (ffn !== undefined) list.push(...feedForward("ffn", hidden, ffn.width, ffn.gated));
  if (experts !== undefined) {
    const of = { experts: experts.experts, top_k: experts.top_k };
    list.push({ name: "router", inputs: hidden, outputs: experts.experts, split: "none" });
    const width = experts.latent ?? hidden;
    if (width !== hidden) {
      list.push({ name: "latent_down", inputs: hidden, outputs: width, split: "none" });
      list.push({ name: "latent_up", inputs: width, outputs: hidden, split: "none" });
    }
    list.push(...feedForward("expert", width, experts.width, experts.gated).map((m) => ({ ...m, of })));
    if (experts.shared > 0) list.push(...feedForward("shared", hidden, experts.shared, experts.gated));
  }
  return list;
}

function feedForward(name: string, hidden: number, width: number, gated: boolean): Matrix[] {
  return [
    { name: `${name}_in`, inputs: hidden, outputs: (gated ? 2 : 1) * width, split: "outputs" },
    { name: `${name}_out`, inputs: width, outputs: hidden, split: "inputs" },
  ];
}
