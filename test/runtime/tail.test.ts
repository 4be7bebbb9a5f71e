import { appendFileSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { tailOf } from "../../runtime/watch/tail.ts";

const fresh = (): string => join(mkdtempSync(join(tmpdir(), "cdr-tail-")), "file.jsonl");

test("however the bytes arrive, the lines are those that were written", () => {
  const lines = fc.array(fc.string({ unit: "grapheme" }).map((text) => text.replaceAll(/[\n\r]/g, "")));
  fc.assert(
    fc.property(lines, fc.array(fc.nat({ max: 40 })), (written, cuts) => {
      const path = fresh();
      writeFileSync(path, "");
      const bytes = Buffer.from(written.map((line) => `${line}\n`).join(""));
      const tail = tailOf(path);
      const read: string[] = [];
      let at = 0;
      for (const cut of [...cuts, bytes.length]) {
        appendFileSync(path, bytes.subarray(at, at + cut));
        at += cut;
        read.push(...tail.read());
      }
      expect(read).toEqual(written);
      expect(tail.rest()).toBe("");
    }),
    { numRuns: 50 },
  );
});

test("half a line waits for its end", () => {
  const path = fresh();
  const tail = tailOf(path);
  expect(tail.read()).toEqual([]);
  writeFileSync(path, '{"step": 1}\n{"st');
  expect(tail.read()).toEqual(['{"step": 1}']);
  expect(tail.read()).toEqual([]);
  appendFileSync(path, 'ep": 2}\n');
  expect(tail.read()).toEqual(['{"step": 2}']);
});

test("a file that was cut is read from its start", () => {
  const path = fresh();
  const tail = tailOf(path);
  writeFileSync(path, "one\ntwo\n");
  tail.read();
  writeFileSync(path, "new\n");
  expect(tail.read()).toEqual(["new"]);
});

test("from the end: the line it falls into is left out", () => {
  const path = fresh();
  writeFileSync(path, "first\nsecond\nthird\n");
  expect(tailOf(path, -9).read()).toEqual(["third"]);
  expect(tailOf(path, -900).read()).toEqual(["first", "second", "third"]);
});
