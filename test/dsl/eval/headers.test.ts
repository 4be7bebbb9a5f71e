/** Names in headers: each is there, or is told with those of the file that it is looked for in. */
import { describe, expect, it } from "vitest";
import { compile } from "../../../compiler/compile.ts";
import { alone } from "../../support/alone.ts";

describe("a name behind the name of an imported file", () => {
  const lib =
    "model tiny { family = llama, layers = 2, d_model = 64, heads = 2, context = 128 tokens }\nabstract stage recipe { optimizer = adamw(lr = 6e-4) }\n";
  const unknown = (text: string): readonly string[] =>
    compile(
      {
        path: "main.cdr",
        text: `import "lib.cdr" as lib\nimport "std/clusters" as c\ndata web { from = "*.txt" }\n${text}\n`,
      },
      { ...alone, read: (path) => (path.endsWith("lib.cdr") ? lib : undefined) },
    )
      .diagnostics.filter(({ code }) => code === "cdr/name-unknown")
      .map(
        ({ message, span, fixes = [] }) =>
          `${span.source.text.slice(span.start, span.end)}: ${message}; ${fixes[0]?.title ?? ""}`,
      );
  const stage = "model = lib.tiny, data = web, length = 10 steps, batch = 4 samples";
  it.each([
    [`stage s extends lib.recipes { ${stage} }`, "recipes: nothing is called `lib.recipes` here; write `recipe`"],
    ["model t extends lib.tinny { layers = 4 }", "tinny: nothing is called `lib.tinny` here; write `tiny`"],
    [
      "cluster u extends c.dgx_h1000 { nodes = 3 }",
      "dgx_h1000: nothing is called `c.dgx_h1000` here; write `dgx_h100`",
    ],
    [
      "launch l on c.dgx_h1000 { target = local }",
      "dgx_h1000: nothing is called `c.dgx_h1000` here; write `dgx_h100`",
    ],
    [
      `stage s { ${stage} }\nsample p after lib.nothing { model = s.last, prompts = ["x"] }`,
      "nothing: nothing is called `lib.nothing` here; ",
    ],
  ])("%s", (text, told) => {
    expect(unknown(text)).toEqual([told]);
  });
  it("is offered among steps, without the block that asks", () => {
    const { diagnostics } = compile(
      { path: "main.cdr", text: 'data web { from = "*.txt" }\njob a after nothing { command = ["x"] }\n' },
      alone,
    );
    expect(diagnostics.map(({ code, valid }) => [code, valid])).toContainEqual(["cdr/name-unknown", ["web"]]);
  });
  it("is found where it is there", () => {
    expect(unknown(`stage s extends lib.recipe { ${stage} }\nlaunch l on c.dgx_h100 { target = local }`)).toEqual([]);
  });
});
