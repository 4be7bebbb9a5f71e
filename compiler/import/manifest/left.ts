/** What of a manifest nothing in the written file came from: each part is told by its path. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Span } from "../../../dsl/source/source.ts";
import { importLeftOut } from "../../diagnostics/import.ts";
import { scalarOf, type Located } from "../../foreign/documents/located.ts";
import { at } from "../../foreign/documents/located.ts";

/** What the compiled manifests call otherwise, or say by themselves. */
const derived: readonly RegExp[] = [
  /^(?:apiVersion|kind|status)$/,
  /(?:^|\.)metadata\.(?:name|generateName|creationTimestamp|uid|resourceVersion|generation|managedFields)$/,
  /(?:^|\.)metadata\.annotations\.sidecar\.istio\.io\/inject$/,
  /(?:^|\.)(?:containers|volumes|replicatedJobs|tasks)\.[^.]+\.name$/,
];

const reasons: readonly (readonly [RegExp, string])[] = [
  [/(?:^|\.)containers\.[^.]+$/, "a file describes what trains, and its pods have one container"],
  [/(?:^|\.)workingDir$/, "relative paths are relative to the working directory of the image"],
  [
    /(?:^|\.)initContainers$/,
    "its pods start with the training; make ready what it needs in the image or by a step before",
  ],
  [/(?:^|\.)volumes(?:\.|$)|volumeMounts/, "no `store` has that kind of volume"],
  [/(?:^|\.)env(?:From)?(?:\.|$)/, "only plain values and keys of Secrets are written"],
  [/(?:^|\.)(?:labels|annotations)(?:\.|$)/, "the compiled objects have labels of their own"],
  [
    /resources(?:PerNode)?\.(?:requests|limits)\./,
    "of resources, `cpu` is what a pod asks for, and `memory` both that and its limit",
  ],
  [/^spec\.runtimeRef$/, "what that runtime sets is in the cluster, and was not read"],
];

const usual = "`kubernetes(…)` has no option for it";

export function leftOf(root: Located, taken: ReadonlySet<Located>): readonly Diagnostic[] {
  const told = new Map<string, Span>();
  for (const { path, span } of untaken(root, "", taken)) {
    const shown = shortened(path);
    if (!told.has(shown)) told.set(shown, span);
  }
  return [...told].map(([path, span]) =>
    importLeftOut(span, { what: `\`${path}\``, why: reasons.find(([shape]) => shape.test(path))?.[1] ?? usual }),
  );
}

interface Part {
  readonly path: string;
  readonly span: Span;
}

/** The largest parts that hold nothing that was taken. */
function untaken(node: Located, path: string, taken: ReadonlySet<Located>): readonly Part[] {
  if (taken.has(node)) return [];
  const inner = partsOf(node, path).filter((part) => !derived.some((each) => each.test(part.path)));
  if (inner.length === 0 || !holds(node, taken)) {
    const isEmpty = node.kind !== "scalar" && node.kind !== "unknown" && inner.length === 0;
    return path === "" || isEmpty ? [] : [{ path, span: node.span }];
  }
  return inner.flatMap((part) => untaken(part.node, part.path, taken));
}

function holds(node: Located, taken: ReadonlySet<Located>): boolean {
  return taken.has(node) || partsOf(node, "").some((part) => holds(part.node, taken));
}

export function partsOf(node: Located, path: string): readonly { readonly node: Located; readonly path: string }[] {
  const below = (name: string): string => (path === "" ? name : `${path}.${name}`);
  if (node.kind === "map") return node.entries.map(({ key, value }) => ({ node: value, path: below(key) }));
  if (node.kind !== "list") return [];
  return node.items.map((item, index) => ({ node: item, path: below(String(nameOf(item) ?? index)) }));
}

/** Items of a list are known by their names where they have some. */
export const nameOf = (item: Located): unknown =>
  scalarOf(at(item, "name")) ?? scalarOf(at(item, "key")) ?? (item.kind === "scalar" ? item.value : undefined);

/** As the pod's own specification has it, where it stands in one. */
const shortened = (path: string): string => path.replace(/^.*\btemplate\.spec\.(?=.)/, "");
