/** Options of trainers and their launcher, as an editor tells of them. */
import type { DocumentKind } from "../../foreign/documents/kinds.ts";
import { bare } from "../../foreign/settings.ts";
import type { Option } from "./option.ts";
import { trainerDocs } from "./trainer-docs.ts";
import table from "./trainer-options.json" with { type: "json" };
import { inTable } from "../../../dsl/in-table.ts";

interface Written {
  readonly type: string;
  readonly default?: string | number | boolean;
  readonly values?: readonly string[];
}

type Program = keyof typeof table;

/** Tables of a file, the one that comes first first: Axolotl and LLaMA-Factory hand the rest to the Trainer. */
const programs: Readonly<Partial<Record<DocumentKind, readonly Program[]>>> = {
  "training-arguments": ["trainer"],
  accelerate: ["accelerate", "accelerate launch"],
  axolotl: ["axolotl", "trainer"],
  "llama-factory": ["llama-factory", "trainer"],
};

/** A key of a file; keys of accelerate's own sections are those of its command. */
export function trainerKey(kind: DocumentKind, path: readonly string[]): Option | null {
  const name = path.at(-1);
  if (name === undefined || (path.length > 1 && kind !== "accelerate")) return null;
  return found(programs[kind] ?? [], name);
}

export const trainerFlag = (flag: string): Option | null => found(["trainer"], flag);

export const accelerateFlag = (flag: string): Option | null => found(["accelerate launch"], flag);

function found(from: readonly Program[], name: string): Option | null {
  const key = bare(name);
  for (const each of from) {
    const { program, options } = table[each];
    const option = inTable(options as Readonly<Record<string, Written>>, key);
    if (option !== undefined) return optionOf(key, option, program);
  }
  return null;
}

function optionOf(name: string, { type, default: usual, values = [] }: Written, engine: string): Option {
  return {
    name,
    doc: inTable(trainerDocs, name) ?? "",
    type: kinds[type] ?? type,
    default: usual === undefined ? null : JSON.stringify(usual),
    values,
    engine,
    deprecated: null,
  };
}

const kinds: Readonly<Record<string, string>> = {
  bool: "true or false",
  flag: "a switch",
  int: "a whole number",
  float: "a number",
  str: "a text",
  name: "a name",
  list: "a list",
  dict: "a section",
  any: "anything",
};
