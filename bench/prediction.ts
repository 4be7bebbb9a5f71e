/**
 * `npm run bench -- prediction --rows F [--calibrate F] [--leave model|nodes|machine|engine]`: estimates against
 * measured runs. Without `--calibrate` the shipped constants speak; with it they are fitted on those rows alone; with
 * `--leave` on what is left when each value of that factor is held out in turn.
 */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { calibrate, knownOf } from "./prediction/calibrate.ts";
import { caseOf, type Case } from "./prediction/cases.ts";
import { judge, reportOf, table } from "./prediction/report.ts";
import type { Row } from "./prediction/rows.ts";

const factors: Readonly<Record<string, (one: Case) => string>> = {
  model: ({ row }) => `${String(row.model["family"])} ${String(row.model["layers"] ?? "")}`,
  nodes: ({ row, layout: l }) => String(row.hardware.nodes ?? l.tensor * l.pipeline * l.data * l.context),
  machine: ({ machine }) => machine.gpu,
  engine: ({ row }) => row.engine,
};

export async function run(words: string[]): Promise<unknown> {
  const usage = `usage: bench prediction --rows FILE [--calibrate FILE] [--leave ${Object.keys(factors).join("|")}]`;
  const { values } = parseArgs({
    args: words,
    options: { rows: { type: "string" }, calibrate: { type: "string" }, leave: { type: "string" } },
  });
  const factor = values.leave === undefined ? undefined : factors[values.leave];
  if (values.rows === undefined || (values.leave !== undefined && factor === undefined)) throw new Error(usage);
  const { cases, unsupported } = read(values.rows);
  const learned = values.calibrate === undefined ? cases : read(values.calibrate).cases;

  let judged;
  let title;
  if (factor === undefined) {
    const calibration = values.calibrate === undefined ? null : calibrate(learned);
    judged = cases.map((one) => judge(one, calibration));
    title = calibration === null ? "shipped constants" : `constants fitted on ${values.calibrate}`;
  } else {
    const known = knownOf(learned);
    judged = [...new Set(cases.map(factor))].flatMap((held) => {
      const calibration = calibrate(
        learned.filter((one) => factor(one) !== held),
        known,
      );
      return cases.filter((one) => factor(one) === held).map((one) => judge(one, calibration));
    });
    title = `out of sample: each ${values.leave} held out in turn`;
  }
  const report = reportOf(judged);
  process.stderr.write(table(report, title));
  return { constants: title, ...report, unsupported };
}

function read(path: string): { cases: readonly Case[]; unsupported: Readonly<Record<string, number>> } {
  const cases: Case[] = [];
  const unsupported: Record<string, number> = {};
  for (const line of readFileSync(path, "utf8").split("\n")) {
    if (line.trim() === "") continue;
    const found = caseOf(JSON.parse(line) as Row);
    if (typeof found === "string") unsupported[found] = (unsupported[found] ?? 0) + 1;
    else cases.push(found);
  }
  return { cases, unsupported };
}
