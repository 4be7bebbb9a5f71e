/** What is written down and read by nothing: the part of the engine that reads it is not there. */
import { inTable } from "../../../../dsl/in-table.ts";
import { Undecided, type Arguments, type Host } from "../launch.ts";
import { rulesOf, type Step } from "../step.ts";
import { argumentTable } from "../table.ts";
import readers from "../versions/readers.json" with { type: "json" };

/** An argument that must be on, or have one of these values. */
type Condition = readonly [name: string, values?: readonly string[] | undefined];

type Conditions = Readonly<Record<string, readonly Condition[]>>;

/** What each of these arguments is read with; made of the engine's source by scripts/megatron-readers.py. */
const readWith = readers.read_with as unknown as Conditions;

/** By older releases, where that is not the same. */
const otherwise = readers.otherwise as unknown as Readonly<Record<string, Conditions>>;

const conditionsOf = (dest: string, release: string): readonly Condition[] =>
  inTable(inTable(otherwise, release) ?? {}, dest) ?? inTable(readWith, dest) ?? [];

/** Of all arguments that are read with others in a release, those that `test` holds of; made once for each release. */
function readIn(
  test: (dest: string, conditions: readonly Condition[]) => boolean,
): (release: string) => ReadonlyMap<string, readonly Condition[]> {
  const known = new Map<string, ReadonlyMap<string, readonly Condition[]>>();
  return (release) => {
    let found = known.get(release);
    if (found === undefined) {
      const dests = new Set([...Object.keys(readWith), ...Object.keys(inTable(otherwise, release) ?? {})]);
      const all = [...dests].map((dest) => [dest, conditionsOf(dest, release)] as const);
      known.set(release, (found = new Map(all.filter(([dest, conditions]) => test(dest, conditions)))));
    }
    return found;
  };
}

const parts = rulesOf(`Megatron-LM ${readers.version}: each place that reads the argument`);

/** Of arguments that no other rule holds against what they are read with, and that the engine leaves as they are written. */
export function unreadBeside(others: readonly Step[]): readonly Step[] {
  const settled = new Set<string>(
    others.flatMap((step) => (step.kind === "setting" && step.keepsWritten !== true ? step.sets : [])),
  );
  const told = new Set(
    others.flatMap((step) =>
      step.kind === "rule" ? step.about.flatMap((one) => step.about.map((other) => `${one} ${other}`)) : [],
    ),
  );
  const openIn = readIn(
    (dest, conditions) =>
      // An old argument is told of as one.
      named.get(dest)?.deprecated !== true &&
      !settled.has(dest) &&
      conditions.every(([name]) => name !== "num_experts" && !told.has(`${dest} ${name}`)),
  );
  return [
    parts.demand("unread", {
      about: [],
      check: (a, { given, release }) => {
        // A module of the user's own may read anything.
        if (isOn(a, ["spec"]) && !String(a.spec).startsWith("megatron.")) return null;
        const groups = new Map<string, string[]>();
        const open = openIn(release);
        for (const [dest, { name }] of given) {
          const conditions = open.get(dest);
          if (conditions === undefined || !isSaid(a, dest)) continue;
          const missing = conditions.find(
            // One that is written and switched off by the engine has a rule of its own.
            ([needed, values]) => !(values === undefined && given.has(needed)) && !isOn(a, [needed, values]),
          );
          if (missing === undefined) continue;
          const key = wordsOf(missing);
          groups.set(key, [...(groups.get(key) ?? []), name]);
        }
        const told = [...groups].map(
          ([needed, flags]) =>
            `${flags.join(", ")} ${flags.length === 1 ? "has" : "have"} no effect without ${needed}`,
        );
        return told.length === 0 ? null : told.join("; ");
      },
      why: "Wherever the engine reads this argument, it checks the other one first. The run continues as if the argument were not given.",
      fix: "Add the argument in the message, or remove the other one.",
      severity: "warning",
      fires: "--kv-lora-rank 256 --fim-rate 0.5",
      silent: "",
    }),
  ];
}

const named = new Map(argumentTable("gpt").all.map((argument) => [argument.dest, argument]));

/** Not what leaves the engine as it is. */
function isSaid(a: Arguments, dest: string): boolean {
  const value = valueOf(a, dest);
  const isSwitch = named.get(dest)?.action !== undefined;
  return value !== undefined && value !== null && !(isSwitch && value === named.get(dest)?.default);
}

/** What only layers of experts read, of what is given. */
export function givenToExperts(a: Arguments, { given, release }: Host): readonly string[] {
  const all = toExperts(release);
  return [...given].flatMap(([dest, { name }]) => (all.has(dest) && isSaid(a, dest) ? [name] : []));
}

const toExperts = readIn((_, conditions) => conditions.some(([needed]) => needed === "num_experts"));

function isOn(a: Arguments, [name, values]: Condition): boolean {
  const value = valueOf(a, name);
  if (value === undefined) return true;
  if (values === undefined) return value !== null && value !== false && value !== 0 && value !== "";
  return [value].flat().some((one) => values.includes(String(one)));
}

/** Nothing where nobody knows. */
function valueOf(a: Arguments, name: string): unknown {
  try {
    return (a as unknown as Readonly<Record<string, unknown>>)[name];
  } catch (error) {
    if (error instanceof Undecided) return undefined;
    throw error;
  }
}

const wordsOf = ([name, values]: Condition): string =>
  values === undefined ? flag(name) : `${flag(name)} ${values.join(" or ")}`;

const flag = (dest: string): string => named.get(dest)?.names[0] ?? dest;
