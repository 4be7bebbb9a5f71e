/** Compute capability by the names that GPUs have. Source: NVIDIA's table of CUDA GPUs. */
const architectures: readonly (readonly [RegExp, number])[] = [
  [/^(?:gb?|b)[23]00/, 10],
  [/^(?:gh|h)(?:20|100|200|800)/, 9],
  [/^(?:l4|l40|l40s|rtx ?40|rtx ?4090|4090|ada)/, 8.9],
  [/^(?:a10|a40|a6000|rtx ?30|3090|rtx ?a)(?!0)/, 8.6],
  [/^(?:a100|a800|a30)/, 8],
  [/^(?:t4|rtx ?20|2080)/, 7.5],
  [/^v100/, 7],
  [/^p100/, 6],
];

export function architectureOf(name: string | null): number | null {
  if (name === null) return null;
  const plain = name
    .toLowerCase()
    .replace(/^(?:nvidia|tesla)[ -]*/, "")
    .replaceAll("_", " ");
  return architectures.find(([shape]) => shape.test(plain))?.[1] ?? null;
}
