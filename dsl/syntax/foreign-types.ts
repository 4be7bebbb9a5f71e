/** Types as other languages call them, with what they are called here. */
const types: Readonly<Record<string, string>> = {
  ...{ int: "Int", integer: "Int", uint: "Int", long: "Int", i32: "Int", i64: "Int", u32: "Int", u64: "Int" },
  ...{ float: "Float", double: "Float", real: "Float", f32: "Float", f64: "Float", decimal: "Float" },
  ...{ number: "Number", num: "Number", numeric: "Number" },
  ...{ str: "String", string: "String", text: "String", char: "String", varchar: "String" },
  ...{ bool: "Bool", boolean: "Bool" },
  ...{ path: "Path", pathlib: "Path", file: "Path", directory: "Path" },
  ...{ timedelta: "Duration", time: "Duration" },
  ...{ null: "none", nil: "none", nonetype: "none", void: "none" },
};

const listTypes = new Set(["list", "array", "sequence", "tuple", "set", "vec", "slice", "iterable"]);
const optionalTypes = new Set(["optional", "option", "maybe", "nullable"]);

/** The type that a word of another language names. */
export function foreignType(word: string): string | null {
  const name = word.toLowerCase();
  return Object.hasOwn(types, name) ? (types[name] ?? null) : null;
}

/** `list[int]` is `[Int]`, `Optional[int]` is `Int | none`; `null` for what has no counterpart. */
export function genericType(word: string, element: string): string | null {
  const inner = foreignType(element) ?? element;
  if (listTypes.has(word.toLowerCase())) return `[${inner}]`;
  return optionalTypes.has(word.toLowerCase()) ? `${inner} | none` : null;
}
