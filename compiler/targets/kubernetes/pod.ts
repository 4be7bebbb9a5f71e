/** The pod of one node of a step. */
import { isTraining, type Bundle, type StepRun } from "../../bundle/steps.ts";
import type { KubernetesOptions, LaunchSpec } from "../../pipeline.ts";
import { keyOf } from "./config-maps.ts";
import { environmentOf, verbatim, type Variable } from "./environment.ts";
import { volumesOf } from "./mounts.ts";
import { labelsOf } from "./names.ts";
import { some } from "./object.ts";
import { byteQuantity } from "./quantity.ts";
import { tokensOf } from "./tokens.ts";
import { tolerationsOf } from "./tolerations.ts";

/** A step with all that its objects are made of. */
export interface PodWork {
  readonly step: StepRun;
  readonly bundle: Bundle;
  readonly launch: LaunchSpec;
  readonly options: KubernetesOptions;
  /** The volume of the bundle's files. */
  readonly files: Readonly<Record<string, unknown>>;
}

export interface Role {
  /** Its container, which some controllers know by name. */
  readonly container: string;
  readonly isHead: boolean;
  /** What tells the pod which it is, and where the first one listens. */
  readonly variables: readonly Variable[];
  readonly ports?: readonly object[];
  readonly restartPolicy?: "Never" | "OnFailure";
}

export const bundleFolder = "/cdr/bundle";
export const nodeScript = "kubernetes/node.sh";

export function podTemplate(work: PodWork, role: Role): object {
  const { step, options, files } = work;
  const hasDevices = step.device === "gpu";
  const mounts = volumesOf(options);
  const shm = { name: "shm", emptyDir: { medium: "Memory", sizeLimit: byteQuantity(options.shm) } };
  return {
    metadata: {
      labels: labelsOf(step.name),
      // Behind a mesh's proxy only declared ports get through, and collectives use others.
      annotations: { "sidecar.istio.io/inject": "false" },
    },
    spec: {
      restartPolicy: role.restartPolicy,
      terminationGracePeriodSeconds: Math.ceil(options.grace),
      priorityClassName: options.priority ?? undefined,
      nodeSelector: hasDevices ? selectorOf(options.selector) : undefined,
      tolerations: some(tolerationsOf(options, hasDevices, role.isHead)),
      containers: [containerOf(work, role)],
      volumes: [
        { name: "bundle", ...files },
        ...(options.shm > 0 ? [shm] : []),
        ...mounts.map(({ volume }) => volume),
      ],
    },
  };
}

function containerOf({ step, bundle, launch, options }: PodWork, role: Role): object {
  const config = bundle.files.find(({ path }) => path === step.config)?.text ?? "{}";
  const isAlone = step.nodes === 1;
  return {
    name: role.container,
    image: options.image,
    command: ["bash", `${bundleFolder}/${keyOf(nodeScript)}`],
    args: argumentsOf(step, bundle).map(verbatim),
    env: some([
      ...environmentOf(launch, tokensOf(config)),
      ...(isAlone ? [] : [...role.variables, { name: "CDR_READY", value: String(Math.ceil(options.ready)) }]),
    ]),
    ports: isAlone ? undefined : role.ports,
    resources: resourcesOf(step, options),
    securityContext: rdmaOf(step, options) === null ? undefined : { capabilities: { add: ["IPC_LOCK"] } },
    volumeMounts: [
      { name: "bundle", mountPath: bundleFolder, readOnly: true },
      ...(options.shm > 0 ? [{ name: "shm", mountPath: "/dev/shm" }] : []),
      ...volumesOf(options).map(({ volume, at }) => ({ name: volume["name"], ...at })),
    ],
  };
}

/** STEP ROOT PROGRAM CONFIG NODES PROCESSES, and four words for each input: its name, and of its step the root, the name and what of it. */
function argumentsOf({ name, root, program, config, nodes, processes, inputs }: StepRun, bundle: Bundle): string[] {
  const rootOf = (step: string): string => bundle.steps.find((each) => each.name === step)?.root ?? root;
  const words = inputs.flatMap((input) => [input.name, rootOf(input.step), input.step, input.which]);
  return [name, root, program, config, String(nodes), String(processes), ...words];
}

/** What a file asks of a node is for the step that trains; the others get by with what there is. */
function resourcesOf(step: StepRun, options: KubernetesOptions): object {
  const rdma = rdmaOf(step, options);
  const isLarge = isTraining(step);
  const memory = isLarge && options.memory !== null ? { memory: byteQuantity(options.memory) } : {};
  const cpu = isLarge && options.cpu !== null ? { cpu: String(options.cpu) } : {};
  const devices = {
    ...(step.device === "gpu" ? { [options.devices]: String(step.processes) } : {}),
    ...(rdma === null ? {} : { [rdma.resource]: String(rdma.count) }),
  };
  return { requests: said({ ...cpu, ...memory, ...devices }), limits: said({ ...memory, ...devices }) };
}

const said = (group: Readonly<Record<string, string>>): typeof group | undefined =>
  Object.keys(group).length === 0 ? undefined : group;

const rdmaOf = (step: StepRun, { rdma }: KubernetesOptions): KubernetesOptions["rdma"] =>
  step.device === "gpu" ? rdma : null;

/** `key=value`, several of them separated by commas. */
export function selectorOf(selector: string | null): Readonly<Record<string, string>> | undefined {
  if (selector === null) return undefined;
  return Object.fromEntries(selector.split(",").map((label) => label.split("=", 2)));
}
