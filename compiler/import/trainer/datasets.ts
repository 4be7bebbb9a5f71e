/** The data sets of a training, under the names that programs give them. */
import { documentsOf, type Launch } from "../../foreign/launch.ts";
import { datasetFolder, datasetInfo, isDescribed } from "../../foreign/documents/dataset-info.ts";
import { at, itemsOf, scalarOf, type Located } from "../../foreign/documents/located.ts";
import { textIn, toldIn, type Settings, type Told } from "../../foreign/settings.ts";
import type { Fact } from "./answers.ts";
import { isLlamaFactory } from "./programs.ts";
import { namedPlace, writtenPlace, type NamedPlace } from "./named-place.ts";

/** Places as `from` says them. */
export function datasetsOf(launch: Launch, settings: Settings): readonly Fact<string>[] {
  const listed = documentsOf(launch, "axolotl").flatMap(({ root, source }) =>
    itemsOf(at(root, "datasets")).flatMap((item) => axolotlPlaces(item, (name) => namedPlace(name, launch.beside, source))),
  );
  if (listed.length > 0) return listed;
  const told = toldIn(settings, "dataset_name", "dataset", ...files, "train_data", "data_path");
  if (told === undefined || told.value === null) return [];
  const isFile = files.some((name) => settings.get(name) === told);
  const names = String(told.value)
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  if (isLlamaFactory(launch, settings))
    return names.map((name) => describedPlace(launch, settings, told, name));
  const subset = textIn(settings, "dataset_config_name", "dataset_config");
  return names.map((name) =>
    isFile ? { value: name } : placeFact(namedPlace(name, launch.beside, told.span.source), subset),
  );
}

const placeFact = (place: NamedPlace, subset: string | null): Fact<string> => ({
  value: writtenPlace(place, subset),
  ...(place.guessed === undefined ? {} : { guessed: place.guessed }),
});

/** Options that take files and nothing else. */
const files = ["train_file", "train_files"];

/** Loaders of `datasets`, which stand where a name would: the files are beside them. */
const loaders: ReadonlySet<unknown> = new Set(["json", "csv", "parquet", "arrow", "text"]);

/** axolotl/utils/data/shared.py: load_dataset_with_config. */
function axolotlPlaces(item: Located, placed: (name: string) => NamedPlace): readonly Fact<string>[] {
  const path = scalarOf(at(item, "path"));
  if (loaders.has(path)) {
    const given = at(item, "data_files");
    return (given?.kind === "list" ? itemsOf(given) : [given]).flatMap((each) => {
      const file = scalarOf(each);
      return typeof file === "string" ? [{ value: file }] : [];
    });
  }
  const subset = scalarOf(at(item, "name"));
  return typeof path === "string" ? [placeFact(placed(path), typeof subset === "string" ? subset : null)] : [];
}

/** A name of LLaMA-Factory's is one of its description, no place. */
function describedPlace(launch: Launch, settings: Settings, told: Told, name: string): Fact<string> {
  if (textIn(settings, "dataset_dir") === "ONLINE") return { value: `hf://${name}` };
  const all = datasetInfo(launch, settings, told);
  const one = all !== null && Object.hasOwn(all, name) ? all[name] : undefined;
  if (isDescribed(one)) {
    const { file_name: file, hf_hub_url: hub, subset } = one;
    if (typeof hub === "string")
      return { value: writtenPlace({ name: hub, isHub: true }, typeof subset === "string" ? subset : null) };
    if (typeof file === "string")
      return { value: file.startsWith("/") ? file : `${datasetFolder(settings) ?? "."}/${file}` };
  }
  return {
    value: name,
    guessed: all === null ? "dataset_info.json says where it is, and is not here" : "dataset_info.json names no file of it",
  };
}
