/** What becomes of checkpoints: services that start nothing or stand in each other's way, adapters that are
 * merged where there are none, samples that are longer than a model reads. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { replacement } from "../../../dsl/diagnostics/suggest.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import type { Span } from "../../../dsl/source/source.ts";
import { adaptersMissing, serviceIdle, servicePort } from "../../diagnostics/artefacts.ts";
import type { LaunchSpec } from "../../pipeline.ts";
import { blockAt, boolOf, choiceAt, numberAt, valued } from "../resolve/read.ts";
import { sampling } from "./sampling.ts";

export function products(made: readonly Instance[], target: LaunchSpec["target"]): Diagnostic[] {
  const services = made.filter(({ kind }) => kind.name === "service");
  return [
    ...services.flatMap(idle),
    ...ports(services, target),
    ...made.filter(({ kind }) => kind.name === "export").flatMap(unmerged),
    ...made.filter(({ kind }) => kind.name === "sample").flatMap(sampling),
  ];
}

/** Each pod has ports of its own, and several nodes leave room for several services. */
function ports(services: readonly Instance[], target: LaunchSpec["target"]): Diagnostic[] {
  const taken = new Map<string, Instance>();
  return services.flatMap((service) => {
    const port = numberAt(service, "port");
    const place = placeOf(service);
    const isAlone = place === null ? target.kind !== "kubernetes" : isOneMachine(place);
    if (port === null || !isAlone) return [];
    const key = `${place?.name ?? ""}:${port}`;
    const other = taken.get(key);
    if (other === undefined) taken.set(key, service);
    if (other === undefined) return [];
    const slots = { service: service.name ?? "", other: other.name ?? "", port };
    const related = [{ message: "the other service", span: other.span }];
    return [servicePort(said(service), slots, { related })];
  });
}

/** Where the port is written; the name of a service that says none. */
function said(service: Instance): Span {
  const { span, origin } = valued(service, "port");
  return origin.kind === "default" ? service.span : span;
}

function placeOf({ clauses: { on }, context }: Instance): Instance | null {
  const symbol = on === null ? null : context.resolve(on.path, on.module);
  return symbol === null ? null : context.instanceOf(symbol);
}

function isOneMachine(place: Instance): boolean {
  if (place.kind.name === "cluster") return (numberAt(place, "nodes") ?? 1) === 1;
  const cluster = placeOf(place);
  return choiceAt(place, "target")?.name !== "kubernetes" && (cluster === null || isOneMachine(cluster));
}

function idle(service: Instance): Diagnostic[] {
  const says = (name: string): boolean => valued(service, name).value.kind !== "none";
  const slots = (why: string) => ({ service: service.name ?? "", why });
  if (!says("model") && !says("command"))
    return [serviceIdle(service.span, slots("starts nothing: it has neither `model` nor `command`"))];
  if (!says("command") || !says("engine")) return [];
  const related = [{ message: "the command", span: valued(service, "command").span }];
  const why = slots("starts its command, so its `engine` has no effect");
  return [serviceIdle(valued(service, "engine").span, why, { related, fix: "Remove one of the two." })];
}

function unmerged(block: Instance): Diagnostic[] {
  const merge = choiceAt(block, "format")?.arguments.get("merge_adapters");
  const { value } = valued(block, "model");
  if (merge === undefined || boolOf(merge.value) !== true || value.kind !== "handle") return [];
  const stage = value.block;
  if (stage.kind.name !== "stage" || hasAdapters(stage)) return [];
  const slots = { what: "`merge_adapters = true`", stage: stage.name ?? "stage" };
  const related = [{ message: "the stage", span: stage.span }];
  return [adaptersMissing(merge.span, slots, { related, fixes: [replacement(merge.span, "false")] })];
}

/** A stage's own, its model's, or those of the stage whose weights it goes on from. */
function hasAdapters(stage: Instance, seen: readonly Instance[] = []): boolean {
  const says = (block: Instance | null): boolean =>
    block !== null && !/^(none|unknown)$/.test(valued(block, "adapters").value.kind);
  const { value: from } = valued(stage, "from");
  return (
    says(stage) ||
    says(blockAt(stage, "model")) ||
    (from.kind === "handle" && !seen.includes(stage) && hasAdapters(from.block, [...seen, stage]))
  );
}
