/** Settings that left no trace: what is drawn is the same without them, and the same whatever else they say. */

/**
 * `draw`: everything that becomes of the settings, as text. One of several that say the same leaves none while the others are there, so each is
 * also held against what is drawn without any one of them, and alone.
 */
export function traceless<Value>(
  all: ReadonlyMap<string, Value>,
  names: readonly string[],
  others: (value: Value) => readonly Value[],
  draw: (settings: ReadonlyMap<string, Value>) => string,
): readonly string[] {
  const without = (name: string, from = all): ReadonlyMap<string, Value> => {
    const rest = new Map(from);
    rest.delete(name);
    return rest;
  };
  const counts = (name: string, value: Value, from: ReadonlyMap<string, Value>): boolean => {
    const drawn = draw(new Map(from).set(name, value));
    return (
      drawn !== draw(without(name, from)) || others(value).some((other) => drawn !== draw(new Map(from).set(name, other)))
    );
  };
  return names.filter((name) => {
    const value = all.get(name);
    if (value === undefined || counts(name, value, all) || counts(name, value, new Map())) return false;
    return ![...all.keys()].some((other) => other !== name && counts(name, value, without(other)));
  });
}

/** Other values of its kind: which one matters little, since each kind of value is read in one way. */
export function otherThan(value: unknown): readonly unknown[] {
  if (typeof value === "boolean") return [!value];
  if (Array.isArray(value)) return value.map((_, at) => value.with(at, otherThan(value[at])[0]));
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  if (typeof number === "number" && Number.isFinite(number)) return [2 * Math.abs(number) + 3, 2 * Math.abs(number)];
  return typeof value === "string" ? ["another", "true", "false"].filter((other) => other !== value) : [];
}
