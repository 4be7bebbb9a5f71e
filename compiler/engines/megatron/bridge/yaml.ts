import { oneLine } from "../../../targets/quote.ts";
import { folders } from "../lower/run.ts";
import type { Container } from "./container.ts";

const variables: Readonly<Record<string, string>> = {
  [folders.data]: "${oc.env:CDR_DATA}",
  [folders.run]: "${oc.env:CDR_RUN}",
  [folders.from]: "${oc.env:CDR_FROM}",
};

/** The configuration as `ConfigContainer.from_yaml` reads it, each field with where it comes from. */
export function yamlOf({ sections }: Container): string {
  return [
    "_target_: megatron.bridge.training.config.ConfigContainer",
    ...sections.flatMap(({ name, target, fields }) => [
      `${name}:`,
      `  _target_: ${target}`,
      ...fields.map((field) => `  ${field.name}: ${written(field.value)} # from ${oneLine(field.from)}`),
    ]),
    "",
  ].join("\n");
}

/** JSON is YAML, but for numbers: PyYAML takes `1e-8` for a text, and `1.0e-8` for a number. */
function written(value: unknown): string {
  if (typeof value === "string") return text(withFolders(value));
  if (typeof value === "number") return JSON.stringify(value).replace(/^(-?\d+)e/, "$1.0e");
  if (Array.isArray(value)) return `[${(value as readonly unknown[]).map(written).join(", ")}]`;
  if (typeof value === "object" && value !== null)
    return `{${Object.entries(value)
      .map(([key, each]) => `${/^_\w+_$/.test(key) ? key : text(key)}: ${written(each)}`)
      .join(", ")}}`;
  return JSON.stringify(value ?? null);
}

/** What YAML breaks lines at, or does not take as it is, JSON leaves as it is. */
function text(value: string): string {
  const code = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(value).replaceAll(/[\u007F-\u009F\u2028\u2029\uFEFF\uFFFE\uFFFF]/g, code);
}

/** A text is taken as it stands: only the job's folders are put in. OmegaConf reads backslashes in front of `${` as escapes. */
function withFolders(value: string): string {
  const folder = Object.keys(variables).find((name) => value.startsWith(name)) ?? "";
  const rest = value.slice(folder.length).replaceAll(/(\\*)\$\{/g, "$1$1\\${");
  return (variables[folder] ?? "") + rest;
}
