/** Packages that two environments of one image pin to versions that cannot both be there. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Instance } from "../../../dsl/eval/instance.ts";
import type { Span } from "../../../dsl/source/source.ts";
import { packagePins } from "../../diagnostics/operations.ts";
import { blockAt, textOf, valued } from "../resolve/read.ts";

interface Pin {
  readonly name: string;
  readonly written: string;
  readonly clauses: readonly { readonly op: string; readonly version: readonly number[] }[];
  readonly span: Span;
}

export function packages(blocks: readonly Instance[]): Diagnostic[] {
  return blocks.flatMap((block) => {
    if (block.kind.name === "python") return conflicts(pinsOf(block));
    if (block.kind.name !== "image") return [];
    const own = blockAt(block, "python");
    const below = environmentsBelow(block).flatMap(pinsOf);
    return own === null ? [] : conflicts(pinsOf(own), below);
  });
}

/** Environments of the images that an image is built on. */
function environmentsBelow(image: Instance, above: readonly Instance[] = []): Instance[] {
  const base = blockAt(image, "from");
  if (base === null || above.includes(base)) return [];
  const own = blockAt(base, "python");
  return [...(own === null ? [] : [own]), ...environmentsBelow(base, [...above, image])];
}

function pinsOf(python: Instance): Pin[] {
  const { value } = valued(python, "packages");
  if (value.kind !== "list") return [];
  return value.items.flatMap(({ value: item, span }) => {
    const written = textOf(item) ?? "";
    const [, name, rest] = /^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?\s*([^;]*)/.exec(written) ?? [];
    if (name === undefined) return [];
    const clauses = [...(rest ?? "").matchAll(/(==|>=|<=|<|>|~=)\s*([0-9][0-9.]*)/g)].map(([, op, version]) => ({
      op: op ?? "",
      version: (version ?? "").split(".").filter(Boolean).map(Number),
    }));
    return [{ name: name.toLowerCase().replaceAll(/[._-]+/g, "-"), written, clauses, span }];
  });
}

/** Each pin of one list against the others, or against those of another list. */
function conflicts(pins: readonly Pin[], others: readonly Pin[] = pins): Diagnostic[] {
  return pins.flatMap((pin, index) =>
    others.flatMap((other, at) => {
      const isPair = pin.name === other.name && pin.written !== other.written && (others !== pins || at < index);
      if (!isPair || (canBoth(pin, other) && canBoth(other, pin))) return [];
      const related = [{ message: "the other version", span: other.span }];
      return [packagePins(pin.span, { pin: pin.written, other: other.written }, { related })];
    }),
  );
}

/** Whether the exact versions of one satisfy the other. */
function canBoth(a: Pin, b: Pin): boolean {
  const exact = a.clauses.filter(({ op }) => op === "==");
  return exact.every(({ version }) => b.clauses.every((clause) => holds(version, clause)));
}

function holds(version: readonly number[], { op, version: limit }: Pin["clauses"][number]): boolean {
  const order = compare(version, limit);
  switch (op) {
    case "==":
      return order === 0;
    case ">=":
      return order >= 0;
    case "<=":
      return order <= 0;
    case "<":
      return order < 0;
    case ">":
      return order > 0;
    default:
      return order >= 0 && compare(version.slice(0, limit.length - 1), limit.slice(0, -1)) === 0;
  }
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
