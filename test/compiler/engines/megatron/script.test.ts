/** What the scripts that start Megatron hold of a file's own texts, read by the shell that runs them. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { emitBundle } from "../../../../cli/bundle.ts";
import { compile } from "../../../../compiler/compile.ts";
import { alone } from "../../../support/alone.ts";

const nasty = 'it\'s "$(touch pwned)" `touch pwned`\ntouch pwned #\r; touch pwned; é';

let place = "";
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), "cdr-script-"));
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

/** Runs the script of a stage on this engine in an empty folder. */
function run(engine: string) {
  const text = `
import "std/clusters" { dgx_h100 }
data words { from = python_stdlib, tokenizer = bytes }
model tiny { family = llama, layers = 2, d_model = 64, heads = 4, context = 64 tokens }
stage pretrain {
  model = tiny, data = words, length = 10 steps, batch = 8 samples, optimizer = adamw(lr = 1e-3)
  engine = ${engine}
}
cluster one extends dgx_h100 { nodes = 1 }
launch here on one { target = local(processes = 8) }
`;
  const compiled = compile({ path: "main.cdr", text }, alone);
  expect(compiled.diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  const script = emitBundle(compiled).files.find(({ path }) => path === "stages/pretrain/launch.sh");
  writeFileSync(join(place, "launch.sh"), script?.text ?? "");
  const env = { PATH: process.env["PATH"] };
  const { status, stderr } = spawnSync("bash", ["launch.sh"], { cwd: place, env, encoding: "utf8" });
  expect(readdirSync(place)).toEqual(["launch.sh"]);
  return { status, stderr };
}

test("names of the program, its folder and its interpreter are texts to the shell", () => {
  const word = JSON.stringify(nasty);
  expect(run(`megatron(root = ${word}, program = ${word}, python = ${word})`)).toEqual({
    status: 69,
    stderr: `there is no ${nasty} in ${nasty}; MEGATRON_ROOT names its folder\n`,
  });
});

test("an interpreter is called by its whole name", () => {
  const { status, stderr } = run(`megatron(entry = bridge, python = ${JSON.stringify(nasty)})`);
  expect(status).toBe(69);
  expect(stderr).toContain(`${nasty} has no Megatron Bridge`);
});
