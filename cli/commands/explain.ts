/** `cdrc explain CODE`, `cdrc explain PATH FILE`: a path of the plan, else of a block as the file says it. */
import { Command } from "commander";
import { allDefinitions } from "../../compiler/diagnostics/index.ts";
import { describeOrigin } from "../../compiler/passes/report.ts";
import { modelRequest } from "../../compiler/passes/resolve/model.ts";
import { size } from "../../compiler/passes/size.ts";
import type { Compilation } from "../../compiler/compile.ts";
import type { StagePlan } from "../../compiler/plan.ts";
import { describeInstance, type Instance } from "../../dsl/eval/instance.ts";
import type { Origin } from "../../dsl/eval/origin.ts";
import { groupOf } from "../../dsl/eval/property.ts";
import { show, type Valued } from "../../dsl/types/value.ts";
import { nearest } from "../../dsl/diagnostics/nearest.ts";
import { compileFile, type FrontFlags, frontOptions } from "../front.ts";

interface Flags extends FrontFlags {
  readonly json?: true;
}

export function explainCommand(): Command {
  const command = new Command("explain")
    .summary("what a diagnostic means, or where a value of a plan came from")
    .argument(
      "<what>",
      "a code (`cdr/unit-missing`), or a path of the plan or of a block (`pretrain.batch.accumulation`, `m.d_ff`)",
    )
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
  const [name = "", ...rest] = what.split(".");
  const stage = compiled.plan.stages.find((s) => s.name === name);
  const path = rest.join(".");
  const planned = stage === undefined ? [] : planRows(stage, path, "");
  const block = compiled.program.blocks.find((b) => b.name === name);
  const written = block === undefined || (path === "" && planned.length > 0) ? [] : blockRows(compiled, block, rest);
  const rows = planned.length > 0 ? planned : written;
  if (rows.length > 0)
    return rows.map((row) => `${row.path} = ${row.value}\n  ${describeOrigin(row.origin)}`).join("\n");
  if (block === undefined) {
    const names = compiled.program.blocks.flatMap((b) => b.name ?? []);
    return misuse(`no block \`${name}\` in ${file}: ${names.join(", ")}`);
  }
  const known = [...Object.keys(stage?.origins ?? {}), ...Object.keys(block.kind.properties)];
  const best = nearest(path, known);
  return misuse(`${describeInstance(block)} has no \`${path}\`${best === null ? "" : `; did you mean \`${best}\`?`}`);
}

interface Row {
  readonly path: string;
  readonly value: string;
  readonly origin: Origin;
}

/** What the plan holds at a path and below it; `strip` is left out of the paths that are shown. */
function planRows(stage: StagePlan, path: string, strip: string): Row[] {
  return Object.entries(stage.origins)
    .filter(([key]) => path === "" || key === path || key.startsWith(`${path}.`))
    .map(([key, origin]) => ({ path: key.slice(strip.length), value: textOf(at(stage, key)), origin }));
}

const textOf = (value: unknown): string =>
  typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);

/** What a block says at a path: `m.d_ff`, `s.optimizer.lr`, `s.layout.zero_stage`. */
function blockRows(compiled: Compilation, block: Instance, path: readonly string[]): Row[] {
  const [name, ...rest] = path;
  if (name === undefined) {
    return Object.keys(block.kind.properties).flatMap((property) => blockRows(compiled, block, [property]));
  }
  const group = groupOf(block, name);
  if (group !== null) return blockRows(compiled, group, rest).map((row) => ({ ...row, path: `${name}.${row.path}` }));
  const isKnown = name in block.kind.properties || block.values.has(name);
  const said = isKnown ? block.context.property(block, name, block.span) : null;
  if (block.kind.name === "model" && (said === null || !block.values.has(name) || said.value.kind === "auto")) {
    const chosen = modelRows(compiled, block, path.join("."));
    if (chosen.length > 0) return chosen;
  }
  if (said !== null) return valueRows(compiled, said, path);
  const derived = block.kind.derived?.[name];
  if (derived === undefined) return [];
  const origin: Origin = { kind: "derived", rule: derived.doc, inputs: [] };
  return valueRows(compiled, { value: derived.compute(block), span: block.span, origin }, path);
}

function valueRows(compiled: Compilation, said: Valued, path: readonly string[]): Row[] {
  let current = said;
  for (const [index, name] of path.entries()) {
    if (index === 0) continue;
    const { value } = current;
    if (value.kind === "block") return blockRows(compiled, value.block, path.slice(index));
    const inner =
      value.kind === "choice" ? value.arguments : value.kind === "record" ? value.fields : new Map<string, Valued>();
    const found = inner.get(name);
    if (found === undefined) return [];
    current = found;
  }
  return [{ path: path.join("."), value: show(current.value), origin: current.origin }];
}

/** A model's shape as the stage that trains it has it. */
function modelRows(compiled: Compilation, block: Instance, path: string): Row[] {
  const trains = compiled.pipeline.steps.find((step) => step.kind === "stage" && step.model.name === block.name);
  const stage = compiled.plan.stages.find((s) => s.name === trains?.name);
  if (stage !== undefined) {
    const rows = planRows(stage, `model.${path}`, "model.");
    const value = at(stage.model, path);
    const whole = stage.origins[`model.${path.split(".")[0] ?? ""}`];
    return rows.length > 0 || value === undefined || whole === undefined
      ? rows
      : [{ path, value: textOf(value), origin: whole }];
  }
  // No stage trains it: sized by itself.
  const request = modelRequest(block, null);
  const origin = request === null ? undefined : size(request).origins[path];
  const value = block.kind.derived?.[path]?.compute(block);
  return origin === undefined || value === undefined ? [] : [{ path, value: show(value), origin }];
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
