/** Where a launch runs: its cluster, and what starts it. */
import { block, property, when, type Block, type Member } from "./draft.ts";
import { numeral, quoted, keyed } from "./literals.ts";
import { isSecret, isSecretText } from "./secrets.ts";
import { markedText, paramLines, quotedWithParams, variablesIn } from "./variables.ts";

export interface Place {
  readonly nodes: number;
  readonly perNode: number;
  /** Why the number of ranks is a guess. */
  readonly guessedSize: string | null;
  /** As it was said; `null` where nobody did. */
  readonly gpu: string | null;
  /** What is taken where nobody did. */
  readonly guess?: string;
  /** GiB that a device needs by the estimate, where no known one has them. */
  readonly least?: number;
  /** GiB that a node's host needs by the estimate, where the known one has less. */
  readonly ram?: number;
  readonly env: Readonly<Record<string, string>>;
  readonly target: Target;
}

export type Target =
  | { readonly kind: "local" }
  | {
      readonly kind: "slurm";
      readonly options: readonly string[];
      readonly raw: Readonly<Record<string, string | true>>;
    }
  | {
      readonly kind: "kubernetes";
      readonly namespace: string;
      readonly controller: "pytorchjob" | "job" | "volcano";
      readonly queue: string | null;
      readonly image: string | null;
      /** How often a failed run is started again; `null` where no number is said. */
      readonly retries: number | null;
      /** The controller's own count, where it is no whole number of such restarts. */
      readonly backoff: number | null;
      /** Further options of the target, as they are written. */
      readonly options: readonly string[];
      readonly mounts: readonly ImportedMount[];
      /** Variables from Secrets of the cluster, each by `name/key`. */
      readonly secrets: ReadonlyMap<string, string>;
      /** Why that number is not the manifest's. */
      readonly guess?: string;
    };

/** A volume of a pod, as a store. */
export interface ImportedMount {
  readonly name: string;
  readonly at: string;
  /** Where the volume is no larger. */
  readonly size: string | null;
  readonly path: string;
  readonly isRead: boolean;
}

export interface Placed {
  readonly blocks: readonly Block[];
  readonly names: readonly string[];
  /** Devices of `std/gpus`. */
  readonly gpus: readonly string[];
  readonly declarations: readonly string[];
}

interface Machine {
  readonly cluster: string;
  /** Its device, of `std/gpus`. */
  readonly gpu: string;
}

/** Clusters of `std/clusters` by the beginning of the name of their GPU; the first that fits. */
const known: readonly (readonly [RegExp, Machine])[] = [
  [/^h200/, { cluster: "dgx_h200", gpu: "h200" }],
  [/^h20(?!0)/, { cluster: "hgx_h20", gpu: "h20" }],
  [/^(?:h100|gh200|h800)/, { cluster: "dgx_h100", gpu: "h100_sxm" }],
  [/^g?b300/, { cluster: "dgx_b300", gpu: "b300" }],
  [/^g?b200/, { cluster: "dgx_b200", gpu: "b200" }],
  [/^a100.*40/, { cluster: "dgx_a100_40gb", gpu: "a100_40gb" }],
  [/^a[18]00/, { cluster: "dgx_a100", gpu: "a100_80gb" }],
  [/^mi300/, { cluster: "mi300x_node", gpu: "mi300x" }],
  [/^mi325/, { cluster: "mi325x_node", gpu: "mi325x" }],
  [/^mi355/, { cluster: "mi355x_node", gpu: "mi355x" }],
  [/^l40/, { cluster: "l40s_node", gpu: "l40s" }],
  [/^(?:rtx.?)?4090/, { cluster: "workstation", gpu: "rtx_4090" }],
  [/^(?:rtx.?)?5090/, { cluster: "workstation_5090", gpu: "rtx_5090" }],
];

const usual: Machine = { cluster: "dgx_h100", gpu: "h100_sxm" };

export function clusterOf(gpu: string | null): Machine & { readonly isKnown: boolean } {
  if (gpu === null) return { ...usual, isKnown: true };
  const plain = gpu.toLowerCase().replaceAll(/^(?:nvidia|tesla|amd)[ -]*|[ _-]/g, "");
  const found = known.find(([shape]) => shape.test(plain))?.[1];
  return { ...(found ?? usual), isKnown: found !== undefined };
}

/** The device of a launch that is too large for the one that it names. */
export const ownDevice = "gpu device";

export function placeBlocks({ nodes, perNode, guessedSize, gpu, guess, least, ram, env, target }: Place): Placed {
  const { cluster: name, gpu: model, isKnown } = clusterOf(gpu ?? guess ?? null);
  const why =
    gpu === null
      ? least === undefined
        ? "no file names the GPU; give it with `--gpu`"
        : "no file names the GPU, and by the estimate no usual one has enough memory; give it with `--gpu`"
      : isKnown
        ? undefined
        : `unknown GPU ${gpu}`;
  const each = name.startsWith("workstation") ? 1 : 8;
  const node = [
    ...when(perNode !== each, property("gpus", numeral(perNode), guessedSize ?? undefined)),
    ...when(
      ram !== undefined,
      property("ram", `${ram ?? 0} GiB`, "no file says what a host has, and by the estimate it needs as much"),
    ),
  ];
  const cluster = block(
    `cluster pod extends ${name}`,
    [
      ...when(least !== undefined, property("gpu", "device")),
      property("nodes", numeral(nodes), guessedSize ?? undefined),
      ...(node.length === 0 ? [] : [block("node", node)]),
    ],
    why === undefined ? undefined : `Guessed: ${why}.`,
  );
  const { members, declarations } = environment(env, target.kind === "kubernetes" ? target.secrets : new Map());
  const image = target.kind === "kubernetes" ? markedText(target.image ?? "") : "";
  const mounts = target.kind === "kubernetes" ? target.mounts : [];
  const stores = mounts.map(({ name, at, size, path, isRead }) =>
    block(`store ${name}`, [
      property("at", quoted(at)),
      ...when(size !== null, property("size", size ?? "")),
      property("mount", quoted(path)),
      ...when(isRead, property("access", "read")),
    ]),
  );
  const launch = block("launch here on pod", [
    // A machine alone reaches no others: what starts such scripts on each of them is mostly Slurm.
    target.kind === "local" && nodes > 1
      ? property("target", "slurm(requeue = false)", `no file tells how to reach ${nodes} nodes`)
      : property("target", targetText(target), target.kind === "kubernetes" ? target.guess : undefined),
    ...when(image !== "", property("image", quotedWithParams(image))),
    ...when(mounts.length > 0, property("mounts", `[${mounts.map((mount) => mount.name).join(", ")}]`)),
    ...(members.length === 0 ? [] : [block("env", members)]),
    ...rawOf(target),
  ]);
  const larger =
    gpu === null
      ? undefined
      : `by the estimate a rank needs as much, which ${gpu} does not have: whether it fits is not checked`;
  const device = block(`${ownDevice} extends ${model}`, [property("memory", `${least ?? 0} GiB`, larger)]);
  const own = least === undefined ? [] : [device];
  return {
    blocks: [...own, ...stores, cluster, launch],
    names: [name],
    gpus: least === undefined ? [] : [model],
    declarations: [...paramLines(variablesIn(image)), ...declarations],
  };
}

function targetText(target: Target): string {
  if (target.kind === "kubernetes") {
    const { namespace, controller, queue, retries, backoff, options } = target;
    const words = [
      ...(queue === null ? [] : [`queue = ${quoted(queue)}`]),
      ...(retries === null ? [] : [`retries = ${retries}`]),
      ...(backoff === null ? [] : [`backoff = ${backoff}`]),
    ];
    const made = words.length === 0 ? controller : `${controller}(${words.join(", ")})`;
    return `kubernetes(${[`namespace = ${quoted(namespace)}`, `controller = ${made}`, ...options].join(", ")})`;
  }
  if (target.kind === "local" || target.options.length === 0) return target.kind;
  return `${target.kind}(${target.options.join(", ")})`;
}

function rawOf(target: Target): readonly Block[] {
  if (target.kind !== "slurm") return [];
  const members = Object.entries(target.raw).map(([name, value]) =>
    property(keyed(name), value === true ? "true" : /^\d+$/.test(value) ? value : quoted(value)),
  );
  return members.length === 0 ? [] : [block("raw sbatch", members)];
}

/** What a launcher tells each rank, and what Slurm sets. */
const ownedNames =
  /^(?:RANK|WORLD_SIZE|LOCAL_RANK|LOCAL_WORLD_SIZE|MASTER_ADDR|MASTER_PORT|NODE_RANK|PET_.*|SLURM_.*|PATH|HOME|PWD)$/;

export const isOwned = (name: string): boolean => ownedNames.test(name);

function environment(
  env: Place["env"],
  references: ReadonlyMap<string, string>,
): {
  readonly members: readonly Member[];
  readonly declarations: readonly string[];
} {
  const declarations: string[] = [];
  const members = Object.entries(env).flatMap(([name, value]): Member[] => {
    if (isOwned(name) || !/^[A-Za-z_]\w*$/.test(name)) return [];
    const reference = references.get(name);
    if (reference !== undefined || isSecret(name, value) || isSecretText(value)) {
      const secret = name.toLowerCase();
      const from = reference === undefined ? `env(${quoted(name)})` : `kubernetes(${quoted(reference)})`;
      declarations.push(`secret ${secret} = ${from}`);
      return [property(name, secret)];
    }
    return [property(name, /^(?:0|[1-9]\d{0,8})$/.test(value) ? value : quoted(value))];
  });
  return { members, declarations };
}
