/** Packages that cannot be installed together, in one environment or in two of one image. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import type { Span } from "../../../dsl/source/source.ts";
import { packageDemand, packagePins } from "../../diagnostics/packages.ts";
import { blockAt, textOf, valued } from "../resolve/read.ts";
import { demandOf, releasesFor } from "./demands-of.ts";
import { pythonsOf } from "./pythons-of.ts";
import { canBeMet, type Requirement, requirementOf } from "./requirement.ts";

/** A requirement as it stands in a list. */
export interface Pin extends Requirement {
  readonly written: string;
  readonly span: Span;
}

export function packages(blocks: readonly Instance[]): Diagnostic[] {
  return blocks.flatMap((block) => {
    if (block.kind.name === "python") {
      const pins = pinsOf(block);
      return [...conflicts(pins), ...demands(pins), ...pythonsOf(block, pins)];
    }
    if (block.kind.name !== "image") return [];
    const own = blockAt(block, "python");
    const below = environmentsBelow(block).flatMap(pinsOf);
    if (own === null) return [];
    const pins = pinsOf(own);
    return [...conflicts(pins, below), ...demands(pins, below), ...demands(below, pins)];
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
    const requirement = requirementOf(written);
    return requirement === null ? [] : [{ ...requirement, written, span }];
  });
}

/** What each pin of one list takes of those of another, or of its own. */
function demands(pins: readonly Pin[], others: readonly Pin[] = pins): Diagnostic[] {
  return pins.flatMap((pin) => {
    const demand = demandOf(pin);
    return others.flatMap((other) => {
      if (demand?.takes.name !== other.name || canBeMet([...demand.takes.clauses, ...other.clauses])) return [];
      const related = [{ message: "the other version", span: other.span }];
      const valid = [demand.written, ...releasesFor(pin.name, other)];
      return [
        packageDemand(
          pin.span,
          { pin: pin.written, takes: demand.written, other: other.written },
          { related, valid },
        ),
      ];
    });
  });
}

/** Each pin of one list against the others, or against those of another list. */
function conflicts(pins: readonly Pin[], others: readonly Pin[] = pins): Diagnostic[] {
  return pins.flatMap((pin, index) =>
    others.flatMap((other, at) => {
      const isPair = pin.name === other.name && pin.written !== other.written && (others !== pins || at < index);
      if (!isPair || canBeMet([...pin.clauses, ...other.clauses])) return [];
      const related = [{ message: "the other version", span: other.span }];
      return [packagePins(pin.span, { pin: pin.written, other: other.written }, { related })];
    }),
  );
}
