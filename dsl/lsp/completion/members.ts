/** What may stand in a file, in a block and in a header. */
import { type CompletionItem, CompletionItemKind as Kind } from "vscode-languageserver";
import { namedTypes } from "../../eval/declarations/type-expression.ts";
import type { BlockKind, Registry } from "../../kind.ts";
import type { Symbol } from "../../symbols/symbol.ts";
import { programParams } from "../../symbols/program-params.ts";
import { trialWords } from "../../eval/variants/trial.ts";
import { statementWords } from "../../syntax/words.ts";
import { isVariant } from "../../is-variant.ts";
import { kindOf, pascal } from "../meaning/kinds.ts";
import { type Nested, nestedIn } from "../meaning/nested.ts";
import { again, type Around, braces, independent, item, skeleton, symbolItem } from "./item.ts";
import { inTable } from "../../in-table.ts";

export function fileMembers(around: Around): CompletionItem[] {
  const { registry, module } = around;
  return [
    ...Object.values(registry.kinds).map((block) =>
      item(block.name, Kind.Class, 2, { kind: "block_kind", block }, around, {
        snippet: `${block.name} \${1:name} ${braces(skeleton(block))}`,
        plain: `${block.name} `,
      }),
    ),
    ...[...statementWords.keys()]
      .filter((word) => word !== "expect")
      .map((word) =>
        item(word, Kind.Keyword, 3, null, around, {
          ...(words[word] === undefined ? {} : { snippet: words[word] }),
          plain: `${word} `,
        }),
      ),
    ...[...module.names.values()]
      .filter((symbol) => symbol.kind === "block" && symbol.module === module)
      .map((symbol) => symbolItem(symbol, 4, around)),
  ];
}

const words: Readonly<Record<string, string>> = {
  import: 'import "$1" { $0 }',
  param: "param ${1:name}: ${2:Int} = $0",
  secret: 'secret ${1:name} = env("$0")',
  let: "let ${1:name} = $0",
  fn: "fn ${1:name}($2) = $0",
  enum: "enum ${1:Name} { $0 }",
  test: 'test "$1" {\n\tassert $0\n}',
};

export function blockMembers(of: BlockKind, written: ReadonlySet<string>, around: Around): CompletionItem[] {
  const { registry, module } = around;
  const own = Object.entries(of.properties)
    .filter(([name]) => !written.has(name))
    .map(([name, property]) => ({
      ...item(
        name,
        Kind.Property,
        property.required === true ? 1 : 2,
        { kind: "property", of, name, property },
        around,
        {
          snippet: `${name} = $0`,
          plain: `${name} = `,
        },
      ),
      command: again,
    }));
  const groups = Object.entries(of.blocks ?? {})
    .filter(([name]) => !written.has(name))
    .map(([name, block]) =>
      item(name, Kind.Module, 2, { kind: "group", block }, around, { snippet: `${name} { $0 }`, plain: `${name} ` }),
    );
  const nested = Object.entries(of.nested ?? {}).map(([name, block]) =>
    item(name, Kind.Class, 3, { kind: "block_kind", block }, around, {
      snippet: `${name} \${1:name} ${braces(skeleton(block))}`,
      plain: `${name} `,
    }),
  );
  const others = isVariant(of) ? amendable(around) : [];
  // A phase amends the block that it stands in.
  const whole = of.amends === true ? module.names.get(around.owner ?? "") : undefined;
  const parts = whole === undefined ? [] : nestedIn(whole, registry).filter(({ block }) => block !== of);
  if (of.varies !== undefined) return variable(inTable(registry.kinds, of.varies), around);
  const words = [...(isVariant(of) ? [] : ["assert"]), ...(of.watches === undefined ? [] : ["expect"])];
  const judged = words.map((word) => item(word, Kind.Keyword, 5, null, around, { plain: `${word} ` }));
  return [...own, ...groups, ...nested, ...nestedItems(parts, around), ...others, ...judged];
}

/** Assertions, what is laid over the file for them, and what they amend. */
export function trialMembers(written: ReadonlySet<string>, around: Around): CompletionItem[] {
  const given = Object.keys(trialWords)
    .filter((word) => !written.has(word))
    .map((word) => ({
      ...item(word, Kind.Keyword, 1, null, around, { snippet: `${word} = $0`, plain: `${word} = ` }),
      command: again,
    }));
  return [item("assert", Kind.Keyword, 1, null, around, { plain: "assert " }), ...given, ...amendable(around)];
}

/** What presets, overlays and tests amend: blocks, params, and all blocks of a kind. */
function amendable(around: Around): CompletionItem[] {
  const { registry, module } = around;
  const kinds = Object.values(registry.kinds).filter((block) => !isVariant(block));
  return [
    ...[...module.names.values()].filter((s) => isAmended(s, registry)).map((s) => symbolItem(s, 2, around)),
    ...[...programParams(module).values()].map((s) => symbolItem(s, 2, around)),
    ...kinds.map((block) => item(block.name, Kind.Class, 3, { kind: "block_kind", block }, around)),
  ];
}

/** Blocks that are declared inside another, by their names. */
export const nestedItems = (nested: readonly Nested[], around: Around): CompletionItem[] =>
  nested.map(({ name, block, declaration }) =>
    item(name, Kind.Module, 2, { kind: "nested", block, declaration }, around),
  );

/** A block that is no variant itself. */
function isAmended(symbol: Symbol, registry: Registry): boolean {
  const kind = symbol.kind === "block" ? kindOf(symbol, registry) : null;
  return kind !== null && !isVariant(kind);
}

/** Params, and what a block of the kind says, each with values to take; other blocks, which say more behind a dot. */
function variable(kind: BlockKind | undefined, around: Around): CompletionItem[] {
  const insert = (name: string) => ({ snippet: `${name} in [$0]`, plain: `${name} in [` });
  const own = (of: BlockKind, behind: string): CompletionItem[] => [
    ...Object.entries(of.properties).map(([name, property]) =>
      item(
        `${behind}${name}`,
        Kind.Property,
        2,
        { kind: "property", of, name, property },
        around,
        insert(`${behind}${name}`),
      ),
    ),
    ...Object.entries(of.blocks ?? {}).flatMap(([name, block]) => own(block, `${behind}${name}.`)),
  ];
  const params = [...around.module.names.values()]
    .filter((symbol) => symbol.kind === "param")
    .map((symbol) => ({ ...symbolItem(symbol, 1, around), insertText: `${symbol.name.text} in [` }));
  const others = [...around.module.names.values()]
    .filter((symbol) => isAmended(symbol, around.registry))
    .map((symbol) => ({ ...symbolItem(symbol, 3, around), insertText: `${symbol.name.text}.` }));
  return [...params, ...(kind === undefined ? [] : own(kind, "")), ...others];
}

export function typeNames(around: Around): CompletionItem[] {
  return [
    ...Object.entries(namedTypes).map(([name, type]) =>
      item(name, Kind.TypeParameter, 1, { kind: "type", name, type }, around),
    ),
    ...[...around.module.names.values()].filter((s) => s.kind === "enum").map((s) => symbolItem(s, 1, around)),
    ...Object.values(around.registry.kinds).map((block) =>
      item(pascal(block.name), Kind.Class, 2, { kind: "block_kind", block }, around),
    ),
  ];
}

export function blocksOf(kinds: readonly string[] | "step", around: Around): CompletionItem[] {
  const { registry } = around;
  const wanted =
    kinds === "step"
      ? Object.values(registry.kinds)
          .filter((k) => k.step === true)
          .map((k) => k.name)
      : kinds;
  return independent(wanted, around).map((symbol) => symbolItem(symbol, 1, around));
}

export function headerWords(of: BlockKind, has: ReadonlySet<string>, around: Around): CompletionItem[] {
  return ["extends", ...(of.clauses ?? [])]
    .filter((word) => !has.has(word))
    .map((word) => item(word, Kind.Keyword, 1, null, around, { plain: `${word} ` }));
}
