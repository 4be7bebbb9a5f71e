/** Patterns of the shell, held against regular expressions on small texts, and bounded on hostile ones. */
import { array, assert, constantFrom, property } from "fast-check";
import { expect, it } from "vitest";
import { pattern } from "../../../compiler/foreign/shell/pattern.ts";

const free = (): void => undefined;

const written = array(constantFrom("a", "b", "*", "?", "[ab]", "[!a]", "\\*"), { maxLength: 7 }).map((parts) =>
  parts.join(""),
);
const text = array(constantFrom("a", "b", "*"), { maxLength: 8 }).map((letters) => letters.join(""));

const regular = (shape: string): string =>
  shape
    .replaceAll("[!a]", "[^a]")
    .replaceAll("\\*", "\u0001")
    .replaceAll("*", "[^]*")
    .replaceAll("?", "[^]")
    .replaceAll("\u0001", "\\*");

it("matches what the regular expression matches", () => {
  assert(
    property(written, text, (shape, whole) => {
      const found = pattern(shape, whole.length, free);
      expect(found?.test(whole)).toBe(new RegExp(`^${regular(shape)}$`).test(whole));
      const all = Array.from({ length: whole.length + 1 }, (_, length) => length);
      const front = new RegExp(`^(?:${regular(shape)})$`);
      expect(found?.lengths(whole)).toEqual(all.filter((length) => front.test(whole.slice(0, length))));
      expect(found?.lengths(whole, true)).toEqual(
        all.filter((length) => front.test(whole.slice(whole.length - length))),
      );
    }),
  );
});

it("does no more work than its stars and letters give", () => {
  let spent = 0;
  const many = pattern(`${"*a".repeat(90)}b`, 5000, (amount) => (spent += amount));
  expect(many?.test("a".repeat(5000))).toBe(false);
  expect(spent).toBeLessThan(10_100);
});

it("leaves what takes too long unknown", () => {
  expect(pattern("*a".repeat(500), 5000, free)).toBeNull();
});
