/** The language with a registry of its own, so that its tests say nothing of training. */
import { check, judgeAll } from "../../dsl/eval/judgement/check.ts";
import type { Instance } from "../../dsl/eval/blocks/instance.ts";
import { createProgram, type Options, type Program } from "../../dsl/eval/program.ts";
import type { BlockKind, Constructor, FormulaNames, Registry, Type } from "../../dsl/kind.ts";
import {
  block,
  bool,
  choice,
  enumeration,
  formulaOver,
  integer,
  list,
  number as plain,
  path,
  quantity,
  share,
  string,
  union,
} from "../../dsl/types/type.ts";

const bend: Constructor = {
  doc: "bends",
  parameters: {
    by: { type: plain({ min: 0 }), doc: "how far", required: true },
    soft: { type: bool, doc: "whether softly", default: "false" },
  },
};
const touch: Constructor = {
  doc: "touches",
  parameters: {
    how: { type: enumeration("manner", ["softly", "often"]), doc: "how", required: true },
    at: { type: list(enumeration("spot", ["head", "tail", "side"])), doc: "where", default: "[head]" },
  },
  positional: ["how", "at"],
};
export const bending: Type = choice("bending", { bend, touch, rest: { doc: "nothing", parameters: {} } });

const terms: FormulaNames = {
  heat: { type: plain(), doc: "a plain number", at: quantity([{ step: 1 }]) },
  "cold.deep": { type: plain(), doc: "another" },
  weight: { type: quantity([{ byte: 1 }]), doc: "bytes" },
  dry: { type: bool, doc: "true or false" },
  colour: { type: enumeration("colour", ["red", "green"]), doc: "a colour" },
  tongue: {
    type: plain(),
    doc: "called with a word",
    parameters: { of: { type: enumeration("tongue", ["en", "fr"]), doc: "which", required: true } },
    positional: ["of"],
  },
};
const later: FormulaNames = {
  "run.id": { type: string, doc: "the run" },
  "row.*": { type: string, doc: "a field of the row" },
};

const part: BlockKind = {
  name: "part",
  doc: "part of a thing",
  properties: { share: { type: plain(), doc: "share", default: "1" } },
};
const phase: BlockKind = {
  name: "phase",
  doc: "for a while",
  properties: { until: { type: share("all of it"), doc: "its end", required: true } },
  amends: true,
};
const phases: BlockKind = { name: "phases", doc: "phases", properties: {}, nested: { phase } };
const settings: BlockKind = {
  name: "settings",
  doc: "a group",
  properties: {
    depth: { type: integer({ min: 1 }), doc: "how deep", bounded: true },
    wide: { type: bool, doc: "whether wide", default: "false" },
  },
};

const thing: BlockKind = {
  name: "thing",
  doc: "a thing",
  properties: {
    size: { type: integer({ min: 1, max: 1000 }), doc: "how big", default: "1" },
    length: { type: quantity([{ token: 1 }, { step: 1 }]), doc: "how long" },
    bending: { type: bending, doc: "how it bends", default: "rest" },
    heat: { type: formulaOver(terms, plain(), "heating"), doc: "how hot" },
    keep: { type: list(formulaOver(terms, bool, "filter")), doc: "what stays" },
    name: { type: formulaOver(later, string), doc: "its name" },
    to: { type: union(path, formulaOver(later, path)), doc: "where" },
    next: { type: block("thing"), doc: "another one" },
  },
  blocks: { settings, phases },
  nested: { part },
  watches: terms,
  step: true,
  handles: ["last"],
  clauses: ["after"],
};

const maker: BlockKind = {
  name: "maker",
  doc: "declares a constructor",
  properties: { role: { type: enumeration("role", ["bending", "heating", "filter"]), doc: "role", required: true } },
  constructs: "role",
};
const vary: BlockKind = { name: "vary", doc: "what varies", properties: {}, varies: "of" };
const search: BlockKind = {
  name: "search",
  doc: "varies a thing",
  properties: { of: { type: block("thing"), doc: "the thing" } },
  blocks: { vary },
};
const store: BlockKind = {
  name: "store",
  doc: "a place",
  properties: { at: { type: path, doc: "where", required: true } },
  path: "at",
};
const variant = (name: string): BlockKind => ({
  name,
  doc: "amends",
  properties: { when: { type: bool, doc: "when" } },
  variant: true,
});

export const registry: Registry = {
  kinds: Object.fromEntries(
    [thing, maker, search, store, variant("preset"), variant("overlay")].map((k) => [k.name, k]),
  ),
  std: { names: [], read: () => undefined },
};

export function program(text: string, options: Partial<Options> & { files?: Readonly<Record<string, string>> } = {}) {
  const { files = {}, ...rest } = options;
  return createProgram({ path: "main.cdr", text }, registry, {
    preset: null,
    overlays: [],
    overlayFiles: [],
    sets: [],
    read: (name) => files[name],
    environment: () => undefined,
    host: () => undefined,
    ...rest,
  });
}

/** `code line: message` of everything that a text gets told. */
export function told(text: string, options: Parameters<typeof program>[1] = {}): string[] {
  const made = program(text, options);
  check(made);
  judgeAll(made);
  return made.diagnostics.map(
    (d) => `${d.code} ${d.span.source.text.slice(0, d.span.start).split("\n").length}: ${d.message}`,
  );
}

export function blockNamed(of: Program, name: string): Instance {
  const found = of.blocks.find((b) => b.name === name);
  if (found === undefined) throw new Error(`no block ${name}`);
  return found;
}

/** What a property says. */
export const valueIn = (of: Program, name: string, property: string) => {
  const found = blockNamed(of, name);
  return found.context.property(found, property, found.span).value;
};
