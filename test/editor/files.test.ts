/** What the extension holds is written from the lexer and the descriptors, and does what it should under VS Code's own engine. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import oniguruma from "vscode-oniguruma";
import textmate from "vscode-textmate";
import { registry } from "../../compiler/kinds/index.ts";
import { parse } from "../../dsl/syntax/parse.ts";
import { statementWords, valueWords } from "../../dsl/syntax/words.ts";
import { editorFiles } from "../../scripts/editor-files.ts";

const root = join(import.meta.dirname, "../..");

it.each([...editorFiles().keys()])("editor/%s is current: `node scripts/editor-files.ts` writes it", (path) => {
  expect(readFileSync(join(root, "editor", path), "utf8")).toBe(editorFiles().get(path));
});

it("every snippet is a file that can be read, and every kind has one", () => {
  const snippets = JSON.parse(editorFiles().get("snippets/cdr.json") ?? "{}") as Record<string, { body: string[] }>;
  expect(Object.keys(snippets)).toEqual(expect.arrayContaining(Object.keys(registry.kinds)));
  for (const [name, { body }] of Object.entries(snippets)) {
    const text = body.join("\n").replaceAll(/^\s*\$0$/gm, "");
    const place = ["enum", "import"].includes(name) ? "a" : "1";
    const filled = text
      .replaceAll(/\$\{\d+:(\w+)\}/g, "$1")
      .replaceAll(/(?<=vary )\{ \$0 \}/g, "{ a = 1 }")
      .replaceAll(/\$\{?\d+\}?/g, place)
      .replace("fn name(1)", "fn name(a)");
    expect(
      parse({ path: name, text: filled }).diagnostics.map(({ message }) => message),
      filled,
    ).toEqual([]);
  }
});

describe("the grammar, under Oniguruma", () => {
  let grammar: textmate.IGrammar;
  beforeAll(async () => {
    const wasm = readFileSync(createRequire(import.meta.url).resolve("vscode-oniguruma/release/onig.wasm"));
    await oniguruma.loadWASM(wasm);
    const onigLib = Promise.resolve({
      createOnigScanner: (patterns: string[]) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text: string) => new oniguruma.OnigString(text),
    });
    const text = editorFiles().get("syntaxes/cdr.tmLanguage.json") ?? "";
    const loader = new textmate.Registry({
      onigLib,
      loadGrammar: () => Promise.resolve(textmate.parseRawGrammar(text, "cdr.json")),
    });
    const loaded = await loader.loadGrammar("source.cdr");
    if (loaded === null) throw new Error("no grammar");
    grammar = loaded;
  });

  /** The innermost scope of each piece of a line that has one. */
  function scopes(line: string): Record<string, string> {
    const { tokens } = grammar.tokenizeLine(line, textmate.INITIAL);
    return Object.fromEntries(
      tokens.map((t) => [line.slice(t.startIndex, t.endIndex).trim(), t.scopes.at(-1) ?? ""]),
    );
  }

  it("declares, extends, amends", () => {
    const found = scopes("abstract stage base extends other { layout { zero_stage <= 2 } }");
    expect(found["abstract"]).toMatch(/storage.modifier/);
    expect(found["stage"]).toMatch(/storage.type/);
    expect(found["base"]).toMatch(/entity.name.type/);
    expect(found["extends"]).toMatch(/keyword.other.clause/);
    expect(found["layout"]).toMatch(/storage.type.group/);
    expect(found["zero_stage"]).toMatch(/variable.other.property/);
  });

  it("numbers with scale and unit", () => {
    const found = scopes("price = 2.10 usd/gpu/h // dear");
    expect(found["2.10"]).toMatch(/constant.numeric/);
    expect(found["usd/gpu/h"]).toMatch(/unit/);
    expect(found["// dear"]).toMatch(/comment/);
    expect(scopes("length = 20B tokens")["B"]).toMatch(/scale/);
    expect(scopes("val = 1%")["%"]).toMatch(/scale/);
  });

  it("both ends of a range, and its unit", () => {
    const found = scopes("param n: Tokens/Params in 5..200 tokens/param = 0.5..1e-4, m in 1..64 samples");
    for (const each of ["5", "200", "0.5", "1e-4", "1", "64"]) expect(found[each], each).toMatch(/constant.numeric/);
    for (const each of ["tokens/param", "samples"]) expect(found[each], each).toMatch(/unit/);
    for (const each of ["Tokens", "Params"]) expect(found[each], each).toMatch(/support.type/);
  });

  it("a record and a text inside an interpolation do not end it", () => {
    const line = 'y = "a ${ f({ a = 1 }.a, "}") } b" + 37';
    expect(scopes(line)["37"]).toMatch(/constant.numeric/);
    expect(scopes(line)["b"]).toMatch(/string.quoted/);
  });

  it("what a word judges or runs through is no declaration, a longer path to amend is one group", () => {
    expect(scopes("  assert pod")["pod"] ?? "source.cdr").toBe("source.cdr");
    expect(scopes("l = [y for x in xs]")["x"]).toMatch(/entity.name.variable/);
    expect(scopes("a.b { c = 1 }")["a.b"]).toMatch(/storage.type.group/);
    expect(scopes("# said in Python")["# said in Python"]).toMatch(/comment/);
  });

  it("strings with interpolations", () => {
    const found = scopes('let path = "a/${run.id}/\\n"');
    expect(found["let"]).toMatch(/keyword.other.declaration/);
    expect(found["${"]).toMatch(/interpolation.begin/);
    expect(found["\\n"]).toMatch(/escape/);
  });

  it.each([...statementWords.keys()])("`%s` begins a declaration, and is a name before `=`", (word) => {
    expect(scopes(`${word} name = 1`)[word]).toMatch(/keyword.other.declaration/);
    expect(scopes(`  ${word} = 1`)[word]).toMatch(/variable.other.property/);
  });

  it.each([...valueWords.keys()])("`%s` is a value", (word) => {
    expect(scopes(`x = ${word}`)[word]).toMatch(/constant.language/);
  });
});
