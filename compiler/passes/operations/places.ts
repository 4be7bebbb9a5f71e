/** Places that blocks name by a URI, or by what was meant as one. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import { pathsIn } from "./references.ts";
import { judgePlaces } from "./seldom.ts";

/** Most files name folders and the Hub, of which there is nothing to say. */
const isPlain = (path: string): boolean => !/:\/|^(?:www\.)?huggingface\.co\//.test(path) || /^hf:\/\/\w/.test(path);

export function places(blocks: readonly Instance[]): Diagnostic[] {
  const named = blocks.flatMap((block) => [...pathsIn(block)].filter(({ path }) => !isPlain(path)));
  return named.length === 0 ? [] : judgePlaces(named);
}
