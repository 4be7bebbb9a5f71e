/** What the value that is being written is expected to be. */
import { isVariant } from "../../is-variant.ts";
import { actions } from "../../eval/formulas/expectation.ts";
import { namedTypes } from "../../eval/declarations/type-expression.ts";
import { inTable } from "../../in-table.ts";
import type { Property, Registry, Type } from "../../kind.ts";
import type { Token } from "../../lexer/token.ts";
import * as t from "../../lexer/vocabulary.ts";
import type { Module } from "../../symbols/symbol.ts";
import { bool, formulaOver } from "../../types/type.ts";
import { kindOf, kindReferred, memberOf, parameterOf, pascal, symbolOf } from "../meaning/kinds.ts";
import type { Frame } from "./frame.ts";
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
  if (at >= 0 && compares(line, at)) {
    const { type } = propertyAt(pathBefore(line, at), { ...frame, block: null }, module, registry);
    return { isValue: true, type, property: null };
  }
  if (frame.arms !== null && line.some((token) => token.tokenType === t.Arrow))
    return { isValue: true, type: frame.arms.type, property: null };
  if (frame.isList) return { isValue: true, type: frame.type, property: null };
  if (first === "expect") return { isValue: true, type: expected(frame, line), property: null };
  if (first === "assert") return { isValue: true, type: null, property: null };
  if (at < 0) return { isValue: false, type: null, property: null };
  if (first === "param" || first === "let") {
    const colon = line.findIndex((token) => token.tokenType === t.Colon);
    const name = colon < 0 ? "" : (line[colon + 1]?.image ?? "");
    return { isValue: true, type: typeNamed(name, module, registry), property: null };
  }
  if (first === "fn" || first === "secret") return { isValue: true, type: null, property: null };
  const path = namesOf(line.slice(0, pathLength(line)));
  const { type, property } = propertyAt(path, frame, module, registry);
  return { isValue: true, type, property };
}

/** What `expect` may speak of here, or what may happen when it does not hold. */
function expected({ block }: Frame, line: readonly Token[]): Type | null {
  if (line.some((token) => token.image === "else")) return actions;
  return block?.watches === undefined ? null : formulaOver(block.watches, bool);
}

/** `if k ==` asks what `k` is; what a line begins with is bounded, `lr <= 3` or `rate in [`, and asked for elsewhere. */
const compares = (line: readonly Token[], at: number): boolean => {
  const token = line[at];
  if (token?.tokenType === t.EqualEqual || token?.tokenType === t.NotEqual) return true;
  return token?.image === "in" && line.slice(0, at).some(({ tokenType }) => tokenType === t.Equal);
};

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
  if (kind === null || isVariant(kind)) {
    const found = symbolOf(path, module);
    if (found?.symbol.kind === "param" && path.length === 1) {
      const { type } = found.symbol.node;
      return {
        type: type?.kind === "named_type" ? typeNamed(type.path[0].text, module, registry) : null,
        property: null,
      };
    }
    kind = found === null ? (inTable(registry.kinds, path[0] ?? "") ?? null) : kindOf(found.symbol, registry);
    rest = path.slice(found?.used ?? 1);
  }
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

/** The type of that name, as a `param` is given one. */
export function typeNamed(name: string, module: Module, registry: Registry): Type | null {
  const own = module.names.get(name);
  if (own?.kind === "enum") return { kind: "enum", name, values: own.node.members.map((m) => m.text) };
  const kind = Object.keys(registry.kinds).find((k) => pascal(k) === name);
  return kind === undefined ? (namedTypes[name] ?? null) : { kind: "block", kinds: [kind] };
}
