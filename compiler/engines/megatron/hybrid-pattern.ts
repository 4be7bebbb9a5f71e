/**
 * The language of hybrid patterns: one letter a layer, `|` between pipeline segments, `/` before each depth of multi-token
 * prediction: `M-M-|M-M*-/MM/MM`.
 *
 * Source: megatron/core/models/hybrid/hybrid_layer_allocation.py: parse_hybrid_pattern.
 */
export interface HybridPattern {
  readonly layers: number;
  readonly segments: number;
  readonly piped: boolean;
  /** Depths of multi-token prediction. */
  readonly depths: number;
  readonly letters: ReadonlySet<string>;
}

/** What each letter builds. */
export const layerLetters: Readonly<Record<string, string>> = {
  M: "Mamba",
  G: "gated delta net",
  "*": "attention",
  D: "sparse attention",
  "+": "latent attention",
  "-": "MLP",
  E: "mixture of experts",
};

export function readHybridPattern(text: string): HybridPattern {
  const [main = "", ...predictions] = text.split("/");
  const segments = main.split("|");
  const letters = new Set([...text].filter((letter) => letter in layerLetters));
  return {
    layers: main.replaceAll("|", "").length,
    segments: segments.length,
    piped: segments.length > 1,
    depths: predictions.every((each) => each === "") ? 0 : predictions.length,
    letters,
  };
}

/** What is wrong with a pattern, or `null`. */
export function hybridPatternFault(text: string): string | null {
  const [main = "", ...predictions] = text.split("/");
  const strange = [...main].find((letter) => letter !== "|" && !(letter in layerLetters));
  if (strange !== undefined) return `${strange} is not a kind of layer`;
  if (mixesAttention(main)) return "plain attention (*) cannot be combined with latent (+) or sparse (D) attention";
  const [first = ""] = predictions;
  if (predictions.every((each) => each === "")) return null;
  if (predictions.some((each) => each !== first))
    return `the depths after / differ: ${[...new Set(predictions)].join(", ")}`;
  const odd = [...first].find((letter) => !(letter in layerLetters));
  if (odd !== undefined) return `${odd} is not a kind of layer of a prediction depth`;
  return mixesAttention(first)
    ? "plain attention (*) cannot be combined with latent (+) or sparse (D) attention"
    : null;
}

function mixesAttention(part: string): boolean {
  return part.includes("*") && /[D+]/.test(part);
}
