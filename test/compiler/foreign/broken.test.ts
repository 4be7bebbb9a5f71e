/** Files that no launch is made of: one clear message, in bounded time. */
import { array, assert, constantFrom, property } from "fast-check";
import { expect, it } from "vitest";
import { checkForeign } from "../../../compiler/foreign/check.ts";

const supplied = { world: null, gpusPerNode: null, gpu: null };
const codes = (path: string, text: string): readonly string[] =>
  checkForeign([{ path, text }], supplied, () => undefined).diagnostics.map(({ code }) => code);

const bomb = `a: &a [x,x,x,x,x,x,x,x,x,x]\n${[..."bcdefghij"].map((name, at) => `${name}: &${name} [${Array(10).fill(`*${"abcdefghij"[at]}`).join(",")}]`).join("\n")}\n`;

it.each([
  ["binary", "a.bin", "\u0000\u0001\uFFFD\u0000", "cdr/foreign-unreadable"],
  ["empty", "a.sh", " \n", "cdr/foreign-unreadable"],
  ["too large", "a.sh", `#!/bin/bash\n${"x".repeat(5_000_000)}`, "cdr/foreign-unreadable"],
  ["JSON with a comment", "ds.json", '{ // zero\n "zero_optimization": { "stage": 2 } }', "cdr/foreign-json"],
  ["JSON behind a comment", "ds.json", '// zero\n{ "zero_optimization": { "stage": 2 } }', "cdr/foreign-json"],
  ["JSON with a trailing comma", "ds.json", '{ "zero_optimization": { "stage": 2, } }', "cdr/foreign-json"],
  ["JSON with a key twice", "ds.json", '{ "fp16": {}, "fp16": {}, "steps_per_print": 1 }', "cdr/foreign-duplicate"],
  ["deep JSON", "ds.json", `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`, "cdr/foreign-depth"],
  ["a YAML bomb", "a.yaml", bomb, "cdr/foreign-yaml-size"],
  ["broken YAML", "a.yaml", "a: [1\nb: 2\n", "cdr/foreign-yaml"],
  [
    "YAML that calls Python",
    "a.yaml",
    'distributed_type: !!python/object/apply:os.system ["x"]\n',
    "cdr/foreign-yaml",
  ],
  ["an open quote", "a.sh", '#!/bin/bash\ntorchrun "train.py\n', "cdr/foreign-shell"],
  ["a script of fish", "a.sh", "#!/usr/bin/env fish\ntorchrun train.py\n", "cdr/foreign-unreadable"],
  ["a script of csh", "a.sh", "#!/bin/csh -f\nsetenv A 1\ntorchrun train.py\n", "cdr/foreign-unreadable"],
  ["a script of Windows", "a.bat", "@echo off\r\nset A=1\r\ntorchrun train.py\r\n", "cdr/foreign-unreadable"],
  ["nothing but null", "a.yaml", "---\nnull\n", "cdr/foreign-unreadable"],
  [
    "thousands of branches",
    "a.sh",
    `${Array.from({ length: 3000 }, (_, at) => `if [ -f ${at} ]; then A${at}=1; else A${at}=2; fi\n`).join("")}torchrun train.py\n`,
    "cdr/foreign-shell",
  ],
  ["TOML of another tool", "a.toml", "# titan\n\n[training]\n# a\nsteps = 10\n", "cdr/foreign-kind"],
  ["broken TOML", "a.toml", "[training]\nsteps = ten\n", "cdr/foreign-toml"],
  ["PowerShell", "a.ps1", "param($a)\ntorchrun train.py\n", "cdr/foreign-unreadable"],
  ["a megabyte of script", "a.sh", `#!/bin/bash\n${"echo x\n".repeat(200_000)}`, "cdr/foreign-unreadable"],
  [
    "a value that grows tenfold",
    "a.sh",
    `#!/bin/bash\nA=xxxxxxxxxx\n${'A="$A$A$A$A$A$A$A$A$A$A"\n'.repeat(12)}torchrun $A\n`,
    "cdr/foreign-shell",
  ],
  ["another YAML", "a.yaml", "colour: red\nsize: 3\n", "cdr/foreign-kind"],
  [
    "what Weights & Biases keeps of a run",
    "config.yaml",
    "wandb_version: 1\nbf16:\n  desc: null\n  value: true\nlearning_rate:\n  desc: null\n  value: 1e-5\nper_device_train_batch_size:\n  desc: null\n  value: 1\n",
    "cdr/foreign-kind",
  ],
])("%s", (_, path, text, code) => {
  expect(codes(path, text)).toContain(code);
});

it("says that a tag of Python is refused, at its place, and nothing of other tags", () => {
  const text = "distributed_type: !!str DEEPSPEED\nnum_processes: !<tag:yaml.org,2002:python/name:os.system> 8\n";
  const found = checkForeign([{ path: "a.yaml", text }], supplied, () => undefined).diagnostics.filter(
    ({ code }) => code === "cdr/foreign-yaml",
  );
  expect(found.map(({ span }) => text.slice(span.start, span.end))).toEqual([
    "!<tag:yaml.org,2002:python/name:os.system>",
  ]);
});

it("never throws, whatever stands in a file", () => {
  const words = [
    "torchrun ",
    "--nnodes=",
    "$A ",
    '"${A[@]}" ',
    "((",
    "))",
    "{",
    "}",
    "[",
    "]",
    "\n",
    "<<E\n",
    "E\n",
    "A=(",
    ")",
    "if ",
    "fi ",
    "$(",
    "`",
    "'",
    '"',
    ": ",
    "- ",
    "#SBATCH -N 2\n",
    "srun ",
    "train.py ",
    "deepspeed ",
    "|",
    "&&",
  ];
  assert(
    property(
      array(constantFrom(...words), { maxLength: 40 }),
      constantFrom("#!/bin/bash\n", "{", "a: ", ""),
      (parts, head) => {
        expect(Array.isArray(codes("file", head + parts.join("")))).toBe(true);
      },
    ),
    { numRuns: 1500 },
  );
});

it.each(["\n--nnodes=2\n", "\n# srun\n\n--nnodes=2\n", "--nnodes=2\n", "\r\n--nnodes=2\r\n"])(
  "ends where nothing but an option stands: %j",
  (text) => {
    expect(codes("a.sh", text)).toContain("cdr/shell-continuation");
  },
);

it("reads scripts of every POSIX shell", () => {
  const endless = "torchrun --nnodes=2 --nproc-per-node=8 train.py\n";
  for (const shell of ["/bin/sh", "/usr/bin/env bash", "/bin/dash -e", "/usr/bin/env -S zsh -f", "/bin/ksh"])
    expect(codes("a.sh", `#!${shell}\n${endless}`)).toContain("cdr/torchrun-endpoint");
});

it("names scripts that read each other in a circle", () => {
  const texts: Readonly<Record<string, string>> = { "b.sh": "source a.sh\n", "a.sh": "source b.sh\n" };
  const { diagnostics } = checkForeign([{ path: "a.sh", text: "#!/bin/bash\nsource b.sh\n" }], supplied, (path) =>
    texts[path] === undefined ? undefined : { path, text: texts[path] },
  );
  expect(diagnostics.map(({ message }) => message).join()).toContain("reads itself again");
});

it("says which letters it cannot read", () => {
  const wide = [..."#!/bin/bash\ntorchrun train.py\n"].map((letter) => `${letter}\0`).join("");
  const [found] = checkForeign(
    [{ path: "a.sh", text: `\uFFFD\uFFFD${wide}` }],
    supplied,
    () => undefined,
  ).diagnostics;
  expect(found?.message).toContain("UTF-16");
  // The head of a program: zeros in rows.
  const [program] = checkForeign(
    [
      {
        path: "a.sh",
        text: `\u007fELF\u0002\u0001\u0001${"\0".repeat(9)}\u0003\0>\0\u0001\0\0\0@${"\0".repeat(40)}`,
      },
    ],
    supplied,
    () => undefined,
  ).diagnostics;
  expect(program?.message).toContain("it is not text");
});

it("a placeholder is told as one", () => {
  const text = "#!/bin/bash\nCHECKPOINT_PATH=<Specify path>\ntorchrun train.py\n";
  const [told] = checkForeign([{ path: "a.sh", text }], supplied, () => undefined).diagnostics;
  expect([told?.code, told?.message, told?.fix]).toEqual([
    "cdr/foreign-shell",
    expect.stringContaining("<Specify path> is a placeholder"),
    "Write a value in place of <Specify path>.",
  ]);
});

it.each([
  ['{"train_batch_size": 8,, }', ",, "],
  ['{"train_batch_size": 8 , , , "steps_per_print": 1}', ", , "],
  ['{"train_batch_size": 8, "zero_optimization": {"stage": 2,}}', ","],
  ['{"train_batch_size": 8,,, "zero_optimization": {"stage": 2}}', ",,"],
])("%s has one row of commas too many", (text, commas) => {
  const found = checkForeign([{ path: "ds.json", text }], supplied, () => undefined).diagnostics.filter(
    ({ code }) => code === "cdr/foreign-json",
  );
  expect(found.map(({ span }) => text.slice(span.start, span.end).trim())).toEqual([commas.trim()]);
});
