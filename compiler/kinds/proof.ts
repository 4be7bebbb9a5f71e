import { enumeration } from "../../dsl/types/type.ts";

/** What shows that a file came whole. */
export const proof = enumeration("proof", ["none", "size", "checksum"]);
