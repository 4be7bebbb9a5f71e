/** What a program reads from outside of itself: where each was said. */
import type { Instance } from "../../dsl/eval/blocks/instance.ts";
import { isPresent } from "../../dsl/eval/declarations/lookup.ts";
import type { Program } from "../../dsl/eval/program.ts";
import { groupOf } from "../../dsl/eval/blocks/property.ts";
import type { Span } from "../../dsl/source/source.ts";
import type { Value, Valued } from "../../dsl/types/value.ts";

export interface Read {
  /** A path, a glob or a URI, as it is after evaluation. */
  readonly path: string;
  /** Whether the path names an image in a registry. */
  readonly isImage: boolean;
  /** Of a repository of the Hub, or the digest of an image, where one is written. */
  readonly revision: string | null;
  readonly span: Span;
}

/** Names of properties and arguments behind which something is read; `to` and `at` are written. */
const reading: ReadonlySet<string> = new Set(["from", "path", "files", "lock"]);

export function readsOf(program: Program): readonly Read[] {
  const found = new Map<string, Read>();
  for (const block of program.blocks) {
    if (!block.abstract && isPresent(block)) for (const read of inBlock(block)) found.set(read.path, read);
  }
  return [...found.values()];
}

function inBlock(block: Instance): readonly Read[] {
  const { context } = block;
  const own = [...block.values.keys()].filter(
    (name) => Object.hasOwn(block.kind.properties, name) && name !== "when",
  );
  const revision = own.includes("revision") ? textOf(context.property(block, "revision", block.span).value) : null;
  const groups = [...Object.keys(block.kind.blocks ?? {}), ...block.blocks.keys()];
  return [
    ...own.flatMap((name) => {
      const said = context.property(block, name, block.span);
      const image = block.kind.name === "image" && name === "from" ? textOf(said.value) : null;
      return image === null ? inValue(said, name, revision) : [imageOf(image, said.span)];
    }),
    ...[...new Set(groups)].flatMap((name) => {
      const group = groupOf(block, name);
      return group === null || !isPresent(group) ? [] : inBlock(group);
    }),
  ];
}

function inValue(said: Valued, name: string, revision: string | null): readonly Read[] {
  const { value, span } = said;
  switch (value.kind) {
    case "string": {
      if (!reading.has(name)) return [];
      return [readOf(value.value, revision, span)];
    }
    case "list":
      return value.items.flatMap((item) => inValue(item, name, revision));
    case "choice": {
      const own = textOf(value.arguments.get("revision")?.value) ?? revision;
      const repository = value.name === "hf" ? textOf(value.arguments.get("name")?.value) : null;
      if (repository !== null) return [readOf(onHub(repository), own, span)];
      return [...value.arguments].flatMap(([argument, given]) => inValue(given, argument, own));
    }
    default:
      return [];
  }
}

function readOf(path: string, revision: string | null, span: Span): Read {
  const hub = /^(hf:\/\/[^@]+)@(.+)$/.exec(path);
  return { path: hub?.[1] ?? path, isImage: false, revision: hub?.[2] ?? revision, span };
}

function imageOf(reference: string, span: Span): Read {
  const [path = "", digest = null] = reference.split("@");
  return { path, isImage: true, revision: digest, span };
}

/** `hf("owner/name")` names a repository; a folder is written as a path. */
const onHub = (name: string): string =>
  /^[\w.-]+(?:\/[\w.-]+)?(?:@.+)?$/.test(name) && !name.startsWith(".") ? `hf://${name}` : name;

const textOf = (value: Value | undefined): string | null => (value?.kind === "string" ? value.value : null);
