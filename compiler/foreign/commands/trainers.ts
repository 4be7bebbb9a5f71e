/** Programs other than launchers that start a training: with ranks of their own, or with a launcher that they choose. */
export const trainers: ReadonlySet<string> = new Set([
  "llamafactory-cli",
  "axolotl",
  "nanotron",
  "composer",
  "trl",
  "swift",
  "litgpt",
]);
