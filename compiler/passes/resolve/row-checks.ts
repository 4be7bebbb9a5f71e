/** What data says of its rows, which much data does not: one door for all of it. */
export { checkKeep } from "./keep-checks.ts";
export { checkParts } from "./parts-checks.ts";
