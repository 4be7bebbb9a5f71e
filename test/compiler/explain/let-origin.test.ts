/** What is written is written where it stands; what it names, and what a function computes, is told behind it. */
import { expect, it } from "vitest";
import { compile } from "../../../compiler/compile.ts";
import { explain } from "../../../compiler/explain/explain.ts";
import { alone } from "../../support/alone.ts";

const lib = `param width: Int = 3
let other = 4
fn twice(x: Int) =
  x * 2
`;
const main = `import "./lib.cdr" as lib
import "./lib.cdr" { twice }
model m { family = llama, layers = 6, d_model = 64 }
let behind = m.layers
let called = twice(2)
let param_of = lib.width
let let_of = lib.other
let own = 5
let rate = halved(2e-3)
stage s { optimizer = adamw(lr = rate, weight_decay = halved(0.2)) }
cluster pod { nodes = twice(2), node { gpus = 8 } }
fn halved(x: Float) = x / own * 2.5
overlay wide { lib.width = 8 }
`;

const origins = (path: string, overlays: readonly string[] = []) => {
  const options = { ...alone, overlays, read: (name: string) => (name.endsWith("lib.cdr") ? lib : undefined) };
  const [first] = explain(compile({ path: "main.cdr", text: main }, options), path);
  return [first, ...(first?.from ?? [])].map((row) => {
    const { origin, value } = row ?? {};
    const line = row?.span?.source.text.slice(0, row.span.start).split("\n").length;
    const where = origin?.kind === "param" ? origin.set : `${row?.span?.source.path}:${line}`;
    return `${row?.path} ${value} ${origin?.kind} ${where}`;
  });
};

it.each([
  ["behind", ["let behind 6 written main.cdr:4", "m.layers 6 written main.cdr:3"]],
  ["called", ["let called 4 written main.cdr:5", "fn twice x * 2 written lib.cdr:3"]],
  ["s.optimizer.lr", ["s.optimizer.lr 0.001 written main.cdr:10", "let rate 0.001 written main.cdr:9"]],
  [
    "s.optimizer.weight_decay",
    ["s.optimizer.weight_decay 0.1 written main.cdr:10", "fn halved x / own * 2.5 written main.cdr:12"],
  ],
  [
    "pod.gpus",
    ["pod.gpus 32 derived main.cdr:11", "pod.nodes 4 written main.cdr:11", "pod.node.gpus 8 written main.cdr:11"],
  ],
  ["let_of", ["let let_of 4 written main.cdr:7", "let other 4 written lib.cdr:2"]],
  ["own", ["let own 5 written main.cdr:8"]],
  ["param_of", ["let param_of 3 written main.cdr:6", "param width 3 param default"]],
])("%s", (path, rows) => {
  expect(origins(path)).toEqual(rows);
});

it("a param that an overlay sets says so", () => {
  expect(origins("param_of", ["wide"])).toEqual(["let param_of 8 written main.cdr:6", "param width 8 param overlay"]);
});
