import { unusedSecret } from "../../diagnostics/catalog/settings.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import type { Symbol } from "../../symbols/symbol.ts";

/** Secrets of a file that nothing reads. */
export function unusedSecrets(
  declared: readonly Exclude<Symbol, { kind: "namespace" }>[],
  isUsed: (secret: Symbol) => boolean,
): Diagnostic[] {
  return declared
    .filter((symbol) => symbol.kind === "secret" && !isUsed(symbol))
    .map(({ name }) => unusedSecret(name.span, { name: name.text }));
}
