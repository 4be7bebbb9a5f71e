/** What a sweep varies: params of the file, and leaves of the block that it sweeps, by the paths of amendments. */
import { misplaced } from "../../diagnostics/catalog/names.ts";
import type { Fix } from "../../diagnostics/diagnostic.ts";
import { outOfRange, typeMismatch } from "../../diagnostics/catalog/values.ts";
import { variesNothing, varyEmpty, varySet } from "../../diagnostics/catalog/formulas.ts";
import { replacement, suggest } from "../../diagnostics/suggest.ts";
import type { Type } from "../../kind.ts";
import type { Span } from "../../source/source.ts";
import type { BlockSymbol, ParamSymbol } from "../../symbols/symbol.ts";
import { knownAs, namedIn } from "../../symbols/known-as.ts";
import type { Name, Path } from "../../syntax/ast.ts";
import { conform } from "../../types/conform.ts";
import { anyType } from "../../types/type.ts";
import { show, unknown, type Value, type Valued } from "../../types/value.ts";
import { longestList } from "../expressions/bulk.ts";
import type { Context } from "../context.ts";
import type { Instance, Written } from "../blocks/instance.ts";
import { itemsOf } from "../expressions/items.ts";
import { equal } from "../expressions/operators.ts";
import { withoutIn } from "./beside-vary.ts";
import { leafMeant, leafType } from "./leaf.ts";
import { violatedBound } from "../declarations/param-bounds.ts";
import { isLost } from "../declarations/is-lost.ts";
import { typeOf } from "../declarations/type-expression.ts";
import { memberNames } from "../blocks/unknown-member.ts";
import { inTable } from "../../in-table.ts";
import { isVariant } from "../../is-variant.ts";

/** One thing that varies, and what it takes. */
export interface Variation {
  /** As an amendment would say it: `kind`, or `pretrain.optimizer.lr`. */
  readonly path: string;
  readonly values: readonly Valued[];
  readonly span: Span;
}

/** The variations of a `vary` group; what is wrong with them is reported. */
export function variationsOf(group: Instance): readonly Variation[] {
  const { context } = group;
  const subject = subjectOf(group);
  const seen = new Map<string, Span>();
  for (const wrong of withoutIn(group, subject)) context.report(wrong);
  if (isEmpty(group.span)) context.report(varyEmpty(group.span, { sweep: group.parent?.name ?? "" }));
  const found = group.amendments.flatMap(({ node, by }): Variation[] => {
    if (node.kind !== "bound") return [];
    const span = spanOf(node.target);
    const text = node.target.map((n) => n.text).join(".");
    const found = targetOf(node.target, subject, by, context);
    if (found === null && isLost(node.target[0].text, by)) return [];
    // A subject that is misspelt, or under a misspelt name, was told.
    if (found === null && subject === null && isMisspelt(group)) return [];
    if (found === null) {
      const valid = [...(subject === null ? [] : leavesAround(subject, node.target)), ...paramsOf(by)];
      const meant =
        ownLeaf(subject, node.target) ?? innerLeaf(subject, node.target) ?? othersLeaf(node.target, by, context);
      context.report(variesNothing(span, { name: text }, meant ?? suggest(span, text, valid)));
      return [];
    }
    const earlier = seen.get(found.path);
    if (earlier !== undefined) {
      const related = [{ message: "the first time", span: earlier }];
      context.report(
        misplaced(
          span,
          { what: `\`${text}\``, where: "twice in `vary`" },
          { related, fix: "Write all its values in one list, and remove the other line." },
        ),
      );
      return [];
    }
    seen.set(found.path, span);
    const scope = { module: by.module, locals: by.locals, self: group };
    const what = `\`${text}\``;
    const set = context.evaluate(node.value, scope, { kind: "list", element: found.type }, what);
    if (set.value.kind === "unknown") return [];
    const wrong = wrongSet(set.value, node.value.span);
    if (wrong !== null) {
      context.report(
        varySet(wrong.span, { what, found: textAt(wrong.span), why: wrong.why }, { fixes: wrong.fixes }),
      );
      return [];
    }
    const items = itemsOf(set.value);
    if (items === null || items.length === 0) {
      const expected = "a list or a range";
      context.report(typeMismatch(node.value.span, { what, expected, found: show(set.value) }));
      return [];
    }
    const fitted = items.map((item) => {
      const at = item.span.source.text === "" ? { ...item, span: node.value.span } : item;
      if (item.value.kind === "none") return at;
      const value = conform(at, found.type, what, context.report);
      return isWithin(found, value, context) ? value : { ...value, value: unknown };
    });
    if (fitted.some((item) => item.value.kind === "unknown")) return [];
    const again = set.value.kind === "list" ? repeated(fitted) : null;
    if (again !== null) {
      const why = `\`${show(again.value)}\` appears twice`;
      context.report(varySet(node.value.span, { what, found: textAt(node.value.span), why }));
      return [];
    }
    return [{ path: found.path, values: fitted, span }];
  });
  const points = found.reduce((count, { values }) => count * values.length, 1);
  const [first] = found;
  if (points <= longestList || first === undefined) return found;
  const what = found.map(({ path }) => `\`${path}\``).join(", ");
  context.report(varySet(first.span, { what, found: "all combinations", why: tooMany(points) }));
  return [];
}

/** Whether nothing stands between the braces; what is there and wrong was reported. */
const isEmpty = ({ source, end }: Span): boolean => /^\s*\{(?:\s|\/\/[^\n]*\n)*\}/.test(source.text.slice(end));

const textAt = ({ source, start, end }: Span): string => source.text.slice(start, end).replace(/\s+/g, " ");

const tooMany = (count: number): string =>
  `these are ${count.toLocaleString("en")} combinations, and at most ${longestList.toLocaleString("en")} are allowed`;

/** Why a set is none that can be run through. */
function wrongSet(
  value: Value,
  span: Span,
): { readonly why: string; readonly span: Span; readonly fixes: readonly Fix[] } | null {
  if (value.kind === "list") return value.items.length > 0 ? null : { why: "it is empty", span, fixes: [] };
  if (value.kind !== "range") return null;
  const [from, to] = [value.from.value, value.to.value];
  if (!Number.isInteger(from) || !Number.isInteger(to)) {
    const ends = textAt(span)
      .split("..")
      .map((end) => end.trim());
    const fixes = ends.length === 2 ? [replacement(span, `[${ends.join(", ")}]`)] : [];
    return {
      why: "the ends of a range must be whole numbers; list the values instead",
      span,
      fixes,
    };
  }
  if (to < from) {
    const fixes = [replacement(span, `${show(value.to)}..${show(value.from)}`)];
    return { why: "its end is below its beginning", span, fixes };
  }
  return to - from + 1 > longestList ? { why: tooMany(to - from + 1), span, fixes: [] } : null;
}

/** The first value that stood there before. */
function repeated(items: readonly Valued[]): Valued | null {
  const before = new Map<string, Valued[]>();
  for (const item of items) {
    const { value } = item;
    // What is equal is written alike, but for the last digits of a number.
    const key = value.kind === "number" ? value.value.toPrecision(11) : show(value);
    const alike = before.get(key) ?? [];
    for (const other of alike) {
      const same = equal(value, other.value);
      if (same?.kind === "bool" && same.value) return item;
    }
    before.set(key, [...alike, item]);
  }
  return null;
}

/** Every combination, the last variation running fastest. */
export function pointsOf(
  variations: readonly Variation[],
): readonly (readonly { readonly path: string; readonly value: Valued }[])[] {
  return variations.reduce<{ readonly path: string; readonly value: Valued }[][]>(
    (points, { path, values }) => points.flatMap((point) => values.map((value) => [...point, { path, value }])),
    [[]],
  );
}

function innerLeaf(subject: Instance | null, path: Path): { readonly fixes: readonly Fix[] } | null {
  const meant =
    subject === null
      ? null
      : leafMeant(
          subject,
          path.map(({ text }) => text),
        );
  return meant === null ? null : { fixes: [replacement(spanOf(path), meant)] };
}

/** The block whose leaves vary: what the property beside the group names. */
function subjectOf(group: Instance): Instance | null {
  const { parent, kind } = group;
  if (parent === null || kind.varies === undefined || !parent.values.has(kind.varies)) return null;
  const { value } = group.context.property(parent, kind.varies, group.span);
  return value.kind === "block" ? value.block : null;
}

function isMisspelt({ parent, kind, context, span }: Instance): boolean {
  if (parent === null || kind.varies === undefined) return false;
  if (parent.strangers.size > 0) return true;
  return parent.values.has(kind.varies) && context.property(parent, kind.varies, span).value.kind === "unknown";
}

/** `pretrain.seed` where `pretrain` is what is swept: its leaves stand without its name. */
function ownLeaf(subject: Instance | null, [head, ...rest]: Path): { readonly fixes: readonly Fix[] } | null {
  const leaf = rest.map((n) => n.text);
  if (subject === null || head.text !== subject.name || leafType(subject, leaf) === null) return null;
  return { fixes: [replacement(spanOf([head, ...rest]), leaf.join("."))] };
}

/** `nodes` where one other block of the file has it: its leaves stand behind its name. */
function othersLeaf(path: Path, { module }: Written, context: Context): { readonly fixes: readonly Fix[] } | null {
  const names = path.map((n) => n.text);
  const owners = [...module.names.values()].filter(
    (symbol) => symbol.kind === "block" && leafOf(symbol, path, context) !== null,
  );
  const [owner] = owners;
  if (owner === undefined || owners.length > 1) return null;
  return { fixes: [replacement(spanOf(path), [owner.name.text, ...names].join("."))] };
}

interface Target {
  readonly path: string;
  readonly type: Type;
  /** Where a param varies. */
  readonly param: ParamSymbol | null;
}

/** A leaf of the block comes before a param of that name: it is what the param would set. */
function targetOf(path: Path, subject: Instance | null, by: Written, context: Context): Target | null {
  const names = path.map((n) => n.text);
  const type = subject === null ? null : leafType(subject, names);
  if (type !== null && subject !== null) {
    const owner = subject.symbol === null ? [subject.name ?? ""] : knownAs(subject.symbol, context.root);
    return { path: [...owner, ...names].join("."), type, param: null };
  }
  const { symbol, path: rest } = namedIn(path, by.module);
  if (symbol?.kind === "block" && symbol !== subject?.symbol) return leafOf(symbol, rest.slice(1), context);
  if (symbol?.kind !== "param" || rest.length > 1) return null;
  const scope = { module: symbol.module, locals: new Map(), self: null };
  const declared = symbol.node.type;
  return {
    path: knownAs(symbol, context.root).join("."),
    type: declared === null ? anyType : typeOf(declared, scope, context),
    param: symbol,
  };
}

/** Another block of the user's files, as `pod.nodes` of the cluster that the stage runs on. */
function leafOf(symbol: BlockSymbol, path: readonly Name[], context: Context): Target | null {
  const isTheirs = !symbol.node.abstract && !symbol.module.path.startsWith("std/");
  const isVariation = isVariant(inTable(context.registry.kinds, symbol.node.head[0].text));
  const block = isTheirs && !isVariation ? context.instanceOf(symbol) : null;
  const names = path.map((n) => n.text);
  const type = block === null ? null : leafType(block, names);
  return type === null ? null : { path: [...knownAs(symbol, context.root), ...names].join("."), type, param: null };
}

/** Whether a param may take a value of those that it is given in turn; that it may not is told. */
function isWithin({ param, type }: Target, { value, span }: Valued, context: Context): boolean {
  if (param === null) return true;
  const scope = { module: param.module, locals: new Map(), self: null };
  const allowed = violatedBound(param.node, value, scope, type, context);
  if (allowed !== null)
    context.report(outOfRange(span, { what: `param \`${param.name.text}\``, found: show(value), allowed }));
  return allowed === null;
}

/** What could be varied near a path: the arguments of its choice, else the members of the block. */
function leavesAround(block: Instance, [head, ...rest]: Path): string[] {
  const { value } =
    rest.length > 0 && Object.hasOwn(block.kind.properties, head.text)
      ? block.context.property(block, head.text, head.span)
      : { value: null };
  if (value?.kind === "choice") return [...value.arguments.keys()].map((name) => `${head.text}.${name}`);
  const group = inTable(block.kind.blocks, head.text);
  return group !== undefined && rest.length > 0
    ? memberNames(group).map((name) => `${head.text}.${name}`)
    : memberNames(block.kind);
}

const paramsOf = (by: Written): string[] =>
  [...by.module.names].flatMap(([name, symbol]) => (symbol.kind === "param" ? [name] : []));

const spanOf = (path: Path): Span => ({ ...path[0].span, end: path[path.length - 1]?.span.end ?? path[0].span.end });
