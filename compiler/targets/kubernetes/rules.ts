/** What Kubernetes would refuse of a launch, or never start. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Span } from "../../../dsl/source/source.ts";
import { number, showNumber } from "../../../dsl/types/value.ts";
import * as say from "../../diagnostics/pods.ts";
import type { KubernetesOptions, Pipeline } from "../../pipeline.ts";
import { checkMounts } from "./mount-rules.ts";
import { checkNames } from "./name-rules.ts";
import { has } from "./releases.ts";
import { checkSelector } from "./selector-rules.ts";

/** Where an option was written; the launch's own place where it was not. */
export type SpanOf = (option: string) => Span;

export function checkKubernetes({ launch, steps }: Pipeline, spanOf: SpanOf): Diagnostic[] {
  const { target: options } = launch;
  if (options.kind !== "kubernetes") return [];
  return [
    ...(options.image !== null || launch.spans.has("image")
      ? []
      : [say.podImage(launch.span, { launch: launch.name })]),
    ...checkNames(steps, launch, options, spanOf),
    ...checkSelector(options.selector, spanOf),
    ...checkMounts({ launch, steps }, options),
    ...checkResources(launch, options, spanOf),
    ...checkSecrets(launch, spanOf),
    ...checkController(launch, options, spanOf),
  ];
}

function checkResources({ cluster }: Pipeline["launch"], options: KubernetesOptions, spanOf: SpanOf): Diagnostic[] {
  const { cpu, memory, shm } = options;
  const bytes = (amount: number): string => showNumber(number(amount, { byte: 1 }));
  const found: Diagnostic[] = [];
  if (cpu !== null && cluster.cores !== null && cpu > cluster.cores) {
    const why = `is more than the ${cluster.cores} cores of a node`;
    found.push(say.podResources(spanOf("cpu"), { property: "cpu", asked: String(cpu), why }));
  }
  if (memory !== null && cluster.ram !== null && memory > cluster.ram) {
    const why = `is more than the ${bytes(cluster.ram)} of a node`;
    found.push(say.podResources(spanOf("memory"), { property: "memory", asked: bytes(memory), why }));
  }
  const most = memory ?? cluster.ram;
  if (most !== null && shm > most) {
    const why = `is more than the ${bytes(most)} of ${memory === null ? "a node" : "the pod"}`;
    found.push(say.podResources(spanOf("shm"), { property: "shm", asked: bytes(shm), why }));
  }
  return found;
}

function checkSecrets({ env }: Pipeline["launch"], spanOf: SpanOf): Diagnostic[] {
  return Object.entries(env).flatMap(([name, value]): Diagnostic[] => {
    if (typeof value === "string" || value.from === undefined) return [];
    const { kind, at } = value.from;
    const isReference = kind === "kubernetes" && /^[a-z0-9][-a-z0-9.]*\/[-._a-zA-Z0-9]+$/.test(at);
    const why = kind === "kubernetes" ? `"${at}" is not \`name/key\`` : `a pod has no file ${at}`;
    return isReference ? [] : [say.podSecret(spanOf(`env.${name}`), { name, why })];
  });
}

function checkController(
  { cluster }: Pipeline["launch"],
  { controller, spot, version, time }: KubernetesOptions,
  spanOf: SpanOf,
): Diagnostic[] {
  const isGroup = cluster.nodes > 1;
  const found: Diagnostic[] = [];
  if (controller === "job" && spot === "workers" && isGroup) {
    const why = "needs a controller that tells the first pod from the others: `pytorchjob` or `volcano`";
    found.push(say.podController(spanOf("spot"), { what: "`spot = workers`", why }));
  }
  if (controller === "job" && isGroup && !has(version, "indexed")) {
    const why = "on several nodes needs Kubernetes 1.22, which numbers the pods of a Job";
    found.push(say.podController(spanOf("version"), { what: "`controller = job`", why }));
  }
  if (controller === "volcano" && time !== null) {
    const why = "has no place in a Volcano Job, which has no time limit";
    found.push(say.podController(spanOf("time"), { what: "`time`", why }));
  }
  return found;
}
