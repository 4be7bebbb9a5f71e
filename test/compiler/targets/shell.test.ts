import { execFileSync } from "node:child_process";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { quote, quoteWords } from "../../../compiler/targets/quote.ts";

const word = fc.oneof(
  fc.string({ unit: "binary" }),
  fc
    .array(fc.constantFrom("'", '"', "\\", "$", "`", "\n", "\r", "\t", " ", "*", "~", "-", "!", "#", "x"))
    .map((c) => c.join("")),
);
const words = fc.array(
  word.map((text) => text.replaceAll("\0", "")),
  { minLength: 1, maxLength: 40 },
);

test.each(["sh", "bash"])("what %s reads is what was quoted", (shell) => {
  fc.assert(
    fc.property(words, (list) => {
      for (const line of [list.map(quote).join(" "), quoteWords(list)]) {
        const read = execFileSync(shell, [
          "-c",
          `for w in "$@"; do printf '%s\\0' "$w"; done; set -- ${line}; for w in "$@"; do printf '%s\\0' "$w"; done`,
          "sh",
        ]);
        expect(read.toString("utf8").split("\0").slice(0, -1)).toEqual(list);
      }
    }),
    { numRuns: 20 },
  );
});

test("a NUL is refused", () => {
  expect(() => quote("a\0b")).toThrow("NUL");
});
