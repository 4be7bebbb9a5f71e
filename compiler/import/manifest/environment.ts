/** Variables of a container, as far as the written file has them. */
import { at, itemsOf, scalarOf, type Located } from "../../foreign/documents/located.ts";
import { isOwned } from "../place.ts";
import { carried, type Carried } from "./carried.ts";

export type Environment = ReadonlyMap<string, Carried<Variable>>;

/** A value that is known, a key of a Secret, or what a controller sets in each pod by itself. */
export type Variable =
  | { readonly kind: "value"; readonly value: string }
  | { readonly kind: "secret"; readonly reference: string }
  | { readonly kind: "controller" };

export function environmentIn(container: Located): Environment {
  const found = new Map<string, Carried<Variable>>();
  for (const entry of itemsOf(at(container, "env"))) {
    const name = scalarOf(at(entry, "name"));
    if (typeof name !== "string" || !/^[A-Za-z_]\w*$/.test(name)) continue;
    const variable = isOwned(name) ? carried<Variable>({ kind: "controller" }, entry) : variableOf(entry, found);
    if (variable !== null) found.set(name, variable);
  }
  return found;
}

function variableOf(entry: Located, before: Environment): Carried<Variable> | null {
  const text = scalarOf(at(entry, "value"));
  if (text !== undefined) {
    const value = expandedIn(String(text ?? ""), before);
    return value === null ? null : carried<Variable>({ kind: "value", value }, entry);
  }
  const [name, key] = ["name", "key"].map((part) => at(entry, "valueFrom", "secretKeyRef", part));
  const [secret, item] = [scalarOf(name), scalarOf(key)];
  if (typeof secret !== "string" || typeof item !== "string") return null;
  return carried<Variable>({ kind: "secret", reference: `${secret}/${item}` }, at(entry, "name"), name, key);
}

/** Kubernetes puts variables in for `$(NAME)`; `null` where one has no value here. */
export function expandedIn(text: string, env: Environment): string | null {
  let isKnown = true;
  const expanded = text.replaceAll(/\$\$|\$\(([A-Za-z_]\w*)\)/g, (written, name: string | undefined) => {
    if (name === undefined) return "$";
    const variable = env.get(name)?.value;
    if (variable?.kind === "value") return variable.value;
    isKnown &&= variable === undefined;
    return written;
  });
  return isKnown ? expanded : null;
}
