/** What a program refuses together of its own options: tables, and how they are read. */
import type { Span } from "../../dsl/source/source.ts";
import { toldIn, type Settings, type Told } from "./settings.ts";

/**
 * Options that do not go together. A term is `name` (it is on), `!name` (it is off), `name=a|b`, `name!=a|b`, `name~part` or
 * `name<number` (and above 0).
 */
export interface Refusal {
  readonly all: readonly [string, string, ...string[]];
  /** The function of the program that says so. */
  readonly by: string;
}

/** What an option is where nobody says. */
export type Defaults = Readonly<Record<string, string>>;

export interface Refused {
  readonly span: Span;
  readonly message: string;
  readonly related: readonly { readonly message: string; readonly span: Span }[];
}

interface Term {
  readonly name: string;
  readonly operator: "on" | "off" | "=" | "!=" | "~" | "<";
  readonly values: readonly string[];
}

function termOf(text: string): Term {
  const [, off, name = text, operator, values = ""] = /^(!?)([^=!~<]+)(!=|=|~|<)?(.*)$/.exec(text) ?? [];
  if (operator !== undefined) return { name, operator: operator as Term["operator"], values: values.split("|") };
  return { name, operator: off === "!" ? "off" : "on", values: [] };
}

/** As Python takes what is written: nothing, false and zero are off, and so is a count below. */
function isOn(value: Told["value"] | undefined): boolean {
  if (value === undefined || value === null || value === false || value === "") return false;
  if (value === true) return true;
  const number = Number(value);
  if (!Number.isNaN(number)) return number > 0;
  return !/^(?:false|no|off|none|null)$/i.test(String(value));
}

const same = (value: string, other: string): boolean =>
  value.toLowerCase() === other.toLowerCase() || (value !== "" && other !== "" && Number(value) === Number(other));

function holds({ name, operator, values }: Term, settings: Settings, defaults: Defaults): boolean {
  const told = toldIn(settings, name);
  // What a template leaves open is unknown.
  if (told?.known === false || /^(?:\$\{?\w|\{\{)/.test(String(told?.value ?? ""))) return false;
  if (operator === "on") return isOn(told?.value);
  if (operator === "off") return !isOn(told?.value ?? (Object.hasOwn(defaults, name) ? defaults[name] : undefined));
  // Nothing, written down, is no default where the row asks for it.
  const isNone = told?.value === null && values.includes("null");
  const value = isNone ? "null" : (told?.value ?? (Object.hasOwn(defaults, name) ? defaults[name] : undefined));
  if (value === undefined || value === null) return false;
  const text = String(value);
  if (operator === "~") return values.some((part) => text.toLowerCase().includes(part));
  if (operator === "<") return Number(value) > 0 && Number(value) < Number(values[0]);
  return values.some((each) => same(text, each)) === (operator === "=");
}

function said({ name, operator }: Term, settings: Settings, defaults: Defaults): string {
  const value = toldIn(settings, name)?.value ?? (Object.hasOwn(defaults, name) ? defaults[name] : undefined);
  return operator === "on" || value === undefined ? name : `${name} ${String(value)}`;
}

/** Rows of a table that these settings break. What may still be said elsewhere (`open`) is not taken for off. */
export function refusedOf(
  settings: Settings,
  table: readonly Refusal[],
  { defaults = {}, open = false }: { readonly defaults?: Defaults; readonly open?: boolean } = {},
): readonly Refused[] {
  return table.flatMap(({ all }): readonly Refused[] => {
    const terms = all.map(termOf);
    const [needed, given] = [
      terms.filter(({ operator }) => operator === "off"),
      terms.filter(({ operator }) => operator !== "off"),
    ];
    if ((open && needed.length > 0) || !terms.every((term) => holds(term, settings, defaults))) return [];
    const written = given.filter(({ name }) => settings.has(name));
    const last = written.at(-1);
    const place = last === undefined ? undefined : toldIn(settings, last.name);
    if (last === undefined || place === undefined) return [];
    const others = given.filter((term) => term !== last).map((term) => said(term, settings, defaults));
    const message =
      needed.length > 0
        ? `${[said(last, settings, defaults), ...others].join(" with ")} needs ${needed.map(({ name }) => name).join(" or ")}`
        : `${said(last, settings, defaults)} cannot be combined with ${others.join(" and ")}`;
    const related = written.flatMap((term) => {
      const other = term === last ? undefined : toldIn(settings, term.name);
      return other === undefined ? [] : [{ message: "the other", span: other.nameSpan }];
    });
    return [{ span: last.operator === "on" ? place.nameSpan : place.span, message, related }];
  });
}
