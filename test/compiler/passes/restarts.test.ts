/** A run that comes back and cannot go on is told on whichever launch of the file it comes back. */
import { expect, it } from "vitest";
import { compile } from "../../../compiler/compile.ts";
import { alone } from "../../support/alone.ts";

const file = `import "std/clusters" { dgx_a100 }
model m { family = gpt2, layers = 2, d_model = 64, heads = 2, vocab = 257, context = 64 tokens }
data corpus { from = "x.txt", tokenizer = bytes }
cluster fleet extends dgx_a100 { nodes = 2 }
launch here on fleet { target = local }
launch spot on fleet { target = kubernetes(namespace = "research", spot = workers) }
launch again on fleet { target = kubernetes(namespace = "research", controller = pytorchjob(retries = 3)) }
overlay quick { stage { checkpoint = none } }
`;

function told(member: string, options: Partial<typeof alone> = {}): readonly (readonly string[])[] {
  const stage = `stage pre { model = m, data = corpus, length = 100 steps, batch = 32 samples, optimizer = adamw(lr = 1e-3)${member} }\n`;
  const { diagnostics } = compile({ path: "main.cdr", text: file + stage }, { ...alone, ...options });
  return diagnostics
    .filter(({ code }) => code === "cdr/launch-restart")
    .map(({ related }) =>
      related.map(({ span }) => /\w+\($/.exec(span.source.text.slice(span.start, span.start + 11))?.[0] ?? ""),
    );
}

const both = [["kubernetes(", "kubernetes("]];

it.each([
  [", resume = never", null, both],
  [", checkpoint = none", null, both],
  [", resume = never", "here", both],
  [", resume = exact", null, []],
  ["", null, []],
])("the file says%s, on %s", (member, on, launches) => expect(told(member, { on })).toEqual(launches));

it("what an overlay says is held against the launch that was asked for with it", () => {
  expect(told("", { overlays: ["quick"] })).toEqual([]);
  expect(told("", { overlays: ["quick"], on: "spot" })).toEqual([["kubernetes("]]);
});
