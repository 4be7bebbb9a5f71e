/** `import "./lib.cdr" as lib`: what the file declares is called by its path. */
import { describe, expect, it } from "vitest";
import { compile } from "../../compiler/compile.ts";
import { alone } from "../support/alone.ts";

const lib = `fn twice(x: Int) = x * 2
plugin mine { role = optimizer, factory = "ml.opts:mine", param lr: Number = 1e-3 }
plugin clipped { role = loss, factory = "ml.opts:clipped", param clamp: Number = 1.0 }
param width: Int = 3
`;
const head = `import "./lib.cdr" as lib
data d { from = "x.txt", tokenizer = bytes }
model m { family = llama, layers = 2, d_model = 64, heads = 4, context = 64 tokens }
`;
const stage = (optimizer: string, loss = "cross_entropy") =>
  `stage s { model = m, data = d, length = 10 steps, batch = 4 samples, optimizer = ${optimizer}, loss = ${loss} }\n`;
const compiled = (text: string) =>
  compile(
    { path: "main.cdr", text: head + text },
    { ...alone, read: (path) => (path.endsWith("lib.cdr") ? lib : undefined) },
  );
const told = (text: string) =>
  compiled(text)
    .diagnostics.filter(({ severity }) => severity !== "info")
    .map(({ message }) => message);

describe("what a file declares that is imported as a whole", () => {
  it.each([
    "let a = lib.twice(4)\nassert a == 8",
    "let a = [lib.twice(x = i) for i in 1..3]\nassert a == [2, 4, 6]",
    stage("lib.mine"),
    stage("lib.mine(lr = 2e-3)"),
    stage("lib.mine", "lib.clipped"),
    stage("adamw(lr = 1e-3)", "cross_entropy + 0.5 * lib.clipped(clamp = 2.0)"),
  ])("is called: %s", (text) => {
    expect(told(text)).toEqual([]);
  });

  it("is what is trained with", () => {
    const { pipeline } = compiled(stage("lib.mine(lr = 2e-3)"));
    const step = pipeline.steps.find(({ kind }) => kind === "stage");
    expect(step?.kind === "stage" && step.optimizer).toMatchObject({ name: "mine", lr: 2e-3 });
  });

  it.each([
    ["let a = lib.twcie(4)", "nothing is called `twcie` here"],
    ["let a = lib.abs(4)", "nothing is called `abs` here"],
    ["let a = lib.twice(1, 2)", "`twice` takes 1 argument (`x`), not 2"],
    ["let a = lib.width(1)", "3 cannot be called"],
    [
      stage("lib.clipped(clamp = 1)"),
      "plugin clipped cannot be called: its role is loss, but optimizer is needed here",
    ],
  ])("is told where it is nothing of the kind: %s", (text, message) => {
    expect(told(text)).toEqual([message]);
  });
});
