/** LLaMA-Factory's description of its datasets, where it lies beside the files (llamafactory/data/parser.py: get_dataset_list). */
import type { Launch } from "../launch.ts";
import { textIn, type Settings, type Told } from "../settings.ts";

export type Described = Readonly<Record<string, unknown>>;

export const isDescribed = (value: unknown): value is Described =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The folder of the description; `null` where it is none of these machines, or nobody knows it. */
export function datasetFolder(settings: Settings): string | null {
  const folder = textIn(settings, "dataset_dir") ?? "data";
  const isElsewhere = folder === "ONLINE" || folder.startsWith("REMOTE:");
  return isElsewhere || settings.get("dataset_dir")?.known === false ? null : folder.replace(/\/+$/, "");
}

/** The description of all datasets; `null` where nobody can look, or it lies elsewhere. */
export function datasetInfo(launch: Launch, settings: Settings, from: Told): Described | null {
  const folder = datasetFolder(settings);
  const source = folder === null ? undefined : launch.beside.text(`${folder}/dataset_info.json`, from.span.source);
  if (source === undefined) return null;
  try {
    const root: unknown = JSON.parse(source.text);
    return isDescribed(root) ? root : null;
  } catch {
    return null;
  }
}
