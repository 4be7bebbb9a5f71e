/** Shapes of models that measurements name without their sizes, from the models' own configurations. */
import type { Block, Experts, Shape } from "../../compiler/planner/physics/shape.ts";

interface Facts {
  readonly layers: number;
  readonly hidden: number;
  readonly heads: number;
  readonly kv?: number;
  readonly head_dim?: number;
  readonly ffn: number;
  readonly gated?: boolean;
  readonly vocab: number;
  readonly tied?: boolean;
  readonly experts?: readonly [experts: number, top_k: number, width: number, shared: number, dense: number];
  readonly latent?: NonNullable<NonNullable<Block["attention"]>["latent"]>;
  readonly positions?: number;
}

export function shapeOf(facts: Facts): Shape {
  const { layers, hidden, heads, kv = heads, head_dim = hidden / heads, ffn, gated = true, experts, latent } = facts;
  const attention = { heads, kv_heads: kv, head_dim, ...(latent === undefined ? {} : { latent }) };
  const dense: Block = { attention, ffn: { width: ffn, gated } };
  const routed: Block =
    experts === undefined
      ? dense
      : {
          attention,
          experts: { experts: experts[0], top_k: experts[1], width: experts[2], shared: experts[3], gated },
        };
  const first = experts?.[4] ?? layers;
  return {
    hidden,
    vocab: facts.vocab,
    tied: facts.tied ?? false,
    positions: facts.positions ?? 0,
    norm: gated ? 1 : 2,
    bias: !gated,
    qk_norm: false,
    dropout: false,
    blocks: Array.from({ length: layers }, (_, i) => (i < first ? dense : routed)),
  };
}

const mla = { q_rank: 1536, kv_rank: 512, nope_dim: 128, rope_dim: 64, v_dim: 128 };

const list: readonly (readonly [RegExp, Facts])[] = [
  [/llama.?3.*405b/, { layers: 126, hidden: 16384, heads: 128, kv: 8, ffn: 53248, vocab: 128256 }],
  [/llama.?3.*70b/, { layers: 80, hidden: 8192, heads: 64, kv: 8, ffn: 28672, vocab: 128256 }],
  [/llama.?3.*8b/, { layers: 32, hidden: 4096, heads: 32, kv: 8, ffn: 14336, vocab: 128256 }],
  [/llama.?2?.?7b/, { layers: 32, hidden: 4096, heads: 32, ffn: 11008, vocab: 32000 }],
  [/llama.?2?.?13b/, { layers: 40, hidden: 5120, heads: 40, ffn: 13824, vocab: 32000 }],
  [/llama.?2.?70b/, { layers: 80, hidden: 8192, heads: 64, kv: 8, ffn: 28672, vocab: 32000 }],
  [
    /gpt3.175b/,
    { layers: 96, hidden: 12288, heads: 96, ffn: 49152, gated: false, vocab: 51200, tied: true, positions: 2048 },
  ],
  [
    /gpt3.20b/,
    { layers: 44, hidden: 6144, heads: 48, ffn: 24576, gated: false, vocab: 51200, tied: true, positions: 2048 },
  ],
  [
    /gpt3.5b/,
    { layers: 24, hidden: 4096, heads: 32, ffn: 16384, gated: false, vocab: 51200, tied: true, positions: 2048 },
  ],
  [/nemotron.8b/, { layers: 32, hidden: 4096, heads: 32, ffn: 16384, gated: false, vocab: 256000 }],
  [/nemotron.22b/, { layers: 40, hidden: 6144, heads: 48, ffn: 24576, gated: false, vocab: 256000 }],
  [/nemotron.340b/, { layers: 96, hidden: 18432, heads: 96, kv: 8, ffn: 73728, gated: false, vocab: 256000 }],
  [/qwen3.8b/, { layers: 36, hidden: 4096, heads: 32, kv: 8, ffn: 12288, vocab: 151936 }],
  [/qwen2\.5.7b/, { layers: 28, hidden: 3584, heads: 28, kv: 4, ffn: 18944, vocab: 152064 }],
  [/qwen2\.5.32b/, { layers: 64, hidden: 5120, heads: 40, kv: 8, ffn: 27648, vocab: 152064 }],
  [
    /qwen3.*30b/,
    {
      layers: 48,
      hidden: 2048,
      heads: 32,
      kv: 4,
      head_dim: 128,
      ffn: 6144,
      vocab: 151936,
      experts: [128, 8, 768, 0, 0],
    },
  ],
  [
    /qwen3.*235b/,
    {
      layers: 94,
      hidden: 4096,
      heads: 64,
      kv: 4,
      head_dim: 128,
      ffn: 12288,
      vocab: 151936,
      experts: [128, 8, 1536, 0, 0],
    },
  ],
  [
    /gpt.oss.120b/,
    {
      layers: 36,
      hidden: 2880,
      heads: 64,
      kv: 8,
      head_dim: 64,
      ffn: 2880,
      vocab: 201088,
      experts: [128, 4, 2880, 0, 0],
    },
  ],
  [
    /gpt.oss.20b/,
    {
      layers: 24,
      hidden: 2880,
      heads: 64,
      kv: 8,
      head_dim: 64,
      ffn: 2880,
      vocab: 201088,
      experts: [32, 4, 2880, 0, 0],
    },
  ],
  [
    /deepseek.?v3/,
    {
      layers: 61,
      hidden: 7168,
      heads: 128,
      head_dim: 192,
      ffn: 18432,
      vocab: 129280,
      latent: mla,
      experts: [256, 8, 2048, 2048, 3],
    },
  ],
  [
    /kimi.k2/,
    {
      layers: 61,
      hidden: 7168,
      heads: 64,
      head_dim: 192,
      ffn: 18432,
      vocab: 163840,
      latent: mla,
      experts: [384, 8, 2048, 2048, 1],
    },
  ],
  [
    /moonlight/,
    {
      layers: 27,
      hidden: 2048,
      heads: 16,
      head_dim: 192,
      ffn: 11264,
      vocab: 163840,
      latent: { ...mla, q_rank: 0 },
      experts: [64, 6, 1408, 2816, 1],
    },
  ],
];

interface Hybrid {
  readonly pattern: string;
  readonly hidden: number;
  readonly mixers: number;
  readonly experts: Experts;
}

/** Nemotron 3: layers of Mamba, of experts and of attention by themselves (`M`, `E`, `*`). */
function hybridOf({ pattern, hidden, mixers, experts }: Hybrid): Shape {
  const kinds: Readonly<Record<string, Block>> = {
    M: { mixer: { inner: 64 * mixers, state: 128, groups: 8, heads: mixers, conv: 4 } },
    E: { experts },
    "*": { attention: { heads: 32, kv_heads: 2, head_dim: 128 } },
  };
  const plain = shapeOf({ layers: 0, hidden, heads: 32, ffn: 0, vocab: 131_072 });
  return { ...plain, blocks: [...pattern].map((kind) => kinds[kind] ?? {}) };
}

const hybrids: readonly (readonly [RegExp, Hybrid])[] = [
  [
    /nemotron.3.*nano.*30b|nemotron.3.nano$|nemotron.3\.5.lightning/,
    {
      pattern: "MEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME",
      hidden: 2688,
      mixers: 64,
      experts: { experts: 128, top_k: 6, width: 1856, shared: 3712, gated: false },
    },
  ],
  [
    /nemotron.3.super/,
    {
      pattern: "MEMEMEM*EMEMEMEM*EMEMEMEM*EMEMEMEMEM*EMEMEMEMEM*EMEMEMEMEM*EMEMEMEMEM*EMEMEMEM*EMEMEMEME",
      hidden: 4096,
      mixers: 128,
      experts: { experts: 512, top_k: 22, width: 2688, shared: 5376, latent: 1024, gated: false },
    },
  ],
];

export function published(name: string): Shape | undefined {
  const wanted = name.toLowerCase().replaceAll(/[_ ]/g, "-");
  const facts = list.find(([pattern]) => pattern.test(wanted))?.[1];
  if (facts !== undefined) return shapeOf(facts);
  const hybrid = hybrids.find(([pattern]) => pattern.test(wanted))?.[1];
  return hybrid === undefined ? undefined : hybridOf(hybrid);
}
