/** Constructors of a choice: those its descriptor lists, and those that files declare for its role. */
import { outOfRange, typeMismatch } from "../../diagnostics/catalog/values.ts";
import type { Diagnostic, Fix } from "../../diagnostics/diagnostic.ts";
import { suggest } from "../../diagnostics/suggest.ts";
import type { Constructor, Property, Type } from "../../kind.ts";
import { conform } from "../../types/conform.ts";
import { anyType, meanings } from "../../types/type.ts";
import { type ChoiceValue, show, type Valued } from "../../types/value.ts";
import type { Context } from "../context.ts";
import type { Instance } from "../blocks/instance.ts";
import { violatedBound } from "../declarations/param-bounds.ts";
import type { Scope } from "../scope.ts";
import { typeOf } from "../declarations/type-expression.ts";
import { inTable } from "../../in-table.ts";

type Choice = Extract<Type, { kind: "choice" }>;

/** The constructor of that name, listed or declared. */
export function constructorIn(
  name: string,
  choice: Choice,
  scope: Scope,
  context: Context,
): { readonly constructor: Constructor; readonly declared: Instance | null } | null {
  const listed = inTable(choice.constructors, name);
  if (listed !== undefined) return { constructor: listed, declared: null };
  const declared = declaredConstructor(name, choice.name, scope, context);
  return declared === null ? null : { constructor: constructorOf(declared), declared };
}

/** The names of all of them, as far as a file sees. */
export function constructorNames(choice: Choice, scope: Scope, context: Context): readonly string[] {
  return [...Object.keys(choice.constructors), ...declaredNames(choice.name, scope, context)];
}

/** Those that files declare for a role, of a file that is imported as a whole too: `lib.mine`. */
export function declaredNames(role: string, scope: Scope, context: Context): readonly string[] {
  const names = [...scope.module.names].flatMap(([name, symbol]) =>
    symbol.kind === "namespace" ? [...symbol.of.names.keys()].map((inner) => `${name}.${inner}`) : [name],
  );
  return names.filter((name) => declaredConstructor(name, role, scope, context) !== null);
}

/** A value of the wrong type, with the words that files declare among those that would do, and no name that nothing has. */
export function withDeclared(found: Diagnostic, type: Type, scope: Scope, context: Context): Diagnostic {
  if (found.code !== typeMismatch.code) return found;
  const types = meanings(type);
  const choices = types.filter((t): t is Choice => t.kind === "choice");
  const words = choices.flatMap((choice) => constructorNames(choice, scope, context));
  const kinds = new Set(types.flatMap((t) => (t.kind === "block" ? t.kinds : [])));
  const blocks = [...scope.module.names].flatMap(([name, symbol]) =>
    symbol.kind === "block" && !kinds.has(symbol.node.head[0].text) ? [] : [name],
  );
  const members = types.flatMap((t) => (t.kind === "enum" ? t.values : []));
  const known = new Set([...words, ...members, ...blocks, ...scope.locals.keys(), "true", "false", "none", "auto"]);
  const isKnown = ({ edits }: Fix): boolean =>
    edits.every(({ newText }) => !/^[A-Za-z_]\w*$/.test(newText) || known.has(newText));
  const unquoted = found.fixes.find((fix) => !isKnown(fix))?.edits[0];
  const fixes = found.fixes.filter(isKnown);
  const near = unquoted === undefined ? {} : suggest(unquoted.span, unquoted.newText, [...words, ...blocks]);
  const valid = choices.length > 0 && found.valid.length > 0 ? words : (near.valid ?? found.valid);
  return { ...found, valid, fixes: [...fixes, ...(near.fixes ?? [])] };
}

/** The block of a file that declares a constructor of that name, or path, for a role. */
export function declaredConstructor(name: string, role: string, scope: Scope, context: Context): Instance | null {
  const [first = "", inner, ...more] = name.split(".");
  if (scope.locals.has(first) || more.length > 0) return null;
  const named = scope.module.names.get(first);
  const within = named?.kind === "namespace" ? named.of : undefined;
  const symbol = inner === undefined ? named : within?.names.get(inner);
  if (symbol?.kind !== "block") return null;
  const property = inTable(context.registry.kinds, symbol.node.head[0].text)?.constructs;
  if (property === undefined) return null;
  const block = context.instanceOf(symbol);
  if (block === null || block.abstract) return null;
  const { value } = context.property(block, property, block.span);
  return value.kind === "member" && value.name === role ? block : null;
}

/** The constructor that made a value. */
export function constructorOfValue(value: ChoiceValue, types: readonly Type[]): Constructor | undefined {
  if (value.declared !== undefined) return constructorOf(value.declared);
  return types
    .flatMap((t) => (t.kind === "choice" ? [inTable(t.constructors, value.name)] : []))
    .find((c) => c !== undefined);
}

const made = new WeakMap<Instance, Constructor>();

/** The `param`s of a block as parameters. */
export function constructorOf(block: Instance): Constructor {
  const known = made.get(block);
  if (known !== undefined) return known;
  const { context } = block;
  const parameters: Record<string, Property> = {};
  for (const [name, { node, by }] of block.params) {
    const scope = { module: by.module, locals: by.locals, self: block };
    const type = node.type === null ? anyType : typeOf(node.type, scope, context);
    parameters[name] = {
      type,
      doc: node.doc ?? "it has no default",
      required: node.default === null,
    };
  }
  const constructor: Constructor = {
    doc: block.symbol?.node.doc ?? block.kind.doc,
    parameters,
    fallback: (name) => fallbackOf(block, name, inTable(parameters, name)?.type ?? anyType),
  };
  made.set(block, constructor);
  return constructor;
}

function fallbackOf(block: Instance, name: string, type: Type): Valued | undefined {
  const param = block.params.get(name);
  if (param === undefined || param.node.default === null) return undefined;
  const scope = { module: param.by.module, locals: param.by.locals, self: block };
  const what = `\`${name}\` of ${block.name ?? block.kind.name}`;
  const said = block.context.evaluate(param.node.default, scope, type, what);
  const fitted = said.value.kind === "none" ? said : conform(said, type, what, block.context.report);
  judgeParam(block, name, fitted);
  return { ...fitted, origin: { kind: "default", by: block.name ?? block.kind.name } };
}

/** Reports an argument that is outside of what the `param` allows. */
export function judgeParam(block: Instance, name: string, said: Valued): void {
  const param = block.params.get(name);
  if (param === undefined) return;
  const { context } = block;
  const scope = { module: param.by.module, locals: param.by.locals, self: block };
  const type = constructorOf(block).parameters[name]?.type ?? anyType;
  const allowed = violatedBound(param.node, said.value, scope, type, context);
  if (allowed === null) return;
  const what = `\`${name}\` of ${block.name ?? block.kind.name}`;
  context.report(outOfRange(said.span, { what, found: show(said.value), allowed }));
}
