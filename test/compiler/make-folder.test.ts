/** Folders are made, or refused, and never for ever. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { makeFolder } from "../../compiler/make-folder.ts";

const folder = mkdtempSync(join(tmpdir(), "cdrc-folder-"));
afterAll(() => rmSync(folder, { recursive: true }));

it("makes what is missing, and says what it made first", () => {
  expect(makeFolder(join(folder, "a/b/c"))).toBe(join(folder, "a"));
  expect(existsSync(join(folder, "a/b/c"))).toBe(true);
  expect(makeFolder(join(folder, "a/b"))).toBeUndefined();
});
it("refuses what a file is in the way of", () => {
  writeFileSync(join(folder, "file"), "");
  expect(() => makeFolder(join(folder, "file"))).toThrow("EEXIST");
  expect(() => makeFolder(join(folder, "file/in/it"))).toThrow("ENOTDIR");
});
it.skipIf(!existsSync("/proc/self"))("ends where nothing can be made", () => {
  expect(() => makeFolder("/proc/none/of/these")).toThrow("ENOENT");
});
