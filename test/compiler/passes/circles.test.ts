/** Steps that wait for one another, by whatever they speak of. */
import { expect, it } from "vitest";
import { compile } from "../../../compiler/compile.ts";
import { alone } from "../../support/alone.ts";

const model = "model m { family = llama, layers = 4, d_model = 256, heads = 4, context = 512 tokens }\n";
const texts = 'data d { from = "c/*.txt", tokenizer = bytes, tokens = 1B tokens }\n';
const stage = (head: string, more = "", data = "d"): string =>
  `stage ${head} { model = m, data = ${data}, length = 10 steps, batch = 8 samples, optimizer = adamw(lr = 1e-3)${more} }\n`;

const circlesIn = (text: string): readonly string[] =>
  compile({ path: "main.cdr", text: model + text }, alone).diagnostics.flatMap(({ code, severity, message }) =>
    severity !== "error" ? [] : code === "cdr/step-cycle" ? [message.replace(/^.*: /, "")] : [`${code}: ${message}`],
  );

it.each([
  ["data a { from = a, tokenizer = bytes }", "a -> a"],
  ["data a { from = b, tokenizer = bytes }\ndata b { from = a, tokenizer = bytes }", "a -> b -> a"],
  [
    `${["ab", "ba"].map(([own, other]) => `data ${own} {\n  tokenizer = bytes\n  source x { from = ${other} }\n  source y { from = "y.txt" }\n}`).join("\n")}`,
    "a -> b -> a",
  ],
  [
    texts +
      stage("a", ", objective = distill(teacher = b.last), loss = distill") +
      stage("b", ", objective = distill(teacher = a.last), loss = distill"),
    "a -> b -> a",
  ],
  [texts + stage("a", ", from = b.last") + stage("b", ", from = a.last"), "a -> b -> a"],
  [`${texts}${stage("s after w")}sweep w { stage = s, best = min(loss), vary { seed in 1..2 } }`, "s -> w -> s"],
])("%s", (text, circle) => {
  expect(circlesIn(text)).toEqual([circle]);
});

it.each([
  [
    "a tokenizer that is learned from the texts of what it reads",
    `tokenizer t { learn = bpe(vocab = 1000, from = a.train) }\ndata a { from = b, tokenizer = t }\ndata b { from = "x", tokenizer = t }\n`,
  ],
  [
    "a stage that lists what measures it",
    `${texts}${stage("a", ", evals = [e]")}eval e { model = a.last, data = d.val, every = 5 steps }`,
  ],
  ["a stage that goes on from another, with the same data", texts + stage("a") + stage("b", ", from = a.last")],
  [
    "a sweep of a stage, and a stage after it",
    `${texts}${stage("s")}sweep w { stage = s, best = min(loss), vary { seed in 1..2 } }\n${stage("t after w")}`,
  ],
])("%s waits for nothing that waits for it", (_, text) => {
  expect(circlesIn(text)).toEqual([]);
});
