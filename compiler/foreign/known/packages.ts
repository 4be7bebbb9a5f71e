import type { Span } from "../../../dsl/source/source.ts";
import { documentsOf, type Launch } from "../launch.ts";
import { at, itemsOf, scalarOf, type Located } from "../documents/located.ts";
import { linesOf } from "../documents/listing.ts";

/** A package that a launch installs or brings in its image. */
export interface Package {
  /** `null` where any version may come. */
  readonly version: string | null;
  /** What bounds it where no version is named: `>=0.14,<0.16`. */
  readonly specifier?: string;
  readonly span: Span;
}

/** Packages by their plain names, from `pip install`, lists of requirements and tags of images. */
export function packagesOf(launch: Launch): ReadonlyMap<string, Package> {
  const known = memory.get(launch) ?? packagesIn(launch);
  memory.set(launch, known);
  return known;
}

/** Many rules ask the same launch. */
const memory = new WeakMap<Launch, ReadonlyMap<string, Package>>();

function packagesIn(launch: Launch): ReadonlyMap<string, Package> {
  const packages = new Map<string, Package>();
  const add = (name: string, version: string | null, span: Span, specifier?: string): void => {
    const plain = name.toLowerCase().replaceAll("_", "-");
    const before = packages.get(plain);
    if (before === undefined || version !== null || (before.version === null && specifier !== undefined))
      packages.set(plain, { version, span, ...(specifier === undefined ? {} : { specifier }) });
  };
  const requirement = (text: string, span: Span): void => {
    const said = text.replace(/^["']|["']$/g, "");
    const parts = /^([A-Za-z][\w.-]*)(?:\[[^\]]*\])?\s*(?:={1,3}\s*([\w.+*-]+))?/.exec(said);
    const bounds = /^[\w.-]+(?:\[[^\]]*\])?\s*([<>=!~][^;]*)/.exec(said)?.[1]?.trim();
    if (parts !== null) add(parts[1] ?? "", parts[2] ?? null, span, bounds);
    const wheel = /whl\/(?:[\w]+\/)?cu(\d\d)(\d+)/.exec(text);
    if (wheel !== null) add("torch-cuda", `${wheel[1]}.${wheel[2]}`, span);
    const local = /^torch==[\d.]+\+cu(\d\d)(\d+)/.exec(text);
    if (local !== null) add("torch-cuda", `${local[1]}.${local[2]}`, span);
  };
  for (const { commands } of launch.scripts)
    for (const { words } of commands) {
      const install = words.findIndex(({ text }, index) => text === "install" && index > 0);
      const isPackager = ({ text }: (typeof words)[number]): boolean =>
        text !== null && /(?:^|\/)(?:pip\d?|conda|mamba)$/.test(text);
      if (install < 0 || !words.slice(0, install).some(isPackager)) continue;
      for (const word of words.slice(install + 1))
        if (word.text !== null && (!word.text.startsWith("-") || word.text.includes("whl/")))
          requirement(word.text, word.span);
    }
  for (const { kind, source, lines } of launch.listings)
    if (kind === "requirements") for (const { text, span } of lines ?? linesOf(source)) requirement(text, span);
  for (const { text, span } of imagesOf(launch)) {
    const [name = "", tag = ""] = text.split("@")[0]?.split(/:(?=[^/]*$)/) ?? [];
    add(name.split("/").at(-1) ?? "", /^v?(\d+\.\d+[\w.]*)/.exec(tag)?.[1] ?? null, span);
    const cuda = /cuda-?(\d+\.\d+)/.exec(tag)?.[1];
    if (cuda !== undefined) add("cuda-toolkit", cuda, span);
    if (cuda !== undefined && name.endsWith("pytorch")) add("torch-cuda", cuda, span);
    if (name.endsWith("nvidia/cuda")) add("cuda-toolkit", /^(\d+\.\d+)/.exec(tag)?.[1] ?? null, span);
  }
  return packages;
}

/** Images of manifests and of `docker run`. */
export function imagesOf(launch: Launch): readonly { readonly text: string; readonly span: Span }[] {
  const manifests = documentsOf(launch, "kubernetes").flatMap(({ root }) => imagesIn(root));
  const commands = launch.runs.flatMap(({ docker }) => (docker?.image == null ? [] : [docker.image]));
  return [...manifests, ...commands.flatMap(({ text, span }) => (text === null ? [] : [{ text, span }]))];
}

function imagesIn(node: Located): readonly { readonly text: string; readonly span: Span }[] {
  if (node.kind === "list") return itemsOf(node).flatMap(imagesIn);
  if (node.kind !== "map") return [];
  const own = scalarOf(at(node, "image"));
  const found = typeof own === "string" ? [{ text: own, span: at(node, "image")?.span ?? node.span }] : [];
  return [...found, ...node.entries.flatMap(({ value }) => imagesIn(value))];
}
