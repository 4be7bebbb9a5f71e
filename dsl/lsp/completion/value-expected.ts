/** What the value that is being written is expected to be. */
import { isVariant } from "../../is-variant.ts";
import { actions } from "../../eval/formulas/expectation.ts";
import { secretSources } from "../../eval/declarations/symbol-value.ts";
import { reactions } from "../../eval/judgement/reaction.ts";
import { trialWords } from "../../eval/variants/trial.ts";
import { inTable } from "../../in-table.ts";
import type { Property, Registry, Type } from "../../kind.ts";
import type { Token } from "../../lexer/token.ts";
import * as t from "../../lexer/vocabulary.ts";
import type { Module } from "../../symbols/symbol.ts";
import { block, bool, formulaOver } from "../../types/type.ts";
import { formulaNamed, isFormula } from "../meaning/formula-words.ts";
import { kindOf, kindReferred, memberOf, parameterOf, symbolOf } from "../meaning/kinds.ts";
import type { Frame } from "./frame.ts";
import { typeOfTokens, typeWritten } from "./type-written.ts";
import { namesOf, pathLength } from "./words.ts";

interface Expected {
  readonly isValue: boolean;
  readonly type: Type | null;
  readonly property: Property | null;
}

/** What a value behind these tokens is expected to be. */
export function valueType(frame: Frame, line: readonly Token[], module: Module, registry: Registry): Expected {
  const at = line.findLastIndex((token) => givers.has(token.tokenType) || token.image === "in");
  const first = line[0]?.image ?? "";
  if (frame.call !== null) {
    const name = line[1]?.tokenType === t.Equal ? first : undefined;
    const property = name === undefined ? undefined : inTable(frame.call.constructor.parameters, name);
    return { isValue: true, type: property?.type ?? null, property: property ?? null };
  }
  if ((first === "assert" || first === "expect") && line.some((token) => token.image === "else"))
    return { isValue: true, type: first === "assert" ? reactions : actions, property: null };
  const compared = at < 0 ? null : comparedInFormula(frame, line, at, module, registry);
  if (compared !== null) return { isValue: true, type: compared, property: null };
  if (at >= 0 && compares(line, at)) {
    const { type } = propertyAt(pathBefore(line, at), { ...frame, block: null }, module, registry);
    return { isValue: true, type, property: null };
  }
  if (frame.arms !== null && line.some((token) => token.tokenType === t.Arrow))
    return { isValue: true, type: frame.arms.type, property: null };
  if (frame.isList) return { isValue: true, type: frame.type, property: null };
  if (first === "expect") return { isValue: true, type: watchedBy(frame), property: null };
  if (first === "assert") return { isValue: true, type: null, property: null };
  if (at < 0) return { isValue: false, type: null, property: null };
  if (first === "param" || first === "let") {
    const colon = line.findIndex((token) => token.tokenType === t.Colon);
    const end = line.findIndex((token) => givers.has(token.tokenType) || token.image === "in");
    const type = colon < 0 ? null : typeOfTokens(line.slice(colon + 1, end), module, registry);
    return { isValue: true, type, property: null };
  }
  if (first === "fn") return { isValue: true, type: null, property: null };
  if (first === "secret") return { isValue: true, type: secretSources, property: null };
  const variant = frame.isTest ? inTable(trialWords, first) : undefined;
  if (variant !== undefined) return { isValue: true, type: block(variant), property: null };
  const path = namesOf(line.slice(0, pathLength(line)));
  const { type, property } = propertyAt(path, frame, module, registry);
  return { isValue: true, type, property };
}

/** What `expect` may speak of here. */
const watchedBy = ({ block }: Frame): Type | null =>
  block?.watches === undefined ? null : formulaOver(block.watches, bool);

/** `if k ==` asks what `k` is; what a line begins with is bounded, `lr <= 3` or `rate in [`, and asked for elsewhere. */
const compares = (line: readonly Token[], at: number): boolean => {
  const token = line[at];
  if (token?.tokenType === t.EqualEqual || token?.tokenType === t.NotEqual) return true;
  return token?.image === "in" && line.slice(0, at).some(({ tokenType }) => tokenType === t.Equal);
};

/** What a name of a formula is compared with: `license ==`, `license in [`. */
function comparedInFormula(
  frame: Frame,
  line: readonly Token[],
  at: number,
  module: Module,
  registry: Registry,
): Type | null {
  const token = line[at];
  if (token?.tokenType !== t.EqualEqual && token?.tokenType !== t.NotEqual && token?.image !== "in") return null;
  const formula = frame.isList
    ? frame.type
    : line[0]?.image === "expect"
      ? watchedBy(frame)
      : propertyAt(namesOf(line.slice(0, pathLength(line))), frame, module, registry).type;
  return isFormula(formula) ? (formulaNamed(pathBefore(line, at).join("."), formula)?.is.type ?? null) : null;
}

/** `["a", "b"]` of `a.b ==`. */
export function pathBefore(line: readonly Token[], at: number): readonly string[] {
  let start = at - 1;
  while (line[start - 1]?.tokenType === t.Dot) start -= 2;
  return namesOf(line.slice(Math.max(0, start), at));
}

const givers = new Set([t.Equal, t.LessEqual, t.GreaterEqual, t.Less, t.Greater, t.EqualEqual, t.NotEqual]);

export function propertyAt(
  path: readonly string[],
  frame: Pick<Frame, "block">,
  module: Module,
  registry: Registry,
): { type: Type | null; property: Property | null } {
  let kind = frame.block;
  let rest = path;
  const varied = kind?.varies === undefined ? undefined : inTable(registry.kinds, kind.varies);
  const speaksOfParams = varied !== undefined && memberOf(varied, path[0] ?? "") === null;
  if (kind === null || isVariant(kind) || speaksOfParams) {
    const found = symbolOf(path, module);
    if (found?.symbol.kind === "param" && found.used === path.length)
      return { type: typeWritten(found.symbol.node.type, found.symbol.module, registry), property: null };
    kind = found === null ? (inTable(registry.kinds, path[0] ?? "") ?? null) : kindOf(found.symbol, registry);
    rest = path.slice(found?.used ?? 1);
  } else if (varied !== undefined) kind = varied;
  let type: Type | null = null;
  let property: Property | null = null;
  for (const name of rest) {
    const meaning = kind === null ? null : memberOf(kind, name);
    if (meaning?.kind === "group") {
      kind = meaning.block;
      continue;
    }
    property =
      meaning?.kind === "property"
        ? meaning.property
        : type === null
          ? null
          : (parameterOf(type, name)?.property ?? null);
    type = property?.type ?? null;
    kind = kindReferred(type, registry);
  }
  return { type, property };
}
