/** The GPU that a launch's own files name: in Slurm's options, in a manifest's choice of nodes, in a task of SkyPilot. */
import { gpuNamed } from "./gpus.ts";
import type { Document, ScriptFile } from "../launch.ts";
import { at, itemsOf, scalarOf, type Located } from "../documents/located.ts";
import type { Settings } from "../settings.ts";
import { accelerator } from "../commands/sky.ts";

/** `gpu:v100:8`, and for the options that speak of nothing else `v100:8`. */
const requests = ["gres", "gpus", "gpus_per_node", "gpus_per_task", "gpus_per_socket"];

function ofJob(settings: Settings): readonly string[] {
  const asked = requests.flatMap((name) => {
    const told = settings.get(name);
    if (told === undefined || !told.known) return [];
    const text = String(told.value);
    return [
      ...text.matchAll(
        name === "gres" ? /(?:^|,)(?:gres\/)?gpu:([A-Za-z][\w.-]*)/g : /(?:^|,)([A-Za-z][\w.-]*)(?=:|$)/g,
      ),
    ];
  });
  // A feature of the site; one of several would leave it open.
  const feature = settings.get("constraint");
  const named = feature?.known === true && /^[\w-]+$/.test(String(feature.value)) ? [String(feature.value)] : [];
  return [...asked.map(([, name = ""]) => name), ...named];
}

/** Labels of nodes that say which GPU they have. */
const labels = [
  "nvidia.com/gpu.product",
  "cloud.google.com/gke-accelerator",
  "node.kubernetes.io/instance-type",
  "beta.kubernetes.io/instance-type",
];

function ofManifest(node: Located): readonly string[] {
  if (node.kind === "list") return itemsOf(node).flatMap(ofManifest);
  if (node.kind !== "map") return [];
  const chosen = labels.flatMap((label) => {
    const value = scalarOf(at(node, "nodeSelector", label));
    return typeof value === "string" ? [value] : [];
  });
  return [...chosen, ...node.entries.flatMap(({ value }) => ofManifest(value))];
}

/** One name, where all that is said names the same GPU. */
export function namedGpu(documents: readonly Document[], scripts: readonly ScriptFile[]): string | null {
  const tasks = documents.flatMap(({ kind, root }) => (kind === "skypilot" ? [accelerator(root)?.name ?? null] : []));
  const names = [
    ...scripts.flatMap(({ directives }) => ofJob(directives)),
    ...documents.flatMap(({ kind, root }) => (kind === "kubernetes" ? ofManifest(root) : [])),
  ].flatMap((name) => gpuNamed(name) ?? []);
  const [first, ...others] = [...tasks, ...names];
  return first === undefined || others.some((each) => each?.toLowerCase() !== first?.toLowerCase()) ? null : first;
}
