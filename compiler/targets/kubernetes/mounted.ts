/** Places of stores as the folders where pods have them. */
import type { BundleFile, StepRun } from "../../bundle/steps.ts";
import type { LaunchSpec, Mount } from "../../pipeline.ts";
import { sourceOf } from "./mounts.ts";

interface Lowered {
  readonly run: StepRun;
  readonly files: readonly BundleFile[];
}

/** A step whose files and root name what the launch mounts by its place; other launches see it as it is. */
export function inPods(lowered: Lowered, { target }: Pick<LaunchSpec, "target">): Lowered {
  if (target.kind !== "kubernetes" || target.mounts.length === 0) return lowered;
  const { run, files } = lowered;
  const isData = ({ path, text }: BundleFile): boolean => path.endsWith(".json") && text.includes("://");
  return {
    run: { ...run, root: folderIn(run.root, target.mounts) },
    files: files.map((file) => (isData(file) ? { ...file, text: rewritten(file.text, target.mounts) } : file)),
  };
}

const mountOf = (place: string, mounts: readonly Mount[]): Mount | undefined =>
  mounts.find(({ at }) => place === at || place.startsWith(`${at}/`));

/** Can pods have the place as a folder of what the launch mounts? */
export function isMounted(place: string, { target }: Pick<LaunchSpec, "target">): boolean {
  const mount = target.kind === "kubernetes" ? mountOf(place, target.mounts) : undefined;
  return mount !== undefined && sourceOf(mount) !== null;
}

/** The folder in a pod; what no store holds stays as it is. */
export function folderIn(place: string, mounts: readonly Mount[]): string {
  const mount = mountOf(place, mounts);
  return mount?.path == null ? place : `${mount.path.replace(/\/+$/, "")}${place.slice(mount.at.length)}`;
}

function rewritten(text: string, mounts: readonly Mount[]): string {
  const document: unknown = JSON.parse(text, (_, value: unknown) =>
    typeof value === "string" ? folderIn(value, mounts) : value,
  );
  return `${JSON.stringify(document, null, 2)}\n`;
}
