/** What a target reaches against the nodes of its cluster, and checkpoints that are asked for where nothing tells which is best. */
import { expect, it } from "vitest";
import { compile } from "../../../compiler/compile.ts";
import { alone } from "../../support/alone.ts";

const told = (text: string): readonly string[] =>
  compile({ path: "main.cdr", text }, { ...alone, on: text.includes("launch l") ? "l" : null })
    .diagnostics.filter(({ code }) =>
      ["cdr/launch-nodes", "cdr/checkpoint-unmeasured", "cdr/stage-ema"].includes(code),
    )
    .map(({ severity, message }) => `${severity}: ${message}`);

const head = `import "std/clusters" { dgx_a100 }
data web { from = "c/*.txt" }
model t { family = llama, layers = 4, d_model = 256, heads = 4, context = 512 tokens }
stage p { model = t, data = web, length = 100 steps, batch = 64 samples, optimizer = adamw(lr = 1e-4) }
stage m extends p { eval { every = 10 steps } }
cluster four extends dgx_a100 { nodes = 4 }
cluster one extends dgx_a100 { nodes = 1 }
secret k = env("K")
`;
const unmeasured =
  "error: `p.best` needs the validation loss, but stage `p` never measures it: add `eval { every = … }` to it";

it.each([
  [
    'launch l on four { target = ssh(hosts = ["a", "b"]) }',
    ["error: `ssh` lists 2 hosts, but cluster `four` has 4 nodes"],
  ],
  ['launch l on four { target = ssh(hosts = ["a", "b", "c", "d"]) }', []],
  ['launch l on four { target = ssh(hosts = file("hosts.txt")) }', []],
  ['launch l on four { target = kubernetes(namespace = "x", controller = job()) }', []],
  [
    "launch l on four { target = local }",
    ["warning: `target = local` is only this machine, but cluster `four` has 4 nodes"],
  ],
  ["export e { model = p.best }", [unmeasured]],
  ["export e { model = m.best }", []],
  ["service s { model = p.best, engine = vllm, key = k }", [unmeasured]],
])("%s", (text, messages) => {
  expect(told(head + text)).toEqual(messages);
});
