/**
 * `node scripts/physics-constants.ts ROWS`: fits the planner's constants on measured rows (the format of the bench
 * `prediction`) and writes them where the planner reads them.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { caseOf } from "../bench/prediction/cases.ts";
import { calibrate } from "../bench/prediction/calibrate.ts";
import { keyOf } from "../bench/prediction/calibration.ts";
import type { Row } from "../bench/prediction/rows.ts";

const [path] = process.argv.slice(2);
if (path === undefined) throw new Error("usage: node scripts/physics-constants.ts ROWS");
const cases = readFileSync(path, "utf8")
  .split("\n")
  .filter((line) => line.trim() !== "")
  .map((line) => caseOf(JSON.parse(line) as Row))
  .filter((found) => typeof found !== "string");

const digits = (value: number): number => Number(value.toPrecision(4));
const entries = [...calibrate(cases)].map(([key, constants]) => {
  const [engine, machine] = key.split("/");
  const rows = cases.filter((one) =>
    machine === "any" ? engine === "any" || one.engine.name === engine : keyOf(one) === key,
  );
  const timed = rows.filter(({ time }) => time !== undefined).length;
  const weighed = rows.filter(({ memory }) => memory !== undefined).length;
  const engines = engine === "any" ? "all engines" : [...new Set(rows.map(({ row }) => row.engine))].join(", ");
  const body = Object.entries(constants).map(([name, value]) => `    ${name}: ${digits(value)},`);
  return `  // ${timed} step times and ${weighed} peaks of ${engines}.\n  "${key}": {\n${body.join("\n")}\n  },`;
});

const text = `/** Written by scripts/physics-constants.ts from published measurements; by engine and machine. */
import type { Constants } from "./index.ts";

export const fitted: Readonly<Record<string, Constants>> = {
${entries.join("\n")}
};
`;
writeFileSync(new URL("../compiler/planner/physics/constants/fitted.ts", import.meta.url), text);
