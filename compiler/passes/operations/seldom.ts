/** What most files open nothing of: one door for all of it. */
export { cronFault } from "./cron-faults.ts";
export { layersOf } from "./layers-of.ts";
export { products } from "./products.ts";
export { twiceIn } from "./twice-in.ts";
export { judgePlaces } from "./uris.ts";
export { ofWeights } from "./weights-tokens.ts";
