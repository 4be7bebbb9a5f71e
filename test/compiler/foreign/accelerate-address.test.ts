/** Several machines of accelerate: who has to say where they meet. */
import { expect, it } from "vitest";
import { checkForeign } from "../../../compiler/foreign/check.ts";

const file = "compute_environment: LOCAL_MACHINE\ndistributed_type: MULTI_GPU\nnum_machines: 2\nnum_processes: 16\n";

const told = (command: string | null): readonly string[] =>
  checkForeign(
    [
      { path: "acc.yaml", text: file },
      ...(command === null
        ? []
        : [{ path: "run.sh", text: `${command} accelerate launch --config_file acc.yaml train.py\n` }]),
    ],
    { world: null, gpusPerNode: 8, gpu: "h100" },
    () => undefined,
  )
    .diagnostics.filter(({ code }) => code === "cdr/accelerate-machines")
    .map(({ message }) => message);

it("leaves the address to the command, which the file alone is without", () => {
  expect(told(null)).toEqual([]);
  expect(told("")).toEqual(["2 machines need main_process_ip and main_process_port"]);
});

it("takes no address from the environment, as accelerate doesn't", () => {
  expect(told("MASTER_ADDR=node1")).toHaveLength(1);
});
