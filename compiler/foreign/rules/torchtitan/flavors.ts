/** The layers of torchtitan's own models, which its files and commands name. */
import { below } from "../../../engines/release.ts";
import { textIn, toldIn, type Settings, type Told } from "../../settings.ts";
import table from "./flavors.json" with { type: "json" };

interface Model {
  readonly layers: Readonly<Record<string, number | null>>;
  /** Flavors that came later than the model. */
  readonly since: Readonly<Record<string, string>>;
  /** It cannot be cut into stages in releases that read a file. */
  readonly whole?: boolean;
}

const models: ReadonlyMap<string, Model> = new Map(Object.entries(table.models as Readonly<Record<string, Model>>));

/** The words of a configuration in the registry of a model: its layers, and its schedule where that is not the usual. */
const configs: ReadonlyMap<string, ReadonlyMap<string, readonly string[]>> = new Map(
  Object.entries(table.configs).map(([module, text]) => [
    module,
    new Map(
      text.split(" ").map((each) => {
        const [name = "", ...words] = each.split("=");
        return [name, words];
      }),
    ),
  ]),
);

export const flavorsVersion = table.version;

export interface Flavor {
  readonly layers: number | null;
  readonly schedule: string;
  readonly isWhole: boolean;
  readonly name: string;
  readonly told: Told;
}

/** Fields that bring a model of the user's own under any name. */
const own = ["experimental.custom_import", "experimental.custom_args_module", "experimental.custom_model_path"];

/** `null` where nobody knows the model. */
export function flavorOf(settings: Settings): Flavor | null {
  if (own.some((name) => settings.has(name))) return null;
  const config = toldIn(settings, "config");
  const words = configs.get(textIn(settings, "module") ?? "")?.get(String(config?.value));
  if (config !== undefined && words !== undefined)
    return {
      layers: Number(words[0]),
      schedule: words[1] ?? usual,
      isWhole: false,
      name: String(config.value),
      told: config,
    };
  const told = toldIn(settings, "model.flavor", "model.name");
  const name = textIn(settings, "model.name");
  const model = name === null ? undefined : models.get(name);
  if (told === undefined || model === undefined) return null;
  const flavor = textIn(settings, "model.flavor") ?? "";
  const layers = Object.hasOwn(model.layers, flavor) ? (model.layers[flavor] ?? null) : null;
  return { layers, schedule: usual, isWhole: model.whole === true, name: `${name} ${flavor}`.trim(), told };
}

const usual = "1F1B";

/** The flavors of a model where it has not the one that is named; `null` where it has, or nobody knows. */
export function otherFlavors(settings: Settings, release: string | null): readonly string[] | null {
  const name = textIn(settings, "model.name");
  const flavor = textIn(settings, "model.flavor");
  const model = name === null ? undefined : models.get(name);
  if (model === undefined || flavor === null || own.some((each) => settings.has(each))) return null;
  const later = new Set(
    Object.entries(model.since).flatMap(([since, names]) =>
      release !== null && below(release, since) ? names.split(" ") : [],
    ),
  );
  const all = Object.keys(model.layers).filter((each) => !later.has(each));
  return all.includes(flavor) ? null : all;
}
