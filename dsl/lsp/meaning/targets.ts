/** The names before `=` or `{`, and those of headers. */
import { isVariant } from "../../is-variant.ts";
import { pathOf } from "../../eval/formulas/formula-names.ts";
import type { BlockKind, Type } from "../../kind.ts";
import { programParams } from "../../symbols/program-params.ts";
import type { ParamSymbol, Symbol } from "../../symbols/symbol.ts";
import type { Path } from "../../syntax/ast.ts";
import { kindOf, kindReferred, memberOf, parameterOf, symbolOf, textsOf } from "./kinds.ts";
import type { Meaning } from "./meaning.ts";
import { type Nested, nestedIn, nestedNamed } from "./nested.ts";
import { enumWritten, type Place, type Words } from "./place.ts";
import { inTable } from "../../in-table.ts";

/** What the last of the names takes, and what the first ones stand for. */
export interface Target {
  readonly type: Type | null;
  readonly of: BlockKind | null;
  readonly symbol: Symbol | null;
  readonly used: number;
  /** Blocks declared inside what it ends at. */
  readonly nested: readonly Nested[];
}

export interface TargetReader {
  readonly reference: (path: Path, place: Place) => void;
  readonly target: (path: Path, kind: BlockKind | null, place: Place) => Target;
}

/** What a param takes, as far as it is an enum of a file. */
const typeOfParam = ({ node, module }: ParamSymbol): Type => enumWritten(node.type, module) ?? { kind: "any" };

export function targetReader({ module, registry, say }: Words): TargetReader {
  const reference = (path: Path, place: Place): void => {
    const found = symbolOf(textsOf(path), module);
    const [first, second] = path;
    if (found === null) return;
    const outer = module.names.get(first.text);
    if (found.used === 2 && outer !== undefined && second !== undefined) {
      say(first, { kind: "symbol", symbol: outer }, place);
      say(second, { kind: "symbol", symbol: found.symbol }, place);
    } else say(first, { kind: "symbol", symbol: found.symbol }, place);
  };

  const target = (path: Path, kind: BlockKind | null, place: Place): Target => {
    let at: BlockKind | null = kind;
    let type: Type | null = null;
    let symbol: Symbol | null = null;
    let used = 0;
    let nested = place.nested;
    let own = place;
    const subject = subjectOf(kind, place);
    if (subject !== null) {
      // A leaf of the block comes before a param or a block of that name.
      const varied = memberOf(subject, path[0].text) === null ? module.names.get(path[0].text) : undefined;
      if (varied?.kind === "param") {
        reference(path, place);
        return { type: typeOfParam(varied), of: null, symbol: null, used: 1, nested };
      }
      if (varied?.kind === "block") return target(path, null, place);
      at = subject;
      own = { ...place, owner: variedBy(kind, place), path: [] };
    }
    const speaksOfOthers = kind === null || isVariant(kind);
    for (const [index, name] of path.entries()) {
      if (index === 0 && speaksOfOthers && (kind === null || !Object.hasOwn(kind.properties, name.text))) {
        const found = symbolOf(textsOf(path), module);
        if (found !== null) {
          reference(path, place);
          symbol = found.symbol;
          used = found.used;
          nested = nestedIn(found.symbol, registry);
          own = { ...place, owner: symbol, path: [] };
          at = kindOf(found.symbol, registry);
          if (found.symbol.kind === "param") type = typeOfParam(found.symbol);
          continue;
        }
        const set =
          inTable(registry.kinds, name.text) === undefined ? programParams(module).get(name.text) : undefined;
        if (set !== undefined) {
          say(name, { kind: "symbol", symbol: set }, place);
          symbol = set;
          used = 1;
          type = typeOfParam(set);
          continue;
        }
        const every = inTable(registry.kinds, name.text);
        if (every !== undefined) say(name, { kind: "block_kind", block: every }, place, "amendment");
        at = every ?? null;
        continue;
      }
      if (index < used) continue;
      const meaning: Meaning | null = at === null ? null : memberOf(at, name.text);
      const inner = nestedNamed(nested, name.text, at);
      const here = { ...own, path: [...own.path, ...textsOf(path).slice(used, index + 1)] };
      if (meaning !== null) {
        say(name, meaning, here, "amendment");
        type = meaning.kind === "property" ? meaning.property.type : null;
        at = meaning.kind === "group" ? meaning.block : kindReferred(type, registry);
      } else if (inner !== undefined) {
        say(name, { kind: "nested", block: inner.block, declaration: inner.declaration }, own, "amendment");
        at = inner.block;
        type = null;
      } else {
        const parameter = parameterOf(type, name.text);
        if (parameter !== null) say(name, { kind: "parameter", name: name.text, ...parameter }, here, "amendment");
        type = parameter?.property.type ?? null;
        at = null;
      }
    }
    return { type, of: at, symbol, used, nested };
  };

  /** The block whose leaves a `vary` speaks of, where the property beside it names one. */
  const variedBy = (kind: BlockKind | null, { owner }: Place): Symbol | null => {
    const body = owner?.kind === "block" ? (owner.node.body ?? []) : [];
    const said = body.find((s) => s.kind === "assign" && s.target[0].text === kind?.varies);
    const path = said?.kind === "assign" ? pathOf(said.value) : null;
    return path === null ? null : (symbolOf(path.split("."), module)?.symbol ?? null);
  };

  /** The kind whose leaves a `vary` speaks of: that of what the property beside it names. */
  const subjectOf = (kind: BlockKind | null, { kinds }: Place): BlockKind | null =>
    kind?.varies === undefined ? null : kindReferred(kinds[1]?.properties[kind.varies]?.type ?? null, registry);
  return { reference, target };
}
