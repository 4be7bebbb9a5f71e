/** What a name of a formula takes in its brackets: `language(en)`, `loss.at(10_000 steps)`. */
import type { Constructor, Type } from "../../kind.ts";
import { keywordDoc } from "../keywords.ts";
import { formulaNamed } from "../meaning/formula-words.ts";

export function formulaCall(path: readonly string[], type: Type | null): Constructor | null {
  const { is } = formulaNamed(path.join("."), type) ?? {};
  if (is !== undefined) {
    const { doc, parameters, positional } = is;
    return parameters === undefined ? null : { doc, parameters, ...(positional === undefined ? {} : { positional }) };
  }
  const at = path.at(-1) === "at" ? formulaNamed(path.slice(0, -1).join("."), type)?.is.at : undefined;
  return at === undefined ? null : reading(at);
}

const reading = (at: Type): Constructor => ({
  doc: keywordDoc("at") ?? "",
  parameters: { at: { type: at, doc: "when", required: true } },
  positional: ["at"],
});
