/** JSON for people: what fits on a line stands on one. `before`: what stands on the line already. */
const columns = 118;

export function printJson(value: unknown, indent = 0, before = indent): string {
  const flat = onOneLine(value);
  if (before + flat.length < columns || typeof value !== "object" || value === null) return flat;
  const blank = " ".repeat(indent + 2);
  const lines = Array.isArray(value)
    ? value.map((item) => `${blank}${printJson(item, indent + 2)}`)
    : Object.entries(value).map(([name, item]) => {
        const key = `${blank}${JSON.stringify(name)}: `;
        return `${key}${printJson(item, indent + 2, key.length)}`;
      });
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  return `${open}\n${lines.join(",\n")}\n${" ".repeat(indent)}${close}`;
}

function onOneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).flatMap(([name, item]) =>
    item === undefined ? [] : [`${JSON.stringify(name)}: ${onOneLine(item)}`],
  );
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}
