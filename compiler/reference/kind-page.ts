/** The reference page of a block kind, from its descriptor alone. */
import type { BlockKind, Constructor, FormulaNames, Property, Type } from "../../dsl/kind.ts";
import { describeType } from "../../dsl/types/type.ts";
import { choicesIn, code, formulasIn, typeWords } from "./type-words.ts";

/** `example` is a stretch of a file that compiles. */
export function kindPage(kind: BlockKind, example: string | null): string {
  return lines([
    `# \`${kind.name}\``,
    sentence(kind.doc),
    ...(kind.runs === false ? [later] : []),
    ...facts(kind),
    ...(example === null ? [] : [fence(example)]),
    ...body(kind, [], 2),
    ...formulaSections(kind),
    ...choiceSections(kind),
  ]);
}

const later = "_Checked, but `cdrc run` cannot carry it out yet, and says so._";
const compiled = "_`cdrc compile` writes it, but `cdrc run` cannot start it yet, and says so._";

function facts(kind: BlockKind): string[] {
  const found = [
    ...(kind.step === true ? ["It is a step: `cdrc run FILE NAME` runs it, and others may come `after` it."] : []),
    ...(kind.handles === undefined
      ? []
      : [
          `Others read what it makes as ${kind.handles.map((handle) => code(`name.${handle}`)).join(", ")}${kind.at === undefined ? "" : `, or, at one point of it, as ${code("name.at(…)")}, which takes ${describeType(kind.at)}`}.`,
        ]),
    ...(kind.path === undefined ? [] : [`\`name / "x"\` is a path below its \`${kind.path}\`.`]),
    ...(kind.clauses?.includes("on") === true ? [`\`on\` names its ${(kind.on ?? ["cluster"]).join(" or ")}.`] : []),
    ...(kind.variant === true ? ["Its body only amends other blocks."] : []),
    ...(kind.open === true ? ["It takes any key."] : []),
  ];
  return found.length === 0 ? [] : [found.join(" ")];
}

function body(kind: BlockKind, path: readonly string[], level: number): string[] {
  const at = (title: string): string => `${"#".repeat(Math.min(level, 6))} ${[...path, title].join(" ")}`;
  const properties = Object.entries(kind.properties);
  const derived = Object.entries(kind.derived ?? {});
  const foreign = Object.entries(kind.foreign ?? {});
  return [
    ...(properties.length === 0 ? [] : [at("properties"), propertyTable(kind.properties)]),
    ...Object.entries(kind.blocks ?? {}).flatMap(([name, inner]) => group(name, `${name} { … }`, inner, path, level)),
    ...Object.entries(kind.nested ?? {}).flatMap(([name, inner]) =>
      group(name, `${name} NAME { … }`, inner, path, level),
    ),
    ...(derived.length === 0
      ? []
      : [
          at("derived"),
          "Read, never written.",
          table(
            ["name", ""],
            derived.map(([name, { doc }]) => [code(name), doc]),
          ),
        ]),
    ...(kind.watches === undefined ? [] : [at("what `expect` can use"), formulaTable(kind.watches)]),
    ...(foreign.length === 0
      ? []
      : [
          at("names from elsewhere"),
          table(
            ["there", "here"],
            foreign.map(([name, { instead }]) => [code(name), instead]),
          ),
        ]),
  ];
}

function group(name: string, title: string, kind: BlockKind, path: readonly string[], level: number): string[] {
  const around = path.map((each) => `${each} { `).join("");
  const heading = `${"#".repeat(Math.min(level, 6))} \`${around}${title}${" }".repeat(path.length)}\``;
  return [
    heading,
    sentence(kind.doc),
    ...(kind.runs === false ? [later] : []),
    ...body(kind, [...path, name], level + 1),
  ];
}

function propertyTable(properties: Readonly<Record<string, Property>>): string {
  return table(
    ["name", "value", "default", ""],
    Object.entries(properties).map(([name, property]) => [
      code(name),
      typeWords(property.type),
      property.required === true ? "required" : property.default === undefined ? "" : code(property.default),
      property.doc + notes(property),
    ]),
  );
}

const unrun = ({ compiledBeside }: Property): string =>
  compiledBeside === undefined
    ? "checked, not carried out yet"
    : `compiled beside \`${compiledBeside.join("`, `")}\`, not run yet`;

function notes(property: Property): string {
  const found = [
    ...(property.bounded === true ? ["takes bounds"] : []),
    ...(property.runs === false
      ? [property.runsBy === undefined ? unrun(property) : `carried out by ${property.runsBy}`]
      : []),
  ];
  return found.length === 0 ? "" : ` (${found.join("; ")})`;
}

function formulaTable(names: FormulaNames): string {
  const rows = Object.entries(names).map(([name, { type, doc, parameters }]) => [
    code(parameters === undefined ? name : `${name}(${Object.keys(parameters).join(", ")})`),
    typeWords(type),
    doc,
  ]);
  return table(["name", "value", ""], rows);
}

/** What the formulas of its properties may speak of, once for all that speak of the same. */
function formulaSections(kind: BlockKind): string[] {
  const found = new Map<string, { readonly names: FormulaNames; readonly properties: Set<string> }>();
  const seen = new Set<string>();
  const addProperty = (property: string, type: Type): void => {
    for (const { names } of formulasIn(type)) {
      const spoken = typeof names === "function" ? names(null) : (names ?? {});
      const key = Object.keys(spoken).join(" ");
      if (key === "") continue;
      const section = found.get(key) ?? { names: spoken, properties: new Set() };
      section.properties.add(property);
      found.set(key, section);
    }
    for (const { name, constructors } of choicesIn(type)) {
      if (seen.has(name)) continue;
      seen.add(name);
      for (const { parameters } of Object.values(constructors)) addAll(parameters);
    }
  };
  const addAll = (properties: Readonly<Record<string, Property>>): void => {
    for (const [property, { type }] of Object.entries(properties)) addProperty(property, type);
  };
  const addKind = ({ properties, blocks = {}, nested = {} }: BlockKind): void => {
    addAll(properties);
    for (const inner of [...Object.values(blocks), ...Object.values(nested)]) addKind(inner);
  };
  addKind(kind);
  return [...found.values()].flatMap(({ names, properties }) => [
    `## what ${[...properties].map(code).join(", ")} can use`,
    formulaTable(names),
  ]);
}

/** Each choice that any property of the kind takes, once. */
function choiceSections(kind: BlockKind): string[] {
  const found = new Map<string, Extract<Type, { kind: "choice" }>>();
  const addType = (type: Type): void => {
    for (const choice of choicesIn(type)) {
      if (found.has(choice.name)) continue;
      found.set(choice.name, choice);
      for (const { parameters } of Object.values(choice.constructors)) addAll(parameters);
    }
  };
  const addAll = (properties: Readonly<Record<string, Property>>): void => {
    for (const { type } of Object.values(properties)) addType(type);
  };
  const addKind = ({ properties, blocks = {}, nested = {} }: BlockKind): void => {
    addAll(properties);
    for (const inner of [...Object.values(blocks), ...Object.values(nested)]) addKind(inner);
  };
  addKind(kind);
  return [...found.values()].flatMap((choice) => [
    `## ${choice.name}`,
    ...Object.entries(choice.constructors).flatMap(([name, constructor]) => constructorSection(name, constructor)),
  ]);
}

function constructorSection(
  name: string,
  { doc, example, parameters, positional = [], runs }: Constructor,
): string[] {
  const names = Object.keys(parameters);
  const words = names.map((each) => (positional.includes(each) ? each : `${each} = …`));
  return [
    `**\`${name}${names.length === 0 ? "" : `(${words.join(", ")})`}\`** ${sentence(doc)}${runs === undefined ? "" : ` ${runs === false ? later : compiled}`}`,
    ...(example === undefined ? [] : [fence(example)]),
    ...(names.length === 0 ? [] : [propertyTable(parameters)]),
  ];
}

// ---- Markdown ----

export const lines = (blocks: readonly string[]): string => `${blocks.join("\n\n")}\n`;
export const fence = (text: string, language = "cdr"): string => `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``;

export function sentence(text: string): string {
  const trimmed = text.trim();
  return `${trimmed.charAt(0).toUpperCase()}${trimmed.slice(1)}${/[.!?:]$/.test(trimmed) ? "" : "."}`;
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  // A bar ends a cell, in code too, unless a backslash stands before it.
  const text = (cell: string): string => cell.replaceAll("\n", " ").replaceAll(/(?<!\\)\|/g, "\\|");
  const row = (cells: readonly string[]): string => `| ${cells.map(text).join(" | ")} |`;
  return [row(head), `|${head.map(() => " --- |").join("")}`, ...rows.map(row)].join("\n");
}
