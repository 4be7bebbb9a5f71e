/** From the tokens around the cursor to what may stand there. */
import { actions } from "../../eval/expectation.ts";
import { positionalAt } from "../../eval/positional.ts";
import { namedTypes } from "../../eval/type-expression.ts";
import type { BlockKind, Constructor, Property, Registry, Type } from "../../kind.ts";
import type { Token } from "../../lexer/token.ts";
import * as t from "../../lexer/vocabulary.ts";
import type { Module } from "../../symbols/symbol.ts";
import { bool, formulaOver } from "../../types/type.ts";
import {
  constructorOf,
  isVariant,
  kindOf,
  kindReferred,
  memberOf,
  parameterOf,
  pascal,
  symbolOf,
} from "../meaning/kinds.ts";
import type { OpenPlace } from "../open-keys.ts";
import type { Cursor, Opened } from "./context.ts";
import { openedBy, openPosition } from "./open-position.ts";
import type { Position } from "./positions.ts";

const nothing: Position = { kind: "nothing" };

interface Frame {
  /** The block whose members stand here; `null` for the file and for what is unknown. */
  readonly block: BlockKind | null;
  readonly isFile: boolean;
  /** What an expression here is expected to be. */
  readonly type: Type | null;
  readonly around: readonly BlockKind[];
  readonly call: { readonly name: string; readonly constructor: Constructor } | null;
  readonly importing: string | null;
  readonly isList: boolean;
  /** In `raw deepspeed { … }`, whose keys the descriptors do not know. */
  readonly open: OpenPlace | null;
}

const file: Frame = {
  block: null,
  isFile: true,
  type: null,
  around: [],
  call: null,
  importing: null,
  isList: false,
  open: null,
};

export function positionOf(cursor: Cursor, module: Module, registry: Registry): Position {
  const { line, inString } = cursor;
  if (cursor.inComment) return nothing;
  let frame = file;
  for (const opened of cursor.open) frame = enter(frame, opened, module, registry);
  const last = line.at(-1);
  const first = line[0];
  if (frame.open !== null) {
    const open = openPosition(cursor, frame, frame.open);
    if (open !== null) return open;
  }
  if (inString !== null) {
    if (first?.image === "import") return { kind: "import_path" };
    return acceptsPath(valueType(frame, line, module, registry).type) ? { kind: "path" } : nothing;
  }
  if (frame.importing !== null) {
    const items = cursor.open.at(-1)?.items ?? [];
    if (line.length > 0) return nothing;
    return {
      kind: "import_names",
      from: frame.importing,
      has: new Set(items.map((item) => item[0]?.image ?? "")),
    };
  }
  if (last?.tokenType === t.Dot) {
    const { type } = valueType(frame, line, module, registry);
    return { kind: "after_dot", path: dottedBefore(line), around: frame.around, type };
  }
  if (last?.tokenType === t.Colon) return { kind: "type" };
  if (last?.tokenType === t.NumberToken && !/[.eE]$/.test(last.image)) {
    const { type } = valueType(frame, line, module, registry);
    return { kind: "unit", type };
  }
  if (last?.tokenType === t.Slash && endsInUnit(line)) return { kind: "unit", type: null };
  const { call } = frame;
  if (call !== null && line.length === 0) {
    const items = cursor.open.at(-1)?.items ?? [];
    const named = items.filter((item) => item[1]?.tokenType === t.Equal).map((item) => item[0]?.image ?? "");
    const positional = items.length - named.length;
    const next = positionalAt(call.constructor, positional);
    return {
      kind: "argument",
      of: call.name,
      constructor: call.constructor,
      given: new Set([...named, ...(call.constructor.positional ?? []).slice(0, positional)]),
      type: next === undefined ? null : (call.constructor.parameters[next]?.type ?? null),
      around: frame.around,
    };
  }
  const isMember = call === null && !frame.isList && frame.type === null;
  if (isMember && line.length === 0) {
    const items = cursor.open.at(-1)?.items ?? [];
    return { kind: "member", of: frame.block, written: new Set(items.map((item) => item[0]?.image ?? "")) };
  }
  const value = valueType(frame, line, module, registry);
  if (value.isValue) return { kind: "value", type: value.type, around: frame.around, property: value.property };
  return headerPosition(line, frame, registry);
}

/** Inside the bracket that was opened last. */
function enter(frame: Frame, { bracket, head }: Opened, module: Module, registry: Registry): Frame {
  const inner = { ...file, isFile: false, around: frame.around };
  if (bracket === "(") {
    const callee = head.at(-1);
    if (callee === undefined || callee.tokenType !== t.Identifier)
      return { ...inner, isList: true, block: frame.block };
    const { type } = valueType(frame, head.slice(0, -1), module, registry);
    const made = constructorOf(type, callee.image);
    const call = made === null ? null : { name: callee.image, constructor: made.constructor };
    return { ...inner, call, isList: call === null };
  }
  if (bracket === "[") {
    const { type } = valueType(frame, head, module, registry);
    return { ...inner, type: elementOf(type), isList: true };
  }
  if (head[0]?.image === "import") return { ...inner, importing: textIn(head) ?? "" };
  if (head.some((token) => token.image === "match") || head[0]?.image === "enum") return { ...inner, isList: true };
  const block = blockOf(head, frame, module, registry);
  const open = openedBy(head, block, frame);
  return { ...inner, block, open, around: block === null ? frame.around : [block, ...frame.around] };
}

/** The kind of the block that a head opens. */
function blockOf(head: readonly Token[], frame: Frame, module: Module, registry: Registry): BlockKind | null {
  const words = head.filter((token) => token.image !== "abstract");
  const equal = words.findIndex((token) => token.tokenType === t.Equal);
  if (equal >= 0) {
    const with_ = words.findIndex((token) => token.image === "with");
    if (with_ > 0) {
      const found = symbolOf(namesOf(words.slice(equal + 1, with_)), module);
      return found === null ? null : kindOf(found.symbol, registry);
    }
    const group = words[equal - 1]?.image ?? "";
    return frame.block?.blocks?.[group] ?? null;
  }
  const [first, second] = words;
  if (first === undefined) return null;
  const speaksOfOthers = frame.block === null || isVariant(frame.block);
  const isDeclared = second?.tokenType === t.Identifier && !["extends", "on", "after"].includes(second.image);
  if (isDeclared)
    return (frame.block === null ? registry.kinds[first.image] : frame.block.nested?.[first.image]) ?? null;
  const path = namesOf(words.slice(0, pathLength(words)));
  let rest = path;
  let kind = frame.block;
  if (speaksOfOthers) {
    const found = symbolOf(path, module);
    kind = found === null ? (registry.kinds[path[0] ?? ""] ?? null) : kindOf(found.symbol, registry);
    rest = path.slice(found?.used ?? 1);
  }
  for (const name of rest) {
    const meaning = kind === null ? null : memberOf(kind, name);
    kind =
      meaning?.kind === "group"
        ? meaning.block
        : meaning?.kind === "property"
          ? kindReferred(meaning.property.type, registry)
          : null;
  }
  return kind;
}

interface Expected {
  readonly isValue: boolean;
  readonly type: Type | null;
  readonly property: Property | null;
}

/** What a value behind these tokens is expected to be. */
function valueType(frame: Frame, line: readonly Token[], module: Module, registry: Registry): Expected {
  const at = line.findLastIndex((token) => givers.has(token.tokenType) || token.image === "in");
  const first = line[0]?.image ?? "";
  if (frame.call !== null) {
    const name = line[1]?.tokenType === t.Equal ? first : undefined;
    const property = name === undefined ? undefined : frame.call.constructor.parameters[name];
    return { isValue: true, type: property?.type ?? null, property: property ?? null };
  }
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

const givers = new Set([t.Equal, t.LessEqual, t.GreaterEqual, t.Less, t.Greater, t.EqualEqual, t.NotEqual]);

function propertyAt(
  path: readonly string[],
  frame: Frame,
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
    kind = found === null ? (registry.kinds[path[0] ?? ""] ?? null) : kindOf(found.symbol, registry);
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

function typeNamed(name: string, module: Module, registry: Registry): Type | null {
  const own = module.names.get(name);
  if (own?.kind === "enum") return { kind: "enum", name, values: own.node.members.map((m) => m.text) };
  const kind = Object.keys(registry.kinds).find((k) => pascal(k) === name);
  return kind === undefined ? (namedTypes[name] ?? null) : { kind: "block", kinds: [kind] };
}

/** Behind a kind, a name or a clause. */
function headerPosition(line: readonly Token[], frame: Frame, registry: Registry): Position {
  const words = line.filter((token) => token.image !== "abstract");
  const [kindWord, name] = words;
  const last = line.at(-1);
  if (last === undefined) return nothing;
  if (last.image === "abstract") return { kind: "member", of: frame.block, written: new Set() };
  const kind = frame.block === null ? registry.kinds[kindWord?.image ?? ""] : undefined;
  if (line.length === 1 && frame.block?.nested?.[last.image]?.open === true)
    return { kind: "open_name", around: frame.block.name };
  if (last.image === "extends") return { kind: "block", kinds: kindWord === undefined ? [] : [kindWord.image] };
  if (last.image === "on") return { kind: "block", kinds: kind?.on ?? ["cluster"] };
  if (last.image === "after" || last.tokenType === t.Comma) return { kind: "block", kinds: "step" };
  if (kind !== undefined && name !== undefined && name.tokenType === t.Identifier)
    return { kind: "header", of: kind, has: new Set(words.map((token) => token.image)) };
  return nothing;
}

/** How many tokens the dotted path at the beginning takes. */
function pathLength(line: readonly Token[]): number {
  let length = 0;
  while (line[length]?.tokenType === t.Identifier) {
    if (line[length + 1]?.tokenType !== t.Dot) return length + 1;
    length += 2;
  }
  return length;
}

const namesOf = (tokens: readonly Token[]): string[] =>
  tokens.filter((token) => token.tokenType === t.Identifier).map((token) => token.image);

/** `["a", "b"]` before the dot of `x = a.b.`. */
function dottedBefore(line: readonly Token[]): readonly string[] {
  const path: string[] = [];
  for (let at = line.length - 1; line[at]?.tokenType === t.Dot; at -= 2) {
    const name = line[at - 1];
    if (name?.tokenType !== t.Identifier) return [];
    path.unshift(name.image);
  }
  return path;
}

const endsInUnit = (line: readonly Token[]): boolean => {
  const at = line.findLastIndex((token) => token.tokenType === t.NumberToken);
  return at >= 0 && line.slice(at + 1).every((token) => [t.Identifier, t.Slash].includes(token.tokenType));
};

const textIn = (tokens: readonly Token[]): string | null =>
  tokens.find((token) => token.tokenType === t.StringToken)?.image.slice(1, -1) ?? null;

const acceptsPath = (type: Type | null): boolean =>
  type !== null &&
  (type.kind === "path" ||
    type.kind === "string" ||
    (type.kind === "union" && type.members.some(acceptsPath)) ||
    (type.kind === "list" && acceptsPath(type.element)));

const elementOf = (type: Type | null): Type | null =>
  type === null
    ? null
    : type.kind === "list"
      ? type.element
      : type.kind === "union"
        ? (type.members.map(elementOf).find((t) => t !== null) ?? null)
        : type;
