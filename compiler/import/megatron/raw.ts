/** What has no word in the language, in the engine's own. */
import type { CommandLine, Given } from "../../engines/megatron/command-line.ts";
import { unknown } from "../../engines/megatron/unknown.ts";
import type { Word } from "../../engines/word.ts";
import { note, property, type Member } from "../draft.ts";
import { numeral, quoted } from "../literals.ts";
import { isSecretText } from "../secrets.ts";
import { hasVariable, isOnlyVariable, quotedWithParams } from "../variables.ts";
import type { Reading } from "./reading.ts";

/** What the launch says first, then what it leaves out and the file would say. */
export function rawMembers(dests: ReadonlySet<string>, reading: Reading): readonly Member[] {
  const order = reading.table.all.map(({ dest }) => dest);
  const sorted = [...dests].sort((a, b) => order.indexOf(a) - order.indexOf(b));
  const [given, back] = [true, false].map((one) => sorted.filter((dest) => reading.line.given.has(dest) === one));
  return [
    ...(given ?? []).map((dest) => rawMember(dest, reading)),
    ...((back ?? []).length === 0 ? [] : [note("The defaults of the launch.")]),
    ...(back ?? []).map((dest) => rawMember(dest, reading)),
  ];
}

/** Words in place of an argument that only the job knows. */
export function addedWords({ complaints }: CommandLine): readonly Word[] {
  return complaints.flatMap((each) =>
    each.kind === "unrecognized" && isOnlyVariable(each.word.text ?? "") ? [each.word] : [],
  );
}

/** Arguments whose value only the job knows, and must be of a kind that no text stands for: a number, one of several words. */
export function openGiven({ complaints }: CommandLine): readonly Given[] {
  const open = complaints.flatMap((each) =>
    (each.kind === "type" || each.kind === "choice") && hasVariable(each.word.text ?? "") ? [each.given] : [],
  );
  return [...new Set(open)];
}

/** Arguments that the engine does not have: a file that names them in its raw block would be refused, and so they are told. */
export function unknownMembers({ line }: Reading, args: readonly Word[]): readonly Member[] {
  const words = line.complaints.flatMap((each) => {
    if (each.kind !== "unrecognized" || isOnlyVariable(each.word.text ?? "")) return [];
    const behind = args.slice(args.indexOf(each.word) + 1);
    const end = behind.findIndex(({ text }) => text === null || /^--?[A-Za-z]/.test(text));
    return [each.word, ...behind.slice(0, end < 0 ? behind.length : end)].map(({ text }) => text ?? "");
  });
  const shown = words.filter((word) => !isSecretText(word)).map((word) => word.replaceAll(/\s+/g, " "));
  return shown.length === 0 ? [] : [note(`Left out, as Megatron has no such arguments: ${shown.join(" ")}`)];
}

/** An argument as a member of `raw megatron`; one that wasn't given takes back what the file would say. */
function rawMember(dest: string, { line, table }: Reading): Member {
  const given = line.given.get(dest);
  if (given === undefined) {
    const isSwitch = table.byDest.get(dest)?.[0]?.action !== undefined;
    return property(dest, isSwitch ? String(defaultOf(dest, table)) : "none");
  }
  const key = given.name.replace(/^-+/, "").replaceAll("-", "_");
  if (given.argument.action !== undefined) return property(key, "true");
  const words = wordsAfter(given);
  const values = words.map((word) => valueText(word, given));
  const { nargs } = given.argument;
  return property(key, nargs === undefined || nargs === "?" ? (values[0] ?? "none") : `[${values.join(", ")}]`);
}

function defaultOf(dest: string, table: Reading["table"]): boolean {
  const argument = table.byDest.get(dest)?.[0];
  return typeof argument?.default === "boolean" ? argument.default : argument?.action !== "store_true";
}

/** The words of its value, however they were attached. */
export function wordsAfter({ words, name }: Given): readonly string[] {
  const [first, ...rest] = words;
  const attached = first?.text?.startsWith(`${name}=`) === true ? [first.text.slice(name.length + 1)] : [];
  return [...attached, ...rest.map(({ text }) => text ?? "")];
}

function valueText(word: string, { argument, value }: Given): string {
  if (isSecretText(word)) return quoted("");
  const isNumber = argument.type === "int" || argument.type === "float";
  const number = Number(word.replaceAll("_", ""));
  return isNumber && value !== unknown && Number.isFinite(number) ? numeral(number) : quotedWithParams(word);
}
