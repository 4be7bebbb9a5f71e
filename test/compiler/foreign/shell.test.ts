import { describe, expect, it } from "vitest";
import { readShell } from "../../../compiler/foreign/shell/read.ts";
import type { Source } from "../../../dsl/source/source.ts";

/** The words of the last command; `?` for what isn't known. */
function last(
  text: string,
  given: Readonly<Record<string, string>> = {},
  others: Readonly<Record<string, string>> = {},
) {
  const read = (path: string): Source | undefined =>
    others[path] === undefined ? undefined : { path, text: others[path] };
  const { commands } = readShell({ path: "run.sh", text }, new Map(Object.entries(given)), read);
  return commands.at(-1)?.words.map((word) => word.text ?? "?") ?? [];
}

describe("words", () => {
  it.each([
    ["variables", "A=1\nrun $A ${A} x$A", ["run", "1", "1", "x1"]],
    ["quotes", `A="a b"\nrun "$A" $A '$A'`, ["run", "a b", "a", "b", "$A"]],
    ["arrays", 'A=(1 "2 3" # four\n 4)\nA+=(5)\nrun "${A[@]}" ${#A[@]}', ["run", "1", "2 3", "4", "5", "4"]],
    ["an empty array", 'A=()\nrun "${A[@]}" end', ["run", "end"]],
    ["appending", 'A="--x 1"\nA+=" --y 2"\nrun $A', ["run", "--x", "1", "--y", "2"]],
    ["continuations", "run a \\\n  b\\\nc", ["run", "a", "bc"]],
    ["continuations in quotes", 'A="a \\\n  b"\nrun $A', ["run", "a", "b"]],
    ["defaults", "run ${A:-1} ${B:=2} $B ${C-x}", ["run", "1", "2", "2", "x"]],
    ["defaults beside what a scheduler sets", "run ${SLURM_NNODES:-1} --x=${WORLD_SIZE-8}", ["run", "?", "--x", "?"]],
    ["arithmetic", "N=3\nrun $((N * 2 + 1)) $(( $N > 2 ? 8 : 1 ))", ["run", "7", "8"]],
    ["removal of ends", "F=a/b.tar.gz\nrun ${F##*/} ${F%.gz}", ["run", "b.tar.gz", "a/b.tar"]],
    ["what is unknown", "run $A --x=$B 'c'", ["run", "?", "--x", "?", "c"]],
    ["output of echo", "A=$(echo 5)\nrun $A $(hostname)", ["run", "5", "?"]],
    [
      "output of functions",
      'size() { case $1 in 8b) echo "--layers 32 --width 4096";; *) echo "no $1" >&2; exit 1;; esac; }\nrun $(size 8b) "$(size 9b)" $(size $Q) end',
      ["run", "--layers", "32", "--width", "4096", "", "?", "end"],
    ],
    [
      "output of a function that starts something",
      "size() { echo 8; python size.py; }\nrun $(size) $(if [ -f x ]; then echo 1; else echo 2; fi)",
      ["run", "?", "?"],
    ],
    ["functions", 'go() { run "$1" "$@"; }\ngo a b', ["run", "a", "a", "b"]],
    ["export and env", "export A=1\nB=2 run $A", ["run", "1"]],
    ["eval", 'CMD="run a $X"\nX=1\neval $CMD', ["run", "a", "?"]],
    ["indirection", "A=B\nB=3\nrun ${!A}", ["run", "3"]],
  ])("%s", (_, text, words) => {
    expect(last(text)).toEqual(words);
  });
});

describe("words of zsh", () => {
  it.each([
    ["an array is all its elements", 'A=(1 "2 3" "")\nrun $A', ["run", "1", "2 3"]],
    ["a quoted array is one word", 'A=(1 2)\nrun "$A"', ["run", "1 2"]],
    ["a scalar is never split", 'A="--x 1"\nrun $A', ["run", "--x 1"]],
    ["an empty scalar is not a word", "A=\nrun $A b", ["run", "b"]],
    ["elements count from 1", "A=(1 2)\nrun ${A[1]}", ["run", "1"]],
    ["an element without braces isn't known", "A=(1 2)\nrun $A[1]", ["run", "?"]],
    ["options of bash", 'setopt sh_word_split\nA="--x 1"\nrun $A', ["run", "--x", "1"]],
  ])("%s", (_, text, words) => {
    expect(last(`#!/usr/bin/env zsh\n${text}`)).toEqual(words);
  });
});

describe("branches", () => {
  it.each([
    ["a known test", 'A=1\nif [ "$A" = 1 ]; then B=x; else B=y; fi\nrun $B', ["run", "x"]],
    ["an unknown test", 'if [ "$Q" = 1 ]; then B=x; else B=y; fi\nrun "$B"', ["run", "?"]],
    ["both sides alike", 'if [ "$Q" = 1 ]; then B=x; else B=x; fi\nrun "$B"', ["run", "x"]],
    ["case", "A=7b\ncase $A in\n 7b) L=32;;\n 13b) L=40;;\nesac\nrun $L", ["run", "32"]],
    ["case with a pattern", "A=llama-7b\ncase $A in\n *-7b) L=32;;\n *) L=1;;\nesac\nrun $L", ["run", "32"]],
    ["and", "A=1\n[[ $A == 1 ]] && B=2\nrun $B", ["run", "2"]],
    ["or of a known test", 'A=\n[ -n "$A" ] || A=3\nrun $A', ["run", "3"]],
    ["a loop over words", "for i in a b; do run $i; done", ["run", "b"]],
    ["exit", "run a\nexit 0\nrun b", ["run", "a"]],
  ])("%s", (_, text, words) => {
    expect(last(text)).toEqual(words);
  });
});

it("reads other scripts, and says where they read each other in a circle", () => {
  expect(last("source env.sh\nrun $A", {}, { "env.sh": "A=4" })).toEqual(["run", "4"]);
  const circle = (path: string): Source => ({ path, text: "source run.sh" });
  const { problems } = readShell({ path: "run.sh", text: "source b.sh" }, new Map(), circle);
  expect(problems.map(({ message }) => message)).toEqual([expect.stringContaining("reads itself again")]);
});

it("follows the text after `bash -c` and the here-documents that it writes", () => {
  expect(last("A=1\nsrun bash -c 'run $A x'")).toEqual(["run", "?", "x"]);
  expect(last('A=1\nsrun bash -c "run $A \\$A"')).toEqual(["run", "1", "?"]);
  const { written } = readShell(
    { path: "r.sh", text: 'N=8\ncat > ds.json <<EOF\n{ "a": $N }\nEOF\n' },
    new Map(),
    () => undefined,
  );
  expect(written.get("ds.json")?.text).toBe('{ "a": 8 }\n');
});

it("keeps the place of a word in an array and in a quoted string", () => {
  const text = 'A=(--x 1)\nB="--y 22"\nrun "${A[@]}" $B';
  const { commands } = readShell({ path: "r.sh", text }, new Map(), () => undefined);
  const places = commands[0]?.words.map(({ span }) => text.slice(span.start, span.end));
  expect(places).toEqual(["run", "--x", "1", "--y", "22"]);
});

it("reads on behind a function that calls itself as often as nobody knows", () => {
  const text = 'walk() { for d in $(list "$1"); do walk "$1/$d"; walk "$d"; done; }\nwalk a\nrun --x 1\n';
  const { commands, problems } = readShell({ path: "r.sh", text }, new Map(), () => undefined);
  expect(problems).toEqual([]);
  expect(commands.at(-1)?.words.map((word) => word.text)).toEqual(["run", "--x", "1"]);
});

it.each([
  ["a value that doubles", `A=x\n${"A=$A$A\n".repeat(60)}run $A`],
  ["nested substitutions", `run ${"$(echo ".repeat(300)}${")".repeat(300)}`],
  ["a function that calls itself", "f() { f; f; }\nf"],
  ["nested loops", `${"for i in 1 2 3 4 5 6 7 8; do ".repeat(9)}run${"; done".repeat(9)}`],
  ["brackets", "(".repeat(5000)],
  ["braces", `run ${"{1..200}".repeat(6)}`],
  ["loops that never end", `${"while true; do ".repeat(6)}N=$((N + 1))${"; done".repeat(6)}`],
  ["words that double", `set -- a b\n${'set -- "$@" "$@"\n'.repeat(40)}run "$@"`],
  ["names that stand for themselves", "A=A+A+A+A+A+A+A+A\nrun $((A))"],
])("ends soon on %s", (_, text) => {
  expect(readShell({ path: "r.sh", text }, new Map(), () => undefined).commands.length).toBeLessThan(100_000);
});
