/** Arguments that a command reads from its input are judged as those that stand on its line. */
import { describe, expect, it } from "vitest";
import { toldOf } from "../../../compiler/foreign/rules/example.ts";

const words = (tensor: number): string =>
  "--num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 4096 --max-position-embeddings 4096 " +
  `--micro-batch-size 1 --global-batch-size 64 --train-iters 10 --lr 1e-4 --mock-data --bf16 --tensor-model-parallel-size ${tensor}`;
const lines = (tensor: number): string => words(tensor).replaceAll(" ", "\n");
const start = "torchrun --nproc-per-node 8 pretrain_gpt.py";

const found = (text: string): readonly string[] =>
  toldOf({ "run.sh": `export CUDA_DEVICE_MAX_CONNECTIONS=1\n${text}\n` }, { gpu: "h100" }).map(({ code }) => code);

describe("input", () => {
  it.each<readonly [string, (tensor: number) => string]>([
    ["read to the end", (tp) => `read -r -d '' A <<EOF\n${lines(tp)}\nEOF\n${start} $A`],
    ["read to the end, letters together", (tp) => `read -rd '' A <<'EOF'\n${lines(tp)}\nEOF\n${start} $A`],
    ["read of a line", (tp) => `read -r A <<< "${words(tp)}"\n${start} $A`],
    ["read into an array", (tp) => `read -ra A <<< "${words(tp)}"\n${start} "\${A[@]}"`],
    ["mapfile", (tp) => `mapfile -t A <<EOF\n${lines(tp)}\nEOF\n${start} "\${A[@]}"`],
    ["readarray", (tp) => `readarray -t A <<< "${lines(tp)}"\n${start} "\${A[@]}"`],
    ["xargs behind a pipe", (tp) => `echo ${words(tp)} | xargs ${start}`],
    ["xargs of a here-string", (tp) => `A="${words(tp)}"\nxargs ${start} <<< "$A"`],
  ])("%s", (_, script) => {
    expect(found(script(3))).toContain("cdr/megatron-heads-tensor-parallel");
    expect(found(script(4))).toEqual([]);
  });

  it.each([
    ["only the first line is read", `read -r A <<EOF\n--x\n${words(3)}\nEOF\n${start} $A`],
    ["another delimiter", `IFS=, read -ra A <<< "${words(3)}"\n${start} "\${A[@]}"`],
    ["each word starts one", `echo ${words(3)} | xargs -n1 ${start}`],
  ])("%s", (_, script) => {
    expect(found(script)).not.toContain("cdr/megatron-heads-tensor-parallel");
  });
});

it("says that a command is not read only where it is not", () => {
  const call = `go() { CUDA_DEVICE_MAX_CONNECTIONS=1 ${start} ${words(4)} --seed $1; }\ngo 1\ngo 2`;
  expect(found(call)).toEqual([]);
  expect(found(`if [ $# -gt 0 ]; then ${start} ${words(4)} --seed 2; else ${start} ${words(4)}; fi`)).toEqual([]);
  expect(found(`charmrun ${start} ${words(4)}`)).toContain("cdr/command-unread");
});

it.each([
  ["a circle", "source run.sh", /`source`/],
  ["too much work", "f() { f; f; }\nf", /loop or the recursion/],
  ["too deep", `${"(".repeat(5000)}true${")".repeat(5000)}`, /nesting/],
  ["an open quote", 'A="x', /Close the quote/],
])("says how to mend %s", (_, text, fix) => {
  const [first] = toldOf({ "run.sh": `#!/bin/bash\n${text}\n${start} --x\n` });
  expect(first?.fix).toMatch(fix);
});
