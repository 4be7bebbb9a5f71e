/** `--with` and `--preset` take the names that the file has for what it declares or imports. */
import { expect, it } from "vitest";
import { program, told, valueIn } from "../../support/language.ts";

const files = {
  "lib.cdr": "thing a { size = 2 }\noverlay wide { a { size = 3 } }\npreset small { a { size = 1 } }",
};
const text = 'import "./lib.cdr" as lib\nimport "./lib.cdr" { a, wide as w, small as s }';
const size = (options: Parameters<typeof program>[1]) => valueIn(program(text, { files, ...options }), "a", "size");

it.each(["w", "lib.wide", "wide"])("--with %s", (name) => {
  expect(told(text, { files, overlays: [name] })).toEqual([]);
  expect(size({ overlays: [name] })).toMatchObject({ value: 3 });
});

it.each(["s", "lib.small", "small"])("--preset %s", (name) => {
  expect(told(text, { files, preset: name })).toEqual([]);
  expect(size({ preset: name })).toMatchObject({ value: 1 });
});

it.each(["lib", "a", "lib.a", "lib.small", "wide.a", "s"])("no overlay is called %s", (name) => {
  expect(told(text, { files, overlays: [name] })).toEqual([
    expect.stringContaining(`there is no overlay \`${name}\``),
  ]);
});
