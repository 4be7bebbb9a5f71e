import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";
import { checkForeign } from "../../../compiler/foreign/check.ts";
import { readShell } from "../../../compiler/foreign/shell/read.ts";
import type { Source } from "../../../dsl/source/source.ts";

type Files = Readonly<Record<string, string>>;

const beside =
  (files: Files) =>
  (path: string, from: Source): Source | undefined => {
    const near = normalize(join(dirname(from.path), path));
    return files[near] === undefined ? undefined : { path: near, text: files[near] };
  };

/** Words of all commands that are sure to run, `?` where one is not known, and what is wrong with the script. */
function told(text: string, files: Files = {}): readonly string[] {
  const all = { ...files, "main.sh": text };
  const { commands, problems } = readShell({ path: "main.sh", text }, new Map(), beside(all));
  const runs = commands.filter(({ words, certain }) => certain && words[0]?.text === "run");
  return [
    ...runs.map(({ words }) => words.slice(1).map((word) => word.text ?? "?").join(" ")),
    ...problems.map(({ message }) => message),
  ]; // prettier-ignore
}

const errorsOf = (files: Files): readonly string[] =>
  checkForeign(
    [{ path: "main.sh", text: files["main.sh"] ?? "" }],
    { world: null, gpusPerNode: null, gpu: null },
    beside(files),
  )
    .diagnostics.filter(({ severity }) => severity === "error")
    .map(({ code, span }) => `${code} ${span.source.path}`);

const circle = expect.stringContaining("reads itself again");

describe("a script that is read again", () => {
  it.each<readonly [string, string, Files, readonly unknown[]]>([
    ["starts itself with other words", 'if [ "$1" != in ]; then bash main.sh in; exit; fi\nrun a', {}, ["a"]],
    ["is sure to start itself", "bash main.sh\nrun a", {}, ["a"]],
    ["starts itself elsewhere", 'docker run img bash -lc "bash main.sh --inner"\nrun a', {}, ["a"]],
    ["starts itself by another", "bash b.sh\nrun a", { "b.sh": "bash main.sh x\nrun b" }, ["b", "a"]],
    ["sources itself", "source main.sh\nrun a", {}, [circle]],
    ["sources itself by another", "source b.sh", { "b.sh": ". ./main.sh" }, [circle]],
    ["perhaps sources itself", 'if [ -z "$DONE" ]; then . ./main.sh; fi\nrun a', {}, ["a"]],
    [
      "sources itself till a number ends it",
      "N=0\n. ./b.sh",
      { "b.sh": "N=$((N+1))\nif [ $N -lt 3 ]; then . ./b.sh; else run $N; fi" },
      ["3"],
    ],
    [
      "sources itself unless it is read",
      "A=\n. ./b.sh\nrun $A",
      { "b.sh": 'if [ -z "$A" ]; then A=1; . ./b.sh; A=2$A; fi' },
      ["21"],
    ],
  ])("%s", (_, text, files, expected) => {
    expect(told(text, files)).toEqual(expected);
  });

  it("has what stands behind its call run by that call", () => {
    const job = (guard: string): string =>
      `#!/bin/bash\n#SBATCH -N 2\n#SBATCH --ntasks-per-node=1\n${guard}torchrun --nnodes 2 --node_rank $SLURM_NODEID --nproc_per_node 8 --master_addr $M t.py --bf16 True\n`;
    expect(errorsOf({ "main.sh": job('if [ -z "$STEP" ]; then srun bash main.sh "$@"; exit; fi\n') })).toEqual([]);
    expect(errorsOf({ "main.sh": job('if [ -z "$STEP" ]; then exec srun bash main.sh; fi\n') })).toEqual([]);
    expect(errorsOf({ "main.sh": job("") }).length).toBeGreaterThan(1);
    expect(errorsOf({ "main.sh": job('if [ -z "$STEP" ]; then srun bash b.sh; exit; fi\n'), "b.sh": "run" })).toHaveLength(2);
  }); // prettier-ignore
});

describe("the folder that a shell stands in", () => {
  const files = { "x.sh": "run top $1", "sub/x.sh": "run sub $1", "sub/main.sh": "run inner" };
  it.each([
    ["is where the script lies", "bash x.sh 1", ["top 1"]],
    ["is where cd leads", "cd sub && bash x.sh 1\nbash x.sh 2", ["sub 1", "sub 2"]],
    ["has scripts of the same name", "cd sub && bash main.sh", ["inner"]],
    ["is another one's name too", "bash sub/main.sh", ["inner"]],
    ["is back by cd ..", "cd ./sub/\ncd ..\n. x.sh", ["top"]],
    ["is back by cd -", "cd sub\ncd -\nsource x.sh", ["top"]],
    ["is kept by pushd", "pushd sub > /dev/null\n. x.sh\npopd\n. x.sh", ["sub", "top"]],
    ["changes places with pushd alone", "pushd sub\npushd\n. x.sh\npushd\n. x.sh", ["top", "sub"]],
    ["is a subshell's own", "(cd sub; bash x.sh)\nbash x.sh", ["sub", "top"]],
    ["is that of a shell behind", "cd sub &\nbash x.sh", ["top"]],
    ["is a function's too", "f() { cd sub; }\nf\nbash x.sh", ["sub"]],
    ["is handed on to shells", "cd sub\nbash -c 'bash x.sh'", ["sub"]],
    ["is one that nobody knows", "cd $WHERE\nbash x.sh", []],
    ["is above one that nobody knows", "cd $WHERE\ncd ..\nbash x.sh", []],
    ["is known again", "pushd $WHERE\npopd\nbash x.sh", ["top"]],
    ["is home", "cd\nbash x.sh", []],
    ["is elsewhere", "cd /opt/sub\nbash x.sh", []],
    ["is perhaps another", '[ -n "$Q" ] && cd sub\nbash x.sh', []],
    ["is the same either way", '[ -n "$Q" ] && { cd sub; cd ..; }\nbash x.sh', ["top"]],
    ["is the script's own", 'cd "$(dirname "$0")"/sub\nbash x.sh', ["sub"]],
    ["is the script's own by its source", "cd sub\ncd $(dirname ${BASH_SOURCE[0]})\nbash x.sh", ["top"]],
    ["is where the job was submitted", "cd $SLURM_SUBMIT_DIR\nbash x.sh", ["top"]],
    ["is counted from itself", "cd sub; cd $PWD/..\nbash x.sh", ["top"]],
    ["is found along CDPATH", "CDPATH=/opt\ncd sub\nbash x.sh", []],
  ])("%s", (_, text, expected) => {
    expect(told(text, files).map((each) => each.replace(/ \??$/, ""))).toEqual(expected);
  });

  it("is where the files of a launch are looked for", () => {
    const run = "deepspeed --num_gpus 2 t.py --deepspeed ds.json --per_device_train_batch_size 1 --output_dir o";
    const config = (size: number): string =>
      `{ "train_micro_batch_size_per_gpu": ${size}, "zero_optimization": { "stage": 2 } }`;
    const both = { "ds.json": config(4), "sub/ds.json": config(1) };
    expect(errorsOf({ ...both, "main.sh": `cd sub\n${run}` })).toEqual([]);
    expect(errorsOf({ ...both, "main.sh": `cd $W\n${run}` })).toEqual([]);
    expect(errorsOf({ ...both, "main.sh": run })).toHaveLength(1);
    expect(errorsOf({ "ds.json": config(1), "sub/ds.json": config(4), "main.sh": `cd sub\n${run}` })).toHaveLength(1);
  });
});

describe("names that stand for other variables", () => {
  const add = 'add() { local -n _to=$1; shift; _to+=("$@"); }\n';
  it.each([
    ["are followed", `${add}A=(x)\nadd A 1 2\nadd A 3\nrun "\${A[@]}"`, ["x 1 2 3"]],
    ["end with the function", `${add}A=()\nadd A 1\n_to=5\nrun "\${A[@]}" $_to`, ["1 5"]],
    ["are read", 'f() { local -n a=$1; run "${a[1]}" ${#a[@]}; }\nA=(1 2)\nf A', ["2 2"]],
    ["stand for others in turn", "declare -n b=a\ndeclare -n a=A\nb=3\nrun $A $b", ["3 3"]],
    ["may be anything", 'A=1\ndeclare -n r=$WHAT\nr=2\nrun "$A"', ["?"]],
    ["are read by read", 'declare -n r=A\nread -r r <<< "5 6"\nrun $A', ["5 6"]],
    ["count", "A=1\ndeclare -n r=A\n(( r += 2 ))\nrun $A", ["3"]],
    ["are a branch's", 'A=1; B=1\nif [ -n "$Q" ]; then declare -n r=A; fi\nr=2\nrun "$A"', ["?"]],
    ["are each call's", 'f() { local -n d=$1; d+=($2); [ $2 = 3 ] || f $1 3; }\nA=()\nf A 1\nrun "${A[@]}"', ["1 3"]],
    ["are hidden", "g() { local d=9; }\nf() { local -n d=$1; g; run $d; }\nA=1\nf A\nrun $A", ["1", "1"]],
    ["are taken back", "A=1\ndeclare -n r=A\nunset -n r\nr=2\nrun $A $r", ["1 2"]],
    ["take their variable along", 'A=1\ndeclare -n r=A\nunset r\nrun "${A-none}"', ["none"]],
    ["are no names in a subshell's parent", "A=1; r=0\n(declare -n r=A)\nr=2\nrun $A", ["1"]],
  ])("%s", (_, text, expected) => {
    expect(told(text)).toEqual(expected);
  });
});

describe("cases whose bodies go on", () => {
  const of = (word: string, first: string, second: string): string =>
    `A=; B=; C=\ncase ${word} in\n *b) A=1 ${first}\n 7b) B=1 ${second}\n 70b) C=1 ;;\nesac\nrun "$A-$B-$C"`;
  it.each([
    ["to the next pattern that fits", of("70b", ";;&", ";;"), ["1--1"]],
    ["to the first that fits and no further", of("7b", ";;&", ";;"), ["1-1-"]],
    ["into the next body", of("70b", ";&", ";;"), ["1-1-"]],
    ["into both", of("x", ";;", ";&"), ["--"]],
    ["through all", of("7b", ";&", ";&"), ["1-1-1"]],
    ["not at all", of("70b", ";;", ";;&"), ["1--"]],
    ["as far as nobody knows", of("$Q", ";;&", ";;"), ["?"]],
  ])("%s", (_, text, expected) => {
    expect(told(text)).toEqual(expected);
  });
});

it.each([
  ["an assignment in quotes", 'A=1\nB=2\nexport "A=x$B"\nrun $A', ["x2"]],
  ["one within a function", 'f() { local "A=2"; run $A; }\nA=1\nf\nrun $A', ["2", "1"]],
  ["a name that is spelt", 'N=A\ndeclare "$N=2"\nrun $A', ["2"]],
  ["a name that nobody knows", 'A=1\ndeclare "$Q=2"\nrun "$A"', ["?"]],
  ["printf into any name", 'A=1\nprintf -v "$Q" x\nrun "$A"', ["?"]],
  ["read into any name", 'A=1\nread -r "$Q" <<< x\nrun "$A"', ["?"]],
  ["read into an element", 'A=(1 2)\nread -r "A[1]" <<< x\nrun "${A[1]}"', ["?"]],
  ["a question", 'A=1\nselect A in x y; do break; done\nrun "$A"', ["?"]],
  ["a function of a builtin's name", "shift() { A=2; }\nA=1\nset -- x\nshift\nrun $A $1", ["2 x"]],
  ["a builtin behind a function of its name", 'cd() { builtin cd "$@" && A=2; }\nA=1\ncd sub\nrun $A', ["2"]],
  ["a function that is unset", "f() { A=2; }\nf=3\nunset -f f\nrun $f", ["3"]],
  ["a shell behind", "A=1\nA=2 &\nrun $A", ["1"]],
])("follows %s, or says that it doesn't know", (_, text, expected) => {
  expect(told(text)).toEqual(expected);
});
