/** `cdrc explain CODE`, `cdrc explain PATH FILE`. */
import { Command } from "commander";
import { allDefinitions } from "../../compiler/diagnostics/index.ts";
import { describeOrigin } from "../../compiler/passes/report.ts";
import { nearest } from "../../dsl/diagnostics/nearest.ts";
import { compileFile, type FrontFlags, frontOptions } from "../front.ts";

interface Flags extends FrontFlags {
  readonly json?: true;
}

export function explainCommand(): Command {
  const command = new Command("explain")
    .summary("what a diagnostic means, or where a value of a plan came from")
    .argument("<what>", "a code (`cdr/unit-missing`), or a path of the plan (`pretrain.batch.accumulation`)")
    .argument("[file]", "the .cdr file that the path belongs to")
    .option("--json", "one JSON document on stdout");
  return frontOptions(command).action((what: string, file: string | undefined, flags: Flags) => {
    const text = file === undefined ? explainCode(what) : explainPath(what, file, flags);
    if (text === null) return;
    process.stdout.write(
      flags.json === true ? `${JSON.stringify({ what, explanation: text }, null, 2)}\n` : `${text}\n`,
    );
  });
}

function explainCode(what: string): string | null {
  const code = what.startsWith("cdr/") ? what : `cdr/${what}`;
  const definition = allDefinitions.find((d) => d.code === code);
  if (definition !== undefined) return `${definition.code} (${definition.severity})\n\n${definition.explanation}`;
  const best = nearest(
    code,
    allDefinitions.map((d) => d.code),
  );
  return misuse(
    `there is no diagnostic ${code}${best === null ? "" : `; did you mean ${best}?`} A path of a plan needs its file: cdrc explain ${what} FILE`,
  );
}

function explainPath(what: string, file: string, flags: Flags): string | null {
  const compiled = compileFile(file, flags);
  if ("misuse" in compiled) return misuse(compiled.misuse);
  const [name, ...rest] = what.split(".");
  const stage = compiled.plan.stages.find((s) => s.name === name);
  if (stage === undefined)
    return misuse(`no stage \`${name}\` in ${file}: ${compiled.plan.stages.map((s) => s.name).join(", ")}`);
  const path = rest.join(".");
  const rows = Object.entries(stage.origins).filter(
    ([key]) => path === "" || key === path || key.startsWith(`${path}.`),
  );
  if (rows.length === 0) {
    const best = nearest(path, Object.keys(stage.origins));
    return misuse(`the plan of ${name} has no \`${path}\`${best === null ? "" : `; did you mean \`${best}\`?`}`);
  }
  return rows.map(([key, origin]) => `${key} = ${String(at(stage, key))}\n  ${describeOrigin(origin)}`).join("\n");
}

const at = (value: unknown, path: string): unknown =>
  path
    .split(".")
    .reduce<unknown>(
      (object, key) =>
        typeof object === "object" && object !== null ? (object as Record<string, unknown>)[key] : undefined,
      value,
    );

function misuse(message: string): null {
  process.stderr.write(`cdrc: ${message}\n`);
  process.exitCode = 2;
  return null;
}
