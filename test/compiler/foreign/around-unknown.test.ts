/** Programs around a launcher whose options have values that only the job knows. */
import { expect, it } from "vitest";
import { checkForeign } from "../../../compiler/foreign/check.ts";

const launch = "torchrun --nproc_per_node 8 train.py --output_dir out --per_device_train_batch_size 0 --max_steps 10";

it.each([
  "numactl --cpunodebind=$((LOCAL_RANK / 2)) --membind=$((LOCAL_RANK / 2))",
  'numactl --cpunodebind="$((LOCAL_RANK / 2))" --membind="$NODE"',
  "numactl --cpunodebind=$NODE",
  "env -i PATH=$PATH HOME=$HOME",
  "env OMP_NUM_THREADS=$((CORES / 8)) timeout --signal=$SIGNAL 10h",
])("what stands behind %s is read", (around) => {
  const text = `${around} ${launch}\n`;
  const { diagnostics } = checkForeign(
    [{ path: "run.sh", text }],
    { world: null, gpusPerNode: null, gpu: null },
    () => undefined,
  );
  const told = diagnostics.filter(({ severity }) => severity !== "info");
  expect(told.map(({ span }) => text.slice(span.start, span.end))).toEqual(["0"]);
  expect(diagnostics.map(({ code }) => code)).not.toContain("cdr/command-unread");
});
