/** A few lines can ask for more than a machine holds: one message, in little time, and no more memory than a limit. */
import { describe, expect, it } from "vitest";
import { diagnosticsOf, messagesOf } from "../../support/broken.ts";

/** Of a machine with much else to do: what is not bounded takes hours. */
const patience = 120_000;

const chain = (count: number, line: (index: number) => string): string =>
  `${Array.from({ length: count }, (_, index) => line(index)).join("\n")}\n`;

describe("functions that call the one before twice", () => {
  it("are linear where both calls are the same", () => {
    const text = chain(60, (i) => (i === 0 ? "fn f0(x: Int) = x" : `fn f${i}(x: Int) = f${i - 1}(x) + f${i - 1}(x)`));
    expect(messagesOf(`${text}assert f59(1) == ${2 ** 59}\n`)).toEqual([]);
  });
  it("have one message where all calls are different", () => {
    const line = (i: number) =>
      i === 0 ? "fn f0(x: Int) = x" : `fn f${i}(x: Int) = f${i - 1}(2 * x) + f${i - 1}(2 * x + 1)`;
    const text = `${chain(40, line)}let a = f39(1)\nlet b = f38(1)\nassert f37(1) > 0\n`;
    const codes = diagnosticsOf(text).map(({ code }) => code);
    expect(codes).toEqual(["cdr/call-limit"]);
  });
  it("give what they gave before the call was known", () => {
    const text =
      "fn f(x: Int, scale: Tokens) = x * scale\nassert f(2, 3 tokens) == 6 tokens\nassert f(2, 4 tokens) == 8 tokens\n";
    expect(messagesOf(`${text}assert f(2, 3 tokens) == 6 tokens and f(3, 2 tokens) == 6 tokens\n`)).toEqual([]);
  });
});

describe.each([
  ["lists", "let l0 = [1, 2, 3, 4, 5, 6, 7, 8]", (i: number) => `let l${i} = l${i - 1} + l${i - 1}`, "15"],
  ["texts", 'let l0 = "0123456789"', (i: number) => `let l${i} = "\${l${i - 1}}\${l${i - 1}}"`, "18"],
  ["texts by `+`", 'let l0 = "0123456789"', (i: number) => `let l${i} = l${i - 1} + l${i - 1}`, "18"],
])("%s that double", (_, first, next, line) => {
  it("stop at one message", () => {
    expect(messagesOf(chain(60, (i) => (i === 0 ? first : next(i))))).toEqual([`${line} cdr/value-limit`]);
  });
});

describe.each([
  ["lists", "let l0 = [1]", (i: number) => `let l${i} = [l${i - 1}]`],
  ["records", "let l0 = { x = 1 }", (i: number) => `let l${i} = { x = l${i - 1} }`],
  [
    "lists that a function makes",
    "fn f(x) = [y for y in [x]]\nlet l0 = [1]",
    (i: number) => `let l${i} = f(l${i - 1})`,
  ],
])("%s in one another", (_, first, next) => {
  const text = (count: number) => chain(count, (i) => (i === 0 ? first : next(i)));
  const compared = (last: number) => `let same = l${last} == l${last}\nlet told = "\${l${last}}"\n`;
  it("are compared and written as deep as they may be", () => {
    const said = diagnosticsOf(`${text(300)}${compared(299)}`).filter(({ code }) => code !== "cdr/operator-operands");
    expect(said.filter(({ code }) => code === "cdr/value-limit")).toEqual([]);
  });
  it("stop at one message where they are thousands", () => {
    const said = diagnosticsOf(`${text(5000)}${compared(4999)}`).map(({ code }) => code);
    expect(said.filter((code) => code === "cdr/value-limit")).toHaveLength(1);
  });
});

describe("names that stand for one another", () => {
  const way = (length: number): string => chain(length, (i) => `let a${i} = ${i === length - 1 ? 1 : `a${i + 1}`}`);
  it("are followed a long way", () => {
    expect(messagesOf(`${way(300)}assert a0 == 1\n`)).toEqual([]);
  });
  it("are not followed until nothing is left of the stack", () => {
    expect(messagesOf(way(600))).toEqual(["301 cdr/value-limit"]);
    expect(diagnosticsOf(way(600))[0]?.fix).toContain("names in between");
    expect(diagnosticsOf(way(5_000)).every(({ code }) => code === "cdr/value-limit")).toBe(true);
  });
});

describe.each([
  ["lets", (inner: string, i: number) => `let a${i} = ${inner}`, (i: number) => `a${i}`],
  ["params", (inner: string, i: number) => `param a${i}: Int = ${inner}`, (i: number) => `a${i}`],
  ["functions", (inner: string, i: number) => `fn f${i}(x: Int) = ${inner}`, (i: number) => `f${i}(x)`],
  ["records", (inner: string, i: number) => `let a${i} = { v = ${inner} }`, (i: number) => `a${i}.v`],
  [
    "blocks",
    (inner: string, i: number) =>
      `model m${i} { family = llama, layers = ${inner}, d_model = 64, heads = 4, context = 64 tokens }`,
    (i: number) => `m${i}.layers`,
  ],
])("%s whose expressions stand in one another", (_, line, name) => {
  const ways = [
    (x: string) => `(${x}) + 1`,
    (x: string) => `max(${x}, 1)`,
    (x: string) => `(if true then ${x} else 2)`,
    (x: string) => `(match 1 { 1 => ${x}, else => 3 })`,
    (x: string) => `[y for y in [${x}]][0]`,
    (x: string) => `{ q = ${x} }.q`,
  ];
  const nested = (deep: number, from: number, x: string): string =>
    deep === 0 ? x : nested(deep - 1, from + 1, ways[from % ways.length]?.(x) ?? x);
  const file = (count: number, deep: number): string =>
    `${chain(count, (i) => line(i === count - 1 ? "1" : nested(deep, i, name(i + 1)), i))}${line("0", 0).startsWith("fn") ? "let y = f0(1)\n" : ""}`;
  it.each([
    [150, 10],
    [300, 4],
    [600, 1],
  ])("stop at the limit, not at the end of the stack: %i with %i", (count, deep) => {
    const codes = new Set(diagnosticsOf(file(count, deep)).map(({ code }) => code));
    expect([...codes]).toEqual(["cdr/value-limit"]);
  });
});

it("items without blanks between them are read once each", () => {
  for (const item of ["1", "100"]) expect(messagesOf(`let a = [${Array(100_000).fill(item).join()}]\n`)).toEqual([]);
});

describe("lists and records of shared parts", () => {
  it("are compared, shown and put into texts in no more time than they have parts", () => {
    const lists = chain(40, (i) => (i === 0 ? "let l0 = [1]" : `let l${i} = [l${i - 1}, l${i - 1}]`));
    const same = lists.replaceAll("l", "m").replaceAll("met", "let");
    expect(messagesOf(`${lists}${same}assert l39 == m39\n`)).toEqual([]);
    expect(messagesOf(`${lists}assert l39 == l38\nlet sum = l39 + 1\n`)).toEqual([
      "41 cdr/assert-failed",
      "42 cdr/operator-operands",
    ]);
    expect(messagesOf(`${lists}let text = "\${l39}"\n`)).toEqual(["41 cdr/value-limit"]);
    const records = chain(40, (i) =>
      i === 0 ? "let r0 = { a = 1 }" : `let r${i} = { a = r${i - 1}, b = r${i - 1} }`,
    );
    const [told] = diagnosticsOf(`${records}let wrong = r39 + 1\n`);
    expect(told?.code).toBe("cdr/operator-operands");
    expect(told?.message.length).toBeLessThan(1000);
  });
});

it.each([
  ["let a = [n for n in 1..1_000_000_000_000]", "1 cdr/value-limit"],
  ["let a = [n for n in 1..100_000]\nlet b = [[m for m in a] for n in a]", "2 cdr/value-limit"],
  ["let c = [len([y for y in 1..5000 if mod(y, x) == 0]) for x in 1..5000]", "1 cdr/value-limit"],
  ["let n = [[[1 for x in 1..1000 if false] for y in 1..1000] for z in 1..1000]", "1 cdr/value-limit"],
  ["let a = [x for x in 1..100_000]\nlet b = [x for x in a if x in a]", "2 cdr/value-limit"],
  ["let b = [sum(1..100_000) for x in 1..100_000]", "1 cdr/value-limit"],
  ["fn f(x: Int) = x + 1\nlet b = [f(f(f(f(x)))) for x in 1..100_000]", "2 cdr/value-limit"],
  [chain(300, (i) => `let c${i} = [y for y in 1..100_000 if y * 2 == ${i}]`).trimEnd(), "2 cdr/value-limit"],
  ['let a = join(["0123456789" for n in 1..100_000], "0123456789")', "1 cdr/value-limit"],
])(
  "%s",
  (text, message) => {
    expect(messagesOf(text)).toEqual([message]);
  },
  patience,
);

it("what a long list is computed to is within the limit", () => {
  const text =
    "let a = [x * 2 for x in 1..100_000]\nassert sum(a) == 10_000_100_000 and len(a) == 100_000 and 7 in 1..8\n";
  expect(messagesOf(text)).toEqual([]);
});

it("a sum is as long as may be written, and takes no more of the stack than a short one", () => {
  expect(messagesOf(`let a = ${"1 + ".repeat(1_990)}1\nassert a == 1991\n`)).toEqual([]);
});

it.each([
  ["unknown names on a line", `let a = [${"nobody,".repeat(60_000)}1]\n`, "cdr/name-unknown"],
  ["names that are declared twice", chain(60_000, (i) => `let a = ${i}`), "cdr/name-duplicate"],
  ["words of an enum", `enum e { ${chain(200_000, (i) => `w${i}`)} }\nlet a = nobody\n`, "cdr/name-unknown"],
  ["overlays", `param a: Int = 1\n${chain(10_000, (i) => `overlay o${i} { a = ${i} }`)}`, ""],
  [
    "stores in one another",
    chain(4_000, (i) => `store t${i} { at = ${i === 0 ? '"s3://b"' : `t${i - 1} / "x"`} }`),
    "",
  ],
  [
    "jobs after one another",
    chain(10_000, (i) => `job j${i}${i === 0 ? "" : ` after j${i - 1}`} { command = ["a"] }`),
    "",
  ],
])(
  "a file of many %s is read",
  (_, text, code) => {
    expect([...new Set(diagnosticsOf(text).map((found) => found.code))].join()).toBe(code);
  },
  patience,
);

it.each([
  ["match", "match big { big => 1, else => 2 }"],
  ["count", "count([big, big, big], big)"],
])("%s of long lists counts what it looks at", (_, looks) => {
  const text = `let big = [x for x in 1..50_000]\nlet all = [${looks} for y in 1..5000]\n`;
  expect(messagesOf(text)).toEqual(["2 cdr/value-limit"]);
});
