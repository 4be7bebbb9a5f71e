/** What an example leaves to fill in is told as that, and redirections and here-documents are none. */
import { expect, it } from "vitest";
import { toldOf } from "../../../compiler/foreign/rules/example.ts";

const told = (text: string): readonly string[] =>
  toldOf({ "run.sh": `#!/bin/bash\n${text}` }).flatMap(({ code, severity, span }) =>
    code === "cdr/foreign-unknown" || code === "cdr/interface-unsaid"
      ? []
      : [`${severity} ${code} ${span.source.text.slice(span.start, span.end)}`],
  );
const train = "train.py --output_dir out --per_device_train_batch_size 4";

it("an unquoted one is a warning, and its value unknown", () => {
  expect(
    told(
      `accelerate launch --num_machines 2 --num_processes 16 --machine_rank <RANK> --main_process_ip <IP> --main_process_port 29500 ${train}\n`,
    ),
  ).toEqual(["warning cdr/shell-placeholder <RANK>"]);
  expect(
    told(`torchrun --nproc_per_node 8 ${train} --model_name_or_path <your model path> --learning_rate 1e-4\n`),
  ).toEqual(["warning cdr/shell-placeholder <your model path>"]);
  expect(told(`VOCAB=<Specify path to vocab.json>_text\ntorchrun --nproc_per_node 8 ${train}\n`)).toEqual([
    "warning cdr/shell-placeholder <Specify path to vocab.json>",
  ]);
});

it("one that no shell reads past is an error at its place", () => {
  expect(told(`torchrun --nproc_per_node 8 ${train} --learning_rate <LR>\n`)).toEqual([
    "error cdr/foreign-shell <LR>",
  ]);
});

it.each([
  ["/path/to/model", "/path/to/model"],
  ["YOUR_MODEL", "YOUR_MODEL"],
  ['"<MODEL>"', "<MODEL>"],
  ["org/your-model", "org/your-model"],
])("%s is to be filled in", (value, place) => {
  expect(told(`torchrun --nproc_per_node 8 ${train} --model_name_or_path ${value}\n`)).toEqual([
    `info cdr/unfilled ${place}`,
  ]);
});

it("neither is a number that a name stands for of another type", () => {
  expect(
    told("torchrun --nproc_per_node 8 train.py --output_dir out --per_device_train_batch_size [BATCH_SIZE]\n"),
  ).toEqual(["info cdr/unfilled [BATCH_SIZE]"]);
});

it.each([
  "sort <names> sorted",
  "python prepare.py <in.txt> out.txt",
  "python prepare.py <in.txt >out.txt",
  "cat <<EOF > hosts.txt\n--rank <RANK> --ip <IP> x\nEOF",
  "cat <<'END'\nmodel = <MODEL_PATH> x\nEND",
  "# usage: run.sh --node_rank <RANK> --ip <IP>",
  "echo 'use --node_rank <RANK> here'",
  'echo "use --node_rank <RANK> here"',
  "diff <(sort a) <(sort b) > c",
  "grep -c x <<< $NAME > n",
  "[[ a < b ]] && echo x > y",
])("%s has none", (line) => {
  expect(told(`${line}\ntorchrun --nproc_per_node 8 ${train} --pad_token "<pad>" --mask "[MASK]"\n`)).toEqual([]);
});
