/** A file of accelerate that does not say how many processes there are. */
import { expect, it } from "vitest";
import { checkForeign } from "../../../compiler/foreign/check.ts";

const told = (file: string, command: string): readonly string[] =>
  checkForeign(
    [
      { path: "acc.yaml", text: `compute_environment: LOCAL_MACHINE\n${file}` },
      { path: "run.sh", text: `accelerate launch --config_file acc.yaml ${command}\n` },
    ],
    { world: null, gpusPerNode: 8, gpu: "h100" },
    () => undefined,
  )
    .diagnostics.filter(({ code }) => code === "cdr/accelerate-processes")
    .map(({ message }) => message);

it("leaves the number to the command, which must say it", () => {
  const missing = ["num_processes is missing, and the command gives no number"];
  expect(told("distributed_type: MULTI_GPU\n", "train.py")).toEqual(missing);
  expect(told("distributed_type: DEEPSPEED\n", "train.py")).toEqual(missing);
  expect(told("distributed_type: MULTI_GPU\n", "--num_processes 8 train.py")).toEqual([]);
  expect(told("distributed_type: MULTI_GPU\nnum_processes: 8\n", "train.py")).toEqual([]);
});

it("counts one process where nothing is distributed", () => {
  expect(told("distributed_type: 'NO'\n", "train.py")).toEqual([]);
});
