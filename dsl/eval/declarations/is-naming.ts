import type { Span } from "../../source/source.ts";
import type { Symbol } from "../../symbols/symbol.ts";

/** Another name alone, `let k = key`, does not give a secret to anybody. */
export const isNaming = (secret: Symbol, at: Span): boolean =>
  [...secret.module.names.values()].some(
    (s) => s.kind === "let" && s.node.value.kind === "reference" && s.node.value.name.span === at,
  );
