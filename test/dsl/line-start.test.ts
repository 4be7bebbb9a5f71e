import { expect, it } from "vitest";
import { lineStart } from "../../dsl/source/line-start.ts";

it.each([
  ["", 0, 0],
  ["\n", 0, 0],
  ["\n", 1, 1],
  ["\na\nbc", 0, 0],
  ["\na\nbc", 2, 1],
  ["\na\nbc", 5, 3],
  ["a\r\nb", 4, 3],
  ["a\rb", 3, 2],
])("the line of %j at %d begins at %d", (text, offset, start) => {
  expect(lineStart(text, offset)).toBe(start);
});
