/** `npm run bench -- foreign`: milliseconds that all rules take over one script of 400 Megatron arguments, read included. */
import { bases } from "../compiler/engines/megatron/bases.ts";
import { argumentTable } from "../compiler/engines/megatron/table.ts";
import { checkForeign } from "../compiler/foreign/check.ts";
import { median } from "./measure.ts";

const count = 400;
const rounds = 100;

export async function run(): Promise<unknown> {
  const text = script();
  const supplied = { world: null, gpusPerNode: null, gpu: "h100" };
  const check = () => checkForeign([{ path: "train.sh", text }], supplied, () => undefined);
  const warm = 30;
  const times = Array.from({ length: warm + rounds }, () => {
    const start = process.cpuUsage();
    check();
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  }).slice(warm);
  const result = {
    arguments: count,
    diagnostics: check().diagnostics.length,
    median: median(times),
    fastest: Math.min(...times),
  };
  process.stderr.write(`${count} arguments: ${result.median.toFixed(2)} ms of CPU time (median of ${rounds})\n`);
  return result;
}

/** Arguments with values beside those of a plain launch, as an array over many lines. */
function script(): string {
  const base = bases.gpt.split(" ");
  const own = new Set(base);
  const more = argumentTable("gpt").all.filter(({ names, action, nargs, deprecated }) => {
    return action !== "boolean_optional" && nargs === undefined && deprecated !== true && !own.has(names[0] ?? "");
  });
  const lines = more
    .slice(0, count - base.filter((word) => word.startsWith("--")).length)
    .map(({ names, action, default: value }) =>
      action === undefined ? `${names[0]} '${String(value ?? 1)}'` : `${names[0]}`,
    );
  const array = [...base, ...lines].map((line) => `  ${line}`).join("\n");
  return `#!/bin/bash\nexport CUDA_DEVICE_MAX_CONNECTIONS=1\nARGS=(\n${array}\n)\ntorchrun --nproc_per_node 8 pretrain_gpt.py "\${ARGS[@]}"\n`;
}
