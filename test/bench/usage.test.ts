/** A benchmark that is asked for what it does not take says so, with exit code 2 and no stack trace. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";

const main = join(import.meta.dirname, "../../bench/main.ts");

it.each([
  [["nosuch"], "no benchmark `nosuch`"],
  [["parse", "--fast"], "usage: bench parse [LINES…]"],
  [["fuzz", "3000"], "usage: bench fuzz [count=N]"],
  [["resume", "foo"], "usage: bench resume [rounds=N]"],
  [["truth"], "usage: bench truth --megatron FILE"],
  [["engines"], "usage: bench engines --megatron | --deepspeed"],
  [["engines", "--megatron", "--count", "0"], "usage: bench engines --megatron | --deepspeed"],
  [["prediction", "--nosuch"], "--nosuch"],
])("refuses %j", { timeout: 120_000 }, (words, message) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...words], { encoding: "utf8" });
  expect([status, stdout]).toEqual([2, ""]);
  expect(stderr).toContain(message);
  expect(stderr).not.toMatch(/^\s+at /m);
});
