/** Keys that are written into texts: a command line, a variable of `env`, an address. */
import { secretWritten } from "../../../dsl/diagnostics/catalog/settings.ts";
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Span } from "../../../dsl/source/source.ts";
import type { Module } from "../../../dsl/symbols/symbol.ts";
import type { Assign, Block, StringLiteral } from "../../../dsl/syntax/ast.ts";
import { isSecretText, secretsIn } from "../../import/secrets.ts";

/** In place of what `${…}` gives: no part of a key. */
const hole = "\0";

/** Options and variables that take a key, of tools that people start. A plain `…_token` is as often one of a vocabulary. */
const takesKey =
  /(?:^|_)(?:(?:hf|hub|hugging_?face|api|auth|access|wandb|gh|github|gitlab|bearer|session|refresh|slack|bot)_token|secret|secret_key|client_secret|password|passwd|api_?key|access_?key|private_?key)$|^token$/i;

const isKeyName = (name: string): boolean => takesKey.test(name.replaceAll("-", "_"));

/** What a name stands for, none of which is a key. */
const isReference = (text: string): boolean =>
  /^(?:[$`<{*]|\d+$|(?:true|false|none|null|auto)$)/i.test(text) || text.includes(hole) || text.includes("$");

/** `--api-key abc`, `API_KEY=abc`, `Bearer abc` in a command line. */
const given = /(?:^|[\s"'])(?:--?)?([A-Za-z][\w-]*)(?:=|:?\s+)["']?([^\s"'-][^\s"']*)/g;

/** What a file says that holds a key by its name; most files need no closer look. */
const hint =
  /(?:token|secret|passwd|password|key)=|--?[\w-]*(?:token|secret|passwd|password|key)\s|bearer\s|_(?:token|secret|password|passwd|key)"?\s*=\s*"/i;

const mayHold = (text: string): boolean => isSecretText(text) || hint.test(text);

export interface WrittenSecrets {
  readonly diagnostics: readonly Diagnostic[];
  /** The keys themselves: what shows the file hides them. */
  readonly texts: readonly string[];
}

export function writtenSecrets(modules: Iterable<Module>): WrittenSecrets {
  const found = [...modules].flatMap(({ path, file }) =>
    path.startsWith("std/") || !mayHold(file.source.text) ? [] : file.statements.flatMap((s) => within(s, null)),
  );
  return {
    // An address with a key in it is one secret.
    diagnostics: found
      .filter((each) => !found.some((whole) => isPartOf(each.span, whole.span)))
      .map(({ what, name, span }) => {
        const secret = name.toLowerCase().replaceAll(/\W+/g, "_");
        const instead = `declare \`secret ${secret} = env("${secret.toUpperCase()}")\`, and give it to the program as a variable: \`env { ${secret.toUpperCase()} = ${secret} }\``;
        return secretWritten(span, { what, instead });
      }),
    texts: found.map(({ text }) => text),
  };
}

const isPartOf = (part: Span, whole: Span): boolean =>
  part.source === whole.source &&
  whole.start <= part.start &&
  part.end <= whole.end &&
  part.end - part.start < whole.end - whole.start;

interface Found {
  readonly what: string;
  /** Of the secret that would stand there. */
  readonly name: string;
  readonly text: string;
  readonly span: Span;
}

/** Where a text stands: the name that it is the value of. */
type Around = Assign | Block | null;

function within(node: unknown, around: Around): readonly Found[] {
  if (typeof node !== "object" || node === null) return [];
  if (Array.isArray(node)) return node.flatMap((item) => within(item, around));
  const { kind } = node as { readonly kind?: string };
  if (kind === "string") return inText(node as StringLiteral, around);
  const inner: Around = kind === "assign" ? (node as Assign) : kind === "block" ? (node as Block) : around;
  return Object.entries(node).flatMap(([key, value]) =>
    key === "span" || key === "doc" || key === "target" ? [] : within(value, inner),
  );
}

function inText(node: StringLiteral, around: Around): readonly Found[] {
  const text = node.parts.map((part) => (typeof part === "string" ? part : hole)).join("");
  const at = (secret: string): Span => {
    const { source, start, end } = node.span;
    const offset = source.text.slice(start, end).indexOf(secret);
    return offset < 0 ? node.span : { source, start: start + offset, end: start + offset + secret.length };
  };
  const shaped = secretsIn(text).filter((secret) => !isReference(secret) && !secret.includes("${"));
  if (shaped.length > 0)
    return shaped.map((secret) => ({
      what: "this text",
      name: nameFor(secret),
      text: secret,
      span: at(secret),
    }));
  const own = around?.kind === "assign" ? (around.target.at(-1)?.text ?? "") : "";
  if (/^[A-Z][A-Z0-9_]*$/.test(own) && isKeyName(own) && text !== "" && !isReference(text))
    return [{ what: `the value of \`${own}\``, name: own, text, span: at(text) }];
  if (own !== "command" && own !== "setup") return [];
  return [...text.matchAll(given)].flatMap(([, name = "", secret = ""]) =>
    (isKeyName(name) || (name === "Bearer" && secret.length >= 8)) && !isReference(secret)
      ? [
          {
            what: `the value of \`${name}\``,
            name: name === "Bearer" ? "api_key" : name,
            text: secret,
            span: at(secret),
          },
        ]
      : [],
  );
}

const names: readonly (readonly [RegExp, string])[] = [
  [/^hf_/, "hf_token"],
  [/^gh|^github/, "github_token"],
  [/^(?:AKIA|ASIA)/, "aws_access_key_id"],
  [/:\/\//, "address"],
];

const nameFor = (secret: string): string => names.find(([shape]) => shape.test(secret))?.[1] ?? "api_key";
