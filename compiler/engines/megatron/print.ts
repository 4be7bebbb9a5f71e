import { argumentTable, type Argument, type ArgumentTable } from "./table.ts";

/** An argument's words on a command line, its name first; empty where the value is what the engine takes without it. */
export function wordsFor(dest: string, value: unknown, table: ArgumentTable): readonly string[] {
  const named = argumentsOf(dest, table);
  const argument = named.find(({ action, deprecated }) => deprecated !== true && turns(action, value)) ?? named[0];
  if (argument === undefined)
    throw new Error(`Megatron ${table.version} has no argument with the destination ${dest}`);
  const [name = ""] = argument.names;
  if (argument.action !== undefined) return switchOf(argument, value === true);
  if (value === null || value === undefined) return [];
  // A pattern is one word, other lists are one word an item.
  if (argument.nargs === undefined && Array.isArray(value) && !(value.length === 1 && isPlain(argument)))
    return [name, listed(value as readonly number[], argument)];
  const values = Array.isArray(value) ? value.map(String) : [String(value)];
  const [first = ""] = values;
  if (values.length !== 1 || !isTakenForName(first)) return [name, ...values];
  return [`${name}=${first}`];
}

export function knows(dest: string, table: ArgumentTable): boolean {
  return argumentsOf(dest, table).length > 0;
}

/** Before an argument took lists it took one of their items. */
const isPlain = ({ type, choices }: Argument): boolean =>
  choices !== undefined || type === undefined || type === "float" || type === "int";

/** By what the code reads, or, where a release reads the same argument under another name, by what is written. */
function argumentsOf(dest: string, table: ArgumentTable): readonly Argument[] {
  const own = table.byDest.get(dest);
  if (own !== undefined || table.lacking.length === 0) return own ?? [];
  const names = (argumentTable("gpt").byDest.get(dest) ?? []).flatMap((argument) => argument.names);
  return [...new Set(names.flatMap((name) => table.byName.get(name) ?? []))];
}

/** Is this what the engine takes where nobody says anything? */
export function isUsual(dest: string, value: unknown, table: ArgumentTable): boolean {
  return argumentsOf(dest, table).some(
    ({ action, default: usual }) =>
      action === undefined && JSON.stringify(usual ?? null) === JSON.stringify(value ?? null),
  );
}

function turns(action: Argument["action"], value: unknown): boolean {
  if (action === undefined || action === "boolean_optional") return true;
  return (action === "store_true") === value;
}

function switchOf({ action, names, default: usual }: Argument, on: boolean): readonly string[] {
  const [name = ""] = names;
  if (action === "boolean_optional") {
    const no = names.find((each) => each.startsWith("--no-")) ?? name.replace("--", "--no-");
    return (usual ?? false) === on ? [] : [on ? name : no];
  }
  return (action === "store_true") === on ? [name] : [];
}

/** argparse takes words that begin with a dash for names, plain negative numbers excepted. */
function isTakenForName(word: string): boolean {
  return word.startsWith("-") && word !== "-" && !/^-\d+$|^-\d*\.\d+$/.test(word) && !word.includes(" ");
}

function listed(items: readonly number[], { type }: Argument): string {
  return type === "tuple_type" ? items.join(",") : pattern(items);
}

/** `([0]*3+[1]*58)`: equal neighbours once, with their number. */
function pattern(items: readonly number[]): string {
  const runs: { readonly item: number; count: number }[] = [];
  for (const item of items) {
    const last = runs.at(-1);
    if (last?.item === item) last.count++;
    else runs.push({ item, count: 1 });
  }
  return runs.length === 0 ? "[]" : `(${runs.map(({ item, count }) => `[${item}]*${count}`).join("+")})`;
}
