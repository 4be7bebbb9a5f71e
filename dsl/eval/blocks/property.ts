/** Properties and groups of a block, evaluated when asked for and once. */
import { chosenByWord } from "../expressions/choosing.ts";
import { amendNothing, blockAssigned, keptProperty } from "../../diagnostics/catalog/properties.ts";
import { argumentUnknown } from "../../diagnostics/catalog/calls.ts";
import { scaleLint, typeMismatch } from "../../diagnostics/catalog/values.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { replacement, suggest } from "../../diagnostics/suggest.ts";
import type { BlockKind, Property, Type } from "../../kind.ts";
import type { Span } from "../../source/source.ts";
import type { Expression } from "../../syntax/ast.ts";
import { alternatives, anyType } from "../../types/type.ts";
import { sameDimension, units } from "../../types/units.ts";
import { type NumberValue, show, type Valued } from "../../types/value.ts";
import { constructorOfValue, withDeclared } from "../expressions/constructors.ts";
import { said } from "../expressions/no-value.ts";
import type { Context } from "../context.ts";
import { defaultOf } from "./default.ts";
import { fitted } from "./fitted.ts";
import { impliedText } from "./implied-text.ts";
import { withInherited } from "./inherited.ts";
import { describeInstance, type Instance, pathOf, type ValueEntry } from "./instance.ts";
import { copyOf, newInstance } from "./new-instance.ts";
import type { Origin } from "../origin.ts";
import { type Asked, offTrail, type Trail } from "../trail.ts";
import { sayRecord } from "./say-record.ts";
import { inTable } from "../../in-table.ts";
import { limitOf } from "./limit-of.ts";
import { meantBlock } from "./meant-block.ts";

export function makeProperty(trail: Trail) {
  return function property(instance: Instance, name: string, at: Span): Valued {
    const { context } = instance;
    const known = instance.evaluated.get(name);
    if (known !== undefined) return known;
    const asked: Asked = { of: instance, property: name };
    const entry = instance.values.get(name);
    const refused = offTrail(trail, asked, entry?.nameSpan ?? at, at, context.report);
    if (refused !== null) return refused;
    const { properties } = instance.kind;
    // A raw block may have a key called `constructor`.
    const descriptor: Property = (Object.hasOwn(properties, name) ? properties[name] : undefined) ?? {
      type: anyType,
      doc: "",
    };
    trail.push(asked);
    const value =
      entry === undefined ? unwritten(instance, name, descriptor, at) : written(instance, name, entry, descriptor);
    trail.pop();
    instance.evaluated.set(name, value);
    return value;
  };
}

/** The default; where bounds promise something, the least that they allow; what it follows, where that is said. */
function unwritten(instance: Instance, name: string, descriptor: Property, at: Span): Valued {
  const { kind, context } = instance;
  const followed = descriptor.follows === undefined ? null : behind(instance, descriptor.follows, name, at);
  if (followed !== null) return followed;
  const least = descriptor.promised === true ? leastAt(instance, name) : null;
  if (least === null) return defaultOf(descriptor, kind.name, at, context);
  return {
    value: least,
    span: at,
    origin: { kind: "default", by: `${kind.name}: the lowest value within its bounds` },
  };
}

/** A property of the step that another property names: the `model` behind `from = pretrain.last`. */
function behind(instance: Instance, follows: string, name: string, at: Span): Valued | null {
  const { context } = instance;
  if (!instance.values.has(follows)) return null;
  const { value } = context.property(instance, follows, at);
  if (value.kind === "unknown") return { value, span: at, origin: { kind: "default", by: instance.kind.name } };
  if (value.kind !== "handle") return null;
  const rule = `${name} of ${describeInstance(value.block)}, which \`${follows}\` names`;
  const origin: Origin = { kind: "derived", rule, inputs: [`${pathOf(value.block)}.${name}`] };
  return { value: context.property(value.block, name, at).value, span: at, origin };
}

function written(instance: Instance, name: string, entry: ValueEntry, descriptor: Property): Valued {
  const { context } = instance;
  const what = `\`${name}\``;
  if (descriptor.binary === true) askForBinary(entry.expression, context);
  const scope = { module: entry.by.module, locals: entry.by.locals, self: instance };
  const raw = said(entry.expression, descriptor, scope, what, context);
  const origin: Origin =
    raw.origin.kind === "written"
      ? { kind: "written", span: entry.expression.span, layer: entry.by.layer }
      : raw.origin;
  if (raw.value.kind === "auto" && !alternatives(descriptor.type).some((t) => t.kind === "auto")) {
    const fallback = defaultOf(descriptor, instance.kind.name, entry.nameSpan, context);
    return entry.patches.length === 0 ? fallback : patched(fallback, entry, descriptor, instance);
  }
  const value = fitted(raw, descriptor, what, (found) => {
    const known = withDeclared(found, descriptor.type, scope, context);
    const told = meantBlock(severalFor(known, raw, entry, descriptor), raw, instance, entry, descriptor, scope);
    context.report(withInherited(told, instance, name, entry));
  });
  return patched({ ...value, span: entry.expression.span, origin }, entry, descriptor, instance);
}

/** `micro_batch = 1..8 samples`: bounds stand behind `in`, and what several runs take in a sweep. */
function severalFor(
  found: Diagnostic,
  { value }: Valued,
  entry: ValueEntry,
  { bounded, type }: Property,
): Diagnostic {
  const isList = value.kind === "list" && type.kind === "number";
  if (found.code !== typeMismatch.code || (value.kind !== "range" && !isList)) return found;
  const { source, end } = entry.nameSpan;
  const { start, end: last } = entry.expression.span;
  const written = `${source.text.slice(entry.nameSpan.start, end)} in ${source.text.slice(start, last)}`;
  if (source !== entry.expression.span.source || !/^\s*=\s*$/.test(source.text.slice(end, start))) return found;
  const fix = `Write one value; \`sweep search { stage = …, vary { ${written} } }\` runs several, one after another.`;
  return bounded === true
    ? { ...found, fixes: [replacement({ source, start: end, end: start }, " in ", `write \`${written}\``)] }
    : { ...found, fix };
}

/** `context = 4K tokens` is 4000; 4096 is `4Ki`. */
function askForBinary(expression: Expression, context: Context): void {
  if (expression.kind !== "number" || expression.unit === null || expression.repaired === true) return;
  if (expression.scale !== "K" && expression.scale !== "M") return;
  const { span, scale } = expression;
  const written = span.source.text.slice(span.start, span.end);
  const binary = written.replace(scale, `${scale}i`);
  context.report(scaleLint(span, { written, binary }, { fixes: [replacement(span, binary)] }));
}

/** `optimizer.lr = 3e-5` on top of `optimizer = adamw(…)`: one argument is said anew. */
function patched(base: Valued, entry: ValueEntry, descriptor: Property, instance: Instance): Valued {
  const { context } = instance;
  let current = base;
  for (const patch of entry.patches) {
    const [name] = patch.path;
    const { value: choice } = current;
    if (choice.kind === "unknown" || name === undefined) return current;
    if (choice.kind !== "choice") {
      context.report(amendNothing(patch.nameSpan, { name, where: show(choice) }));
      return current;
    }
    const parameter = inTable(constructorOfValue(choice, alternatives(descriptor.type))?.parameters, name);
    if (parameter === undefined) {
      context.report(
        argumentUnknown(
          patch.nameSpan,
          { name, of: choice.name },
          chosenByWord(name, choice.name, [...choice.arguments.keys()]) ??
            suggest(patch.nameSpan, name, [...choice.arguments.keys()]),
        ),
      );
      continue;
    }
    const what = `\`${name}\` of ${choice.name}`;
    const scope = { module: patch.by.module, locals: patch.by.locals, self: instance };
    const value = said(patch.expression, parameter, scope, what, context);
    const origin: Origin = { kind: "written", span: patch.expression.span, layer: patch.by.layer };
    current = {
      ...current,
      value: {
        ...choice,
        arguments: new Map([
          ...choice.arguments,
          [name, { ...fitted(value, parameter, what, context.report), origin }],
        ]),
      },
    };
  }
  return current;
}

const laid = new WeakMap<Instance, Map<string, Instance | null>>();

/** A group (`layout`) or a nested declaration, or `null` where it was not written or removed with `none`. */
export function groupOf(instance: Instance, name: string): Instance | null {
  const entry = instance.values.get(name);
  const kind = inTable(instance.kind.blocks, name);
  if (kind === undefined || entry === undefined) return instance.blocks.get(name) ?? null;
  const known = laid.get(instance) ?? new Map<string, Instance | null>();
  laid.set(instance, known);
  const found = known.get(name);
  if (found !== undefined) return found;
  const group = groupFrom(instance, name, entry, kind);
  known.set(name, group);
  return group;
}

/** A group that an expression gives (`layout = match scale { … }`), with what was said of it afterwards on top. */
function groupFrom(instance: Instance, name: string, entry: ValueEntry, kind: BlockKind): Instance | null {
  const { context } = instance;
  const scope = { module: entry.by.module, locals: entry.by.locals, self: instance };
  const meant = memberMeant(entry.expression, kind);
  if (meant !== null) {
    const span = { ...entry.nameSpan, end: entry.expression.span.end };
    const fixes = [replacement(span, `${name} { ${meant} }`)];
    context.report(blockAssigned(entry.nameSpan, { name }, { fixes }));
    return instance.blocks.get(name) ?? null;
  }
  const type: Type = { kind: "block", kinds: [kind.name], group: kind };
  // A group that always holds is, like what always has a value, no more without `null` than without `none`.
  const { value } = said(
    entry.expression,
    { type, doc: "", required: kind.kept === true },
    scope,
    `\`${name}\``,
    context,
  );
  const more = instance.blocks.get(name);
  if (value.kind === "none" && kind.kept === true)
    context.report(keptProperty(entry.expression.span, { what: `\`${name}\``, instead: impliedText(kind) }));
  if (value.kind === "none" || value.kind === "auto" || value.kind === "unknown") return more ?? null;
  if (value.kind !== "record") {
    const [nested] = Object.keys(kind.nested ?? {});
    const inside = nested === undefined ? "…" : `${nested} NAME { … }`;
    context.report(
      typeMismatch(
        entry.expression.span,
        { what: `\`${name}\``, expected: "a block", found: show(value) },
        { fix: `Write it as a block, without \`=\`: \`${name} { ${inside} }\`.` },
      ),
    );
    return null;
  }
  const group =
    more === undefined
      ? newInstance(kind, null, instance, entry.nameSpan, context)
      : copyOf(more, { ...more, span: entry.nameSpan });
  sayRecord(group, value, entry.by);
  return group;
}

/** `eval = every(10 steps)`, `eval = 10 steps`: a member of the block in place of the block. */
function memberMeant(written: Expression, { properties }: BlockKind): string | null {
  const { source, start, end } = written.span;
  if (written.kind === "number") {
    const { numerator, denominator } = written.unit ?? { numerator: [], denominator: [] };
    const unit = denominator.length > 0 ? undefined : units.get(numerator.join(" "));
    if (unit === undefined) return null;
    const takes = (type: Type): boolean =>
      type.kind === "number" && type.dimensions.some((each) => sameDimension(each, unit.dimension));
    const takers = Object.entries(properties).filter(([, { type }]) => alternatives(type).some(takes));
    const [only, ...others] = takers.map(([name]) => name);
    return only === undefined || others.length > 0 ? null : `${only} = ${source.text.slice(start, end)}`;
  }
  if (written.kind !== "call" || written.callee.kind !== "reference") return null;
  const [argument, ...more] = written.arguments;
  const { text } = written.callee.name;
  if (!Object.hasOwn(properties, text) || argument === undefined || argument.name !== null || more.length > 0)
    return null;
  const { span } = argument.value;
  return `${text} = ${source.text.slice(span.start, span.end)}`;
}

/** Bounds on properties, or on one, their values evaluated with the property's type. */
export function boundsOf(
  instance: Instance,
  only: string | null = null,
): readonly { readonly name: string; readonly op: string; readonly value: Valued }[] {
  const { context } = instance;
  return instance.bounds.flatMap(({ node, by }) => {
    const name = node.target[0].text;
    const property = inTable(instance.kind.properties, name);
    if (property === undefined || (only !== null && name !== only)) return [];
    const scope = { module: by.module, locals: by.locals, self: instance };
    return [{ name, op: node.op, value: limitOf(node, property.type, `\`${name}\``, scope, context) }];
  });
}

/** The least that the bounds of a property allow, or `null` where none of them bounds it from below. */
function leastAt(instance: Instance, name: string): NumberValue | null {
  const bounds = boundsOf(instance, name);
  const ends = bounds.flatMap(({ op, value: { value } }): NumberValue[] => {
    if (value.kind === "range") return [value.from];
    if (value.kind !== "number" || !op.startsWith(">")) return [];
    return [op === ">" && Number.isInteger(value.value) ? { ...value, value: value.value + 1 } : value];
  });
  const above = ends.toSorted((a, b) => b.value - a.value)[0] ?? null;
  const listed = bounds.flatMap(({ value: { value } }) =>
    value.kind === "list" ? value.items.flatMap((item) => (item.value.kind === "number" ? [item.value] : [])) : [],
  );
  const allowed = listed.filter(({ value }) => above === null || value >= above.value);
  return allowed.toSorted((a, b) => a.value - b.value)[0] ?? above;
}
