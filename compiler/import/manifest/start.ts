/** What makes the pods of the written file, and how often it starts them again. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Span } from "../../../dsl/source/source.ts";
import { importLeftOut } from "../../diagnostics/import.ts";
import { at, itemsOf, scalarOf, type Located } from "../../foreign/documents/located.ts";
import { restartsOf } from "../../foreign/kubernetes/restarts.ts";
import { retriesOf } from "../../targets/kubernetes/restarts.ts";
import type { Target } from "../place.ts";
import { carried, type Carried } from "./carried.ts";
import type { Pod } from "./pods.ts";

type Start = Pick<Extract<Target, { readonly kind: "kubernetes" }>, "controller" | "queue" | "retries" | "backoff">;

const names = {
  pytorchjob: "a PyTorchJob (`controller = pytorchjob`)",
  job: "a Job (`controller = job`)",
  volcano: "a Volcano Job (`controller = volcano`)",
} as const;

export function startOf(root: Located, pod: Pod): Carried<Start> & { readonly left: readonly Diagnostic[] } {
  const kind = String(scalarOf(at(root, "kind")) ?? "");
  const isVolcano = String(scalarOf(at(root, "apiVersion")) ?? "").startsWith("batch.volcano");
  const label = at(root, "metadata", "labels", "kueue.x-k8s.io/queue-name") ?? at(root, "spec", "queue");
  const named = scalarOf(label);
  const isNamed = named !== undefined && named !== null && (kind !== "Job" || isVolcano);
  const controller = isVolcano ? "volcano" : kind === "PyTorchJob" || isNamed ? "pytorchjob" : "job";
  const most = restartsOf(root)?.most ?? null;
  // A JobSet starts all of its pods again.
  const isCounted = controller !== "volcano" && kind !== "JobSet";
  const retries =
    most !== null && isCounted ? retriesOf(controller as "job" | "pytorchjob", most, pod.nodes ?? 1) : most;
  const isOwn = kind === "PyTorchJob" || kind === "Job";
  const left = isOwn
    ? []
    : [importLeftOut(kindSpan(root), { what: `the ${kind}`, why: `the pods are made by ${names[controller]}` })];
  return {
    ...carried(
      {
        controller,
        queue: isNamed || isVolcano ? String(named ?? "default") : null,
        retries,
        backoff: retries === null ? most : null,
      },
      ...(isNamed ? [label] : []),
      ...restartsIn(root, pod, most),
      ...(isVolcano ? volcanoIn(root, pod) : []),
      ...(kind === "JobSet"
        ? ["enableDNSHostnames", "publishNotReadyAddresses"].map((name) => at(root, "spec", "network", name))
        : []),
    ),
    left,
  };
}

export const kindSpan = (root: Located): Span => at(root, "kind")?.span ?? root.span;

/** Restarts of the written file that are not those of the manifest. */
export function restartsLeft(span: Span, target: Target): readonly Diagnostic[] {
  if (target.kind !== "kubernetes") return [];
  const what = "how often a failed run is started again";
  if (target.guess !== undefined) return [importLeftOut(span, { what, why: target.guess })];
  return target.retries === null && target.backoff === null
    ? [importLeftOut(span, { what, why: "the manifest gives no number, and the written file allows 3 restarts" })]
    : [];
}

/** Where the manifest says it as the compiled one will. */
function restartsIn(root: Located, { roles }: Pod, most: number | null): readonly (Located | undefined)[] {
  const kind = scalarOf(at(root, "kind"));
  const spec = at(root, "spec");
  const ofReplicas = roles.map(({ owner }) => at(owner, "restartPolicy"));
  const ofPods = roles.map(({ template }) => at(template ?? undefined, "spec", "restartPolicy"));
  const again = most === 0 ? "Never" : "OnFailure";
  return [
    at(spec, "runPolicy", "backoffLimit"),
    at(spec, "backoffLimit"),
    at(spec, "maxRetry"),
    at(spec, "failurePolicy", "maxRestarts"),
    ...roles.map(({ owner }) => at(owner, "template", "spec", "backoffLimit")),
    ...ofReplicas.filter((policy) => scalarOf(policy) === again),
    // The operator puts the replica's in its place.
    ...(kind === "PyTorchJob" ? ofPods : ofPods.filter((policy) => scalarOf(policy) === "Never")),
    ...[at(spec, "runPolicy", "cleanPodPolicy")].filter((policy) => scalarOf(policy) === "None"),
    ...[
      at(spec, "completionMode"),
      ...roles.map(({ owner }) => at(owner, "template", "spec", "completionMode")),
    ].filter((mode) => scalarOf(mode) === "Indexed"),
  ];
}

/** Ranks and where they meet are the plugins' that the file is compiled with, and so is what ends the job. */
function volcanoIn(root: Located, { roles }: Pod): readonly (Located | undefined)[] {
  const spec = at(root, "spec");
  const policies = [spec, ...roles.map(({ owner }) => owner)].flatMap((owner) => itemsOf(at(owner, "policies")));
  const usual = new Set([
    "PodFailed RestartJob",
    "PodEvicted RestartJob",
    "PodFailed AbortJob",
    "TaskCompleted CompleteJob",
  ]);
  return [
    ...["svc", "env", "pytorch"].map((name) => at(spec, "plugins", name)),
    ...[at(spec, "schedulerName")].filter((name) => scalarOf(name) === "volcano"),
    ...policies.filter((each) =>
      usual.has(`${String(scalarOf(at(each, "event")))} ${String(scalarOf(at(each, "action")))}`),
    ),
  ];
}
