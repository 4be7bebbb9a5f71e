/** Files with one mistake each: one message, on its line. */
import { describe, expect, it } from "vitest";
import { base, brokenFiles, mended, messagesOf } from "../support/broken.ts";

it("the file that they are made of is healthy", () => {
  expect(messagesOf(base)).toEqual([]);
});

describe.each([
  "cases.txt",
  "habits.txt",
  "pasted.txt",
  "elsewhere.txt",
  "formats.txt",
  "slips.txt",
  "taught.txt",
  "beginners.txt",
  "mixed.txt",
  "mends.txt",
])("%s", (name) => {
  const files = brokenFiles(name);

  it.each(files.map((file) => [file.title, file] as const))("%s", (_, { text, line, code }) => {
    const [first] = messagesOf(text);
    expect(first).toBe(code === "nothing" ? undefined : `${line} ${code}`);
  });

  const mendable = files.filter(({ isMended }) => isMended);
  it.each(mendable.map(({ title, text }) => [title, text] as const))("%s is mended by its first fix", (_, text) => {
    expect(messagesOf(mended(text))).toEqual([]);
  });

  it("says a second thing in at most one file of ten", () => {
    const cascades = files.filter(({ text }) => messagesOf(text).length > 1);
    expect(cascades.length).toBeLessThanOrEqual(files.length / 10);
  });
});
