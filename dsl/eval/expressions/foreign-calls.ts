/** Functions and methods of other languages, with what is written here. */
const calls: Readonly<Record<string, string>> = {
  range: "a range is written with its ends, `0..9`",
  length: "write `len(xs)`",
  size: "write `len(xs)`",
  str: 'a value is put into a text by `"${x}"`',
  string: 'a value is put into a text by `"${x}"`',
  format: 'values are put into a text by `"${x}"`',
  tostring: 'a value is put into a text by `"${x}"`',
  int: "a whole number is made by `floor(x)` or `round(x)`",
  float: "numbers need no conversion",
  list: "a list is written in `[ ]`",
  dict: "a record is written `{ a = 1 }`",
  map: "write `[f(x) for x in xs]`",
  filter: "write `[x for x in xs if p(x)]`",
  append: "lists are joined by `+`: `xs + [x]`",
  concat: "lists and texts are joined by `+`",
  merge: "a copy with more said is `x with { … }`",
  getenv: 'write `env("NAME")` in a `param` or a `secret`',
  log: "write `log2(x)`; `log` and `exp` stand in formulas",
  print: "a file has no effects; `cdrc explain` shows values",
};

export function foreignCall(name: string): string | undefined {
  const key = name.toLowerCase();
  return Object.hasOwn(calls, key) ? calls[key] : undefined;
}
