/** The language of training runs, for a language server. */
import { languageFeatures } from "../../dsl/lsp/features/index.ts";
import type { Language } from "../../dsl/lsp/server.ts";
import type { Compilation } from "../compile.ts";
import { registry } from "../kinds/index.ts";
import { analyzer, type Machine } from "./analyze.ts";
import { type Changes, codeLenses } from "./code-lens.ts";
import { figuresOf } from "./hover-figures.ts";
import { inlayHints } from "./inlay-hints.ts";
import { rawKeys } from "./raw-keys.ts";

export function trainingLanguage(version: string, machine: Machine, changesOf: Changes): Language<Compilation> {
  return {
    name: "cdrc",
    version,
    registry,
    analyze: analyzer(machine),
    features: [...languageFeatures<Compilation>([figuresOf], rawKeys), inlayHints, ...codeLenses(changesOf)],
  };
}
