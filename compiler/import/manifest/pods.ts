/** The pods of a manifest that train, as the written file says them: all alike. */
import { at, itemsOf, scalarOf, type Located } from "../../foreign/documents/located.ts";
import { gpusOfPod, trainingPods, type Pods } from "../../foreign/kubernetes/pods.ts";

export interface Pod {
  /** `null` where the cluster decides how many there are. */
  readonly nodes: number | null;
  readonly gpus: number | null;
  /** Of a TrainJob, what it says of the pods of its runtime, if it says something. */
  readonly spec: Located | undefined;
  /** Whether that is all of it: what it does not say is Kubernetes' default. */
  readonly isWhole: boolean;
  readonly container: Located;
  /** What has its mounts. */
  readonly mounting: Located | undefined;
  /** The roles: the first stands for all of them. */
  readonly roles: readonly Pods[];
}

export function podIn(root: Located): Pod | null {
  const roles = trainingPods(root);
  const [first] = roles;
  const container = first?.containers.find((each) => gpusIn(first, each)) ?? first?.containers[0];
  if (first === undefined || container === undefined) return null;
  const isCounted = roles.every(({ count }) => count !== null);
  const processes = Number(scalarOf(at(container, "numProcPerNode")));
  return {
    nodes: isCounted ? roles.reduce((sum, { count }) => sum + (count ?? 0), 0) : null,
    gpus: gpusOfPod(first)?.count ?? (Number.isInteger(processes) && processes > 0 ? processes : null),
    ...(first.template === null
      ? ofRuntime(root)
      : { spec: at(first.template, "spec"), isWhole: true, mounting: container }),
    container,
    roles,
  };
}

const gpusIn = (pods: Pods, container: Located): boolean => gpusOfPod({ ...pods, containers: [container] }) !== null;

/** What a TrainJob sets of the pods of its trainer, which runtimes call `node`. */
function ofRuntime(root: Located): Pick<Pod, "spec" | "isWhole" | "mounting"> {
  const overrides = ["podTemplateOverrides", "podSpecOverrides"].flatMap((name) => itemsOf(at(root, "spec", name)));
  const own = overrides.filter((each) => itemsOf(at(each, "targetJobs")).some(isNode));
  const [only] = own;
  const spec = own.length === 1 ? (at(only, "spec") ?? only) : undefined;
  return { spec, isWhole: false, mounting: itemsOf(at(spec, "containers")).find(isNode) };
}

const isNode = (each: Located): boolean => scalarOf(at(each, "name")) === "node";
