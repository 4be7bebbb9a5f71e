/** What only follows from a mistake is not told beside it. */
import { describe, expect, it } from "vitest";
import { compile } from "../../compiler/compile.ts";
import { alone } from "../support/alone.ts";

const told = (text: string) => compile({ path: "main.cdr", text }, alone).diagnostics;

const parts = `data web { from = "corpus/*.txt", tokenizer = bytes, split { val = 1% } }
model small { family = llama, layers = 4, d_model = 256, heads = 4, context = 256 tokens }
`;
const stage = (...members: readonly string[]): string =>
  `${parts}stage pre {
  model = small, data = web, length = 100 steps, batch = 8 samples, optimizer = adamw(lr = 1e-3)
  ${members.join("\n  ")}
}
`;

describe("a group that a stage does not know", () => {
  const best = "checkpoint { every = 10 steps, keep = best(val.loss) }";
  it.each(["evaluation", "evl", "evaluate", "validation", "measure"])("may be its `eval`: `%s`", (word) => {
    const text = stage(`${word} { every = 10 steps }`, best);
    expect(told(text).map(({ span }) => span.source.text.slice(span.start, span.end))).toEqual([word]);
  });
  it("is no excuse where there is none", () => {
    expect(told(stage(best)).map(({ code }) => code)).toEqual(["cdr/checkpoint-unmeasured"]);
  });
  it("is told by the name that it has here", () => {
    const [found] = told(stage("validation { every = 10 steps }"));
    expect(found).toMatchObject({ code: "cdr/property-foreign", message: expect.stringContaining("`eval {") });
  });
});

describe("what is wrong beside a line that declares nothing", () => {
  const codes = (text: string): readonly string[] => told(text).map(({ code }) => code.slice(4));
  it("one name that is not declared is one mistake, mended everywhere", () => {
    const [found, ...others] = told(`${stage()}smal { layers = 3 }\nsmal.heads = 8\nsmal.layers = 2\n`);
    expect(others).toEqual([]);
    expect(found).toMatchObject({ code: "cdr/amend-undeclared", related: [{}, {}] });
    expect(found?.fixes[0]?.edits.map(({ newText }) => newText)).toEqual(["small", "small", "small"]);
  });
  it("a value that cannot stand there is not set a second time", () => {
    expect(codes(`${stage()}pre = 3\npre.batch = 4 samples\n`)).toEqual(["misplaced"]);
  });
  it.each(['let s = "${small.layrs}", q = 3', 'q = 3, let s = "${small.layrs}"'])(
    "the rest of the line is judged: %s",
    (line) => {
      expect(codes(stage() + line).toSorted()).toEqual(["member-unknown", "misplaced"]);
    },
  );
});

describe("a text of several lines in plain quotes", () => {
  it.each(['"a\nb"', '"a\n  --b 1\n  --c 2"', '"a \\\n  b"'])("is one message with triple quotes: %s", (text) => {
    const found = told(`job j { command = ${text} }\n`);
    expect(found.map(({ code }) => code)).toEqual(["cdr/syntax-string-unterminated"]);
    expect(found[0]?.fixes[0]?.edits.map(({ newText }) => newText)).toEqual(['"""', '"""']);
  });
  it("is none where the next line is a member of its own", () => {
    const found = told('job j {\n  command = "a\n  image = b\n}\nlet x = "y"\n');
    expect(found[0]?.fixes[0]?.edits.map(({ newText }) => newText)).toEqual(['"']);
  });
});

describe("a sweep that varies nothing", () => {
  it.each(["", "vary { }"])("is an error: `%s`", (vary) => {
    expect(told(`${stage()}sweep s { stage = pre, ${vary} }`).map(({ code }) => code)).toEqual(["cdr/vary-empty"]);
  });
  it("is one message where the group is misspelt", () => {
    const found = told(`${stage()}sweep s { stage = pre, vari { seed in 1..3 } }`);
    expect(found.map(({ code }) => code)).toEqual(["cdr/property-unknown"]);
  });
  it("may be a template", () => {
    const text = `${stage()}abstract sweep s { stage = pre }\nsweep t extends s { vary { seed in 1..3 } }`;
    expect(told(text)).toEqual([]);
  });
});

describe("a block that extends what is not there", () => {
  const codes = (text: string): readonly string[] => told(text).map(({ code }) => code.slice(4));
  const lost = (rest: string): string => `${stage("eval { every = 10 steps }")}stage g extends nothing ${rest}\n`;

  it("is judged in what it says itself", () => {
    const text = lost("on nowhere { bach = 3, from = pre.lst, layout { tensor = 2 } }");
    expect(codes(text).toSorted()).toEqual([
      "member-unknown",
      "name-unknown",
      "name-unknown",
      "property-unknown",
      "property-unknown",
    ]);
  });
  it.each([
    "{ seed = 3 }",
    "{ seed = 3 }\nassert g.length.tokens > 3",
    "{ checkpoint { keep = [best(val.loss)] } }\nexport e { model = g.best, format = safetensors }",
    "{ optimizer.lr = 2e-3, evals.every = 3 steps, schedule.warmup = 4 steps }\ng.optimizer.lr = 3e-4\npreset p { g { optimizer.lr = 1e-4 } }",
    "{ seed = 3 }\ndata d extends nowhere { tokenizer.vocab = 400 }\nmodel n extends nowhere { heads.z = 4 }",
    "{ seed = 3 }\nstage h extends g { seed = 4 }\nstage k { from = h.last }",
  ])("is not told what it may inherit: %s", (rest) => {
    const found = codes(lost(rest)).filter((code) => code !== "property-missing");
    expect(found).toEqual(`${rest} nothing`.match(/extends nowhere| nothing/g)?.map(() => "name-unknown"));
    expect(told(lost(rest)).some(({ message }) => /stage `[gh]`/.test(message))).toBe(false);
  });
  it("of any kind", () => {
    expect(codes(`cluster c extends dgx_h10 { nodes = 2 }\n`)).toEqual(["name-unknown"]);
    expect(codes(`${parts}model big extends smal { layers = 12, layrs = 3 }\n`).toSorted()).toEqual([
      "name-unknown",
      "property-unknown",
    ]);
  });
});

describe("a line that was to name something", () => {
  const more = 'data more { from = "y.txt", tokenizer = bytes }\nlet rate = 1e-3\n';
  const codes = (text: string): readonly string[] =>
    compile({ path: "main.cdr", text }, { ...alone, read: () => more }).diagnostics.map(({ code }) => code.slice(4));
  it.each([
    ['import "./b.cdr" { mor }', "import-unknown"],
    ['import "./b.cdr" { rate more }', "syntax-separator"],
    ['import "./b.cdr" rate, more }', "syntax-unexpected"],
    ['data { from = "y.txt", tokenizer = bytes }', "name-missing"],
    ["data data more extends web { }", "syntax-header-word"],
  ])("is one mistake: %s", (line, code) => {
    expect(codes(`${line}\n${stage()}stage next extends pre { data = more }\n`)).toEqual([code]);
    expect(codes(`${line}\n${stage()}more { seed = 3 }\n`)).toEqual([code]);
  });
  it("hides no name that is close to another one", () => {
    expect(codes(`stage { seed = 3 }\n${stage()}let a = smal\n`)).toEqual(["name-missing", "name-unknown"]);
  });
  it("hides what those need that extend it", () => {
    const text = `${parts}stage pre pre { model = small, data = web }\nstage next extends pre { eval { } }\n`;
    expect(codes(text)).toEqual(["syntax-header-word"]);
  });
  it("hides what is compared with it", () => {
    const text = stage().replace("tokenizer = bytes", 'tokenizer tiktoken("gpt2")');
    const other = 'data other { from = "y.txt", tokenizer = tiktoken("gpt2") }\n';
    expect(codes(`${text}${other}stage next extends pre { from = pre.last, data = other }`)).toEqual([
      "syntax-equal",
    ]);
  });
});

it("a template's mistake is told once, however many extend it", () => {
  const text = 'abstract data d { from = "a" / data.nam }\ndata a extends d { }\ndata b extends d { }\n';
  expect(told(text).map(({ code }) => code)).toEqual(["cdr/member-unknown"]);
});

it.each(["adamw(lr = } 1e-3)", "adamw(lr = 1e-3, betas = [0.9 ), 0.95])"])(
  "a bracket too many is one mistake, where it stands: %s",
  (optimizer) => {
    const found = told(stage().replace("adamw(lr = 1e-3)", optimizer));
    expect(found.map(({ code, span }) => [code, span.source.text.slice(span.start, span.end)])).toEqual([
      ["cdr/syntax-bracket-unopened", /[})]/.exec(optimizer)?.[0]],
    ]);
  },
);

it("an objective that is not known is none that its loss lacks", () => {
  expect(told(stage("objective = distil(teacher = 3)", "loss = distill")).map(({ code }) => code)).toEqual([
    "cdr/value-choice",
  ]);
});
