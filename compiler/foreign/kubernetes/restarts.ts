/** Does Kubernetes start the pods of a training again after a failure? */
import { at, entryOf, itemsOf, numberAt, scalarOf, type Located } from "../documents/located.ts";
import type { Span } from "../../../dsl/source/source.ts";

export interface Restarts {
  /** How often at most; `null` where no number is said. */
  readonly most: number | null;
  /** What says that, where something does. */
  readonly span: Span | null;
}

/**
 * `null` where nobody says: a TrainJob's runtime decides. Sources: training-operator pkg/apis/kubeflow.org/v1/pytorch_defaults.go
 * (restartPolicy OnFailure); batch/v1 JobSpec (backoffLimit 6); jobset.x-k8s.io/v1alpha2 FailurePolicy (maxRestarts 0).
 */
export function restartsOf(root: Located): Restarts | null {
  const spec = at(root, "spec");
  if (spec?.kind !== "map") return null;
  switch (scalarOf(at(root, "kind"))) {
    case "PyTorchJob": {
      const replicas = at(spec, "pytorchReplicaSpecs");
      const roles = replicas?.kind === "map" ? replicas.entries.map(({ value }) => value) : [];
      const policies = roles.map((role) => at(role, "restartPolicy"));
      if (policies.length > 0 && policies.every((policy) => scalarOf(policy) === "Never"))
        return { most: 0, span: policies[0]?.span ?? null };
      const limit = at(spec, "runPolicy", "backoffLimit") ?? at(spec, "backoffLimit");
      const policy = policies.find((each) => each !== undefined && scalarOf(each) !== "Never");
      return { most: numberAt(limit), span: limit?.span ?? policy?.span ?? null };
    }
    case "Job":
      return String(scalarOf(at(root, "apiVersion"))).startsWith("batch.volcano")
        ? ofVolcano(spec)
        : limited(spec, 6);
    case "JobSet": {
      const jobs = itemsOf(at(spec, "replicatedJobs")).map((each) => limited(at(each, "template", "spec"), 6));
      const again = at(spec, "failurePolicy", "maxRestarts");
      const most = (numberAt(again) ?? 0) + Math.max(0, ...jobs.map((job) => job.most ?? 0));
      return { most, span: again?.span ?? jobs.find((job) => job.most !== 0)?.span ?? null };
    }
    default:
      return null;
  }
}

/** Volcano restarts a job where a policy says so, and gives up at the `maxRetry`th time, by default the third. */
function ofVolcano(spec: Located): Restarts {
  const action = itemsOf(at(spec, "policies")).map((policy) => at(policy, "action"));
  const restart = action.find((each) => scalarOf(each) === "RestartJob");
  const most = at(spec, "maxRetry");
  return restart === undefined
    ? { most: 0, span: null }
    : { most: Math.max(0, (numberAt(most) ?? 3) - 1), span: most?.span ?? restart.span };
}

function limited(spec: Located | undefined, otherwise: number): Restarts {
  const entry = spec?.kind === "map" ? entryOf(spec, "backoffLimit") : undefined;
  return entry === undefined
    ? { most: otherwise, span: null }
    : { most: numberAt(entry.value), span: entry.value.span };
}
