/** Properties and groups of a block, evaluated when asked for and once. */
import { valueCycle } from "../diagnostics/catalog/names.ts";
import {
  amendNothing,
  argumentUnknown,
  scaleLint,
  typeMismatch,
  unknownProperty,
} from "../diagnostics/catalog/values.ts";
import { replacement, suggest } from "../diagnostics/suggest.ts";
import type { Property } from "../kind.ts";
import type { Span } from "../source/source.ts";
import type { Expression } from "../syntax/ast.ts";
import { conform } from "../types/conform.ts";
import { alternatives, anyType } from "../types/type.ts";
import { show, unknown, type Valued } from "../types/value.ts";
import type { Context } from "./context.ts";
import { defaultOf } from "./default.ts";
import { describeInstance, type Instance, pathOf, type ValueEntry } from "./instance.ts";
import { memberNames, newInstance } from "./merge.ts";
import type { Origin } from "./origin.ts";

/** Names under evaluation, outermost first: a name that comes back is a cycle. */
export type Trail = string[];

export function makeProperty(trail: Trail) {
  return function property(instance: Instance, name: string, at: Span): Valued {
    const { context } = instance;
    const known = instance.evaluated.get(name);
    if (known !== undefined) return known;
    const path = `${pathOf(instance)}.${name}`;
    const entry = instance.values.get(name);
    if (trail.includes(path)) {
      const chain = [...trail.slice(trail.indexOf(path)), path].join(" -> ");
      context.report(valueCycle(entry?.nameSpan ?? at, { chain }));
      return { value: unknown, span: at, origin: { kind: "default", by: "cycle" } };
    }
    const descriptor: Property = instance.kind.properties[name] ?? { type: anyType, doc: "" };
    trail.push(path);
    const value =
      entry === undefined
        ? defaultOf(descriptor, instance.kind.name, at, context)
        : written(instance, name, entry, descriptor);
    trail.pop();
    instance.evaluated.set(name, value);
    return value;
  };
}

function written(instance: Instance, name: string, entry: ValueEntry, descriptor: Property): Valued {
  const { context } = instance;
  const what = `\`${name}\``;
  if (descriptor.binary === true) askForBinary(entry.expression, context);
  const scope = { module: entry.by.module, locals: entry.by.locals, self: instance };
  const raw = context.evaluate(entry.expression, scope, descriptor.type, what);
  const origin: Origin =
    raw.origin.kind === "written"
      ? { kind: "written", span: entry.expression.span, layer: entry.by.layer }
      : raw.origin;
  if (raw.value.kind === "auto" && !alternatives(descriptor.type).some((t) => t.kind === "auto")) {
    const fallback = defaultOf(descriptor, instance.kind.name, entry.nameSpan, context);
    return entry.patches.length === 0 ? fallback : patched(fallback, entry, descriptor, instance);
  }
  const fitted =
    raw.value.kind === "none" && descriptor.required !== true
      ? raw
      : conform(raw, descriptor.type, what, context.report);
  return patched({ ...fitted, span: entry.expression.span, origin }, entry, descriptor, instance);
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
    const { value } = current;
    if (value.kind === "unknown" || name === undefined) return current;
    if (value.kind !== "choice") {
      context.report(amendNothing(patch.nameSpan, { name, where: show(value) }));
      return current;
    }
    const parameter = alternatives(descriptor.type)
      .flatMap((t) => (t.kind === "choice" ? [t.constructors[value.name]?.parameters[name]] : []))
      .find((p) => p !== undefined);
    if (parameter === undefined) {
      context.report(
        argumentUnknown(
          patch.nameSpan,
          { name, of: value.name },
          suggest(patch.nameSpan, name, [...value.arguments.keys()]),
        ),
      );
      continue;
    }
    const what = `\`${name}\` of ${value.name}`;
    const scope = { module: patch.by.module, locals: patch.by.locals, self: instance };
    const said = context.evaluate(patch.expression, scope, parameter.type, what);
    const origin: Origin = { kind: "written", span: patch.expression.span, layer: patch.by.layer };
    const fitted = said.value.kind === "none" ? said : conform(said, parameter.type, what, context.report);
    current = {
      ...current,
      value: { ...value, arguments: new Map([...value.arguments, [name, { ...fitted, origin }]]) },
    };
  }
  return current;
}

/** A group (`layout`) or a nested declaration, or `null` where it was not written or removed with `none`. */
export function groupOf(instance: Instance, name: string): Instance | null {
  const found = instance.blocks.get(name);
  if (found !== undefined) return found;
  const kind = instance.kind.blocks?.[name];
  const entry = instance.values.get(name);
  if (kind === undefined || entry === undefined) return null;
  const { context } = instance;
  const scope = { module: entry.by.module, locals: entry.by.locals, self: instance };
  const { value } = context.evaluate(entry.expression, scope, { kind: "block", kinds: [kind.name] }, `\`${name}\``);
  if (value.kind === "none" || value.kind === "unknown") return null;
  if (value.kind !== "record") {
    context.report(
      typeMismatch(entry.expression.span, { what: `\`${name}\``, expected: "a block", found: show(value) }),
    );
    return null;
  }
  const group = newInstance(kind, null, instance, entry.nameSpan, context);
  instance.blocks.set(name, group);
  for (const [field, said] of value.fields) {
    const property = kind.properties[field];
    if (property === undefined) {
      context.report(
        unknownProperty(
          said.span,
          { name: field, where: describeInstance(group) },
          suggest(said.span, field, memberNames(kind)),
        ),
      );
    } else
      group.evaluated.set(
        field,
        said.value.kind === "none" ? said : conform(said, property.type, `\`${field}\``, context.report),
      );
  }
  for (const bound of value.bounds) {
    const [module, locals] = [entry.by.module, new Map([...entry.by.locals, ["bound", bound.value]])];
    const expression = {
      kind: "reference" as const,
      name: { kind: "name" as const, text: "bound", quoted: false, span: bound.value.span },
      span: bound.value.span,
    };
    const target = [{ kind: "name" as const, text: bound.name, quoted: false, span: bound.value.span }] as const;
    group.bounds.push({
      node: { kind: "bound", target, op: bound.op as "<=", value: expression, span: bound.value.span },
      by: { module, locals, layer: entry.by.layer },
    });
  }
  return group;
}

/** Bounds on a property, their values evaluated with the property's type. */
export function boundsOf(
  instance: Instance,
): readonly { readonly name: string; readonly op: string; readonly value: Valued }[] {
  const { context } = instance;
  return instance.bounds.flatMap(({ node, by }) => {
    const name = node.target[0].text;
    const property = instance.kind.properties[name];
    if (property === undefined) return [];
    const scope = { module: by.module, locals: by.locals, self: instance };
    const value = context.evaluate(
      node.value,
      scope,
      node.op === "in" ? { kind: "list", element: property.type } : property.type,
      `\`${name}\``,
    );
    return [
      {
        name,
        op: node.op,
        value:
          node.op === "in"
            ? checkSet(value, property, name, context)
            : conform(value, property.type, `\`${name}\``, context.report),
      },
    ];
  });
}

function checkSet(value: Valued, property: Property, name: string, context: Context): Valued {
  if (value.value.kind === "range") {
    for (const end of [value.value.from, value.value.to])
      conform({ ...value, value: end }, property.type, `\`${name}\``, context.report);
    return value;
  }
  return conform(
    value,
    { kind: "list", element: { kind: "union", members: [property.type, { kind: "none" }] } },
    `\`${name}\``,
    context.report,
  );
}
