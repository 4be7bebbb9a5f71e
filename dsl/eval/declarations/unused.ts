/** Secrets that nothing read, and params that something sets for nothing. */
import { unreadParam, unusedSecret } from "../../diagnostics/catalog/unused.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { inTable } from "../../in-table.ts";
import { isVariant } from "../../is-variant.ts";
import type { Registry } from "../../kind.ts";
import type { Span } from "../../source/source.ts";
import { identityOf, namedIn } from "../../symbols/known-as.ts";
import type { Module, Symbol } from "../../symbols/symbol.ts";
import type { Path, Statement } from "../../syntax/ast.ts";
import { referencesIn } from "../expressions/references-in.ts";

interface Program {
  readonly root: Module;
  readonly modules: ReadonlyMap<string, Module>;
  readonly registry: Registry;
  /** What `--set` gives a value. */
  readonly isSet: (symbol: Symbol) => boolean;
}

export function unused(unread: readonly Symbol[], program: Program): Diagnostic[] {
  return unread.flatMap((symbol) => {
    const { kind, name } = symbol;
    if (kind === "secret") return [unusedSecret(name.span, { name: name.text })];
    const places = [...givenIn(program.root.file.statements, symbol, program)];
    if (program.isSet(symbol)) places.push(name.span);
    // An expression in a variant that does not apply here, or in a branch that was not taken, reads it too.
    if (places.length === 0 || isSpokenOf(symbol, program.modules)) return [];
    const declared = { message: "the param", span: name.span };
    return places.map((span) =>
      unreadParam(span, { name: name.text }, { related: span === name.span ? [] : [declared] }),
    );
  });
}

/** Where presets, overlays, tests and what sweeps vary give a param a value. */
function* givenIn(statements: readonly Statement[], symbol: Symbol, program: Program): Generator<Span> {
  const { root, registry } = program;
  for (const statement of statements) {
    if (statement.kind === "test") yield* targetsIn(statement.body, symbol, root);
    if (statement.kind !== "block" || statement.body === null) continue;
    const kind = inTable(registry.kinds, statement.head[0].text);
    if (isVariant(kind)) yield* targetsIn(statement.body, symbol, root);
    for (const part of statement.body) {
      const isVarying = part.kind === "block" && inTable(kind?.blocks, part.head[0].text)?.varies !== undefined;
      if (isVarying) yield* targetsIn(part.body ?? [], symbol, root);
    }
  }
}

function* targetsIn(statements: readonly Statement[], symbol: Symbol, module: Module): Generator<Span> {
  for (const statement of statements) {
    if (!("target" in statement)) continue;
    const path: Path = statement.target;
    const { symbol: found, path: rest } = namedIn(path, module);
    if (rest.length === 1 && isSame(found, symbol)) yield { ...path[0].span, end: rest[0].span.end };
  }
}

function isSpokenOf(symbol: Symbol, modules: ReadonlyMap<string, Module>): boolean {
  const means = (found: Symbol | undefined): boolean =>
    found?.kind === "namespace" ? found.of === symbol.module : isSame(found, symbol);
  return [...modules.values()].some(({ names, file }) =>
    [...referencesIn(file)].some((text) => means(names.get(text))),
  );
}

const isSame = (found: Symbol | undefined, symbol: Symbol): boolean =>
  found !== undefined && identityOf(found) === identityOf(symbol);
