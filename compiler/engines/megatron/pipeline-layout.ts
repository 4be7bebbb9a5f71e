/**
 * The language of pipeline layouts: `E` embedding, `t` decoder layer, `m` prediction layer, `L` loss, `|` between stages, `x*n` and
 * `(…)*n` repeated; commas mean nothing. `Et*3|(tt|)*29,m|L`.
 *
 * Source: megatron/core/transformer/pipeline_parallel_layer_layout.py: PipelineParallelLayerLayout.parse_str_to_list.
 */

/** Longer than any model: a repetition count is not allowed to fill the memory. */
const longest = 1_000_000;

/** Stages in order, each as its letters; `undefined` where the repetitions would make it absurdly long. */
export function readPipelineLayout(text: string): readonly string[] | undefined {
  let plain = text.replaceAll(",", "");
  for (const pattern of [/\(([^)]+)\)\*(\d+)/g, /(.)\*(\d+)/g]) {
    const length = [...plain.matchAll(pattern)].reduce(
      (sum, [, body = "", times = "0"]) => sum + body.length * Number(times),
      plain.length,
    );
    if (length > longest) return undefined;
    plain = plain.replaceAll(pattern, (_, body: string, times: string) => body.repeat(Number(times)));
  }
  return plain.split("|");
}

/** The shortest words for decoder layers by stage: the embedding stands before them, the loss behind. */
export function pipelineLayoutOf(stages: readonly number[]): string {
  const runs: { readonly text: string; count: number }[] = [];
  stages.forEach((layers, at) => {
    const body = layers > 3 ? `t*${layers}` : "t".repeat(layers);
    const isLast = at === stages.length - 1;
    const text = `${at === 0 ? "E" : ""}${body}${isLast ? "L" : "|"}`;
    const before = runs.at(-1);
    if (before?.text === text) before.count++;
    else runs.push({ text, count: 1 });
  });
  return runs.map(({ text, count }) => (count === 1 ? text : `(${text})*${count}`)).join("");
}

/** What is wrong with a layout for a model of so many layers and prediction layers, or `null`. */
export function pipelineLayoutFault(
  stages: readonly string[],
  sizes: { readonly layers: number | null; readonly predictions: number | null; readonly pipeline: number },
): string | null {
  const flat = stages.join("");
  const strange = [...flat].find((letter) => !"EtmL".includes(letter));
  if (strange !== undefined) return `${strange} is not one of E, t, m, L`;
  if (stages.length % sizes.pipeline !== 0)
    return `${stages.length} stages are not a multiple of pipeline parallelism ${sizes.pipeline}`;
  if (!flat.startsWith("E")) return "the first layer is not the embedding (E)";
  if (!flat.endsWith("L")) return "the last layer is not the loss (L)";
  for (const [letter, name] of [
    ["E", "embeddings"],
    ["L", "losses"],
  ] as const)
    if (count(flat, letter) !== 1) return `${count(flat, letter)} ${name} (${letter}) instead of one`;
  if (sizes.layers !== null && count(flat, "t") !== sizes.layers)
    return `${count(flat, "t")} decoder layers (t) instead of ${sizes.layers}`;
  const predictions = count(flat, "m");
  if (predictions !== (sizes.predictions ?? 0))
    return `${predictions} prediction layers (m) instead of ${sizes.predictions ?? 0}`;
  return predictions === 0 ? null : predictionFault(stages, flat, predictions, sizes.pipeline);
}

function predictionFault(
  stages: readonly string[],
  flat: string,
  predictions: number,
  pipeline: number,
): string | null {
  if (flat.lastIndexOf("t") > flat.indexOf("m")) return "decoder layers (t) come after prediction layers (m)";
  const holding = stages.flatMap((stage, at) => (stage.includes("m") ? [at] : []));
  if (holding.some((at) => at < stages.length - pipeline))
    return "prediction layers (m) come before the last chunk of their rank";
  return holding.some((at) => count(stages[at] ?? "", "m") !== predictions)
    ? "prediction layers (m) are in more than one stage"
    : null;
}

function count(text: string, letter: string): number {
  return text.split(letter).length - 1;
}
