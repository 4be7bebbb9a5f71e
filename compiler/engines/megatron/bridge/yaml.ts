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
      ...fields.map(
        (field) => `  ${field.name}: ${written(field.value)} # from ${field.from.replaceAll(/\s+/g, " ")}`,
      ),
    ]),
    "",
  ].join("\n");
}

/** JSON is YAML, but for numbers: PyYAML takes `1e-8` for a text, and `1.0e-8` for a number. */
function written(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(withFolders(value));
  if (typeof value === "number") return JSON.stringify(value).replace(/^(-?\d+)e/, "$1.0e");
  if (Array.isArray(value)) return `[${(value as readonly unknown[]).map(written).join(", ")}]`;
  if (typeof value === "object" && value !== null)
    return `{${Object.entries(value)
      .map(([key, each]) => `${key}: ${written(each)}`)
      .join(", ")}}`;
  return JSON.stringify(value ?? null);
}

/** A text is taken as it stands: only the job's folders are put in. */
function withFolders(text: string): string {
  const folder = Object.keys(variables).find((name) => text.startsWith(name)) ?? "";
  return (variables[folder] ?? "") + text.slice(folder.length).replaceAll("${", "\\${");
}
