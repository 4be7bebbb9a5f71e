/** Objects of Kubernetes as data, and as text. */
import { dump } from "js-yaml";

export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly [field: string]: unknown;
}

/** Every text in quotes: readers of YAML 1.1 and 1.2 differ in which bare words are numbers and truth values. */
export function yamlOf(objects: readonly KubernetesObject[]): string {
  return objects
    .map((object) => dump(plain(object), { forceQuotes: true, lineWidth: -1, noRefs: true }))
    .join("---\n");
}

/** Without what is undefined. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value).map(([key, item]) => [key, plain(item)] as const);
  return Object.fromEntries(entries.filter(([, item]) => item !== undefined));
}

/** A list that says something. */
export const some = <T>(list: readonly T[]): readonly T[] | undefined => (list.length === 0 ? undefined : list);
