/** Several machines of accelerate: who has to say where they meet. */
import { expect, it } from "vitest";
import { checkForeign } from "../../../compiler/foreign/check.ts";

const file = "compute_environment: LOCAL_MACHINE\ndistributed_type: MULTI_GPU\nnum_machines: 2\nnum_processes: 16\n";

const told = (command: string | null, more = "", release?: string): readonly string[] =>
  checkForeign(
    [
      { path: "acc.yaml", text: `${file}${more}` },
      ...(release === undefined ? [] : [{ path: "requirements.txt", text: `accelerate==${release}\n` }]),
      ...(command === null
        ? []
        : [{ path: "run.sh", text: `${command} accelerate launch --config_file acc.yaml train.py\n` }]),
    ],
    { world: null, gpusPerNode: 8, gpu: "h100" },
    () => undefined,
  ).diagnostics.flatMap(({ code, severity }) => (code === "cdr/accelerate-machines" ? [severity] : []));

it("leaves the address to the command, which the file alone is without", () => {
  expect(told(null)).toEqual(["info"]);
  expect(told(null, "main_process_ip: node1\n")).toEqual([]);
  expect(told("")).toEqual(["error"]);
  expect(told("", "rdzv_backend: c10d\n")).toEqual(["error"]);
});

it("takes no address from the environment, as accelerate doesn't", () => {
  expect(told("MASTER_ADDR=node1")).toEqual(["error"]);
});

it("needs the port where the release has no default for it", () => {
  expect(told("", "main_process_ip: node1\n", "1.6.0")).toEqual(["error"]);
  expect(told("", "main_process_ip: node1\n", "1.7.0")).toEqual([]);
  expect(told("", "main_process_ip: node1\nmain_process_port: 29500\n", "1.6.0")).toEqual([]);
});
