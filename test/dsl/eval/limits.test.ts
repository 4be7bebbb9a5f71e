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

describe("lists and records of shared parts", () => {
  it("are compared, shown and put into texts in no more time than they have parts", () => {
    const lists = chain(40, (i) => (i === 0 ? "let l0 = [1]" : `let l${i} = [l${i - 1}, l${i - 1}]`));
    const same = lists.replaceAll("l", "m").replaceAll("met", "let");
    expect(messagesOf(`${lists}${same}assert l39 == m39\n`)).toEqual([]);
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
  ['let a = join(["0123456789" for n in 1..100_000], "0123456789")', "1 cdr/value-limit"],
])(
  "%s",
  (text, message) => {
    expect(messagesOf(text)).toEqual([message]);
  },
  patience,
);
