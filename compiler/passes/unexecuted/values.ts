/** What of a value nothing carries out. */
import { defaultOf } from "../../../dsl/eval/blocks/default.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import { inTable } from "../../../dsl/in-table.ts";
import type { Property, Type } from "../../../dsl/kind.ts";
import type { Span } from "../../../dsl/source/source.ts";
import { alternatives, meanings } from "../../../dsl/types/type.ts";
import { show, type Valued } from "../../../dsl/types/value.ts";
import { termsIn, unrunIn } from "./terms.ts";

export interface Looking {
  readonly block: Instance;
  /** Is it in what the launch mounts? */
  readonly mounted: (path: string) => boolean;
  readonly note: (span: Span, what: string, isCompiled?: boolean) => void;
  readonly read: (other: Instance, span: Span) => void;
}

/** A value that was written, and what its property or parameter says of it. */
export function said(value: Valued, property: Property, what: string, looking: Looking): void {
  const isOff = value.value.kind === "none" || value.value.kind === "auto" || value.value.kind === "unknown";
  if (isOff) return;
  if (property.runs !== false) return walk(value, property.type, looking);
  const usual = property.default === undefined ? null : defaultOf(property, "", value.span, looking.block.context);
  if (usual === null || show(usual.value) !== show(value.value)) looking.note(value.span, what);
  walk(value, property.type, { ...looking, note: () => undefined });
}

function walk({ value, span }: Valued, type: Type, looking: Looking): void {
  switch (value.kind) {
    case "block":
    case "handle":
      looking.read(value.block, span);
      return;
    case "list": {
      const element = alternatives(type).find((t) => t.kind === "list")?.element ?? type;
      for (const item of value.items) walk(item, element, looking);
      return;
    }
    case "choice": {
      if (value.declared !== undefined) looking.read(value.declared, span);
      const constructor = meanings(type)
        .flatMap((t) => (t.kind === "choice" ? [inTable(t.constructors, value.name)] : []))
        .find((c) => c !== undefined);
      if (constructor?.runs !== undefined) looking.note(span, `\`${value.name}\``, constructor.runs === "compiled");
      for (const [name, argument] of value.arguments) {
        const parameter = inTable(constructor?.parameters, name);
        if (parameter === undefined || argument.origin.kind === "default") continue;
        said(argument, parameter, `\`${name}\` of \`${value.name}\``, looking);
      }
      return;
    }
    case "string": {
      const place = meanings(type).find((t) => t.kind === "path");
      const scheme = /^([a-z][a-z0-9+.-]*):\/\//.exec(value.value)?.[1];
      if (place?.kind === "path" && scheme !== undefined && place.schemes?.includes(scheme) !== true)
        looking.note(span, `paths with the scheme ${scheme}://`, looking.mounted(value.value));
      return;
    }
    case "formula": {
      const formula = meanings(type).find((t) => t.kind === "formula");
      if (formula === undefined) return;
      const known = typeof formula.names === "function" ? formula.names(looking.block) : formula.names;
      const { tree } = value;
      if (formula.alone === true && tree !== null && typeof tree === "object" && "op" in tree)
        looking.note(span, `\`${show(value)}\``);
      else for (const term of termsIn(tree)) for (const what of unrunIn(term, known)) looking.note(span, what);
      return;
    }
    case "member": {
      const values = meanings(type).flatMap((t) => (t.kind === "enum" && t.later !== undefined ? [t.later] : []))[0];
      if (values?.includes(value.name) === true) looking.note(span, `\`${value.name}\``);
      return;
    }
    default:
  }
}
