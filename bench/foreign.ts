/**
 * `npm run bench -- foreign`: milliseconds that all rules take over one script of 400 Megatron arguments, read included, and over a plan
 * with the most options of its engine. The limit is 5 ms each; the least that a busy machine shows is nearest to an idle one.
 */
import { bases } from "../compiler/engines/megatron/bases.ts";
import { argumentTable } from "../compiler/engines/megatron/table.ts";
import { checkForeign } from "../compiler/foreign/check.ts";
import { median } from "./measure.ts";
import { planRules } from "./plan-rules.ts";

const count = 400;
const rounds = 100;
// A process that judges file after file: V8 has compiled all rules after some hundred rounds.
const warm = 300;
const limit = 5;

export async function run(): Promise<unknown> {
  const text = script();
  const supplied = { world: null, gpusPerNode: null, gpu: "h100" };
  const check = () => checkForeign([{ path: "train.sh", text }], supplied, () => undefined);
  const rows = [
    { name: `a script of ${count} arguments`, ...timed(check), diagnostics: check().diagnostics.length },
    ...(["megatron", "deepspeed"] as const).map((engine) => {
      const { options, judge } = planRules(engine);
      return { name: `a plan with ${options} options of ${engine}`, ...timed(judge), diagnostics: judge() };
    }),
  ];
  for (const { name, median: half, fastest } of rows)
    process.stderr.write(
      `${name.padEnd(42)} ${half.toFixed(2)} ms of CPU time, fastest ${fastest.toFixed(2)}: ${(half / limit).toFixed(2)} of the limit\n`,
    );
  return { limit, rounds, rows };
}

function timed(work: () => unknown): { readonly median: number; readonly fastest: number } {
  const times = Array.from({ length: warm + rounds }, () => {
    const start = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  }).slice(warm);
  return { median: median(times), fastest: Math.min(...times) };
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
