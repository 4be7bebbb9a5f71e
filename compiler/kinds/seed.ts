import type { Property } from "../../dsl/kind.ts";
import { integer } from "../../dsl/types/type.ts";

/** Up to what numpy's generator takes, which every rank sets too. */
export const seed = (doc: string): Property => ({ type: integer({ min: 0, max: 2 ** 32 - 1 }), doc, default: "42" });
