/** Functions and methods of other languages, with what is written here. */
import { inTable } from "../../in-table.ts";

const calls: Readonly<Record<string, string>> = {
  range: "a range is written with both ends, `0..9`",
  length: "write `len(xs)`",
  size: "write `len(xs)`",
  str: 'a value is put into a text by `"${x}"`',
  string: 'a value is put into a text by `"${x}"`',
  format: 'values are put into a text by `"${x}"`',
  tostring: 'a value is put into a text by `"${x}"`',
  int: "`floor(x)` and `round(x)` give whole numbers",
  float: "numbers need no conversion",
  list: "a list is written in `[ ]`",
  dict: "a record is written `{ a = 1 }`",
  map: "write `[f(x) for x in xs]`",
  filter: "write `[x for x in xs if p(x)]`",
  append: "lists are joined by `+`: `xs + [x]`",
  concat: "lists and texts are joined by `+`",
  merge: "a changed copy is `x with { … }`",
  choice:
    "only one value is allowed here; a sweep runs several: `sweep s { stage = …, vary { batch in [8 samples, 16 samples] } }`",
  ...Object.fromEntries(
    ["uniform", "loguniform", "log_uniform", "quniform", "randint", "linspace", "logspace", "grid_search"].map(
      (name) => [
        name,
        "a sweep takes a list of values, `[1e-4, 3e-4, 1e-3]`, or a range of whole numbers, `1..3`; `runs = n` draws some of the points",
      ],
    ),
  ),
  getenv: 'write `env("NAME")` in a `param` or a `secret`',
  log: "write `log2(x)`; `log` and `exp` exist only in formulas",
  print: "a file has no side effects; `cdrc explain` shows values",
};

export const foreignCall = (name: string): string | undefined => inTable(calls, name.toLowerCase());
