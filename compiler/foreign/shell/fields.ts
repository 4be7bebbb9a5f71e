/** Splits what a word expands to into fields, by IFS. */
import type { State } from "./state.ts";
import { cut, plain, type Piece } from "./text.ts";

/** Ends a word wherever it stands: between the elements of `"${A[@]}"`. */
export interface Boundary {
  /** What stands there where words aren't split. */
  readonly joint: Piece;
}
export type Part = Piece | Boundary;

const blanks = " \t\n";

/** Letters that separate; `null` where that isn't known. */
export function separatorsOf({ variables }: State): string | null {
  const variable = variables.get("IFS");
  if (variable === undefined) return blanks;
  return variable.kind === "text" ? plain(variable.value) : null;
}

/** Never split. */
const isWhole = (part: Part): part is Piece => !("joint" in part) && (part.quoted || part.text === null);

export function fieldsOf(parts: readonly Part[], separators: string | null): readonly (readonly Piece[])[] {
  if (parts.length > 0 && parts.every(isWhole)) return [parts];
  const fields: Piece[][] = [];
  let field: Piece[] | null = null;
  // What the last delimiter was made of: blanks, or a letter that ends a field even where it is empty.
  let delimiter: "none" | "blank" | "letter" = "none";
  const close = (): void => {
    if (field !== null) fields.push(field);
    field = null;
  };
  const add = (piece: Piece): void => {
    if (field === null) field = [piece];
    else field.push(piece);
    delimiter = "none";
  };
  for (const part of parts) {
    if ("joint" in part) {
      close();
      delimiter = "none";
    } else if (part.quoted || part.text === null) add(part);
    else if (separators === null) add(/^\w*$/.test(part.text) ? part : { ...part, text: null });
    else {
      let from = 0;
      const { text } = part;
      for (let at = 0; at <= text.length; at++) {
        const char = text[at];
        if (char !== undefined && !separators.includes(char)) continue;
        if (at > from) add(cut(part, from, at));
        from = at + 1;
        if (char === undefined) break;
        if (blanks.includes(char)) {
          if (field !== null) delimiter = "blank";
          close();
        } else {
          if (field === null && delimiter !== "blank") fields.push([{ ...part, text: "" }]);
          close();
          delimiter = "letter";
        }
      }
    }
  }
  close();
  return fields;
}
