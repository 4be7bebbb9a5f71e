/** Keys that are written into a file are found, and shown by nothing. */
import { expect, it } from "vitest";
import { compile } from "../../compiler/compile.ts";
import { renderDiagnostics } from "../../dsl/diagnostics/render.ts";
import { noPaint } from "../../runtime/view/paint.ts";
import { alone } from "../support/alone.ts";

const told = (text: string) => compile({ path: "main.cdr", text }, alone).diagnostics;
const key = "Zm9vYmFyYmF6cXV4MTIzNDU2";

it.each([
  [`job j { command = ["curl -H 'Authorization: Bearer hf_${key}' x"] }`, `hf_${key}`],
  [`job j { command = ["serve --api-key ${key}"] }`, key],
  ['job j { command = ["serve --api-key=abc"] }', "abc"],
  ["job j { command = [\"serve --hf-token 'abcdefg'\"] }", "abcdefg"],
  [`job j { command = ["OPENAI_API_KEY=${key} python a.py"] }`, key],
  [`job j { command = ["git clone https://me:${key}@host/x"] }`, `://me:${key}@`],
  [`job j { command = ["x"], env { WANDB_API_KEY = "${key}" } }`, key],
  [`job j { command = ["x"], env { ANYTHING = "ghp_${key}" } }`, `ghp_${key}`],
  [`service s { command = "x --password hunter22" }`, "hunter22"],
  [`launch l { setup = "export AWS=AKIAABCDEFGHIJKLMNOP" }`, "AKIAABCDEFGHIJKLMNOP"],
  [`param k = "sk-proj-${key}"`, `sk-proj-${key}`],
  [`let t = { a = ["github_pat_${key}"] }`, `github_pat_${key}`],
])("%s", (text, secret) => {
  const found = told(text).filter(({ code }) => code === "cdr/secret-written");
  expect(found.map(({ severity }) => severity)).toEqual(["error"]);
  const start = text.indexOf(secret);
  expect(found[0]?.span).toMatchObject({ start, end: start + secret.length });
  if (secret.length >= 6) expect(renderDiagnostics(told(text), noPaint)).not.toContain(secret);
});

it.each([
  'job j { command = ["serve --api-key $API_KEY --token ${run.id}", "serve --api-key=\\"$KEY\\""] }',
  'job j { command = ["train --max-token 512 --pad-token </s> --eos_token x --token 7"] }',
  'job j { command = ["train --api-key-file keys.txt --key-frames 3", "API_KEY=$(cat key) x"] }',
  'secret api_key = env("API_KEY")\njob j { command = ["x"], env { API_KEY = api_key } }',
  'job j { command = ["x"], env { PAD_TOKEN = "</s>", AUTH = "none" } }',
  `model m { from = "hf://a/b@${"0123456789".repeat(4)}" }`,
])("nothing is a key in %s", (text) => {
  expect(told(text).filter(({ code }) => code === "cdr/secret-written")).toEqual([]);
});
