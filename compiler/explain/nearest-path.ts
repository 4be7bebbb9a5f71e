/** What was meant by a path that leads nowhere, name by name; and what may stand where no name is near. */
import { nearest } from "../../dsl/diagnostics/nearest.ts";
import { heldGroup } from "../../dsl/eval/blocks/implied.ts";
import type { Instance } from "../../dsl/eval/blocks/instance.ts";
import { newInstance } from "../../dsl/eval/blocks/new-instance.ts";
import type { DerivedField } from "../../dsl/kind.ts";
import type { Value } from "../../dsl/types/value.ts";
import type { Compilation } from "../compile.ts";
import { startOf } from "./explain.ts";
import { keysOf } from "./plan-terms.ts";
import type { Plan } from "../plan.ts";
import { inTable } from "../../dsl/in-table.ts";

export interface NearestPath {
  /** The path with the nearest names; `null` where one of them is near to none. */
  readonly meant: string | null;
  /** As far as it leads. */
  readonly prefix: string;
  /** What may stand behind that. */
  readonly valid: readonly string[];
}

/** Names that may stand at a place, and the place behind each. */
interface Place {
  readonly names: readonly string[];
  readonly behind: (name: string) => Place;
}

const nowhere: Place = { names: [], behind: () => nowhere };

export function nearestPath(compiled: Compilation, path: string): NearestPath {
  const names = path.split(".");
  const inPlans = compiled.plan.stages.find((stage) => keysOf(stage).includes(path));
  // As the terms of a plan are printed, without their stage.
  if (inPlans !== undefined) return { meant: `${inPlans.name}.${path}`, prefix: "", valid: [] };
  const meant: string[] = [];
  let place = top(compiled);
  for (const [index, name] of names.entries()) {
    const found = place.names.includes(name) ? name : nearest(name, place.names);
    const inPlan = found === null && index > 0 ? planned(compiled, meant[0] ?? "", names.slice(index)) : null;
    if (inPlan !== null) return { meant: `${meant[0] ?? ""}.${inPlan}`, prefix: "", valid: [] };
    if (found === null) return { meant: null, prefix: meant.join("."), valid: place.names };
    meant.push(found);
    place = place.behind(found);
  }
  return { meant: meant.join("."), prefix: meant.join("."), valid: place.names };
}

/** `micro_batch` stands in the plan as `batch.micro_batch`. */
function planned({ plan }: Compilation, name: string, rest: readonly string[]): string | null {
  const keys = keysNamed(plan, name);
  return keys.find((key) => key.endsWith(`.${rest.join(".")}`)) ?? null;
}

const keysNamed = ({ stages }: Plan, name: string): readonly string[] =>
  stages.filter((stage) => stage.name === name).flatMap(keysOf);

function top(compiled: Compilation): Place {
  const { program } = compiled;
  const known = [...program.root.names.keys(), ...program.blocks.flatMap(({ name }) => name ?? [])];
  return {
    names: [...new Set(known)],
    behind(name) {
      const symbol = program.root.names.get(name);
      if (symbol?.kind === "namespace") {
        const inside = (inner: string): Place => ofStart(compiled, [name, inner]);
        return { names: [...symbol.of.names.keys()], behind: inside };
      }
      return ofStart(compiled, [name]);
    },
  };
}

function ofStart(compiled: Compilation, path: readonly string[]): Place {
  const { symbol, block } = startOf(compiled, path);
  if (block !== null) return ofBlock(compiled, block);
  if (symbol?.kind !== "param" && symbol?.kind !== "let") return nowhere;
  return ofValue(compiled, compiled.program.context.symbolValue(symbol, symbol.name.span).value);
}

function ofBlock(compiled: Compilation, block: Instance): Place {
  const { kind } = block;
  const keys = keysNamed(compiled.plan, block.name ?? "");
  const groups = [...Object.keys(kind.blocks ?? {}), ...block.blocks.keys()];
  const own = [...Object.keys(kind.properties), ...block.values.keys(), ...groups];
  const asked = [...Object.keys(kind.derived ?? {}), ...(kind.handles ?? [])];
  const names = [...new Set([...own, ...asked, ...inKeys(keys, "")])];
  const behind = (name: string): Place => {
    const absent = inTable(kind.blocks, name);
    const group =
      heldGroup(block, name) ??
      (absent === undefined ? null : newInstance(absent, null, block, block.span, block.context));
    const derived = inTable(kind.derived, name);
    const said =
      group !== null
        ? ofBlock(compiled, group)
        : derived !== undefined
          ? ofFields(derived)
          : Object.hasOwn(kind.properties, name) || block.values.has(name)
            ? ofValue(compiled, block.context.property(block, name, block.span).value)
            : nowhere;
    return both(said, ofKeys(keys, name));
  };
  return { names, behind };
}

function ofValue(compiled: Compilation, value: Value): Place {
  if (value.kind === "block") return ofBlock(compiled, value.block);
  const parts = value.kind === "choice" ? value.arguments : value.kind === "record" ? value.fields : new Map();
  return {
    names: [...parts.keys()],
    behind: (name) => {
      const part = parts.get(name);
      return part === undefined ? nowhere : ofValue(compiled, part.value);
    },
  };
}

const ofFields = ({ fields = {} }: DerivedField): Place => ({
  names: Object.keys(fields),
  behind: (name) => (fields[name] === undefined ? nowhere : ofFields(fields[name])),
});

const ofKeys = (keys: readonly string[], above: string): Place => ({
  names: inKeys(keys, above),
  behind: (name) => ofKeys(keys, `${above}.${name}`),
});

const both = (one: Place, other: Place): Place => ({
  names: [...new Set([...one.names, ...other.names])],
  behind: (name) => both(one.behind(name), other.behind(name)),
});

/** Of `batch.micro_batch` below `batch`: `micro_batch`. */
function inKeys(keys: readonly string[], above: string): readonly string[] {
  const prefix = above === "" ? "" : `${above}.`;
  return [
    ...new Set(
      keys.filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length).split(".")[0] ?? ""),
    ),
  ];
}
