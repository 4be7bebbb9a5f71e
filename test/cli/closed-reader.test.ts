import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "cdr-closed-"));
writeFileSync(join(folder, "wrong.cdr"), "stage s { bach = 1 }\n");
writeFileSync(join(folder, "right.cdr"), "let a = 1\n");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What cdrc exits with where nobody reads what it says. */
function exitCode(words: string): string {
  const script = `"$0" "$1" ${words} | true; echo "\${PIPESTATUS[0]}"`;
  const cdrc = join(import.meta.dirname, "../../cli/cdrc.ts");
  return spawnSync("bash", ["-c", script, process.execPath, cdrc], { cwd: folder, encoding: "utf8" }).stdout.trim();
}

it.each([
  ["check wrong.cdr 2>&1", "1"],
  ["check --json wrong.cdr", "1"],
  ["check --format sarif wrong.cdr", "1"],
  ["check right.cdr 2>&1", "0"],
  ["plan wrong.cdr 2>&1", "1"],
])("%s is no less wrong where nobody reads it", (words, code) => {
  expect(exitCode(words)).toBe(code);
});
