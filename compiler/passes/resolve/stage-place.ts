/** `stage s on pod { … }`, held against where the launch places every step. */
import type { Diagnostic, Fix } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import type { Source } from "../../../dsl/source/source.ts";
import { stagePlace } from "../../diagnostics/pipeline.ts";
import type { LaunchSpec } from "../../pipeline.ts";

/** The cluster that a block's header names. */
export function placeOf({ clauses: { on }, context }: Instance): Instance | null {
  const symbol = on === null ? null : context.resolve(on.path, on.module);
  return symbol === null ? null : context.instanceOf(symbol);
}

export function checkPlace(stage: Instance, launch: LaunchSpec, report: (diagnostic: Diagnostic) => void): void {
  const place = placeOf(stage);
  const [first, last] = [stage.clauses.on?.path[0], stage.clauses.on?.path.at(-1)];
  if (place === null || place.span === launch.cluster.span || first === undefined || last === undefined) return;
  if (place.kind.name !== "cluster" || place.abstract) return;
  const span = { ...first.span, end: last.span.end };
  const names = { stage: stage.name ?? "", asked: place.name ?? "", planned: launch.cluster.name };
  const before = /\s+on\s+$/.exec(span.source.text.slice(0, span.start))?.[0].length ?? 0;
  const edits = [{ span: { ...span, start: span.start - before }, newText: "" }];
  const away = { title: `remove \`on ${names.asked}\``, edits };
  const isDeclared = launch.span.start < launch.span.end;
  const details = isDeclared
    ? { fixes: [away], related: [{ message: `the launch of the run`, span: launch.span }] }
    : { fixes: [launchOn(names.asked, span.source), away] };
  report(stagePlace(span, names, details));
}

/** The launch that a file without one lacks, at its end. */
function launchOn(cluster: string, source: Source): Fix {
  const { length } = source.text;
  const newText = `${/[^\r\n]$/.test(source.text) ? "\n" : ""}launch on_${cluster.replaceAll(".", "_")} on ${cluster} { }\n`;
  return {
    title: `declare a launch on \`${cluster}\``,
    edits: [{ span: { source, start: length, end: length }, newText }],
  };
}
