/** From the tokens around the cursor to what may stand there. */
import { isVariant } from "../../is-variant.ts";
import { positionalAt } from "../../eval/expressions/positional.ts";
import { inTable } from "../../in-table.ts";
import type { BlockKind, Registry, Type } from "../../kind.ts";
import type { Token } from "../../lexer/token.ts";
import * as t from "../../lexer/vocabulary.ts";
import type { Module } from "../../symbols/symbol.ts";
import { literalTexts, meanings } from "../../types/type.ts";
import { constructorOf, kindOf, kindReferred, memberOf, symbolOf } from "../meaning/kinds.ts";
import type { Cursor, Opened } from "./context.ts";
import { declaredCall } from "./declared-call.ts";
import { formulaCall } from "./formula-call.ts";
import { type Frame, file } from "./frame.ts";
import { headerPosition } from "./header-position.ts";
import { openedBy, openPosition } from "./open-position.ts";
import type { Position } from "./positions.ts";
import { pathBefore, propertyAt, valueType } from "./value-expected.ts";
import { dottedBefore, endsInUnit, namesOf, pathLength, textIn } from "./words.ts";

const nothing: Position = { kind: "nothing" };

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
    const type = givenByPlace(cursor, frame) ?? valueType(frame, line, module, registry).type;
    const texts = textsIn(type);
    return texts.length > 0 ? { kind: "text", texts } : acceptsPath(type) ? { kind: "path" } : nothing;
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
  // Its members are invented.
  if (cursor.open.at(-1)?.head[0]?.image === "enum") return nothing;
  if (last?.tokenType === t.Dot) {
    const path = dottedBefore(line);
    const type = givenByPlace(cursor, frame) ?? valueType(frame, line, module, registry).type;
    const begins = frame.call === null && !frame.isList && frame.arms === null && line.length === 2 * path.length;
    const header = headerPosition(line.slice(0, -2 * path.length), frame, registry);
    return {
      kind: "after_dot",
      path,
      around: frame.around,
      type,
      of: begins ? settable(frame.block, registry) : null,
      isAmended: begins,
      kinds: header.kind === "block" ? header.kinds : null,
    };
  }
  if (last?.tokenType === t.Colon) return { kind: "type" };
  if (last?.tokenType === t.NumberToken && !/[.eE]$/.test(last.image)) {
    const type = givenByPlace(cursor, frame) ?? valueType(frame, line, module, registry).type;
    return { kind: "unit", type };
  }
  if (last?.tokenType === t.Slash && endsInUnit(line)) return { kind: "unit", type: null };
  const { call } = frame;
  if (call !== null && line.length === 0) {
    const items = cursor.open.at(-1)?.items ?? [];
    const named = items.filter((item) => item[1]?.tokenType === t.Equal).map((item) => item[0]?.image ?? "");
    const positional = items.length - named.length;
    return {
      kind: "argument",
      of: call.name,
      constructor: call.constructor,
      given: new Set([...named, ...(call.constructor.positional ?? []).slice(0, positional)]),
      type: givenByPlace(cursor, frame),
      around: frame.around,
    };
  }
  const isMember = call === null && !frame.isList && frame.type === null;
  if (isMember && line.length === 0) {
    // A record's names are invented, and of an unknown block nobody knows what it takes.
    if (frame.block === null && !frame.isFile) return nothing;
    const items = cursor.open.at(-1)?.items ?? [];
    const written = new Set(items.map((item) => item[0]?.image ?? ""));
    return frame.isTest ? { kind: "trial", written } : { kind: "member", of: frame.block, written };
  }
  const value = valueType(frame, line, module, registry);
  if (value.isValue) return { kind: "value", type: value.type, around: frame.around, property: value.property };
  return headerPosition(line, frame, registry);
}

/** What the parameter is that an argument without a name is given to. */
function givenByPlace({ open, line }: Cursor, { call, around }: Frame): Type | null {
  if (call === null || line[1]?.tokenType === t.Equal) return null;
  const items = open.at(-1)?.items ?? [];
  const next = positionalAt(call.constructor, items.filter((item) => item[1]?.tokenType !== t.Equal).length);
  const type = next === undefined ? null : (inTable(call.constructor.parameters, next)?.type ?? null);
  // What a formula may speak of, where it does not say, is what is watched there: `best(val.loss)`.
  const watches = around.find((block) => block.watches !== undefined)?.watches;
  return type?.kind === "formula" && type.names === undefined && watches !== undefined
    ? { ...type, names: watches }
    : type;
}

/** Whose members a line of a block sets: its own, or, of what a sweep varies, its stage's. */
const settable = (block: BlockKind | null, registry: Registry): BlockKind | null =>
  block?.varies === undefined ? block : (inTable(registry.kinds, block.varies) ?? null);

/** Inside the bracket that was opened last. */
function enter(frame: Frame, { bracket, head }: Opened, module: Module, registry: Registry): Frame {
  const inner = { ...file, isFile: false, around: frame.around };
  if (bracket === "(") {
    const callee = head.at(-1);
    if (callee === undefined || callee.tokenType !== t.Identifier)
      return { ...inner, isList: true, block: frame.block };
    const { type } = valueType(frame, head.slice(0, -1), module, registry);
    const path = [...dottedBefore(head.slice(0, -1)), callee.image];
    const constructor =
      constructorOf(type, callee.image)?.constructor ??
      formulaCall(path, type) ??
      declaredCall(path, module, registry);
    const call = constructor === null ? null : { name: callee.image, constructor };
    return { ...inner, call, isList: call === null };
  }
  if (bracket === "[") {
    const { type } = valueType(frame, head, module, registry);
    return { ...inner, type: elementOf(type), isList: true };
  }
  if (head[0]?.image === "import") return { ...inner, importing: textIn(head) ?? "" };
  const match = head.findLastIndex((token) => token.image === "match");
  if (match >= 0) {
    const { type } = propertyAt(pathBefore(head, head.length), { block: null }, module, registry);
    const outer = head.slice(0, match);
    const block = outer.at(-1)?.tokenType === t.Equal ? blockOf(outer, frame, module, registry) : null;
    return { ...inner, isList: true, type, arms: { type: valueType(frame, outer, module, registry).type, block } };
  }
  if (head[0]?.image === "enum") return { ...inner, isList: true };
  if (head[0]?.image === "test") return { ...file, isTest: true };
  const isArm = head.at(-1)?.tokenType === t.Arrow;
  const block = isArm ? (frame.arms?.block ?? null) : blockOf(head, frame, module, registry);
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
    return (frame.block === null ? inTable(registry.kinds, first.image) : frame.block.nested?.[first.image]) ?? null;
  const path = namesOf(words.slice(0, pathLength(words)));
  let rest = path;
  let kind = frame.block;
  if (speaksOfOthers) {
    const found = symbolOf(path, module);
    kind = found === null ? (inTable(registry.kinds, path[0] ?? "") ?? null) : kindOf(found.symbol, registry);
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

/** Where only these may be written: `"x" | "y"`. */
const textsIn = (type: Type | null): readonly string[] =>
  meanings(type).flatMap((t) => (t.kind === "enum" && t.name === literalTexts ? t.values : []));

const acceptsPath = (type: Type | null): boolean =>
  type !== null &&
  (type.kind === "path" ||
    (type.kind === "union" && type.members.some(acceptsPath)) ||
    (type.kind === "list" && acceptsPath(type.element)));

/** What a list holds, where something takes one. */
const elementOf = (type: Type | null): Type | null =>
  type?.kind === "union"
    ? elementOf(type.members.find(({ kind }) => kind === "list") ?? type.members[0] ?? null)
    : type?.kind === "list"
      ? type.element
      : type;
