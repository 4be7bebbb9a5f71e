/** Kinds of layers by a rule, for as many layers as there are. */
export interface LayerRule {
  readonly name: "interleave" | "stack";
  /** Of all layers; what is left of the others goes to the last rule. */
  readonly share: number;
  /** Letters with how many of a group, or what share of the layers, each has, in the order in which they were written. */
  readonly amounts: readonly (readonly [letter: string, amount: number])[];
}

export function lettersOf(rules: readonly LayerRule[], layers: number): string {
  let text = "";
  for (const [index, { name, share, amounts }] of rules.entries()) {
    const isLast = index === rules.length - 1;
    const until = isLast ? layers : text.length + Math.round(layers * share);
    text += (name === "stack" ? stacked : interleaved)(amounts, Math.max(0, Math.min(until, layers) - text.length));
  }
  return text;
}

function interleaved(amounts: LayerRule["amounts"], length: number): string {
  const group = amounts.map(([letter, amount]) => letter.repeat(amount)).join("");
  return group === "" ? "" : group.repeat(Math.ceil(length / group.length)).slice(0, length);
}

/** Each share rounded down; what is left over goes to the first kind, so that shares of the last are never exceeded. */
function stacked([first, ...rest]: LayerRule["amounts"], length: number): string {
  if (first === undefined) return "";
  const others = rest.map(([letter, share]) => letter.repeat(Math.floor(length * share + 1e-9))).join("");
  return first[0].repeat(Math.max(0, length - others.length)) + others;
}
