/** Elements of arrays and of the positional parameters. An unquoted stretch that nobody knows may be several of them, or none. */
import type { Value, Variable } from "./state.ts";
import type { Piece } from "./text.ts";

/** `null` where what a name holds is no list that is known. */
export function listOf(variable: Variable | undefined): readonly Value[] | null {
  if (variable === undefined || variable.kind === "unknown") return null;
  if (variable.kind === "map") return variable.entries.size > 1 ? null : [...variable.entries.values()];
  return variable.kind === "list" ? variable.values : [variable.value];
}

const isOpen = (value: Value): boolean => value.some(({ text, quoted }) => text === null && !quoted);

/** Where the places of elements are no longer known; their number where they all are. */
export function openFrom(values: readonly Value[]): number {
  const at = values.findIndex(isOpen);
  return at < 0 ? values.length : at;
}

export function countOf(values: readonly Value[] | null): number | null {
  return values === null || values.some(isOpen) ? null : values.length;
}

/** `null` where it isn't known, `undefined` where there is none. */
export function atIndex(values: readonly Value[] | null, index: number | null): Value | null | undefined {
  if (values === null || index === null) return null;
  const count = openFrom(values);
  if (index >= 0) return index < count ? values[index] : count === values.length ? undefined : null;
  return count === values.length ? values.at(index) : null;
}

/** A name is given one value: the first element where it is a list. */
export function give(variables: Map<string, Variable>, name: string, variable: Variable): void {
  if (variables.get(name)?.kind !== "list" || variable.kind === "list") variables.set(name, variable);
  else if (variable.kind === "text") put(variables, name, 0, variable.value, variable.span);
  else variables.set(name, { kind: "unknown", span: variable.span });
}

/** An element is written. A list with gaps isn't followed. */
export function put(
  variables: Map<string, Variable>,
  name: string,
  index: number | null,
  value: Value | null,
  span: Piece["span"],
): void {
  const before = variables.get(name);
  const values = before === undefined ? [] : listOf(before);
  const at = index === null || values === null ? null : index < 0 ? values.length + index : index;
  const isKnown = values !== null && at !== null && at >= 0 && at <= openFrom(values) && before?.kind !== "map";
  variables.set(
    name,
    isKnown
      ? {
          kind: "list",
          values: [...values.slice(0, at), value ?? [{ text: null, span, quoted: true }], ...values.slice(at + 1)],
          span,
        }
      : { kind: "unknown", span },
  );
}
